"""cuda_extension.py BUILD [inline] - torch.utils.cpp_extension.load of a .cpp and a .cu in the
directory BUILD, or load_inline of the same texts, then one call of the loaded module. Writes
sources, and files that a torch without CUDA lacks, to the current directory if they are absent. The
caller sets CUDA_HOME and TORCH_CUDA_ARCH_LIST. No GPU is needed."""

import os
import subprocess
import sys

import torch
from torch.utils import cpp_extension

CPP = """#include <torch/extension.h>
void scale_launch(float *x, float a, int n);
int count(torch::Tensor x) {
  if (x.is_cuda()) scale_launch(x.data_ptr<float>(), 2.0f, (int)x.numel());
  return (int)x.numel();
}
"""
MODULE = 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("count", &count); }\n'
CU = """#include <cuda_runtime.h>
__global__ void scale(float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= a;
}
void scale_launch(float *x, float a, int n) { scale<<<(n + 127) / 128, 128>>>(x, a, n); }
"""


def put(name, text):
    if not os.path.exists(name):
        with open(name, "w") as f:
            f.write(text)


here, home = os.getcwd(), os.environ["CUDA_HOME"]
libraries = os.path.join(home, "lib64" if os.path.exists(os.path.join(home, "lib64")) else "lib")
flags = [f"-Wl,-rpath,{libraries}"]
if torch.version.cuda is None:
    # A torch for the CPU takes no toolkit. It lacks the two libraries that a CUDA extension links
    # to.
    torch.version.cuda = "13.0"
    cpp_extension.CUDA_HOME = home
    for name in ("c10_cuda", "torch_cuda"):
        if not os.path.exists(f"lib{name}.so"):
            subprocess.run(["gcc", "-shared", "-fPIC", "-x", "c", "/dev/null", "-o",
                            f"lib{name}.so"], check=True)
    flags += [f"-L{here}", f"-Wl,-rpath,{here}"]
common = {"name": "ext", "build_directory": sys.argv[1], "with_cuda": True, "verbose": True,
          "extra_ldflags": flags}
if sys.argv[2:] == ["inline"]:
    module = cpp_extension.load_inline(cpp_sources=CPP, cuda_sources=CU, functions=["count"],
                                       **common)
else:
    put("ext.cpp", CPP + MODULE)
    put("ext.cu", CU)
    module = cpp_extension.load(sources=["ext.cpp", "ext.cu"], **common)
print("counted", module.count(torch.zeros(5)))
