/* tools/object/sections.c - walks the table of sections. */
#include "tools/object/sections.h"

#include <elf.h>
#include <string.h>

#include "shim/list.h"

#include "shim/banned.h"

struct object {
	const unsigned char *bytes;
	size_t n;
	Elf64_Ehdr head;
	Elf64_Shdr names;
};

static int section_read(const struct object *o, size_t i, Elf64_Shdr *out)
{
	uint64_t at = o->head.e_shoff + i * sizeof *out;

	if (i >= o->head.e_shnum || at > o->n || o->n - at < sizeof *out)
		return -1;
	memcpy(out, o->bytes + at, sizeof *out);
	if (out->sh_type == SHT_NOBITS)
		out->sh_size = 0;
	return out->sh_offset > o->n || out->sh_size > o->n - out->sh_offset ? -1 : 0;
}

static int object_read(struct object *o, const void *bytes, size_t n)
{
	o->bytes = bytes;
	o->n = n;
	if (n < sizeof o->head || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return -1;
	memcpy(&o->head, bytes, sizeof o->head);
	if (o->head.e_ident[EI_CLASS] != ELFCLASS64 || o->head.e_shentsize != sizeof(Elf64_Shdr) ||
	    o->head.e_shoff > n)
		return -1;
	return section_read(o, o->head.e_shstrndx, &o->names);
}

static const char *name_of(const struct object *o, const Elf64_Shdr *s)
{
	const char *text = (const char *)o->bytes + o->names.sh_offset;

	if (s->sh_name >= o->names.sh_size ||
	    !memchr(text + s->sh_name, 0, o->names.sh_size - s->sh_name))
		return "";
	return text + s->sh_name;
}

static void found(struct section *out, const struct object *o, const Elf64_Shdr *s)
{
	*out = (struct section){name_of(o, s), o->bytes + s->sh_offset, s->sh_size, s->sh_flags,
	                        s->sh_flags & SHF_MERGE && s->sh_flags & SHF_STRINGS &&
	                                s->sh_entsize == 1 && s->sh_addralign <= 1,
	                        s->sh_type, s->sh_link, s->sh_info, s->sh_addralign};
}

int section_at(struct section *out, const void *object, size_t n, uint64_t offset)
{
	struct object o;
	Elf64_Shdr s;

	if (object_read(&o, object, n) < 0)
		return -1;
	for (size_t i = 0; i < o.head.e_shnum; i++) {
		if (section_read(&o, i, &s) < 0)
			return -1;
		if (offset < s.sh_offset || offset - s.sh_offset >= s.sh_size)
			continue;
		if (s.sh_flags & SHF_COMPRESSED)
			return -1;
		found(out, &o, &s);
		return 0;
	}
	return -1;
}

int section_number(struct section *out, const void *object, size_t n, size_t number)
{
	struct object o;
	Elf64_Shdr s;

	if (object_read(&o, object, n) < 0 || section_read(&o, number, &s) < 0 ||
	    s.sh_flags & SHF_COMPRESSED)
		return -1;
	found(out, &o, &s);
	return 0;
}

int section_named(struct section *out, const void *object, size_t n, const char *name)
{
	struct object o;
	Elf64_Shdr s;

	if (object_read(&o, object, n) < 0)
		return -1;
	for (size_t i = 0; i < o.head.e_shnum; i++)
		if (section_read(&o, i, &s) == 0 && strcmp(name_of(&o, &s), name) == 0 &&
		    !(s.sh_flags & SHF_COMPRESSED)) {
			found(out, &o, &s);
			return 0;
		}
	return -1;
}

#define SECTION "\t.section\t"

/* The directives by which gcc leaves a section. Which of the other sections follows does not
 * matter. */
static int leaves(const char *line, size_t n)
{
	static const char words[] =
		"\t.bss\0" "\t.data\0" "\t.popsection\0" "\t.previous\0" "\t.pushsection\0"
		"\t.subsection\0" "\t.text\0";

	for (const char *word = words; *word; word = LIST_NEXT(word))
		if (n >= strlen(word) && memcmp(line, word, strlen(word)) == 0)
			return 1;
	return 0;
}

int assembly_section_is(const char *text, size_t at, const char *name)
{
	for (const char *line, *end = text + at; end > text; end = line - 1) {
		size_t n;

		for (line = end; line > text && line[-1] != '\n'; line--)
			;
		n = (size_t)(text + at - line);
		if (n > strlen(SECTION) + strlen(name) &&
		    memcmp(line, SECTION, strlen(SECTION)) == 0)
			return memcmp(line + strlen(SECTION), name, strlen(name)) == 0;
		if (leaves(line, (size_t)(end - line)) || line == text)
			return 0;
	}
	return 0;
}

int sections_hide_names(const void *data, size_t n)
{
	static const char offload[] = ".gnu.offload_lto_";
	struct object o;
	Elf64_Shdr s;

	/* Such as assembly, or an object of very many sections */
	if (object_read(&o, data, n) < 0 || !o.head.e_shnum)
		return memmem(data, n, offload, sizeof offload - 1) != NULL;
	for (size_t i = 0; i < o.head.e_shnum; i++)
		if (section_read(&o, i, &s) < 0 || s.sh_flags & SHF_COMPRESSED ||
		    strncmp(name_of(&o, &s), ".zdebug", 7) == 0 ||
		    strncmp(name_of(&o, &s), offload, sizeof offload - 1) == 0)
			return 1;
	return 0;
}
