# Reprise. Targets:
#   make [all]            build/libreprise.so and build/reprise; fails on a wrong export or import
#   make check-fast       unit tests, layers, docs and most cases of the suites: 5 minutes on two cores
#   make check            all features: 20 minutes; last line: N passed, N failed, N skipped
#   make check-long       what takes longer; report kept in tests/reports/
#   make check-docs       docs pages against the tables in the code
#   make check-layers     circles between objects, and includes against the table in CONTRIBUTING.md
#   make cross-aarch64    the same objects for aarch64, in build/aarch64
#   make sanitize         unit tests and the command under ASan and UBSan, in build/sanitize
#   make fuzz             the fuzz targets, with clang, in build/fuzz
#   make demo, bench      the torch demonstration; the table of measured bars
#   make install DESTDIR= PREFIX=
#   make dist             dist/reprise-VERSION-MACHINE.tar.xz, built in a Debian 11 root; as root
#   make clean
# V=1 shows commands. The unit tests of one module: make unit && build/tests/unit/all --filter 'entry/*'
ifeq ($(origin CC),default)
CC := gcc
endif
CLANG ?= clang
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := 0.1.0
Q := $(if $(V),,@)

WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
CFLAGS ?= -O2 -g
BASE_CFLAGS := -std=gnu11 $(WARN) -I. -D_GNU_SOURCE -DREPRISE_VERSION='"$(VERSION)"' -fno-strict-aliasing
# No fortify and no stack protector in code that runs in hosts: musl lacks their symbols.
OBJECT_CFLAGS := -fPIC -fvisibility=hidden -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=0 -fno-stack-protector \
	-ftls-model=initial-exec
OBJECT_LDFLAGS := -shared -nostartfiles -Wl,-z,initfirst -Wl,-z,text -Wl,-z,now -Wl,-z,relro \
	-Wl,-z,noexecstack -Wl,--hash-style=gnu -Wl,--as-needed -Wl,--exclude-libs,ALL -Wl,-O1 \
	-Wl,-soname,libreprise.so
# One mapping for code and constants: each mapping and its page faults costs every process of a job.
OBJECT_LDFLAGS += -Wl,-z,noseparate-code
# libzstd's tracing hooks are weak and undefined: without this a host's symbols could be called.
ifneq ($(findstring x86_64,$(shell $(CC) -dumpmachine)),)
OBJECT_LDFLAGS += -Wl,-z,nodynamic-undefined-weak
endif
# -z defs catches a missing symbol at build time; the sanitizers' own symbols come from the program.
# Debug information in any loaded object makes gcc 12's crash report drop the names of its own functions
# (libbacktrace then asks no symbol table). For gdb: make BUILD=build/gdb SANITIZE=1
ifndef SANITIZE
OBJECT_LDFLAGS += -Wl,-z,defs -Wl,--strip-debug
endif

