/* action/texts.c - reads what a run has read. */
#include "action/texts.h"

#include <string.h>

#include "shim/sys.h"
#include "tools/driver.h"

#include "shim/banned.h"

#define MARK 0x01 /* keying/names.h */
/* Larger is no source. */
#define TEXT_MAX (64u << 20)

uint64_t texts_names_in(const struct action *a, const char *spec, size_t len)
{
	uint64_t found = 0;

	for (size_t i = 0; i + 2 < len; i++) {
		if (spec[i] != MARK)
			continue;
		if (spec[++i] == MARK)
			continue;
		for (size_t k = 0; k < a->all_count && k < 64; k++)
			if (a->all_names[k].kind == (unsigned char)spec[i] && a->all_names[k].index == spec[i + 1] - '0')
				found |= 1ull << k;
	}
	return found;
}

/* Objects, archives and programs are loaded or linked, not read as text. */
static int is_object(const char *s, size_t n)
{
	return n >= 8 && (memcmp(s, "\177ELF", 4) == 0 || memcmp(s, "!<arch>\n", 8) == 0);
}

/* gcc's and clang's precompiled headers and modules: what their texts ask for nobody can see. */
static int is_compiled(const char *s, size_t n)
{
	return n >= 4 && (memcmp(s, "gpch", 4) == 0 || memcmp(s, "CPCH", 4) == 0 || memcmp(s, "DXSB", 4) == 0);
}

/* Sections by patterns, which see the names of files. */
static int is_script(const char *s, size_t n)
{
	for (const char *p = s, *end = s + n; (p = memmem(p, (size_t)(end - p), "SECTIONS", 8)) != NULL;) {
		for (p += 8; p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r'); p++)
			;
		if (p < end && *p == '{')
			return 1;
	}
	return memmem(s, n, "EXCLUDE_FILE", 12) != NULL;
}

static int add_text(struct texts *t, const struct action *a, const char *text, size_t n, int own)
{
	for (size_t i = 0; i < a->all_count && i < 64; i++)
		if (memmem(text, n, a->all_names[i].text, a->all_names[i].len))
			t->spelled |= 1ull << i;
	t->script |= (n >= 8 && memcmp(text, "!<thin>\n", 8) == 0) || is_script(text, n);
	asks_add(&t->asks, text, n, own);
	return 0;
}

static int add_file(struct texts *t, const struct action *a, const char *path, int own)
{
	int fd = sys_open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0), rc = -1;
	struct statx st;
	ssize_t n;
	char head[8], *text;

	if (fd < 0)
		return -1;
	n = sys_pread(fd, head, sizeof head, 0);
	if (n < 0 || is_compiled(head, (size_t)n)) {
		rc = -1;
	} else if (is_object(head, (size_t)n)) {
		rc = 0;
	} else if (sys_statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &st) == 0 && st.stx_size <= TEXT_MAX &&
	           (text = arena_alloc(&t->arena, st.stx_size + 1)) != NULL) {
		n = sys_read_all(fd, text, st.stx_size + 1);
		rc = n == (ssize_t)st.stx_size ? add_text(t, a, text, (size_t)n, own) : -1;
	}
	sys_close(fd);
	return rc;
}

/* -DX=y is a definition like those in texts. */
static int add_options(struct texts *t, const struct action *a)
{
	for (int i = 1; i < a->cmd.count; i++) {
		const struct cmdline_arg *arg = &a->cmd.v[i];
		const char *value = arg->text;
		char *text, *equals;

		if (!arg->option || (strcmp(arg->option, "-D") != 0 && strcmp(arg->option, "--define-macro") != 0))
			continue;
		if (!arg->is_value)
			value += strlen(arg->option) + (value[strlen(arg->option)] == '=');
		text = arena_cat(&t->arena, "#define ", value, "\n", NULL);
		if (!text)
			return -1;
		equals = strchr(text, '=');
		if (equals)
			*equals = ' ';
		asks_add(&t->asks, text, strlen(text), 0);
	}
	return 0;
}

int texts_read(struct texts *t, struct action *a, const struct candidate *c, uint64_t own)
{
	*t = (struct texts){.arena = ARENA_INIT};
	asks_init(&t->asks, &t->arena, driver_words(a->row, &a->cmd));
	for (size_t i = 0; i < a->primary_count; i++)
		if (!a->primary[i].response && add_file(t, a, a->primary[i].path, 1) < 0)
			return -1;
	for (size_t i = 0; i < c->count; i++) {
		const struct input *in = &c->v[i];
		const char *path;

		if (in->kind != INPUT_FILE && in->kind != INPUT_REAL_FILE)
			continue;
		path = names_resolve(&a->names, in->spec, in->spec_len, &t->arena);
		if (!path || add_file(t, a, path, (texts_names_in(a, in->spec, in->spec_len) & own) != 0) < 0)
			return -1;
	}
	return add_options(t, a);
}

void texts_free(struct texts *t)
{
	arena_free(&t->arena);
}
