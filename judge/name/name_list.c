/* judge/name/name_list.c - looks for names in texts and specs. */
#include "judge/name/name_list.h"

#include <limits.h>
#include <string.h>

#include "judge/start.h"
#include "names/bases.h"
#include "names/name_shape.h"
#include "names/names.h"
#include "shim/kernel/sys.h"
#include "shim/path.h"
#include "tools/asks/words.h"
#include "tools/cmdline/cmdline.h"
#include "tools/driver.h"

#include "shim/banned.h"

#define PIECE_LEAST 4
#define DIRECTORIES_MOST 8 /* those of headers may come before that of the source */

size_t name_list_all(const struct name_list *l)
{
	return l->count + l->files;
}

const struct patch_name *name_list_find(const struct name_list *l, unsigned kind, unsigned index)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->v[i].kind == kind && l->v[i].index == index)
			return &l->v[i];
	return NULL;
}

static int is_spelled(const struct patch_name *name, const void *text, size_t n)
{
	return n && memmem(text, n, name->text, name->len);
}

/* 1: the name is one component of a path, which a generator made. */
static int is_component(const struct patch_name *name)
{
	return name->kind == NAME_KIND_TEMP || name->kind == NAME_KIND_TRIED;
}

/* The word of the text whose last byte is at `last` is an end of the name. */
static int is_end(const char *text, const char *last, const char *name, size_t len)
{
	const char *word = last;
	size_t n;

	while (word > text && asks_is_word(word[-1]))
		word--;
	n = (size_t)(last + 1 - word);
	return n < len && memcmp(name + len - n, word, n) == 0;
}

static int has_pieces(const char *name)
{
	return strlen(name) >= 2 * PIECE_LEAST;
}

/* 1: the text has the name without its last bytes. */
static int has_beginning(const char *name, const char *text, size_t n)
{
	return memmem(text, n, name, strlen(name) - PIECE_LEAST + 1) != NULL;
}

/* 1: the text has a word that ends the name. Shorter words are in most texts. */
static int has_ending(const char *name, const char *text, size_t n)
{
	const char *end = text + n, *p = text;
	size_t len = strlen(name);

	for (; (p = memmem(p, (size_t)(end - p), name + len - PIECE_LEAST, PIECE_LEAST)); p++) {
		const char *after = p + PIECE_LEAST;

		if ((after == end || !asks_is_word(*after)) && is_end(text, after - 1, name, len))
			return 1;
	}
	return 0;
}

int name_list_occurs(const struct name_list *l, const void *text, size_t n)
{
	for (size_t i = 0; i < l->count; i++)
		if (is_spelled(&l->v[i], text, n))
			return 1;
	return 0;
}

uint64_t name_list_spelled(const struct name_list *l, const void *text, size_t n)
{
	uint64_t found = 0;

	for (size_t i = 0; i < l->count && i < NAMES_MOST; i++)
		if (is_spelled(&l->v[i], text, n))
			found |= 1ull << i;
	return found;
}

uint64_t name_list_components(const struct name_list *l)
{
	uint64_t found = 0;

	for (size_t i = 0; i < l->count && i < NAMES_MOST; i++)
		if (is_component(&l->v[i]))
			found |= 1ull << i;
	return found;
}

uint64_t name_list_places(const struct name_list *l)
{
	uint64_t found = 0;

	for (size_t i = 0; i < l->count && i < NAMES_MOST; i++)
		if (is_component(&l->v[i]) || name_is_base(l->v[i].kind))
			found |= 1ull << i;
	return found;
}

uint64_t name_list_pieces(const struct name_list *l, const char *text, size_t n)
{
	uint64_t spelled = 0, found = 0;

	name_list_search(l, text, n, &spelled, &found);
	return found;
}

/* The first name with the same text, often a name of another kind. */
static size_t first_such(const struct name_list *l, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (l->v[k].len == l->v[i].len &&
		    memcmp(l->v[k].text, l->v[i].text, l->v[i].len) == 0)
			return k;
	return i;
}

void name_list_search(const struct name_list *l, const char *text, size_t n, uint64_t *spelled,
                      uint64_t *pieces)
{
	uint64_t found = 0;

	for (size_t i = 0; n && i < l->count && i < NAMES_MOST; i++) {
		const char *name = path_base(l->v[i].text);
		uint64_t bit = 1ull << i;

		int piece = is_component(&l->v[i]) && has_pieces(name);
		int begins = !piece || has_beginning(name, text, n);
		size_t first = first_such(l, i);

		/* Whoever spells the name spells its beginning. */
		if (first < i ? found >> first & 1 : begins && is_spelled(&l->v[i], text, n))
			found |= bit;
		if (piece && (begins || has_ending(name, text, n)))
			*pieces |= bit;
	}
	*spelled |= found;
}

