/* tools/options/nvcc_options.c - options of nvcc and of the steps it runs (13.0 and its wheel
 * 13.5), and of tileiras (13.5). Ascending by strcmp (a unit test checks). Listed are only options
 * that name outputs, inputs or plain words, and options that bypass: a result of nvcc is bound to
 * its names and cwd anyway. Values follow after '=' or as the next argument. */
#include "tools/options/options.h"

#include "shim/banned.h"

static const struct option nvcc_rows[] = {
	OPTION("--clean-targets", FLAG, LITERAL, NONE, OPT_BYPASS, 0)
	OPTION("--define-macro", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--dependency-output", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("--dependency-target-name", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--fdevice-time-trace", EQUAL, OUTPUT, NONE, OPT_BYPASS, 0)
	OPTION("--generate-code", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--gpu-architecture", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--gpu-code", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--jobserver", FLAG, LITERAL, NONE, 0, 0)
	OPTION("--library", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--options-file", EQUAL, INPUT, NONE, 0, 0)
	OPTION("--output-file", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("--run", FLAG, LITERAL, NONE, OPT_BYPASS, 0)
	OPTION("--run-args", EQUAL, LITERAL, NONE, OPT_BYPASS, 0)
	OPTION("--std", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--threads", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--time", EQUAL, OUTPUT, NONE, OPT_BYPASS, 0)
	OPTION("--undefine-macro", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--x", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-D", BOTH, LITERAL, NONE, 0, 0)
	OPTION("-MF", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("-MT", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-U", BOTH, LITERAL, NONE, 0, 0)
	OPTION("-arch", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-clean", FLAG, LITERAL, NONE, OPT_BYPASS, 0)
	OPTION("-code", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-fdevice-time-trace", EQUAL, OUTPUT, NONE, OPT_BYPASS, 0)
	OPTION("-gencode", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-l", BOTH, LITERAL, NONE, 0, 0)
	OPTION("-o", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("-optf", EQUAL, INPUT, NONE, 0, 0)
	OPTION("-run", FLAG, LITERAL, NONE, OPT_BYPASS, 0)
	OPTION("-run-args", EQUAL, LITERAL, NONE, OPT_BYPASS, 0)
	OPTION("-std", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-t", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-time", EQUAL, OUTPUT, NONE, OPT_BYPASS, 0)
	OPTION("-x", EQUAL, LITERAL, NONE, 0, 0)
};

/* cudafe++ writes the module id that cicc reads. Both get the source's name and do not read the
 * source: they read its preprocessed text. */
static const struct option cudafe_rows[] = {
	OPTION("--gen_c_file_name", SEPARATE, OUTPUT, NONE, 0, 0)
	OPTION("--module_id_file_name", SEPARATE, OUTPUT, NONE, 0, 0)
	OPTION("--orig_src_file_name", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("--orig_src_path_name", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("--stub_file_name", SEPARATE, OUTPUT, NONE, 0, 0)
};
static const struct option cicc_rows[] = {
	OPTION("--gen_c_file_name", SEPARATE, OUTPUT, NONE, 0, 0)
	OPTION("--gen_device_file_name", SEPARATE, OUTPUT, NONE, 0, 0)
	OPTION("--include_file_name", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("--module_id_file_name", SEPARATE, INPUT, NONE, 0, 0)
	OPTION("--orig_src_file_name", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("--orig_src_path_name", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("--stub_file_name", SEPARATE, OUTPUT, NONE, 0, 0)
	OPTION("-arch", SEPARATE, LITERAL, NONE, 0, 0)
	OPTION("-o", SEPARATE, OUTPUT, NONE, 0, 0)
};
static const struct option fatbinary_rows[] = {
	OPTION("--cicc-cmdline", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--cmdline", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--create", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("--embedded-fatbin", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("--ident", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--options-file", EQUAL, INPUT, NONE, 0, 0)
	OPTION("-cmdline", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-create", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("-fatbin", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("-ident", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-optf", EQUAL, INPUT, NONE, 0, 0)
};
static const struct option nvlink_rows[] = {
	OPTION("--arch", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--library", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--options-file", EQUAL, INPUT, NONE, 0, 0)
	OPTION("--output-file", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("--register-link-binaries", EQUAL, LIST, NONE, 0, 0)
	OPTION("--time", EQUAL, OUTPUT, NONE, OPT_BYPASS, 0)
	OPTION("-arch", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-l", BOTH, LITERAL, NONE, 0, 0)
	OPTION("-o", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("-optf", EQUAL, INPUT, NONE, 0, 0)
	OPTION("-time", EQUAL, OUTPUT, NONE, OPT_BYPASS, 0)
};

/* LLVM's parser: one hyphen or two. A tile library (-l) is read whole. */
static const struct option tileiras_rows[] = {
	OPTION("--apply-controls", EQUAL, INPUT, NONE, 0, 0)
	OPTION("--arch", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--device-debug", JOINED, LITERAL, NONE, OPT_STICKY_DEBUG, 0)
	OPTION("--g", JOINED, LITERAL, NONE, OPT_STICKY_DEBUG, 0)
	OPTION("--gpu-name", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--help", FLAG, LITERAL, NONE, 0, 0)
	OPTION("--host-arch", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--host-os", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--lineinfo", FLAG, LITERAL, NONE, 0, 0)
	OPTION("--list-versions", FLAG, LITERAL, NONE, 0, 0)
	OPTION("--o", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("--opt-level", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--output-file", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("--preview", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--remark-format", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--remarks", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--remarks-analysis", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--remarks-failed", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--remarks-missed", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--remarks-output-file", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("--remarks-passed", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--sanitize", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("--version", FLAG, LITERAL, NONE, 0, 0)
	OPTION("-O", JOINED, LITERAL, NONE, 0, 0)
	OPTION("-apply-controls", EQUAL, INPUT, NONE, 0, 0)
	OPTION("-arch", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-device-debug", JOINED, LITERAL, NONE, OPT_STICKY_DEBUG, 0)
	OPTION("-g", JOINED, LITERAL, NONE, OPT_STICKY_DEBUG, 0)
	OPTION("-gpu-name", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-help", FLAG, LITERAL, NONE, 0, 0)
	OPTION("-host-arch", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-host-os", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-l", SEPARATE, INPUT, NONE, 0, 0)
	OPTION("-lineinfo", FLAG, LITERAL, NONE, 0, 0)
	OPTION("-list-versions", FLAG, LITERAL, NONE, 0, 0)
	OPTION("-o", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("-opt-level", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-output-file", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("-preview", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-remark-format", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-remarks", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-remarks-analysis", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-remarks-failed", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-remarks-missed", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-remarks-output-file", EQUAL, OUTPUT, NONE, 0, 0)
	OPTION("-remarks-passed", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-sanitize", EQUAL, LITERAL, NONE, 0, 0)
	OPTION("-version", FLAG, LITERAL, NONE, 0, 0)
};

const struct option_table options_nvcc = OPTION_TABLE(nvcc_rows, 0, ANY);
const struct option_table options_cudafe = OPTION_TABLE(cudafe_rows, 0, PATHS);
const struct option_table options_cicc = OPTION_TABLE(cicc_rows, 0, PATHS);
const struct option_table options_fatbinary = OPTION_TABLE(fatbinary_rows, 0, PATHS);
const struct option_table options_nvlink = OPTION_TABLE(nvlink_rows, 0, PATHS);
const struct option_table options_tileiras = OPTION_TABLE(tileiras_rows, OPT_BOUND, ANY);
