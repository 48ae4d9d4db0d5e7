/* tools/options/f_options.c - -f options of gcc and clang that decide how code is made, and let no
 * name of a file or directory through. They come from the lists of `gcc
 * --help=optimizers,common,c,c++` (12) and clang's manual (14). No option here takes a path, names
 * an output or records the command. Profiles, dumps, debug information, modules, LTO, plugins, maps
 * of prefixes, sanitizers and options that print statistics are left out. They have rows in
 * options_gcc.def, or bind. The linkers of -fuse-ld are those of tools/drivers/link.c.
 *
 * tests/long/plain_flags.bats compiles with each option under other names. */
#include "tools/options/options.h"

#include <string.h>

#include "shim/banned.h"

/* Without -f and no-, each with its NUL. "=" at the end: any value; "-" at the end: any text that
 * follows. Ascending. */
static const char known[] =
	"PIC\0" "PIE\0" "abi-compat-version=\0" "abi-version=\0" "access-control\0" "addrsig\0"
	"aggressive-loop-optimizations\0" "align-functions\0" "align-functions=\0" "align-jumps\0"
	"align-jumps=\0" "align-labels\0" "align-labels=\0" "align-loops\0" "align-loops=\0"
	"aligned-allocation\0" "aligned-new\0" "aligned-new=\0" "all-virtual\0" "allocation-dce\0"
	"allow-parameterless-variadic-functions\0" "allow-store-data-races\0"
	"alt-external-templates\0" "ansi-escape-codes\0" "argument-alias\0" "argument-noalias\0"
	"argument-noalias-anything\0" "argument-noalias-global\0" "asm\0" "associative-math\0"
	"assume-sane-operator-new\0" "asynchronous-unwind-tables\0" "auto-inc-dec\0"
	"basic-block-sections=\0" "bit-tests\0" "blocks\0" "borland-extensions\0"
	"bracket-depth=\0" "branch-count-reg\0" "branch-target-load-optimize\0"
	"branch-target-load-optimize2\0" "btr-bb-exclusive\0" "builtin\0" "builtin-\0"
	"c++-static-destructors\0" "call-saved-\0" "call-used-\0" "caller-saves\0"
	"caret-diagnostics\0" "cf-protection\0" "cf-protection=\0" "char8\0" "char8_t\0"
	"check-data-deps\0" "check-new\0" "checking\0" "checking=\0" "cilkplus\0" "code-hoisting\0"
	"color-diagnostics\0" "combine-stack-adjustments\0" "common\0" "compare-elim\0"
	"complete-member-pointers\0" "concepts\0" "concepts-diagnostics-depth=\0" "concepts-ts\0"
	"cond-mismatch\0" "conserve-space\0" "conserve-stack\0" "constexpr-backtrace-limit=\0"
	"constexpr-cache-depth=\0" "constexpr-depth=\0" "constexpr-fp-except\0"
	"constexpr-loop-limit=\0" "constexpr-ops-limit=\0" "constexpr-steps=\0" "coroutines\0"
	"coroutines-ts\0" "cprop-registers\0" "crossjumping\0" "cse-follow-jumps\0"
	"cse-skip-blocks\0" "cx-fortran-rules\0" "cx-limited-range\0" "cxx-exceptions\0"
	"data-sections\0" "dce\0" "declone-ctor-dtor\0" "declspec\0" "deduce-init-list\0"
	"default-inline\0" "defer-pop\0" "define-target-os-macros\0" "delayed-branch\0"
	"delete-dead-exceptions\0" "delete-null-pointer-checks\0" "denormal-fp-math=\0"
	"devirtualize\0" "devirtualize-at-ltrans\0" "devirtualize-speculatively\0"
	"diagnostics-color\0" "diagnostics-color=\0" "diagnostics-column-origin=\0"
	"diagnostics-column-unit=\0" "diagnostics-escape-format=\0" "diagnostics-fixit-info\0"
	"diagnostics-hotness-threshold=\0" "diagnostics-minimum-margin-width=\0"
	"diagnostics-parseable-fixits\0" "diagnostics-path-format=\0" "diagnostics-plain-output\0"
	"diagnostics-print-source-range-info\0" "diagnostics-show-caret\0"
	"diagnostics-show-category=\0" "diagnostics-show-cwe\0" "diagnostics-show-labels\0"
	"diagnostics-show-line-numbers\0" "diagnostics-show-location=\0"
	"diagnostics-show-note-include-stack\0" "diagnostics-show-option\0"
	"diagnostics-show-path-depths\0" "diagnostics-show-template-tree\0" "diagnostics-urls=\0"
	"direct-access-external-data\0" "discard-value-names\0" "dollars-in-identifiers\0"
	"double-square-bracket-attributes\0" "dse\0" "early-inlining\0" "elide-constructors\0"
	"elide-type\0" "enforce-eh-specs\0" "enum-int-equiv\0" "error-limit=\0"
	"escaping-block-tail-calls\0" "exceptions\0" "excess-precision=\0"
	"expensive-optimizations\0" "experimental-new-pass-manager\0" "ext-numeric-literals\0"
	"extended-identifiers\0" "extern-tls-init\0" "external-templates\0" "fast-math\0"
	"fine-grained-bitfield-accesses\0" "finite-loops\0" "finite-math-only\0" "fixed-\0"
	"float-store\0" "fold-simple-inlines\0" "for-scope\0" "force-addr\0"
	"force-enable-int128\0" "forward-propagate\0" "fp-contract=\0" "fp-exception-behavior=\0"
	"fp-int-builtin-inexact\0" "fp-model=\0" "freestanding\0" "friend-injection\0"
	"function-cse\0" "function-sections\0" "gcse\0" "gcse-after-reload\0" "gcse-las\0"
	"gcse-lm\0" "gcse-sm\0" "gimple\0" "gnu-inline-asm\0" "gnu-keywords\0" "gnu-tm\0"
	"gnu-unique\0" "gnu89-inline\0" "gnuc-version=\0" "graphite\0" "graphite-identity\0"
	"guess-branch-probability\0" "guiding-decls\0" "handle-exceptions\0" "harden-compares\0"
	"harden-conditional-branches\0" "hoist-adjacent-loads\0" "honor-infinities\0"
	"honor-nans\0" "honor-std\0" "hosted\0" "huge-objects\0" "ident\0" "if-conversion\0"
	"if-conversion2\0" "implement-inlines\0" "implicit-constexpr\0"
	"implicit-inline-templates\0" "implicit-templates\0" "indirect-inlining\0"
	"inhibit-size-directive\0" "inline\0" "inline-atomics\0" "inline-functions\0"
	"inline-functions-called-once\0" "inline-limit-\0" "inline-limit=\0"
	"inline-small-functions\0" "instrument-functions\0" "integrated-as\0" "ipa-bit-cp\0"
	"ipa-cp\0" "ipa-cp-alignment\0" "ipa-cp-clone\0" "ipa-icf\0" "ipa-icf-functions\0"
	"ipa-icf-variables\0" "ipa-matrix-reorg\0" "ipa-modref\0" "ipa-profile\0" "ipa-pta\0"
	"ipa-pure-const\0" "ipa-ra\0" "ipa-reference\0" "ipa-reference-addressable\0" "ipa-sra\0"
	"ipa-stack-alignment\0" "ipa-strict-aliasing\0" "ipa-struct-reorg\0" "ipa-vrp\0"
	"ira-algorithm=\0" "ira-hoist-pressure\0" "ira-loop-pressure\0" "ira-region=\0"
	"ira-share-save-slots\0" "ira-share-spill-slots\0" "isolate-erroneous-paths-attribute\0"
	"isolate-erroneous-paths-dereference\0" "ivopts\0" "jump-tables\0" "keep-gc-roots-live\0"
	"keep-inline-functions\0" "keep-static-consts\0" "keep-static-functions\0" "labels-ok\0"
	"large-source-files\0" "lax-vector-conversions\0" "lax-vector-conversions=\0"
	"leading-underscore\0" "legacy-pass-manager\0" "lifetime-dse\0" "lifetime-dse=\0"
	"limit-function-alignment\0" "limited-precision=\0" "live-patching\0" "live-patching=\0"
	"live-range-shrinkage\0" "loop-block\0" "loop-flatten\0" "loop-interchange\0"
	"loop-nest-optimize\0" "loop-optimize\0" "loop-parallelize-all\0" "loop-strip-mine\0"
	"loop-unroll-and-jam\0" "lra-remat\0" "macro-backtrace-limit=\0" "math-errno\0"
	"max-errors=\0" "max-include-depth=\0" "merge-all-constants\0" "merge-constants\0"
	"message-length=\0" "modulo-sched\0" "modulo-sched-allow-regmoves\0"
	"move-loop-invariants\0" "move-loop-stores\0" "ms-compatibility\0"
	"ms-compatibility-version=\0" "ms-extensions\0" "ms-volatile\0" "new-abi\0"
	"new-infallible\0" "new-inheriting-ctors\0" "new-ttp-matching\0" "non-call-exceptions\0"
	"nonansi-builtins\0" "nonnull-objects\0" "nothrow-opt\0" "objc-arc\0" "objc-exceptions\0"
	"omit-frame-pointer\0" "openmp\0" "openmp-simd\0" "openmp-version=\0" "openmp=\0"
	"operator-arrow-depth=\0" "operator-names\0" "optimize-register-move\0"
	"optimize-sibling-calls\0" "optimize-strlen\0" "optional-diags\0" "pack-struct\0"
	"pack-struct=\0" "partial-inlining\0" "pascal-strings\0" "patchable-function-entry=\0"
	"pcc-struct-return\0" "peel-loops\0" "peephole\0" "peephole2\0" "permissive\0"
	"permitted-flt-eval-methods=\0" "pic\0" "pie\0" "plan9-extensions\0" "plt\0"
	"predictive-commoning\0" "prefetch-loop-arrays\0" "pretty-templates\0"
	"printf-return-value\0" "random-seed=\0" "reciprocal-math\0" "reciprocal-math=\0" "ree\0"
	"reg-struct-return\0" "regmove\0" "relaxed-template-template-args\0" "rename-registers\0"
	"reorder-blocks\0" "reorder-blocks-algorithm=\0" "reorder-blocks-and-partition\0"
	"reorder-functions\0" "rerun-cse-after-loop\0" "rerun-loop-opt\0"
	"reschedule-modulo-scheduled-loops\0" "rounding-math\0" "rtti\0" "rtti-data\0"
	"sched-critical-path-heuristic\0" "sched-dep-count-heuristic\0" "sched-group-heuristic\0"
	"sched-interblock\0" "sched-last-insn-heuristic\0" "sched-pressure\0"
	"sched-rank-heuristic\0" "sched-spec\0" "sched-spec-insn-heuristic\0" "sched-spec-load\0"
	"sched-spec-load-dangerous\0" "sched-stalled-insns\0" "sched-stalled-insns-dep\0"
	"sched-stalled-insns-dep=\0" "sched-stalled-insns=\0" "sched2-use-superblocks\0"
	"sched2-use-traces\0" "schedule-fusion\0" "schedule-insns\0" "schedule-insns2\0"
	"section-anchors\0" "see\0" "sel-sched-pipelining\0" "sel-sched-pipelining-outer-loops\0"
	"sel-sched-reschedule-pipelined\0" "selective-scheduling\0" "selective-scheduling2\0"
	"semantic-interposition\0" "short-enums\0" "short-wchar\0" "show-column\0"
	"show-source-location\0" "shrink-wrap\0" "shrink-wrap-separate\0" "signaling-math\0"
	"signaling-nans\0" "signed-bitfields\0" "signed-char\0" "signed-zeros\0"
	"simd-cost-model=\0" "single-precision-constant\0" "sized-deallocation\0" "slp-vectorize\0"
	"spell-checking\0" "spell-checking-limit=\0" "split-ivs-in-unroller\0" "split-loops\0"
	"split-machine-functions\0" "split-paths\0" "split-stack\0" "split-wide-types\0"
	"split-wide-types-early\0" "squangle\0" "ssa-backprop\0" "ssa-phiopt\0" "sso-struct=\0"
	"stack-check\0" "stack-check=\0" "stack-clash-protection\0" "stack-limit\0"
	"stack-limit-register=\0" "stack-limit-symbol=\0" "stack-protector\0"
	"stack-protector-all\0" "stack-protector-explicit\0" "stack-protector-strong\0"
	"stack-reuse=\0" "stack-size-section\0" "stdarg-opt\0" "store-merging\0"
	"strength-reduce\0" "strict-aliasing\0" "strict-enums\0" "strict-float-cast-overflow\0"
	"strict-overflow\0" "strict-prototype\0" "strict-volatile-bitfields\0"
	"strict-vtable-pointers\0" "strong-eval-order\0" "strong-eval-order=\0" "sync-libcalls\0"
	"tabstop=\0" "template-backtrace-limit=\0" "template-depth-\0" "template-depth=\0"
	"this-is-variable\0" "thread-jumps\0" "threadsafe-statics\0" "tls-model=\0"
	"toplevel-reorder\0" "tracer\0" "trampolines\0" "trapping-math\0" "trapv\0"
	"tree-bit-ccp\0" "tree-builtin-call-dce\0" "tree-ccp\0" "tree-ch\0"
	"tree-coalesce-inlined-vars\0" "tree-coalesce-vars\0" "tree-copy-prop\0"
	"tree-copyrename\0" "tree-cselim\0" "tree-dce\0" "tree-dominator-opts\0" "tree-dse\0"
	"tree-forwprop\0" "tree-fre\0" "tree-loop-distribute-patterns\0" "tree-loop-distribution\0"
	"tree-loop-if-convert\0" "tree-loop-if-convert-stores\0" "tree-loop-im\0"
	"tree-loop-ivcanon\0" "tree-loop-linear\0" "tree-loop-optimize\0" "tree-loop-vectorize\0"
	"tree-lrs\0" "tree-parallelize-loops=\0" "tree-partial-pre\0" "tree-phiprop\0" "tree-pre\0"
	"tree-pta\0" "tree-reassoc\0" "tree-salias\0" "tree-scev-cprop\0" "tree-sink\0"
	"tree-slp-vectorize\0" "tree-slsr\0" "tree-sra\0" "tree-store-ccp\0"
	"tree-store-copy-prop\0" "tree-switch-conversion\0" "tree-tail-merge\0" "tree-ter\0"
	"tree-vect-loop-version\0" "tree-vectorize\0" "tree-vrp\0" "trigraphs\0"
	"trivial-auto-var-init=\0" "unconstrained-commons\0" "unique-section-names\0"
	"unit-at-a-time\0" "unroll-all-loops\0" "unroll-completely-grow-size\0" "unroll-loops\0"
	"unsafe-loop-optimizations\0" "unsafe-math-optimizations\0" "unsigned-bitfields\0"
	"unsigned-char\0" "unswitch-loops\0" "unwind-tables\0" "use-cxa-atexit\0"
	"use-cxa-get-exception-ptr\0" "use-init-array\0" "use-ld=bfd\0" "use-ld=gold\0"
	"use-ld=lld\0" "variable-expansion-in-unroller\0"
	"veclib=\0" "vect-cost-model\0" "vect-cost-model=\0" "vectorize\0"
	"version-loops-for-strides\0" "virtual-function-elimination\0"
	"visibility-from-dllstorageclass\0" "visibility-global-new-delete-hidden\0"
	"visibility-inlines-hidden\0" "visibility-ms-compat\0" "visibility=\0" "vpt\0"
	"vtable-gc\0" "vtable-thunks\0" "wasm-exceptions\0" "weak\0" "web\0" "whole-program\0"
	"wrapv\0" "wrapv-pointer\0" "xray-instrument\0" "zee\0" "zero-call-used-regs=\0"
	"zero-initialized-in-bss\0" "zvector\0";

int options_f_known(const char *arg)
{
	const char *stem = arg + 2;

	if (strncmp(arg, "-f", 2) != 0)
		return 0;
	if (strncmp(stem, "no-", 3) == 0)
		stem += 3;
	for (const char *k = known; *k; k += strlen(k) + 1) {
		size_t n = strlen(k);

		if (strcmp(stem, k) == 0)
			return 1;
		if ((k[n - 1] == '=' || k[n - 1] == '-') && strncmp(stem, k, n) == 0)
			return !strchr(stem, '/');
	}
	return 0;
}