uint64_t name_list_in_spec(const struct name_list *l, const char *spec, size_t len)
{
	unsigned char kind, index;
	uint64_t found = 0;

	for (size_t i = 0; i + 2 < len; i++) {
		if (spec[i] != NAMES_MARK)
			continue;
		if (spec[++i] == NAMES_MARK)
			continue;
		names_spec_kind(spec + i, &kind, &index);
		for (size_t k = 0; k < l->count && k < NAMES_MOST; k++)
			if (l->v[k].kind == kind && l->v[k].index == index)
				found |= 1ull << k;
	}
	return found;
}

/* Learns the names of a start, and puts them in one list: the result is bound to them, or they are
 * exchanged in it (docs/internals/names.md). */

/* The letters of the directory and, behind them, another component. A compiler maps such a name
 * too. */
static int is_beside(const char *path, const char *dir, size_t len)
{
	return strncmp(path, dir, len) == 0 && path[len] && path[len] != '/';
}

static size_t count_marks(const struct buf *spec, enum name_kind mapped)
{
	size_t count = 0;

	for (size_t i = 0; i + 2 < spec->len; i++)
		if (spec->data[i] == NAMES_MARK) {
			unsigned char kind, index;

			names_spec_kind((const char *)spec->data + i + 1, &kind, &index);
			count += kind == mapped;
			i += spec->data[i + 1] == NAMES_MARK ? 1 : 2;
		}
	return count;
}

/* 1: each place of the directory in the argument is a name, and no path is spelled in a way that
 * hides it. */
static int argument_fits(struct names *names, struct arena *arena, const char *text,
                         enum name_kind mapped)
{
	const struct name *dir = &names->base[mapped];
	struct buf spec = BUF_INIT(arena);
	size_t count = 0;

	if (!strchr(text, '/'))
		return 1;
	if (strstr(text, "//") || strstr(text, "/./"))
		return 0;
	for (const char *p = text; (p = strstr(p, dir->text)) != NULL; p += dir->len)
		count++;
	if (!count)
		return 1;
	names_arg(names, text, 0, &spec);
	return !spec.failed && count_marks(&spec, mapped) == count;
}

static int all_fit(struct start *s, const struct prefix_map *m, enum name_kind mapped)
{
	const char *pwd = invocation_env(&s->call, "PWD");
	const char *dir = s->names.base[mapped].text;

	if (is_beside(s->call.cwd, dir, m->len) || (pwd && is_beside(pwd, dir, m->len)))
		return 0;
	if (m->below_only && strcmp(s->call.cwd, dir) == 0 &&
	    driver_reach(s->row, &s->cmd, ROLE_CWD) != 0)
		return 0;
	for (int i = 1; i < s->cmd.count; i++)
		if (!argument_fits(&s->names, &s->arena, s->cmd.v[i].text, mapped))
			return 0;
	return 1;
}

/* OLD of -ffile-prefix-map=OLD=NEW. Two conditions: the command's maps are understood
 * (tools/cmdline/prefix_map.c), and each argument that holds the directory's letters names a path
 * below the directory. A start without a working directory is not keyed. */
static void learn_mapped(struct start *s)
{
	struct prefix_maps m;
	int set = 0, fit = 0;

	if (!s->call.cwd[0] || !prefix_map_find(&m, &s->cmd))
		return;
	while (set < m.count && names_set_base(&s->names, name_mapped(set), m.v[set].old,
	                                       m.v[set].len) == 0)
		set++;
	s->cmd.flags |= m.v[0].flags;
	while (set == m.count && fit < set && all_fit(s, &m.v[fit], name_mapped(fit)))
		fit++;
	if (fit == m.count)
		return;
	s->cmd.flags &= ~m.v[0].flags;
	while (set--)
		names_drop_base(&s->names, name_mapped(set));
}

static const char *only_source(const struct primaries *primaries, const struct tool_row *row)
{
	const char *source = NULL;

	for (size_t i = 0; i < primaries->count; i++) {
		if (!driver_source_hash(row, primaries->v[i].path, NULL, NULL))
			continue;
		if (source)
			return NULL;
		source = primaries->v[i].path;
	}
	return source && source[0] == '/' ? source : NULL;
}

