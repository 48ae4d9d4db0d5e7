/* tests/unit/lay_fixture.h - a kernel's parcel, and what a directory holds, for the tests of
 * units/find/lay.c and stage.c. */
#pragma once

#include <dirent.h>
#include <errno.h>

#include "scratch.h"
#include "units/find/lay.h"

static struct arena arena;
static struct fault fault;

#define PTX_LEN 300000
#define WHOLE_PTX ".version 8.0\n.target sm_90\n.entry k() { ret; }\n"
static char ptx[PTX_LEN];
static const uint64_t index_marks[] = {27, 47};
#define INDEX_BARE "{\"child_paths\": {\"k.ptx\": \"/k.ptx\", \"k.json\": \"/k.json\"}}"
#define INDEX_OF(dir) \
	"{\"child_paths\": {\"k.ptx\": \"" dir "/k.ptx\", \"k.json\": \"" dir "/k.json\"}}"
static struct parcel_file kernel_file[] = {
	{.name = "k.ptx", .mode = 0600, .data = (unsigned char *)ptx, .len = PTX_LEN},
	{.name = "k.json", .mode = 0755, .data = (unsigned char *)"{}", .len = 2},
	{.name = "__grp__k.json", .mode = 0644, .data = (unsigned char *)INDEX_BARE,
	 .len = sizeof INDEX_BARE - 1, .mark = index_marks, .marks = 2},
};
static struct parcel kernel = {.class = UNIT_TRITON, .note = "", .file = kernel_file, .files = 3};

/* A parcel of one file. */
static inline struct parcel single(const char *name, const char *text, unsigned mode, int exact)
{
	static struct parcel_file file[4];
	static int n;
	struct parcel_file *f = &file[n++ % 4];

	*f = (struct parcel_file){.name = name, .mode = mode, .exact = exact,
	                          .data = (unsigned char *)text, .len = strlen(text)};
	return (struct parcel){.class = UNIT_FXGRAPH, .note = "", .file = f, .files = 1};
}

static inline void lay_setup(void)
{
	umask(022);
	memset(ptx, 'p', sizeof ptx);
	memcpy(ptx, WHOLE_PTX, sizeof WHOLE_PTX - 1);
	ptx[PTX_LEN - 1] = ';';
	fault = (struct fault){0};
	scratch_make_in("/dev/shm");
}
static inline void lay_teardown(void)
{
	scratch_remove();
	arena_free(&arena);
}

static inline enum lay_status lay(const struct parcel *p, enum unit_form form, const char *path)
{
	return lay_parcel(p, form, path, &arena, &fault);
}

static inline int is_child(const struct dirent *e)
{
	return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

/* Names below a directory, sorted, with spaces between. */
static inline const char *names_in(const char *dir)
{
	static char text[4096];
	struct dirent **e;
	int n = scandir(dir, &e, is_child, alphasort);

	text[0] = '\0';
	for (int i = 0; i < n; i++) {
		snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", i ? " " : "",
		         e[i]->d_name);
		free(e[i]);
	}
	if (n >= 0)
		free(e);
	return n < 0 ? "(none)" : text;
}

/* Empty or absent. */
static inline int nothing_in(const char *dir)
{
	const char *names = names_in(dir);

	return !*names || strcmp(names, "(none)") == 0;
}

static inline const char *text_of(const char *path)
{
	static char text[PTX_LEN + 1];
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, PTX_LEN);

	close(fd);
	text[n < 0 ? 0 : n] = '\0';
	return n < 0 ? "(none)" : text;
}

static inline unsigned mode_of(const char *path)
{
	struct stat st;

	return lstat(path, &st) < 0 ? 0 : st.st_mode & 07777;
}

/* Everything of the kernel, and nothing else. */
static inline void expect_kernel(const char *dir)
{
	char want[4096], path[4096];

	cr_expect_str_eq(names_in(dir), "__grp__k.json k.json k.ptx");
	snprintf(want, sizeof want, INDEX_OF("%s"), dir, dir);
	snprintf(path, sizeof path, "%s/__grp__k.json", dir);
	cr_expect_str_eq(text_of(path), want);
	snprintf(path, sizeof path, "%s/k.json", dir);
	cr_expect_str_eq(text_of(path), "{}");
	snprintf(path, sizeof path, "%s/k.ptx", dir);
	const char *text = text_of(path);
	cr_expect(strlen(text) == PTX_LEN && memcmp(text, ptx, PTX_LEN) == 0, "%s", path);
}

/* Open descriptors of this process. */
static inline int descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}
