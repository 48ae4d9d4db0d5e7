#!/bin/bash
# nvJitLink compiles PTX in AddData, and XLA names its number of inputs as a number of threads.
#
# One would guess: nvJitLinkAddData collects the inputs, and nvJitLinkComplete compiles and links
# them. So who keeps the result of Complete saves the work. And -split-compile=N makes N threads.
#
# Seen: AddData of PTX takes 99.9 % of the time, and Complete the rest. Wrong PTX is an error of
# AddData. LTO IR is compiled by Complete. XLA (JAX 0.12) gives each link -split-compile=<number of
# inputs>. Without -lto no release makes a thread for it.
#
# Versions: nvJitLink 12.1 and 13.5 (wheels, scripts/nvrtc.sh), jaxlib 0.12.0.1. No GPU.
# The script times both calls, and fails if Complete takes more than a tenth of AddData.
set -eu
cd "$(dirname "$0")/.."
eval "$(sh scripts/nvrtc.sh)"
python3 - "$E2E_NVRTC_OLD" "$E2E_NVJITLINK" "$E2E_NVJITLINK_OLD" <<'EOP'
import ctypes
import sys
import time


def texts(v):
    return (ctypes.c_char_p * len(v))(*v)


def ptx(path):
    rtc, program, size = ctypes.CDLL(path), ctypes.c_void_p(), ctypes.c_size_t()
    source = b"".join(b'extern "C" __global__ void k%d(float *o) { for (int i = 0; i < o[3]; i++) '
                      b"o[i] = sinf(o[i]) * %d; }\n" % (i, i) for i in range(12))
    rtc.nvrtcCreateProgram(ctypes.byref(program), source, b"k.cu", 0, None, None)
    assert rtc.nvrtcCompileProgram(program, 1, texts([b"-arch=compute_80"])) == 0
    rtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    rtc.nvrtcGetPTX(program, text)
    return text.raw


def timed(function, *arguments):
    began = time.monotonic()
    assert function(*arguments) == 0
    return time.monotonic() - began


text = ptx(sys.argv[1])
for path in sys.argv[2:]:
    library, link = ctypes.CDLL(path), ctypes.c_void_p()
    # CUDA 12.1 has names with a version alone.
    form = "nvJitLink%s" if hasattr(library, "nvJitLinkCreate") else "__nvJitLink%s_12_0"
    call = {name: getattr(library, form % name) for name in ("Create", "AddData", "Complete")}
    call["Create"](ctypes.byref(link), 1, texts([b"-arch=sm_80"]))
    add = timed(call["AddData"], link, 2, text, ctypes.c_size_t(len(text)), b"k")
    complete = timed(call["Complete"], link)
    print("%s: AddData %.1f ms, Complete %.1f ms" % (path, add * 1000, complete * 1000))
    assert complete < add / 10
EOP
