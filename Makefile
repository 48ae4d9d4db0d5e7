# Reprise. Targets:
#   make [all]            builds build/libreprise.so and build/reprise; fails if the object exports
#                         or imports a wrong name
#   make check-fast       runs the unit tests, the checks of layers, lines and docs, and most cases
#                         of the suites: 5 minutes on two cores
#   make check            tests all features: 16 minutes; last line: N passed, N failed, N skipped
#   make check-long       runs the long suites and writes a report in tests/reports/
#   make check-docs       compares the docs pages with the tables in the code
#   make check-layers     finds circles between objects, includes that CONTRIBUTING.md does not
#                         allow, folders that are too full, base names that occur twice, and
#                         lines over 100 columns
#   make cross-aarch64    builds the same objects for aarch64 in build/aarch64
#   make sanitize         builds the unit tests and the command with gcc's ASan and UBSan in
#                         build/sanitize (make fuzz: with clang's, in build/fuzz)
#   make fuzz             builds the fuzz targets with clang in build/fuzz
#   make demo             runs the torch demonstration
#   make bench            prints the table of measured bars
#   make pictures         draws the pictures of docs/ from a real job; needs chromium
#   make install DESTDIR= PREFIX=
#   make uninstall DESTDIR= PREFIX=
#   make dist             builds the archive, the wheel, the .deb and the .rpm of this machine, on
#                         x86-64 also those of aarch64, and SHA256SUMS, in dist/, in a Debian 11
#                         root; needs root
#   make wheel            builds the wheel alone, from build/: it needs the glibc of this machine
#   make clean
# V=1 shows the commands. To run the unit tests of one module:
#   make unit && build/tests/unit/all --filter 'entry/*'
ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := $(shell cat VERSION)
Q := $(if $(V),,@)

WARN := -Wall -Wextra -Werror -Wno-unused-parameter -Wshadow -Wstrict-prototypes \
	-Wmissing-prototypes -Wvla
CFLAGS ?= -O2 -g
BASE_CFLAGS := -std=gnu11 $(WARN) -I. -D_GNU_SOURCE -DREPRISE_VERSION='"$(VERSION)"' \
	-fno-strict-aliasing
# Code that runs in hosts uses neither fortify nor the stack protector: musl lacks their symbols.
OBJECT_CFLAGS := -fPIC -fvisibility=hidden -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=0 \
	-fno-stack-protector -ftls-model=initial-exec -ffunction-sections -fdata-sections
OBJECT_LDFLAGS := -shared -nostartfiles -Wl,-z,initfirst -Wl,-z,text -Wl,-z,now -Wl,-z,relro \
	-Wl,-z,noexecstack -Wl,--hash-style=gnu -Wl,--as-needed -Wl,--exclude-libs,ALL -Wl,-O1 \
	-Wl,-soname,libreprise.so
# Code and constants share one mapping: each mapping and its page faults cost every process of a
# job.
OBJECT_LDFLAGS += -Wl,-z,noseparate-code
# What only the agent or the command needs is left out.
OBJECT_LDFLAGS += -Wl,--gc-sections
# libzstd's tracing hooks are weak and undefined. Without this option, libzstd could call functions
# of the host that have those names.
ifneq ($(findstring x86_64,$(shell $(CC) -dumpmachine)),)
OBJECT_LDFLAGS += -Wl,-z,nodynamic-undefined-weak
endif
# -z defs reports a missing symbol at build time. A sanitizer build leaves it out: the program
# defines the sanitizers' symbols.
# Debug information in any loaded object makes gcc 12's crash report drop the names of gcc's own
# functions, because libbacktrace then reads no symbol table. For gdb, keep debug information with
# make BUILD=build/gdb SANITIZE=1
ifndef SANITIZE
OBJECT_LDFLAGS += -Wl,-z,defs -Wl,--strip-debug
endif

# These files hold what the constructor runs and writes in a process that is no tool. They are
# linked first: their code shares pages with the symbol tables, their variables share pages with
# .data, and the large variables come last. Each page less saves a page fault.
START_SRC := shim/loader/real.c shim/loader/childenv.c shim/loader/object.c hooks/init.c \
	shim/settings/settings.c shim/path.c tools/tool.c shim/loader/elfobject.c \
	shim/loader/link_list.c units/host.c