# What the constructor runs and writes in a process that is no tool comes first: its code shares pages with the
# symbol tables, its variables with .data, the large ones last. A page is a fault.
START_SRC := shim/real.c shim/childenv.c shim/object.c hooks/init.c shim/settings.c shim/path.c keying/tool.c
# What only the command does, with libraries that the object has not.
TOOL_SRC := units/publish.c $(sort $(wildcard units/gather*.c))
LIB_SRC := $(filter-out $(TOOL_SRC),$(sort $(wildcard shim/*.c keying/*.c store/*.c remote/*.c units/*.c tools/*.c action/*.c jit/*.c)))
HOOK_SRC := $(sort $(wildcard hooks/*.c))
CLI_SRC := $(sort $(wildcard cli/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
# Programs the suites run: each a file of its own.
HELPER_SRC := $(sort $(wildcard tests/e2e/helpers/*.c))
STATIC_LIBS := -l:libzstd.a -l:libxxhash.a -l:libhiredis.a -l:libsodium.a
CORE_LIBS := $(STATIC_LIBS) -l:libjson-c.a

LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
START_OBJ := $(START_SRC:%.c=$(BUILD)/%.o)
HOOK_OBJ := $(HOOK_SRC:%.c=$(BUILD)/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)
# What unit tests and the command link: everything but what only makes sense inside the object.
CORE_OBJ := $(LIB_OBJ) $(TOOL_SRC:%.c=$(BUILD)/%.o)
UNIT_OBJ := $(UNIT_SRC:%.c=$(BUILD)/%.o)
UNIT := $(BUILD)/tests/unit/all
FUZZ := $(FUZZ_SRC:%.c=$(BUILD)/%)
HELPERS := $(HELPER_SRC:tests/e2e/helpers/%.c=$(BUILD)/helpers/%)

# TLS for rediss://, a program of its own. Without OpenSSL's headers it is not built and rediss:// is refused.
ifneq ($(shell echo 'int x;' | $(CC) -E -include openssl/ssl.h -x c - >/dev/null 2>&1 && echo yes),)
REMOTE := $(BUILD)/libexec/reprise-remote
endif

all: $(BUILD)/libreprise.so $(BUILD)/reprise $(REMOTE)

# Facts of texts are kept under the code that made them.
$(BUILD)/action/facts.o: BASE_CFLAGS += -DASKS_CODE='"$(shell cat tools/asks*.[ch] | sha256sum | cut -c 1-32)"'
$(BUILD)/action/facts.o: $(sort $(wildcard tools/asks*.[ch]))

# dlsym in tail position would be called by whoever called us, and RTLD_NEXT mean another object. Hooks do jump to
# the real function.
$(BUILD)/shim/real.o: OBJECT_CFLAGS += -fno-optimize-sibling-calls

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(if $(V),,echo '  CC      $@';) $(CC) $(BASE_CFLAGS) $(OBJECT_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# The exported names are those of the hook table, without a version.
$(BUILD)/exports.list: hooks/hooks.def jit/exports.def
	@mkdir -p $(@D)
	$(Q)printf '#define HOOK(family, type, name, parameters) @@name@@\n#include "hooks/hooks.def"\n#include "jit/exports.def"\n' | \
	  $(CC) -I. -E -P -x c - | grep -o '@@ *[A-Za-z0-9_]* *@@' | tr -d '@ ' | LC_ALL=C sort -u > $@.new
	$(Q)test -s $@.new && mv $@.new $@

# hooks/linked.c says what they hold; a node of our own comes first, since names of the first one are found without a version, too.
# Beside named nodes there is no anonymous one with `local: *`: what is not exported is hidden (scripts/check-symbols.sh), but for
# shim/sodium.c's, which libsodium's headers declare visible.
LINKED_NODES := libnvrtc.so.12 libnvrtc.so.13 libnvJitLink.so.12 libnvJitLink.so.13
$(BUILD)/exports.map: Makefile
	@mkdir -p $(@D)
	$(Q){ echo 'REPRISE_0 { local: sodium_*; randombytes_*; };'; printf '%s { };\n' $(LINKED_NODES); } > $@

# A copy, as `make install` makes one: ld writes a file in pieces, which the page cache keeps as small pages, and
# mapping those costs every process 20 us more than the large ones of a file written at once.
$(BUILD)/libreprise.so: $(LIB_OBJ) $(HOOK_OBJ) $(BUILD)/exports.map $(BUILD)/exports.list scripts/check-symbols.sh
	$(Q)$(if $(V),,echo '  LINK    $@';) $(CC) -o $@.new $(START_OBJ) \
	  $(filter-out $(START_OBJ),$(LIB_OBJ) $(HOOK_OBJ)) $(OBJECT_LDFLAGS) -Wl,--version-script=$(BUILD)/exports.map \
	  $(LDFLAGS) $(STATIC_LIBS)
	$(Q)$(if $(SANITIZE),true,sh scripts/check-symbols.sh $@.new $(BUILD)/exports.list $(shell $(CC) -print-prog-name=objdump))
	$(Q)cp $@.new $@.whole && mv $@.whole $@ && rm $@.new

$(BUILD)/reprise: $(CLI_OBJ) $(CORE_OBJ)
	$(Q)$(if $(V),,echo '  LINK    $@';) $(CC) -o $@ $^ $(CFLAGS) $(LDFLAGS) $(CORE_LIBS)

# The host's own flags: it is nobody's guest, and has what protects a program that hears from a network.
REMOTE_CFLAGS := -fPIE -fstack-protector-strong -U_FORTIFY_SOURCE $(if $(SANITIZE),,-D_FORTIFY_SOURCE=2)
REMOTE_OBJ := $(filter $(BUILD)/shim/%,$(CORE_OBJ)) $(BUILD)/store/lock.o $(BUILD)/store/slots.o \
	$(addprefix $(BUILD)/remote/,dial.o resolve.o hidden.o status.o tunnel_words.o)
$(BUILD)/libexec/reprise-remote: libexec/reprise-remote.c $(BUILD)/libexec/openssl.o $(REMOTE_OBJ)
	@mkdir -p $(@D)
	$(Q)$(if $(V),,echo '  LINK    $@';) $(CC) $(BASE_CFLAGS) $(REMOTE_CFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(BUILD)/libexec/openssl.o \
	  $(REMOTE_OBJ) $(LDFLAGS) $(STATIC_LIBS) -ldl

# Ubuntu's libc warns of many results that a test may well leave alone, (void) or not.
TEST_CFLAGS := -Wno-unused-result
# All unit tests are one program: one link, and Criterion runs as many tests at once as it is told to.
$(BUILD)/tests/unit/%.o: tests/unit/%.c
	@mkdir -p $(@D)
	$(Q)$(if $(V),,echo '  CC      $@';) $(CC) $(BASE_CFLAGS) $(TEST_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@
$(UNIT): $(UNIT_OBJ) $(CORE_OBJ)
	$(Q)$(if $(V),,echo '  LINK    $@';) $(CC) -o $@ $^ $(CFLAGS) $(LDFLAGS) $(CORE_LIBS) -lcriterion

$(BUILD)/long/%: tests/long/%.c $(CORE_OBJ)
	@mkdir -p $(@D)
	$(Q)$(if $(V),,echo '  CC      $@';) $(CC) $(BASE_CFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(CORE_OBJ) $(LDFLAGS) $(CORE_LIBS)

# Measures remote/ itself.
$(BUILD)/bench/%: bench/%.c $(CORE_OBJ)
	@mkdir -p $(@D)
	$(Q)$(if $(V),,echo '  CC      $@';) $(CC) $(BASE_CFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(CORE_OBJ) $(LDFLAGS) $(CORE_LIBS)

$(BUILD)/helpers/%: tests/e2e/helpers/%.c
	@mkdir -p $(@D)
	$(Q)$(if $(V),,echo '  CC      $@';) $(CC) $(BASE_CFLAGS) $(TEST_CFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(LDFLAGS) -pthread -ldl

# Speaks through the core's own code.
$(BUILD)/helpers/redis_wire: tests/e2e/helpers/redis_wire.c $(CORE_OBJ)
	@mkdir -p $(@D)
	$(Q)$(if $(V),,echo '  CC      $@';) $(CC) $(BASE_CFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(CORE_OBJ) $(LDFLAGS) $(CORE_LIBS)

# Those that drive the remote store link what the command links.
$(BUILD)/helpers/remote_%: tests/e2e/helpers/remote_%.c $(CORE_OBJ)
	@mkdir -p $(@D)
	$(Q)$(if $(V),,echo '  CC      $@';) $(CC) $(BASE_CFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(CORE_OBJ) $(LDFLAGS) $(CORE_LIBS)

unit: $(UNIT)
helpers: $(HELPERS)

# All sources are built again with clang's fuzzer instrumentation: BUILD=build/fuzz.
$(BUILD)/tests/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(CORE_OBJ)
	@mkdir -p $(@D)
	$(Q)$(if $(V),,echo '  CC      $@';) $(CC) $(BASE_CFLAGS) $(CFLAGS) -fsanitize=fuzzer -MMD -MP -o $@ $< $(CORE_OBJ) $(LDFLAGS) $(CORE_LIBS)
fuzz-programs: $(FUZZ)
fuzz:
	+$(MAKE) BUILD=build/fuzz CC=$(CLANG) SANITIZE=1 fuzz-programs \
	  CFLAGS='-O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer'

# Sanitizers make gcc see truncations that are none: warnings are for the plain build.
sanitize:
	+$(MAKE) BUILD=build/sanitize SANITIZE=1 unit build/sanitize/reprise build/sanitize/helpers/redis_wire \
	  CFLAGS='-O1 -g -Wno-error -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer'

# The libraries for the target come as Debian packages, unpacked, not installed.
SYSROOT := build/sysroot-aarch64
AARCH64_LIB := $(SYSROOT)/usr/lib/aarch64-linux-gnu
$(SYSROOT)/.done: scripts/sysroot-aarch64.sh
	sh scripts/sysroot-aarch64.sh $(SYSROOT)
# What its libcrypto needs in turn (zlib, zstd from Debian 13 on) is not unpacked: nothing of this is run.
cross-aarch64: $(SYSROOT)/.done
	+$(MAKE) BUILD=build/aarch64 CC='aarch64-linux-gnu-gcc -isystem $(SYSROOT)/usr/include -isystem $(SYSROOT)/usr/include/aarch64-linux-gnu' \
	  LDFLAGS='-L$(AARCH64_LIB) -Wl,--allow-shlib-undefined' all

check-fast: all unit helpers
	@sh tests/run.sh --fast
check: all unit helpers
	@sh tests/run.sh
check-long: all unit helpers
	@sh tests/run.sh --long
check-docs:
	sh scripts/check-docs.sh
check-layers: all
	sh scripts/check-layers.sh
bench: all
	sh bench/run.sh
demo: all
	sh demo/run.sh

MAN := $(wildcard docs/man/*.1 docs/man/*.5 docs/man/*.7)
DOC := README.md LICENSE CONTRIBUTING.md $(wildcard docs/*.md)
I := $(DESTDIR)$(PREFIX)
install: all
	install -d $(I)/lib/reprise $(I)/bin $(I)/share/doc/reprise
	$(if $(REMOTE),install -D -m 755 $(REMOTE) $(I)/libexec/reprise/reprise-remote)
	install -m 644 $(BUILD)/libreprise.so $(I)/lib/reprise/libreprise.so
	install -m 755 $(BUILD)/reprise scripts/reprise-run $(I)/bin
	install -m 644 $(DOC) $(I)/share/doc/reprise
	for page in $(MAN); do \
	  dir=$(I)/share/man/man$${page##*.}; install -d $$dir && install -m 644 $$page $$dir || exit 1; done

dist:
	sh packaging/dist.sh

clean:
	rm -rf $(BUILD)

-include $(LIB_OBJ:.o=.d) $(TOOL_SRC:%.c=$(BUILD)/%.d) $(HOOK_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(UNIT_OBJ:.o=.d) $(FUZZ:=.d) $(HELPERS:=.d) \
  $(BUILD)/libexec/reprise-remote.d $(BUILD)/libexec/openssl.d
.PHONY: all unit helpers fuzz fuzz-programs sanitize cross-aarch64 check-fast check check-long check-docs check-layers bench demo \
	install dist clean
.DELETE_ON_ERROR:
