"""cripple.py LIBRARY OUT NAME...: copies a shared library without these symbols, in any version.
Their entries get an empty name. Prints the number of these entries."""
import struct
import sys

data = bytearray(open(sys.argv[1], "rb").read())
names = {name.encode() for name in sys.argv[3:]}
offset, = struct.unpack_from("<Q", data, 40)
size, count = struct.unpack_from("<HH", data, 58)
sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
gone = 0
for kind, place, length, link in ((s[1], s[4], s[5], s[6]) for s in sections):
    if kind != 11:  # SHT_DYNSYM
        continue
    strings = sections[link][4]
    for at in range(place, place + length, 24):
        name, = struct.unpack_from("<I", data, at)
        text = bytes(data[strings + name:data.index(b"\0", strings + name)])
        if text in names:
            struct.pack_into("<I", data, at, 0)
            gone += 1
open(sys.argv[2], "wb").write(data)
print(gone)