# Then come the hooks and what they call for each file of a host, then what a hit runs. The kernel
# maps 64 KiB of the object at a time, so what runs together lies together.
HOST_SRC := $(filter-out $(START_SRC),$(sort $(wildcard hooks/*.c))) shim/kernel/exe.c \
	shim/loader/foreign.c shim/kernel/sandbox.c shim/kernel/sys.c shim/kernel/memory.c \
	units/class.c units/shape/pattern.c units/shape/seen_files.c units/shape/shape.c
HIT_FOLDERS := shim keying names store action judge proofs tools trace
# What the settings say of the remote store; no more of remote/ is in the object.
REMOTE_IN_OBJECT := $(wildcard remote/remote_config.c remote/tag.c remote/remote_place.c)
# These files work only in the command: the object does not link the libraries that they use.
# Only programs that may load libcurl link these.
NET_SRC := $(sort $(wildcard remote/http/*.c remote/s3/*.c))
# Only programs that may load OpenSSL link these.
TLS_SRC := $(sort $(wildcard remote/tls/*.c))
TOOL_SRC := store/job/job_used.c $(sort $(wildcard units/gather/*.c)) \
	$(filter-out $(TLS_SRC) $(NET_SRC) $(REMOTE_IN_OBJECT),$(sort \
	$(shell find remote -name '*.c')))
AGENT_SRC := $(sort $(wildcard agent/*.c))
LIB_FOLDERS := shim keying names store units tools trace proofs judge action jit
LIB_SRC := $(filter-out $(TOOL_SRC),$(sort \
	$(shell find $(LIB_FOLDERS) -name '*.c'))) $(REMOTE_IN_OBJECT)
HOOK_SRC := $(sort $(wildcard hooks/*.c))
CLI_SRC := $(sort $(shell find cli -name '*.c'))
UNIT_SRC := tests/unit/certificates.c $(sort $(wildcard tests/unit/test_*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
# The programs that the suites run: one source file each.
HELPER_SRC := $(sort $(wildcard tests/e2e/helpers/*.c))
# Remote stores at http(s):// and s3:// need libcurl's headers. Without them Reprise refuses these
# URLs.
ifneq ($(shell echo 'int x;' | $(CC) -E -include curl/curl.h -x c - >/dev/null 2>&1 && echo yes),)
NET_OBJ := $(NET_SRC:%.c=$(BUILD)/%.o)
NET := $(BUILD)/libexec/reprise-agent-net
else
NET_OBJ :=
HELPER_SRC := $(filter-out %/net_backend.c,$(HELPER_SRC))
UNIT_SRC := $(filter-out %/test_sigv4.c %/test_credentials.c,$(UNIT_SRC))
endif
# TLS for rediss:// needs OpenSSL's headers. Without them Reprise refuses these URLs.
ifneq ($(shell echo 'int x;' | $(CC) -E -include openssl/ssl.h -x c - >/dev/null 2>&1 && echo yes),)
TLS_OBJ := $(TLS_SRC:%.c=$(BUILD)/%.o)
NET_OBJ += $(TLS_OBJ)
NET := $(BUILD)/libexec/reprise-agent-net
endif

STATIC_LIBS := -l:libzstd.a -l:libxxhash.a -l:libhiredis.a -l:libsodium.a -l:libffi_pic.a
CORE_LIBS := $(STATIC_LIBS) -l:libjson-c.a -l:libz.a

# What a program does not call is left out of it: the agent needs half of the core.
PROGRAM_LDFLAGS := $(if $(SANITIZE),,-Wl,--gc-sections)

LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
HOOK_OBJ := $(HOOK_SRC:%.c=$(BUILD)/%.o)
# The object's files, in the order of their places in it.
FIRST_SRC := $(START_SRC) $(HOST_SRC)
HIT_SRC := $(filter-out $(FIRST_SRC),$(filter $(HIT_FOLDERS:%=%/%),$(LIB_SRC)))
LAST_SRC := $(filter-out $(FIRST_SRC) $(HIT_SRC),$(LIB_SRC))
LINKED_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(FIRST_SRC) $(HIT_SRC) $(LAST_SRC))
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)
# The unit tests and the command link all objects except the hooks, which work only in the object.
CORE_OBJ := $(LIB_OBJ) $(TOOL_SRC:%.c=$(BUILD)/%.o)
UNIT_OBJ := $(UNIT_SRC:%.c=$(BUILD)/%.o)
UNIT := $(BUILD)/tests/unit/all
FUZZ := $(FUZZ_SRC:%.c=$(BUILD)/%)
HELPERS := $(HELPER_SRC:tests/e2e/helpers/%.c=$(BUILD)/helpers/%)

# What recipes share. BUILD_WITH_CORE builds a program of one source file that links the core.
SAY_CC = $(Q)$(if $(V),,echo '  CC      $@';)
SAY_LINK = $(Q)$(if $(V),,echo '  LINK    $@';)
BUILD_WITH_CORE = $(CC) $(BASE_CFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(CORE) $(LDFLAGS) \
	$(CORE_LIBS)
CORE = $(CORE_OBJ)

all: $(BUILD)/libreprise.so $(BUILD)/reprise $(BUILD)/libexec/reprise-agent $(NET)

# What is found about source texts is kept under a digest of the code that finds it.
ASKS_FILES = $(sort $(wildcard tools/asks/*.[ch] tools/comment/*.[ch])) jit/source_text.c \
	tools/cmdline/language.c tools/text/line_marks.c
ASKS_CODE = $(shell cat $(ASKS_FILES) | sha256sum | cut -c 1-32)
ASKS_USERS = $(addprefix $(BUILD)/,judge/text/texts.o judge/text/text_marks.o jit/source_text.o)
$(ASKS_USERS): BASE_CFLAGS += -DASKS_CODE='"$(ASKS_CODE)"'
$(ASKS_USERS): $(ASKS_FILES)

# RTLD_NEXT depends on the object that calls dlsym. With this option no call of dlsym becomes a
# jump, so the caller is this object. Hooks may jump to the real function, and the hook of dlsym has
# to (scripts/check-symbols.sh tests that).
$(BUILD)/shim/loader/real.o: OBJECT_CFLAGS += -fno-optimize-sibling-calls

$(BUILD)/%.o: %.c VERSION
	@mkdir -p $(@D)
	$(SAY_CC) $(CC) $(BASE_CFLAGS) $(OBJECT_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# The object exports the names of the hook tables, without a version.
$(BUILD)/exports.list: hooks/hooks.def jit/exports.def
	@mkdir -p $(@D)
	$(Q)printf '%s\n' '#define HOOK(family, type, name, parameters) @@name@@' \
	  '#include "hooks/hooks.def"' '#include "jit/exports.def"' | \
	  $(CC) -I. -E -P -x c - | grep -o '@@ *[A-Za-z0-9_]* *@@' | tr -d '@ ' | \
	  LC_ALL=C sort -u > $@.new
	$(Q)test -s $@.new && mv $@.new $@

# hooks/linked.c says which symbols the version nodes hold. The node REPRISE_0 comes first because a
# lookup without a version also finds the symbols of the first node. A version script with named
# nodes cannot hold an anonymous node with `local: *`. The compiler hides what is not exported
# (scripts/check-symbols.sh tests that), except the functions of shim/sodium.c, which libsodium's
# headers declare visible: REPRISE_0 makes those local.
LINKED_NODES := libnvrtc.so.12 libnvrtc.so.13 libnvJitLink.so.12 libnvJitLink.so.13
$(BUILD)/exports.map: Makefile
	@mkdir -p $(@D)
	$(Q){ echo 'REPRISE_0 { local: sodium_*; randombytes_*; };'; \
	  printf '%s { };\n' $(LINKED_NODES); } > $@

# The recipe copies the linked file, as `make install` does. ld writes a file in pieces, and the
# page cache keeps those as small pages. A file written at once gets large pages, which every
# process maps 20 us faster.
OBJDUMP = $(shell $(CC) -print-prog-name=objdump)
$(BUILD)/libreprise.so: $(LIB_OBJ) $(HOOK_OBJ) $(BUILD)/exports.map $(BUILD)/exports.list \
		scripts/check-symbols.sh
	$(SAY_LINK) $(CC) -o $@.new $(LINKED_OBJ) $(OBJECT_LDFLAGS) \
	  -Wl,--version-script=$(BUILD)/exports.map $(LDFLAGS) $(STATIC_LIBS)
	$(Q)$(if $(SANITIZE),true, \
	  sh scripts/check-symbols.sh $@.new $(BUILD)/exports.list $(OBJDUMP))
	$(Q)cp $@.new $@.whole && mv $@.whole $@ && rm $@.new

$(BUILD)/reprise: $(CLI_OBJ) $(CORE_OBJ) $(NET_OBJ)
	$(SAY_LINK) $(CC) -o $@ $^ $(CFLAGS) $(PROGRAM_LDFLAGS) $(LDFLAGS) $(CORE_LIBS) -ldl

AGENT_OBJ := $(AGENT_SRC:%.c=$(BUILD)/%.o)
$(BUILD)/libexec/reprise-agent: $(AGENT_OBJ) $(CORE_OBJ)
	@mkdir -p $(@D)
	$(SAY_LINK) $(CC) -o $@ $^ $(CFLAGS) $(PROGRAM_LDFLAGS) $(LDFLAGS) $(CORE_LIBS)

# The commit of `reprise version` is the one at which a program changed last. A release is built
# from a copy without repository, and gives COMMIT.
COMMIT ?= $(shell { [ -e .git ] && GIT_OPTIONAL_LOCKS=0 git -c safe.directory='$(CURDIR)' \
	describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null; } || echo unknown)
$(BUILD)/cli/main.o: private BASE_CFLAGS += -DREPRISE_COMMIT='"$(COMMIT)"'
$(BUILD)/cli/main.o: $(filter-out %/main.o,$(CLI_OBJ)) $(CORE_OBJ) $(NET_OBJ) $(HOOK_SRC) \
		$(AGENT_SRC)

# The same with HTTP, S3 and TLS. It loads libcurl and OpenSSL when a store needs them.
$(BUILD)/libexec/reprise-agent-net: $(AGENT_OBJ) $(CORE_OBJ) $(NET_OBJ)
	@mkdir -p $(@D)
	$(SAY_LINK) $(CC) -o $@ $^ $(CFLAGS) $(PROGRAM_LDFLAGS) $(LDFLAGS) $(CORE_LIBS) -ldl

# Ubuntu's libc warns about unused results even after (void). A test may leave such results unused.
TEST_CFLAGS := -Wno-unused-result
# All unit tests are one program: it is linked once, and Criterion runs several tests at once. Their
# own code is not optimized, which takes a third of the time.
UNIT_CFLAGS := -O0
$(BUILD)/tests/unit/%.o: tests/unit/%.c
	@mkdir -p $(@D)
	$(SAY_CC) $(CC) $(BASE_CFLAGS) $(TEST_CFLAGS) $(CFLAGS) $(UNIT_CFLAGS) -MMD -MP -c $< -o $@
$(UNIT): $(UNIT_OBJ) $(filter-out %/main.o,$(CLI_OBJ)) $(CORE_OBJ) $(NET_OBJ)
	$(SAY_LINK) $(CC) -o $@ $^ $(CFLAGS) $(LDFLAGS) $(CORE_LIBS) -lcriterion \
	  -Wl,--export-dynamic-symbol=mbedtls_x509_crt_parse_file

$(BUILD)/long/%: tests/long/%.c $(CORE_OBJ)
	@mkdir -p $(@D)
	$(SAY_CC) $(BUILD_WITH_CORE)

# Programs of bench/ that measure functions of remote/.
$(BUILD)/bench/%: bench/%.c $(CORE_OBJ)
	@mkdir -p $(@D)
	$(SAY_CC) $(BUILD_WITH_CORE)

$(BUILD)/helpers/%: tests/e2e/helpers/%.c
	@mkdir -p $(@D)
	$(SAY_CC) $(CC) $(BASE_CFLAGS) $(TEST_CFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(LDFLAGS) \
	  -pthread -ldl

# This helper uses the core's Redis code.
$(BUILD)/helpers/redis_wire: tests/e2e/helpers/redis_wire.c $(CORE_OBJ) $(TLS_OBJ)
	@mkdir -p $(@D)
	$(SAY_CC) $(BUILD_WITH_CORE) $(TLS_OBJ) -ldl

# Helpers that use the remote store link the objects that the command links.
$(BUILD)/helpers/remote_%: tests/e2e/helpers/remote_%.c $(CORE_OBJ)
	@mkdir -p $(@D)
	$(SAY_CC) $(BUILD_WITH_CORE)

# The backends for HTTP and S3 alone, with settings from the command line.
$(BUILD)/helpers/net_backend: tests/e2e/helpers/net_backend.c $(CORE_OBJ) $(NET_OBJ)
	@mkdir -p $(@D)
	$(SAY_CC) $(CC) $(BASE_CFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(NET_OBJ) $(CORE_OBJ) \
	  $(LDFLAGS) $(CORE_LIBS) -ldl

unit: $(UNIT)
helpers: $(HELPERS)

# `make fuzz` compiles all sources again with clang's fuzzer instrumentation and its sanitizers,
# in build/fuzz. `make check` runs the unit tests from there, `make check-long` those of
# `make sanitize`.
# From the archive a program links what it needs. With all objects it had 20 MB in place of 3.
$(BUILD)/core.a: $(CORE_OBJ)
	$(Q)rm -f $@ && $(AR) rcsT $@ $^
$(FUZZ): CORE = $(BUILD)/core.a
$(BUILD)/tests/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(BUILD)/core.a
	@mkdir -p $(@D)
	$(SAY_CC) $(BUILD_WITH_CORE) -fsanitize=fuzzer
fuzz-programs: $(FUZZ)
SANITIZE_CFLAGS := -fno-sanitize-recover=all -fno-omit-frame-pointer
# clang defines __SANITIZE_ADDRESS__ since 21, gcc always. Its warnings of tests are not gcc's.
# At -O1 the build takes three times as long, and the fuzzers run faster: make check-long does that.
FUZZ_LEVEL ?= -O0
FUZZ_CFLAGS := $(FUZZ_LEVEL) -gline-tables-only -fsanitize=fuzzer-no-link,address,undefined \
  $(SANITIZE_CFLAGS) -D__SANITIZE_ADDRESS__=1 -Wno-error
# No fuzzer runs the tests' own code. Without these it compiles in half the time.
FUZZ_UNIT_CFLAGS := -fno-sanitize=fuzzer-no-link,undefined
# Each program holds 600,000 addresses of its own parts. A program that always lies at one place
# need not compute them when it starts, hence -no-pie.
fuzz:
	+$(MAKE) BUILD=build/fuzz CC=$(CLANG) SANITIZE=1 fuzz-programs unit \
	  build/fuzz/reprise build/fuzz/helpers/redis_wire CFLAGS='$(FUZZ_CFLAGS)' \
	  UNIT_CFLAGS='-O0 $(FUZZ_UNIT_CFLAGS)' LDFLAGS='-fuse-ld=lld -no-pie'

# With sanitizers gcc warns of truncations that cannot happen, so warnings are no errors here.
sanitize:
	+$(MAKE) BUILD=build/sanitize SANITIZE=1 unit build/sanitize/reprise \
	  build/sanitize/helpers/redis_wire \
	  CFLAGS='-O1 -g1 -Wno-error -fsanitize=address,undefined $(SANITIZE_CFLAGS)'

# The libraries for aarch64 come from Debian packages, which are unpacked and not installed.
SYSROOT := build/sysroot-aarch64
AARCH64_LIB := $(SYSROOT)/usr/lib/aarch64-linux-gnu
$(SYSROOT)/.done: scripts/sysroot-aarch64.sh
	sh scripts/sysroot-aarch64.sh $(SYSROOT)
AARCH64_INCLUDE := $(SYSROOT)/usr/include
AARCH64_CC := aarch64-linux-gnu-gcc -isystem $(AARCH64_INCLUDE) \
	-isystem $(AARCH64_INCLUDE)/aarch64-linux-gnu
# The libraries that libcrypto needs (zlib, and zstd from Debian 13 on) are not unpacked: the link
# allows their symbols to be missing. To build what is shipped: CROSS_CFLAGS=-O2.
CROSS_BUILD ?= build/aarch64
CROSS_CFLAGS ?= -O0
CROSS_GOALS ?= all
cross-aarch64: $(SYSROOT)/.done
	+$(MAKE) BUILD=$(CROSS_BUILD) CC='$(AARCH64_CC)' \
	  LDFLAGS='-L$(AARCH64_LIB) -Wl,--allow-shlib-undefined' CFLAGS='$(CROSS_CFLAGS)' \
	  $(CROSS_GOALS)

check-fast: all unit helpers
	@sh tests/run.sh --fast
check: all helpers
	@sh tests/run.sh
check-long: all unit helpers
	@sh tests/run.sh --long
check-docs:
	sh scripts/check-docs.sh
check-layers: all
	sh scripts/check-layers.sh
	sh scripts/check-lines.sh
bench: all
	sh bench/run.sh
demo: all
	sh scripts/demo.d/run.sh
pictures: all
	sh scripts/pictures.sh

# The man pages come from the help of the commands. Where $(BUILD)/reprise does not run here: make
# install RUNS=PATH, another build of this version that does.
RUNS ?= $(BUILD)/reprise
$(BUILD)/man/reprise.1: $(BUILD)/reprise scripts/reprise-run packaging/man.sh packaging/man.include
	$(Q)sh packaging/man.sh $(RUNS) $(@D)
# In the tree's own layout, so that their links resolve.
DOC := README.md CHANGELOG.md LICENSE CONTRIBUTING.md bench/README.md \
  $(wildcard docs/*.md docs/*.png docs/*.example docs/internals/*.md bench/results/*.md \
  bench/results/*/*.md) $(sort $(shell find scripts/recipes -type f))
I := $(DESTDIR)$(PREFIX)
install: all $(BUILD)/man/reprise.1
	install -d $(I)/lib/reprise $(I)/bin $(I)/share/doc/reprise
	install -m 644 $(BUILD)/libreprise.so $(I)/lib/reprise/libreprise.so
	install -D -m 755 $(BUILD)/libexec/reprise-agent $(I)/libexec/reprise/reprise-agent
	$(if $(NET),install -m 755 $(NET) $(I)/libexec/reprise)
	install -m 755 $(BUILD)/reprise scripts/reprise-run $(I)/bin
	install -D -m 644 packaging/reprise.bash $(I)/share/bash-completion/completions/reprise
	ln -sf reprise $(I)/share/bash-completion/completions/reprise-run
	for page in $(DOC); do \
	  install -D -m 644 $$page $(I)/share/doc/reprise/$$page || exit 1; done
	for page in $(BUILD)/man/*; do \
	  dir=$(I)/share/man/man$${page##*.}; \
	  install -d $$dir && install -m 644 $$page $$dir || exit 1; done

# The directories of its name are Reprise's own. The others are the system's, unless PREFIX is no
# directory of the system: then they are removed when they are empty.
uninstall:
	rm -rf $(I)/lib/reprise $(I)/libexec/reprise $(I)/share/doc/reprise
	rm -f $(addprefix $(I)/bin/,reprise reprise-run) \
	  $(addprefix $(I)/share/bash-completion/completions/,reprise reprise-run) \
	  $(addprefix $(I)/share/man/,man1/reprise.1 man1/reprise-run.1 man5/reprise.conf.5)
	$(if $(filter /usr /usr/local,$(PREFIX)),,for dir in bin lib libexec share/doc \
	  share/bash-completion/completions share/bash-completion share/man/man1 share/man/man5 \
	  share/man share ""; do dir=$(I)/$$dir; \
	  [ ! -d $${dir%/} ] || rmdir --ignore-fail-on-non-empty $${dir%/} || exit 1; done)

dist:
	sh packaging/dist.sh
wheel: all $(BUILD)/man/reprise.1
	sh packaging/wheel.sh

clean:
	rm -rf $(BUILD)

-include $(LIB_OBJ:.o=.d) $(TOOL_SRC:%.c=$(BUILD)/%.d) $(HOOK_OBJ:.o=.d) $(CLI_OBJ:.o=.d) \
  $(AGENT_SRC:%.c=$(BUILD)/%.d) $(NET_OBJ:.o=.d) \
  $(UNIT_OBJ:.o=.d) $(FUZZ:=.d) $(HELPERS:=.d)
.PHONY: all unit helpers fuzz fuzz-programs sanitize cross-aarch64 check-fast check check-long \
	check-docs check-layers bench demo pictures install uninstall dist wheel clean
.DELETE_ON_ERROR:
