#!/usr/bin/env python3
"""Makes the specimens *-v<version>.bin from the tables in docs/internals/formats.md, independently of the code.

Run once per version of a format; the unit tests decode the result. Needs libxxhash, libzstd and libsodium.
"""
import ctypes
import hashlib
import pathlib
import struct

HERE = pathlib.Path(__file__).parent
VERSIONS = {"entry": 4, "candidate": 3, "candidate-short": 3, "result": 2}
ENTRY_MAGIC = b"RPE" + bytes([VERSIONS["entry"]])
XXH = ctypes.CDLL("libxxhash.so.0")
ZSTD = ctypes.CDLL("libzstd.so.1")


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


XXH.XXH3_128bits.restype = Hash128
XXH.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
ZSTD.ZSTD_compress.restype = ctypes.c_size_t


def digest(data):
    h = XXH.XXH3_128bits(data, len(data))
    return struct.pack(">QQ", h.high, h.low) + bytes(15) + b"\1"


def strong(data):
    return hashlib.blake2b(data, digest_size=32).digest()


def string(data):
    return struct.pack("<I", len(data)) + data + b"\0"


def entry(number, key, payload):
    head = ENTRY_MAGIC + struct.pack("<IQ", number, len(payload)) + key
    return head + payload + digest(head + payload)


def candidate(short=False):
    def of(data):
        return digest(data)[:16] + digest(data)[31:] if short else digest(data)

    ifdir, ifreg = 0o040000, 0o100000
    inputs = [
        b"\1" + string(b"A/usr/include/a.h") + of(b"content"),
        b"\2" + string(b"A/usr/local/include") + of(b"set") + struct.pack("<I", 3)
        + string(b"stdio.h") + string(b"") + string(b"with\nnewline"),
        b"\3" + string(b"Cnone") + struct.pack("<I", 0),
        b"\3" + string(b"Ca.c/none") + struct.pack("<I", ifreg),
        b"\4" + string(b"A/usr") + struct.pack("<I", ifdir),
        b"\5" + string(b"A/l") + of(b"target") + string(b"target"),
        b"\6" + string(b"Ax") + struct.pack("<Qq", 1 << 40, -5),
        b"\7" + string(b"A\0binary") + of(b"listing"),
        b"\x08" + string(b"CPATH") + b"\1" + of(b"") + string(b""),
        b"\x08" + string(b"UNSET") + b"\0" + bytes(17 if short else 32) + string(b""),
        b"\x09" + string(b"") + of(b"A/home/u") + string(b"A/home/u"),
        b"\x0a" + string(b"A/l") + of(b"A/t") + string(b"A/t"),
        b"\x0b" + string(b"") + of(b"A/h") + string(b"A/h"),
        b"\x0c" + string(b"as") + of(b"/usr/bin/as") + string(b"/usr/bin/as"),
        b"\x0d" + string(b"A/p") + of(b"A/p"),
        b"\x0e" + string(b"A/r"),
        b"\x0f" + string(b"A/f") + of(b"A/f"),
        b"\x10" + string(b"") + struct.pack("<I", 3) + of(b"") + struct.pack("<I", 2)
        + string(b"A/a/h") + string(b"C\1T0/h"),
        b"\x12" + string(b"2") + struct.pack("<I", 90) + of(b"error: no terminal")
        + string(b"error: no terminal"),
        b"\x13" + string(b"C../s.c"),
        b"\x11" + string(b"A/s.c") + struct.pack("<I", 2),
    ]
    names = [b"T\0\1" + string(b"tmpabcdefgh"), b"P\3\3" + string(b"/x/y.py")]
    return (digest(b"result") + struct.pack("<q", 1700000000) + (b"\2" if short else b"\1")
            + struct.pack("<I", len(names)) + b"".join(names)
            + struct.pack("<I", len(inputs)) + b"".join(inputs))


def patches(*items):
    return struct.pack("<I", len(items)) + b"".join(
        struct.pack("<Q", at) + kind + bytes([index]) for at, kind, index in items)


def output(spec, style, kind, mode, data, stored, *patch):
    return (string(spec) + struct.pack("<BBHB", style, kind, mode, stored is not data)
            + struct.pack("<QQ", len(data), len(stored)) + patches(*patch) + stored)


