/* tools/comment_words.h - words that announce how the compiler reads on. Pure code. THREAD. */
#ifndef TOOLS_COMMENT_WORDS_H
#define TOOLS_COMMENT_WORDS_H

#include "tools/comment_parts.h"

/* The behaviour that a directive's name announces. */
enum comment_directive comment_directive_of(struct comment_text *t, const unsigned char *word,
                                            size_t n);
/* Notes what a string literal says. */
void comment_literal_says(struct comment_text *t, const unsigned char *s, size_t n);
/* Notes what tokens outside literals say, in a text for which comment_word_diagnostic() is 1. */
void comment_run_says(struct comment_text *t, const unsigned char *run, size_t n);
/* A joined line divides a word at t->p. Notes what the word's first part says. */
void comment_part_says(struct comment_text *t);
/* 1: the text holds the word that a pragma turns on warnings with. */
int comment_word_diagnostic(const char *text, size_t n);
/* 1: words of the text make the compiler read files as data. */
int comment_words_say(const char *text, size_t n);
/* 1: any word of the text could do what comment_directive_of() and comment_literal_says() find. */
int comment_words_may_say(const char *text, size_t n);
/* A condition: behind __has_include, or a macro that stands for it, a header's name may look like a
 * comment. */
void comment_condition(struct comment_text *t, const unsigned char *from);

#endif
