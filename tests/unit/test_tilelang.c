/* tests/unit/test_tilelang.c - files of a kernel as TileLang 0.1.15 writes them, and others. */
#include "units/gather/gather.h"

#include <criterion/criterion.h>
#include <string.h>

#define HEAD "#if defined(_MSC_VER)\n#include <cuda.h>\n#endif\n" \
	"#include <tl_templates/cuda/reduce.h>\n"

static const char *of(const char *name, const char *text)
{
	return tilelang_refusal(name, text, strlen(text));
}

Test(tilelang, kernels_that_include_headers_of_the_scope)
{
	static const char *const good[] = {
		HEAD, HEAD "#include <cutlass/numeric_types.h>\nint k;\n",
		HEAD "int embedding_import;\n", "#include <tl_templates/cuda/gemm.h>\n",
	};
	static const char *const bad[] = {
		HEAD "#include \"mine.h\"\n", HEAD "#include <mine.h>\n",
		HEAD " #include <cuda.h>\n",
		HEAD "#include <cuda/../../mine.h>\n", HEAD "# include <cuda.h>\n",
		HEAD "#include\t<mine.h>\n", HEAD "#include MINE\n", HEAD "#include <cuda.h>",
		HEAD "#if __has_include(<mine.h>)\n#endif\n", HEAD "#include_next <cuda.h>\n",
		HEAD "int a[] = {\n#embed \"x.bin\"\n};\n", HEAD "asm(\".incbin \\\"x\\\"\");\n",
		HEAD "#inc\\\nlude <mine.h>\n", HEAD "int k;", "#include ", "#include",
		/* Of another back end. */
		"#include <cuda.h>\n", "#include <tl_templates/hip/reduce.h>\n", "int k;\n", "",
	};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		cr_expect_null(of("device_kernel.cu", good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_expect_not_null(of("device_kernel.cu", bad[i]), "%s", bad[i]);
	cr_expect_null(of("host_kernel.cu", "#include \"tvm/ffi/c_api.h\"\n#include <math.h>\n"));
	cr_expect_not_null(of("host_kernel.cu", "#include \"mine.h\"\n"));
	cr_expect_not_null(of("host_kernel.cu", "#include \"tvm/../mine.h\"\n"));
}

Test(tilelang, damaged_files_and_other_files)
{
	char zeros[256] = HEAD;

	cr_expect_not_null(tilelang_refusal("device_kernel.cu", zeros, sizeof zeros));
	cr_expect_null(of("params.json", "[{\"dtype\": \"float32\"}]"));
	cr_expect_null(of("manifest.json", "{\"files\": {}, \"version\": 1}"));
	cr_expect_not_null(of("manifest.json", "{\"files\": {}, "));
	cr_expect_not_null(of("executable.so", "\177ELF"));
	cr_expect_not_null(of("kernel_lib.so", "\177ELF"));
	cr_expect_not_null(of("kernel.cubin", "\177ELF"));
	cr_expect_not_null(of("kernel.py", "pass\n"));
}