def chunk(stream, data, *patch):
    return bytes([stream]) + struct.pack("<Q", len(data)) + patches(*patch) + data


def frame(data):
    room = ctypes.create_string_buffer(len(data))
    n = ZSTD.ZSTD_compress(room, ctypes.c_size_t(len(room)), data, ctypes.c_size_t(len(data)), 1)
    return room.raw[:n]


def result():
    large = b"0123456789abcdef" * 512
    packed = frame(large)
    plain = b"tmpabcdefgh and more"
    outputs = [
        output(b"C" + b"a.o", 1, 1, 0o644, plain, plain, (0, b"T", 0)),
        output(b"A/tmp/\1T0/b", 2, 2, 0o755, large, packed),
        output(b"Cempty", 1, 3, 0o4711, b"", b""),
        output(b"Cmade", 1, 4, 0o640, b"", b""),
        output(b"Cset", 1, 5, 0o644, b"", b""),
    ]
    chunks = [chunk(2, b"tmpabcdefgh: warning\n", (0, b"T", 0)), chunk(1, b"out")]
    return (struct.pack("<IQI", 255, 1234567890123, 1) + b"T\0" + string(b"tmpabcdefgh")
            + struct.pack("<I", len(outputs)) + b"".join(outputs)
            + struct.pack("<I", len(chunks)) + b"".join(chunks))


def blob():
    """Signed, with the seed of RFC 8032, 7.1, test 2, and not compressed."""
    sodium = ctypes.CDLL("libsodium.so.23")
    seed = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
    public, secret, signature = (ctypes.create_string_buffer(n) for n in (32, 64, 64))
    sodium.crypto_sign_seed_keypair(public, secret, seed)
    key = strong(b"specimen")
    sealed = ENTRY_MAGIC + struct.pack("<IQ", 2, 7) + key + b"payload"
    sealed += strong(sealed)
    head = (b"RPRBLOB\1" + struct.pack("<IIQQ", 2, 2, len(sealed), len(sealed)) + bytes(8) + key
            + strong(sealed) + public.raw)
    sodium.crypto_sign_detached(signature, None, head, ctypes.c_ulonglong(len(head)), secret)
    return head + signature.raw + sealed


def journal():
    return (b"1700000000\t4711\tjob\tgcc\tmiss\tinput\ta\\tb\\nc\\\\d\\x01\xc3\xa9\t/home/u\t"
            + digest(b"k").hex().encode() + b"\t\tgcc -c a.c\n")


def parcel_file(name, mode, exact, data, stored, *marks):
    return (string(name) + struct.pack("<HBB", mode, exact, stored is not data)
            + struct.pack("<QQI", len(data), len(stored), len(marks))
            + struct.pack(f"<{len(marks)}Q", *marks) + stored)


def parcel():
    large = b"0123456789abcdef" * 512
    index = b'{"child_paths": {"k.ptx": "/k.ptx", "k.json": "/k.json"}}'
    files = [
        parcel_file(b"k.ptx", 0o644, 0, large, frame(large)),
        parcel_file(b"k.json", 0o600, 1, b"{}", b"{}"),
        parcel_file(b"__grp__k.json", 0o755, 0, index, index, index.index(b"/k.ptx"),
                    index.index(b"/k.json")),
        parcel_file(b"empty", 0o400, 0, b"", b""),
    ]
    return struct.pack("<I", 1) + string(b"triton k") + struct.pack("<I",
                                                                    len(files)) + b"".join(files)


def member():
    return (digest(b"parcel") + struct.pack("<q", 1700000000) + string(b"compiled_module") +
            struct.pack("<I", 2)
            + string(b"/src/model.py") + digest(b"source") + string(b"/lib/torch/version.py") +
            digest(b"version"))


def write():
    for name, data in {
            "entry": entry(2, digest(b"specimen"), b"payload"),
            "candidate": candidate(),
            "candidate-short": candidate(short=True),
            "result": result(),
            "journal": journal(),
            "blob": blob(),
            "parcel": parcel(),
            "member": member(),
    }.items():
        (HERE / f"{name}-v{VERSIONS.get(name, 1)}.bin").write_bytes(data)
        folder, _, form = name.partition("-")
        (HERE.parent / "fuzz/corpus" / folder / (form or "specimen")).write_bytes(data)


if __name__ == "__main__":
    write()