/* 1: an argument gives dir[0..len) itself, and no path below it. */
static int spells(const struct cmdline *cmd, const char *dir, size_t len)
{
	for (int i = 1; i < cmd->count; i++) {
		const char *text = cmd->v[i].text, *end = text + strlen(text);

		for (const char *p = text; (p = memmem(p, (size_t)(end - p), dir, len)); p++) {
			size_t slashes = strspn(p + len, "/");

			if (!p[len + slashes] || strchr(",:=", p[len + slashes]))
				return 1;
		}
	}
	return 0;
}

/* A directory with a generated name may hold a project, whose texts give paths from there. */
static size_t project_len(struct names *names, const struct cmdline *cmd, const char *dir,
                          size_t len)
{
	size_t generated = names_generated(names, dir, len);

	for (size_t n = generated; n && n <= len; n++)
		if ((n == len || dir[n] == '/') && spells(cmd, dir, n))
			return generated;
	return len;
}

/* The directory of the only source, if it reaches the result in no other way than by its hash and
 * by what texts ask for. nvcc's shell reads other letters in its own way. */
static void learn_source(struct start *s)
{
	const char *source;
	size_t len;

	if (!(s->row->flags & TOOL_NAMES_HASHES) ||
	    driver_reach(s->row, &s->cmd, ROLE_SOURCE) & (REACH_ANYTHING | REACH_DEBUG) ||
	    !(source = only_source(&s->primaries, s->row)) || !name_is_plain(source))
		return;
	len = path_dir_len(source);
	names_source(&s->names, source, project_len(&s->names, &s->cmd, source, len));
}

/* Time and size of the only source, which stand in the result with the number of its directory. No
 * start knows the number before it has run, so each of the first numbers is an entry. With another
 * one no entry is found (input_text_entries_hold()). */
static void learn_times(struct start *s)
{
	const char *source = only_source(&s->primaries, s->row);
	const struct primary *p = source ? primaries_at(&s->primaries, source) : NULL;
	struct input_text *x;

	if (!p || s->text || !(driver_reach(s->row, &s->cmd, ROLE_SOURCE) & REACH_TIMES) ||
	    !(x = arena_alloc(&s->arena, sizeof *x)))
		return;
	memset(x, 0, sizeof *x);
	x->unnumbered = 1;
	for (int i = 0; i < DIRECTORIES_MOST; i++) {
		x->sources[x->source_count++] = (struct input_source){
			source, (unsigned)i + 1, p->st.stx_mtime.tv_sec, p->st.stx_size};
		if (input_text_enter(x, i, &s->arena) < 0)
			return;
	}
	s->text = x;
}

/* Tests whether each argument that holds this directory has it only as the beginning of a longer
 * path. */
static int begins_paths_only(const struct cmdline *c, const char *dir, size_t len)
{
	for (int i = 1; i < c->count; i++) {
		const char *text = c->v[i].text;

		for (const char *p = text; (p = strstr(p, dir)); p += len)
			if (p[len] != '/' || (p > text && !strchr("=,:@", p[-1])) ||
			    strpbrk(text, "\"'"))
				return 0;
	}
	return 1;
}

/* A message or question of the tool may come from this directory's name in the text. Such a name
 * does not move with TMPDIR. */
static int is_in_text(const struct input_text *x, const struct name *dir)
{
	for (int i = 0; i < x->count; i++)
		if (x->names[i].len == dir->len &&
		    memcmp(x->names[i].text, dir->text, dir->len) == 0)
			return 1;
	return input_text_mentions(x, dir->text, dir->len);
}

/* Each process of a job may have its own TMPDIR, and the text may lie there, as
 * Triton's PTX does. A result that does not depend on names does not depend on TMPDIR. */
static void learn_tmpdir(struct start *s)
{
	struct name *dir = &s->names.base[NAME_KIND_TMPDIR];

	if (!s->text || !(s->cmd.flags & CMD_NAME_FREE))
		return;
	names_move_tmpdir(&s->names, invocation_env(&s->call, "TMPDIR"));
	if (dir->len &&
	    (is_in_text(s->text, dir) || !begins_paths_only(&s->cmd, dir->text, dir->len)))
		dir->len = 0;
}

static struct patch_name base_name(const struct names *names, int i)
{
	const char *dir = names_base(names, i);

