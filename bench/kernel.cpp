// A kernel in the shape that Inductor writes for the CPU: few lines, some 600 headers.
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <torch/csrc/inductor/cpp_prefix.h>

extern "C" void kernel(float *out, const float *in)
{
	for (int64_t at = 0; at < 8192; at += at::vec::Vectorized<float>::size()) {
		auto x = at::vec::Vectorized<float>::loadu(in + at);
		auto half = at::vec::Vectorized<float>(0.5f);
		auto scaled = x * at::vec::Vectorized<float>(0.70710678f);
		(x * half * (scaled.erf() + at::vec::Vectorized<float>(1.0f))).store(out + at);
	}
}
