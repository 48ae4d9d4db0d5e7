# Reprise: `make`, `make check`, `make demo`, `make bench`, `make install DESTDIR= PREFIX=`, `make clean`.
# Objects live in $(BUILD); SANITIZE=1 builds everything that can run under ASan and UBSan elsewhere.
CC ?= gcc
CROSS ?=
BUILD ?= build
PREFIX ?= /usr/local
DESTDIR ?=
VERSION := 0.1.0

WARN := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
CFLAGS ?= -O2 -g
BASE_CFLAGS := -std=gnu11 $(WARN) -I. -D_GNU_SOURCE -DREPRISE_VERSION='"$(VERSION)"' -fno-strict-aliasing
# No fortify and no stack protector in code that runs in hosts: musl lacks their symbols.
OBJECT_CFLAGS := -fPIC -fvisibility=hidden -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=0 -fno-stack-protector -fno-optimize-sibling-calls -ftls-model=initial-exec

LIB_SRC := $(wildcard shim/*.c keying/*.c store/*.c action/*.c)
HOOK_SRC := $(wildcard hooks/*.c)
CLI_SRC := $(wildcard cli/*.c)
STATIC_LIBS := -l:libzstd.a -l:libxxhash.a

LIB_OBJ := $(LIB_SRC:%.c=$(BUILD)/%.o)
HOOK_OBJ := $(HOOK_SRC:%.c=$(BUILD)/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$(BUILD)/%.o)
# What unit tests and the command link: everything but what only makes sense inside the object.
CORE_OBJ := $(filter-out $(BUILD)/shim/init.o,$(LIB_OBJ))

all: $(BUILD)/libreprise.so $(BUILD)/reprise

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $(OBJECT_CFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/libreprise.so: $(LIB_OBJ) $(HOOK_OBJ) shim/exports.map
	$(CC) -shared -o $@ $(LIB_OBJ) $(HOOK_OBJ) -Wl,-z,initfirst -Wl,-z,text -Wl,-z,now -Wl,-z,defs \
	  -Wl,--version-script=shim/exports.map -Wl,--exclude-libs,ALL -Wl,-soname,libreprise.so $(LDFLAGS) $(STATIC_LIBS)

$(BUILD)/reprise: $(CLI_OBJ) $(CORE_OBJ)
	$(CC) -o $@ $^ $(LDFLAGS) $(STATIC_LIBS) -ljson-c

# One program a unit test file: make build/tests/unit/test_entry
$(BUILD)/tests/unit/test_%: tests/unit/test_%.c $(CORE_OBJ)
	@mkdir -p $(@D)
	$(CC) $(BASE_CFLAGS) $(CFLAGS) -MMD -MP -o $@ $< $(CORE_OBJ) $(LDFLAGS) $(STATIC_LIBS) -lcriterion

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all clean