	if (i >= NAME_KINDS_OF_ONE)
		return (struct patch_name){(unsigned char)i, 0, dir, strlen(dir)};
	return (struct patch_name){NAME_KIND_BASE, (unsigned char)i, dir, strlen(dir)};
}

/* The hashes of sources stand in symbols. They follow from names and directories, which bind
 * already. The list has each hash once, since two equal hashes in an output could not be told
 * apart. */
static void add_hashes(struct start *s)
{
	struct name_list *l = &s->all_names;
	struct patch_name *first = l->v + l->count, *end = first;

	for (size_t i = 0; i < s->primaries.count && i <= UCHAR_MAX; i++) {
		const struct primary *p = &s->primaries.v[i];
		const struct patch_name *same = first;
		const char *real;
		char *text;

		if (end - first == SOURCE_HASHES_MOST)
			break;
		if (p->response || !driver_source_hash(s->row, p->path, NULL, NULL) ||
		    !(text = arena_alloc(&s->arena, SOURCE_HASH + 1)) ||
		    probe_realpath(&s->prober, p->path, &real) < 0)
			continue;
		driver_source_hash(s->row, p->path, real, text);
		while (same < end && strcmp(same->text, text) != 0)
			same++;
		if (same == end)
			*end++ = (struct patch_name){NAME_KIND_HASH, (unsigned char)i, text,
			                             SOURCE_HASH};
	}
	l->count += (size_t)(end - first);
}

static void add_text(struct name_list *names, const struct input_text *text)
{
	for (int i = 0; text && i < text->count; i++)
		names->v[names->count++] = text->names[i];
}

/* --- public, in header order --- */

void judge_names_begin(struct start *s)
{
	names_init(&s->names, &s->arena, sys_getuid(), invocation_env(&s->call, "TMPDIR"),
	           setting_text(&s->set, SETTING_TEMP_ROOTS),
	           setting_text(&s->set, SETTING_BASE_DIRS), s->call.envp);
	names_children(&s->names, s->call.cwd);
	if (s->row->flags & TOOL_NAMES_PID)
		names_own(&s->names, (unsigned)sys_getpid());
}

void judge_names_command(struct start *s)
{
	size_t tried = name_cmake_len(s->call.cwd);

	if (!driver_of(s->row)->maps)
		return;
	if (tried)
		names_set_base(&s->names, NAME_KIND_TRIED, s->call.cwd, tried);
	learn_mapped(s);
}

void judge_names_text(struct start *s)
{
	learn_tmpdir(s);
	learn_source(s);
	learn_times(s);
}

/* The order: names in objects, volatile names as numbered, used bases, the tool's own name, hashes
 * of sources, names in the input text. Of two equal names the first is found in an output: what a
 * linked file holds comes from its objects. TMPDIR, which no output holds, comes last. */
int judge_names(struct start *s)
{
	size_t n = (size_t)s->names.count + NAMES_MAX + 1 + SOURCE_HASHES_MOST + NAMES_FILES_MAX +
	           (s->text ? (size_t)s->text->count : 0);
	struct name_list *l = &s->all_names;
	struct patch_name *v = arena_alloc(&s->arena, (n + 1) * sizeof *v);

	if (!v)
		return -1;
	*l = (struct name_list){.v = v, .files = (size_t)s->names.files};
	if (s->cmd.flags & CMD_LINK)
		add_text(&s->all_names, s->text);
	for (int i = 0; i < s->names.count; i++)
		v[l->count++] = (struct patch_name){NAME_KIND_TEMP, (unsigned char)i,
		                                    s->names.v[i].text, s->names.v[i].len};
	for (int i = 0; i < NAME_KIND_TMPDIR; i++)
		if (s->names.base_used >> i & 1)
			v[l->count++] = base_name(&s->names, i);
	if (s->names.own.len)
		v[l->count++] = (struct patch_name){NAME_KIND_OWN, 0, s->names.own.text,
		                                    s->names.own.len};
	add_hashes(s);
	if (!(s->cmd.flags & CMD_LINK))
		add_text(&s->all_names, s->text);
	l->output_count = l->count;
	if (s->names.base_used >> NAME_KIND_TMPDIR & 1)
		v[l->count++] = base_name(&s->names, NAME_KIND_TMPDIR);
	for (int i = 0; i < s->names.files; i++)
		v[l->count + (size_t)i] = (struct patch_name){
			NAME_KIND_FILE, (unsigned char)i, s->names.file[i].text,
			s->names.file[i].len};
	names_close(&s->names);
	return 0;
}
