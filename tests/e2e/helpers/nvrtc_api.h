/* nvrtc_api.h - entry points of NVRTC as nvrtc_run calls them, without its header.
 *
 * By dlsym from a handle, or, with -DLINKED, by what the loader bound. */
#pragma once

#include <stddef.h>

typedef struct nvrtc_program *nvrtc_program;
typedef int nvrtc_flow(void *payload, void *reserved);

/* name, parameters, whether every version has it */
#define NVRTC_ENTRIES(X) \
	X(Version, (int *, int *), 1) \
	X(GetErrorString, (int), 1) \
	X(CreateProgram, (nvrtc_program *, const char *, const char *, int, const char *const *, \
			  const char *const *), 1) \
	X(DestroyProgram, (nvrtc_program *), 1) \
	X(CompileProgram, (nvrtc_program, int, const char *const *), 1) \
	X(AddNameExpression, (nvrtc_program, const char *), 1) \
	X(GetLoweredName, (nvrtc_program, const char *, const char **), 1) \
	X(GetPTXSize, (nvrtc_program, size_t *), 1) \
	X(GetPTX, (nvrtc_program, char *), 1) \
	X(GetCUBINSize, (nvrtc_program, size_t *), 1) \
	X(GetCUBIN, (nvrtc_program, char *), 1) \
	X(GetLTOIRSize, (nvrtc_program, size_t *), 1) \
	X(GetLTOIR, (nvrtc_program, char *), 1) \
	X(GetOptiXIRSize, (nvrtc_program, size_t *), 1) \
	X(GetOptiXIR, (nvrtc_program, char *), 1) \
	X(GetProgramLogSize, (nvrtc_program, size_t *), 1) \
	X(GetProgramLog, (nvrtc_program, char *), 1) \
	X(GetNVVMSize, (nvrtc_program, size_t *), 0) \
	X(GetNVVM, (nvrtc_program, char *), 0) \
	X(GetTileIRSize, (nvrtc_program, size_t *), 0) \
	X(GetTileIR, (nvrtc_program, char *), 0) \
	X(GetPCHCreateStatus, (nvrtc_program), 0) \
	X(GetPCHHeapSizeRequired, (nvrtc_program, size_t *), 0) \
	X(SetFlowCallback, (nvrtc_program, nvrtc_flow *, void *), 0)

/* Answers that have a size and then bytes. PTX and log are text. */
#define NVRTC_ANSWERS(X) X(PTX) X(CUBIN) X(LTOIR) X(OptiXIR) X(ProgramLog) X(NVVM) X(TileIR)

#define NVRTC_FIELD(name, parameters, always) int(*name) parameters;
struct nvrtc {
	void *handle;
	NVRTC_ENTRIES(NVRTC_FIELD)
};
