/* tests/unit/test_warp.c - files of a module as Warp 1.19 writes them, and damaged ones. */
#include "units/gather/gather.h"

#include <criterion/criterion.h>
#include <string.h>

#define HEAD "#define WP_NO_CRT\n#include \"builtin.h\"\n#include \"deterministic.h\"\n\n"
#define META "{\"k_1c9326d7_cuda_kernel_backward_smem_bytes\": 0, " \
	"\"k_1c9326d7_cuda_kernel_forward_smem_bytes\": 0}"

static const char *of(const char *name, const char *text)
{
	return warp_refusal(name, text, strlen(text));
}

Test(warp, sources_that_read_warps_own_headers_alone)
{
	static const char *const good[] = {
		HEAD "int k() { return 1; }\n", HEAD "int embedding_import;\n#define embed 1\n",
		HEAD "#pragma unroll\n", "#include \"builtin.h\"\n", "\n",
		HEAD "#define A(x) \\\n    f(x)\n", HEAD "#define A(x)\\\n f(x)\n",
		HEAD "int line;\n",
	};
	static const char *const bad[] = {
		HEAD "#include \"factor.h\"\n", HEAD "# include <math.h>\n",
		HEAD "#if __has_include(\"x.h\")\n#endif\n", HEAD " #include \"builtin.h\"\n",
		HEAD "#include \"builtin.h\" \n", HEAD "%:include \"x.h\"\n",
		HEAD "int a[] = {\n#embed \"x.bin\"\n};\n", HEAD "#  import \"x.h\"\n",
		HEAD "%: import \"x.h\"\n", HEAD "asm(\".incbin \\\"x\\\"\");\n",
		HEAD "#include_next \"builtin.h\"\n", "include", "#include \"builtin.h\"",
		HEAD "#inc\\\nlude \"x.h\"\n", HEAD "#im\\ \t\nport \"x.h\"\n",
		HEAD "#/**/import \"x.h\"\n",
		/* Paths: of Warp's directory, of the user's file. */
		HEAD "const char *p = __FILE__;\n", HEAD "const char *p = __builtin_FILE();\n",
		HEAD "int k() {\n#line 7 \"/home/me/k.py\"\nreturn 1; }\n",
	};

	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		cr_expect_null(of("wp_m_0123abc.cpp", good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		cr_expect_not_null(of("wp_m_0123abc.cu", bad[i]), "%s", bad[i]);
}

Test(warp, damaged_files_and_other_files)
{
	char zeros[128] = HEAD;

	cr_expect_null(of("wp_m_0123abc.meta", META));
	for (size_t n = 0; n < strlen(META); n++)
		cr_expect_not_null(warp_refusal("wp_m_0123abc.meta", META, n), "%zu", n);
	/* strip_hash: the name does not cover the content. */
	cr_expect_not_null(of("wp_m_0123abc.meta", "{\"k_cuda_kernel_forward_smem_bytes\": 0}"));
	cr_expect_not_null(of("wp_m_0123abc.meta",
	                      "{\"k_1c9326dx_cuda_kernel_forward_smem_bytes\": 0}"));
	cr_expect_not_null(of("wp_m_0123abc.meta", "{}"));
	cr_expect_not_null(warp_refusal("wp_m_0123abc.cpp", HEAD, strlen(HEAD) - 2));
	cr_expect_not_null(warp_refusal("wp_m_0123abc.cpp", zeros, sizeof zeros));
	cr_expect_not_null(of("wp_m_0123abc.cpp", ""));
	cr_expect_not_null(of("wp_m_0123abc.sm90.cubin", "\177ELF"));
	cr_expect_not_null(of("wp_m_0123abc.o", ""));
	cr_expect_not_null(of("wp_m_0123abc.sm90.ptx", ".version 8.0\n.target sm_90\n.func {\n"));
	cr_expect_null(of("wp_m_0123abc.sm90.ptx", ".version 8.0\n.target sm_90\n.func f {\n}\n"));
	cr_expect_not_null(of("wp_m_0123abc.so", "text\n"));
	cr_expect_not_null(of("notes.txt", "text\n"));
}
