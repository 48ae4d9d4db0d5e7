/* units/scope/native_script.c - reads one form of shell script. */
#include "units/scope/scope.h"

#include <string.h>

#include "shim/list.h"

#include "shim/banned.h"

/* No character that a shell reads as anything but itself. */
static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "_/.+=,:@%-";
static const char arguments[] = "\"$@\"";

/* 1: a shell runs it, which reads nothing before its script. */
static int is_of_shell(const char *line)
{
	static const char shells[] = "#!/bin/sh\0#!/bin/dash\0#!/bin/bash\0#!/usr/bin/sh\0"
	                             "#!/usr/bin/dash\0#!/usr/bin/bash\0#!/usr/bin/env bash\0"
	                             "#!/usr/bin/env sh\0";

	return list_has(shells, line);
}

/* Cuts a word off *at, and its quotes. NULL: none, or no plain one. */
static char *take_word(char **at)
{
	char *word = *at + strspn(*at, " \t"), quote = *word == '"' || *word == '\'' ? *word : 0,
	     *end;

	word += quote != 0;
	end = word + strspn(word, plain);
	if (end == word || (quote && *end++ != quote) || (*end != ' ' && *end != '\t'))
		return NULL;
	end[quote ? -1 : 0] = 0;
	*at = end + 1;
	return word;
}

/* 1: the option's directory is the next word. */
static int takes_directory(const char *word)
{
	return strcmp(word, "-isystem") == 0 || strcmp(word, "-idirafter") == 0;
}

static int is_option(const char *word)
{
	return strncmp(word, "-B/", 3) == 0 || strncmp(word, "-I/", 3) == 0 ||
	       takes_directory(word) ||
	       ((strncmp(word, "-D", 2) == 0 || strncmp(word, "-O", 2) == 0 ||
	         (strncmp(word, "-m", 2) == 0 && strcmp(word, "-mllvm") != 0)) && word[2] &&
	        !strchr(word, '/'));
}

static size_t read_command(char *line, char *word[NATIVE_WORDS_MAX])
{
	char *w = take_word(&line);
	size_t n = 0;

	if (!w || strcmp(w, "exec") != 0)
		return 0;
	while (strncmp(line += strspn(line, " \t"), arguments, sizeof arguments - 1) != 0) {
		const char *before = n ? word[n - 1] : "";

		w = n < NATIVE_WORDS_MAX ? take_word(&line) : NULL;
		if (!w || (!n ? *w == '-' || (strchr(w, '/') && *w != '/')
		              : takes_directory(before) ? *w != '/' : !is_option(w)))
			return 0;
		word[n++] = w;
	}
	line += sizeof arguments - 1;
	return !n || takes_directory(word[n - 1]) || line[strspn(line, " \t")] ? 0 : n;
}

size_t native_script(char *text, size_t n, char *word[NATIVE_WORDS_MAX])
{
	char *line = text, *next;
	size_t words = 0;

	if (memchr(text, 0, n))
		return 0;
	for (; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		if (line == text) {
			if (!is_of_shell(line))
				return 0;
			continue;
		}
		line += strspn(line, " \t");
		if (!*line || *line == '#')
			continue;
		if (words || !(words = read_command(line, word)))
			return 0;
	}
	return words;
}
