"""compute_cache.py - what the driver keeps of PTX that it compiles (CUDA_CACHE_PATH), on a GPU.

Each start is a process of its own, which loads one PTX module by libcuda alone. Prints the files
that a start leaves, the time of the load, and whether the result is right: in an empty directory,
in the same one, in a copy at another path, and in copies whose files were changed: a byte in the
middle, the last half cut, another module's file under this one's name.

Seen with driver 580.159.04 on an H200: a load takes 60 to 117 ms in an empty directory, and 0.5 ms
with the file. The file's name and bytes are the same in each start, and a copy is taken at any
path, also without the index. A file that was changed, cut or exchanged is not taken: the result is
right, after a compile, and the file is written anew. The driver opens it in place by fopen."""
import ctypes
import hashlib
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import time


STEPS = 4000  # a compile then takes longer than a load


def ptx(factor):
    lines = "\n".join("    mad.lo.s32 %%r2, %%r2, %d, %d;" % (3 + i % 5, i) for i in range(STEPS))
    return """.version 7.0
.target sm_70
.address_size 64
.visible .entry k(.param .u64 p) {
    .reg .b32 %%r<4>;
    .reg .b64 %%a<3>;
    ld.param.u64 %%a1, [p];
    cvta.to.global.u64 %%a2, %%a1;
    ld.global.s32 %%r2, [%%a2];
    mul.lo.s32 %%r2, %%r2, %d;
%s
    st.global.s32 [%%a2], %%r2;
    ret;
}
""" % (factor, lines)


def expected(factor):
    x = 5 * factor
    for i in range(STEPS):
        x = (x * (3 + i % 5) + i) & 0xffffffff
    return x


def load(factor):
    cuda = ctypes.CDLL("libcuda.so.1")

    def call(name, *args):
        code = getattr(cuda, name)(*args)
        if code:
            raise SystemExit("%s: %d" % (name, code))
    context, module, kernel = (ctypes.c_void_p() for _ in range(3))
    device, memory = ctypes.c_int(), ctypes.c_uint64()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    text = ptx(factor).encode() + b"\0"
    begin = time.monotonic()
    call("cuModuleLoadData", ctypes.byref(module), text)
    took = time.monotonic() - begin
    call("cuModuleGetFunction", ctypes.byref(kernel), module, b"k")
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(4))
    call("cuMemcpyHtoD_v2", memory, struct.pack("<i", 5), ctypes.c_size_t(4))
    pointers = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(memory), ctypes.c_void_p))
    call("cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, None, pointers, None)
    out = ctypes.create_string_buffer(4)
    call("cuMemcpyDtoH_v2", out, memory, ctypes.c_size_t(4))
    right = struct.unpack("<I", out.raw)[0] == expected(factor)
    print("%6.1f ms, result %s" % (took * 1000, "right" if right else "WRONG"))


def start(what, place, factor=7):
    env = dict(os.environ, CUDA_CACHE_PATH=place, CUDA_CACHE_DISABLE="0")
    done = subprocess.run([sys.executable, __file__, "load", str(factor)], env=env,
                          capture_output=True, text=True)
    print("%-44s %s" % (what, done.stdout.strip() or "status %d %s" % (
        done.returncode, done.stderr.strip()[-200:])))


def files(place):
    found = []
    for at, _, names in os.walk(place):
        for name in sorted(names):
            path = os.path.join(at, name)
            with open(path, "rb") as f:
                data = f.read()
            found.append((os.path.relpath(path, place), len(data),
                          hashlib.sha256(data).hexdigest()[:12]))
    return sorted(found)


def show(place):
    for name, size, digest in files(place):
        print("    %-60s %8d %s" % (name, size, digest))


def changed(place, to, change):
    shutil.copytree(place, to)
    for name, size, _ in files(to):
        if os.path.basename(name) != "index":
            change(os.path.join(to, name), size)
    return to


def flip(path, size):
    with open(path, "r+b") as f:
        f.seek(size // 2)
        byte = f.read(1)
        f.seek(size // 2)
        f.write(bytes([byte[0] ^ 1]))


def main():
    work = tempfile.mkdtemp()
    one, two = work + "/one", work + "/two"
    if os.path.exists("/proc/driver/nvidia/version"):
        with open("/proc/driver/nvidia/version") as f:
            print(f.readline().strip())
    start("empty directory", one)
    show(one)
    start("the same directory", one)
    show(one)
    start("a copy at another path", shutil.copytree(one, work + "/copy"))
    start("an empty directory again", work + "/again")
    show(work + "/again")
    start("another module, empty directory", two, 9)
    show(two)
    start("a byte changed", changed(one, work + "/flip", flip))
    start("the last half cut",
          changed(one, work + "/cut", lambda path, size: os.truncate(path, size // 2)))
    other = [name for name, _, _ in files(two) if os.path.basename(name) != "index"]
    start("another module's file under this name",
          changed(one, work + "/swap", lambda path, size: shutil.copy(two + "/" + other[0], path)))
    no_index = shutil.copytree(one, work + "/no_index")
    for at, _, names in os.walk(no_index):
        for name in names:
            if name == "index":
                os.remove(os.path.join(at, name))
    start("without the index", no_index)
    shutil.rmtree(work)


if sys.argv[1:2] == ["load"]:
    load(int(sys.argv[2]))
else:
    main()
