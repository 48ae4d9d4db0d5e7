/* deep_jit.cc VARIABLES ROOT SOURCE DIRECTORY HEADERS [OPTION...] - the directory of a compiled
 * kernel, by the code of DeepGEMM's and DeepEP's JIT library (deep_jit, headers of DeepGEMM's
 * wheel). Names of its variables begin with VARIABLES. Headers whose names begin with HEADERS are
 * part of its key. OPTIONs of nvcc are added as DeepEP adds its own. The device of sm_90 and
 * torch's errors are functions of this file, as no GPU is needed to compile. */
#include <cstdint>
#include <sys/types.h>

/* Of elfutils, by which deep_jit looks into its stack where libdw is loaded. */
struct Dwfl;
struct Dwfl_Module;
struct Dwfl_Line;
struct Elf;
using Dwarf_Addr = uint64_t;
using GElf_Word = uint32_t;
struct Dwfl_Callbacks {
	int (*find_elf)(Dwfl_Module *, void **, const char *, Dwarf_Addr, char **, Elf **);
	int (*find_debuginfo)(Dwfl_Module *, void **, const char *, Dwarf_Addr, const char *,
	                      const char *, GElf_Word, char **);
};
extern "C" {
Dwfl *dwfl_begin(const Dwfl_Callbacks *);
int dwfl_linux_proc_report(Dwfl *, pid_t);
int dwfl_report_end(Dwfl *, void *, void *);
Dwfl_Module *dwfl_addrmodule(Dwfl *, Dwarf_Addr);
const char *dwfl_module_addrname(Dwfl_Module *, Dwarf_Addr);
Dwfl_Line *dwfl_module_getsrc(Dwfl_Module *, Dwarf_Addr);
const char *dwfl_lineinfo(Dwfl_Line *, Dwarf_Addr *, int *, int *, void *, void *);
int dwfl_linux_proc_find_elf(Dwfl_Module *, void **, const char *, Dwarf_Addr, char **, Elf **);
}

#include <deep_jit/backend/cuda/backend.hpp>
#include <deep_jit/runtime/runtime.hpp>

#include <cstdio>

extern "C" {
cudaError_t cudaGetDevice(int *device)
{
	*device = 0;
	return cudaSuccess;
}

cudaError_t cudaFree(void *)
{
	return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int)
{
	properties->major = 9;
	properties->minor = 0;
	return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int)
{
	*value = 1;
	return cudaSuccess;
}

const char *cudaGetErrorName(cudaError_t)
{
	return "";
}

const char *cudaGetErrorString(cudaError_t)
{
	return "";
}

const char *torch_exception_get_what(void)
{
	return "";
}

const char *torch_exception_get_what_without_backtrace(void)
{
	return "";
}
}

int main(int argc, char **argv)
{
	std::string source = deep_jit::read(argv[3]);
	deep_jit::Config config(argv[2], argv[1], "signature", {argv[4]}, {argv[5]});
	deep_jit::Runtime<deep_jit::CUDA> jit(config);
	auto &options = *jit.default_compiler_options.nvcc_flags;
	options.insert(options.end(), argv + 6, argv + argc);
	puts(jit.compile_without_load("gemm", source).c_str());
	return 0;
}
