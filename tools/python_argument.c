/* tools/python_argument.c - which names may hold arguments, line by line, and what such a line may
 * do. Whatever it does not know counts as a look. */
#include "tools/python_argument.h"

#include <string.h>

#include "tools/python_names.h"

#include "shim/banned.h"

/* A name that holds arguments. */
struct holder {
	const struct python_token *name;
	int single; /* it may be one argument, of which a part is letters; else a list of them */
};
struct scan {
	const struct python_token *v, *end; /* of the line */
	struct holder *held;
	size_t count, cap;
	struct arena *a;
	int changed, failed;
	int shares; /* a list with arguments grows, maybe under another name */
	int calls;  /* a function of the text gets arguments */
};

static int among(const struct python_token *t, const char *list)
{
	for (; *list; list += strlen(list) + 1)
		if (python_is(t, list))
			return 1;
	return 0;
}

static int is_attribute(const struct scan *s, const struct python_token *t)
{
	return t > s->v && python_is(t - 1, ".");
}

static struct holder *find(const struct scan *s, const struct python_token *t)
{
	for (size_t i = 0; i < s->count; i++)
		if (s->held[i].name->n == t->n &&
		    memcmp(s->held[i].name->s, t->s, t->n) == 0)
			return &s->held[i];
	return NULL;
}

static void hold(struct scan *s, const struct python_token *t, int single)
{
	struct holder *h;

	if (t->type != PYTHON_NAME || python_is_keyword(t->s, t->n) ||
	    python_is_builtin(t->s, t->n) || python_module(t->s, t->n) >= 0)
		return;
	h = find(s, t);
	if (h) {
		s->changed |= single && !h->single;
		h->single |= single;
		return;
	}
	h = arena_grow(s->a, s->held, s->count, &s->cap, sizeof *h, 32);
	if (!h) {
		s->failed = 1;
		return;
	}
	s->held = h;
	h[s->count++] = (struct holder){t, single};
	s->changed = 1;
}

/* What an exception or a process tells of its command. */
static int tells_command(const struct scan *s, const struct python_token *t)
{
	return is_attribute(s, t) && !python_is(t + 1, "(") &&
	       among(t, "cmd\0args\0filename\0name\0");
}

static int is_argv(const struct scan *s, const struct python_token *t)
{
	(void)s;
	return python_is(t, "argv");
}

static int holds(const struct scan *s, const struct python_token *t)
{
	/* The script's own name is argv[0]. */
	if (python_is(t, "argv") && t + 3 < s->end && python_is(t + 1, "[") && t[2].n == 1 &&
	    *t[2].s == '0' && python_is(t + 3, "]"))
		return 0;
	return t->type == PYTHON_NAME &&
	       (is_argv(s, t) || tells_command(s, t) || find(s, t));
}

/* The place behind the bracket that t opens. */
static const struct python_token *behind(const struct scan *s, const struct python_token *t)
{
	int depth = 0;

	for (; t < s->end; t++) {
		depth += (python_is(t, "(") || python_is(t, "[") || python_is(t, "{")) -
		         (python_is(t, ")") || python_is(t, "]") || python_is(t, "}"));
		if (!depth)
			return t + 1;
	}
	return s->end;
}

static int has_slice(const struct scan *s, const struct python_token *t)
{
	for (const struct python_token *end = behind(s, t); t < end; t++)
		if (python_is(t, ":"))
			return 1;
	return 0;
}

/* A parameter of the same name has its own kind. */
static int is_single_holder(const struct scan *s, const struct python_token *t)
{
	const struct holder *h = find(s, t);
	int of_sys = is_attribute(s, t) && t - s->v >= 2 && python_is(t - 2, "sys");

	return h && h->single && !of_sys;
}

/* 1: t is one argument, or the line takes one out of a list. */
static int is_single(const struct scan *s, const struct python_token *t)
{
	if (!holds(s, t))
		return 0;
	return tells_command(s, t) || is_single_holder(s, t) ||
	       (t + 1 < s->end && python_is(t + 1, "[") && !has_slice(s, t + 1)) ||
	       (t + 2 < s->end && python_is(t + 1, ".") && python_is(t + 2, "pop"));
}

static int line_has(const struct scan *s,
                    int (*f)(const struct scan *s, const struct python_token *t))
{
	for (const struct python_token *t = s->v; t < s->end; t++)
		if (f(s, t))
			return 1;
	return 0;
}

/* 1: a call whose answer is no list of the arguments. */
static int is_call(const struct scan *s, const struct python_token *t)
{
	return t->type == PYTHON_NAME && t + 1 < s->end && python_is(t + 1, "(") &&
	       !python_is_keyword(t->s, t->n) && !among(t, "list\0tuple\0reversed\0copy\0");
}

/* 1: what stands from t on, which a loop or a star takes apart, may be one argument. */
static int takes_apart(const struct scan *s, const struct python_token *t)
{
	int depth = 0;

	for (; t < s->end; t++) {
		depth += (python_is(t, "(") || python_is(t, "[") || python_is(t, "{")) -
		         (python_is(t, ")") || python_is(t, "]") || python_is(t, "}"));
		if (depth < 0 || (!depth && among(t, ",\0if\0for\0")))
			return 0;
		if (is_single(s, t))
			return 1;
	}
	return 0;
}

/* The sign of the last assignment of the line, outside of brackets, or NULL. */
static const struct python_token *assignment(const struct scan *s)
{
	const struct python_token *last = NULL;
	int depth = 0;

	for (const struct python_token *t = s->v; t < s->end; t++) {
		depth += (python_is(t, "(") || python_is(t, "[") || python_is(t, "{")) -
		         (python_is(t, ")") || python_is(t, "]") || python_is(t, "}"));
		if (!depth && t->type == PYTHON_OPERATOR && t->s[t->n - 1] == '=' &&
		    !among(t, "==\0!=\0<=\0>=\0"))
			last = t;
	}
	return last;
}

/* Names that hold arguments for another reason than a line with arguments. */
static void hold_first(struct scan *s, int imported)
{
	int is_def = python_is(s->v, "def"), is_import = python_is(s->v, "import") ||
	                                                 python_is(s->v, "from");
	const struct python_token *t = s->v;

	for (; is_import && t < s->end; t++)
		if (!python_is(s->v + 1, "__future__") && (python_is(s->v, "import") ||
		    python_module(s->v[1].s, s->v[1].n) < 0))
			hold(s, t, 1);
	for (t = s->v; t + 1 < s->end; t++)
		if (python_is(s->v, "except") && python_is(t, "as"))
			hold(s, t + 1, 1);
	/* A function's own name stands for its answer. */
	for (t = s->v + 1; is_def && (imported || s->calls) && t < s->end; t++)
		hold(s, t, 1);
}

/* A line that uses an argument: each name that may get it. */
static void hold_in_line(struct scan *s)
{
	static const char grows[] = "append\0extend\0insert\0update\0setdefault\0add\0";
	const struct python_token *sign = assignment(s);
	int single = line_has(s, is_single) || line_has(s, is_call), target = 0;

	for (const struct python_token *t = s->v; t < s->end; t++) {
		int plain = t->type == PYTHON_NAME && !is_attribute(s, t);

		if (python_is(t, "for") || python_is(t, "in"))
			target = python_is(t, "for");
		else if (target)
			hold(s, t, 1);
		if (plain && sign && t < sign)
			hold(s, t, single);
		if (plain && t > s->v && python_is(t - 1, "as"))
			hold(s, t, single);
		if (plain && t + 1 < s->end && python_is(t + 1, "(") && !python_is(s->v, "def") &&
		    !python_is_builtin(t->s, t->n) && !python_is_keyword(t->s, t->n)) {
			s->changed |= !s->calls;
			s->calls = 1;
		}
		if (is_attribute(s, t) && among(t, grows)) {
			s->changed |= !s->shares;
			s->shares = 1;
		}
		if (plain && (s->shares || s->calls))
			hold(s, t, single);
	}
	if (python_is(s->v, "return") && !s->calls)
		s->changed = s->calls = 1;
}

static int is_word_letter(const struct python_token *t)
{
	char c = t->n ? *t->s : 'a';

	return t->escapes || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '/';
}

/* Behind startswith or endswith: texts that no generated part can decide about. */
static int asks_fixed(const struct scan *s, const struct python_token *t, int is_end)
{
	const struct python_token *end = behind(s, t);

	for (; t < end; t++)
		if (t->type != PYTHON_STRING ? !among(t, "(\0)\0,\0")
		    : is_end ? t->escapes || !t->n || *t->s != '.' : is_word_letter(t))
			return 0;
	return 1;
}

static int holds_between(const struct scan *s, const struct python_token *from,
                         const struct python_token *end)
{
	for (; from < end; from++)
		if (holds(s, from))
			return 1;
	return 0;
}

static int closes(const struct python_token *t)
{
	return python_is(t, ")") || python_is(t, "]") || python_is(t, "}");
}

static int is_own_name(const struct python_token *t)
{
	return t->type == PYTHON_NAME && !python_is_keyword(t->s, t->n);
}

/* The first token of a name or text with all that follows it; t is the last token. */
static const struct python_token *primary(const struct scan *s, const struct python_token *t)
{
	while (t > s->v) {
		if (closes(t)) {
			const struct python_token *begin = t - 1;

			while (begin > s->v && behind(s, begin) != t + 1)
				begin--;
			t = begin;
			if (t > s->v && (closes(t - 1) || is_own_name(t - 1))) {
				t--;
				continue;
			}
		}
		if (t - s->v < 2 || !python_is(t - 1, "."))
			break;
		t -= 2;
	}
	return t;
}

/* t: an attribute. 1: its object or its arguments hold arguments. */
static int attribute_holds(const struct scan *s, const struct python_token *t)
{
	return holds_between(s, primary(s, t - 2), t) ||
	       (python_is(t + 1, "(") && holds_between(s, t + 1, behind(s, t + 1)));
}

/* t: a bracket. 1: it holds a generator. */
static int is_generator(const struct scan *s, const struct python_token *t)
{
	for (const struct python_token *end = behind(s, t); t < end; t++)
		if (python_is(t, "for"))
			return 1;
	return 0;
}

static int attribute_looks(const struct scan *s, const struct python_token *t)
{
	static const char always[] =
		"argv\0execv\0execvp\0execve\0execvpe\0execl\0execlp\0call\0check_call\0run\0"
		"check_output\0Popen\0wait\0communicate\0copy\0exit\0append\0insert\0pop\0"
		"stderr\0stdout\0PIPE\0DEVNULL\0STDOUT\0returncode\0path\0basename\0dirname\0"
		"abspath\0exists\0isfile\0quote\0encode\0decode\0flush\0remove\0"
		"CalledProcessError\0";

	if (python_is(t, "startswith") || python_is(t, "endswith"))
		return !asks_fixed(s, t + 1, python_is(t, "endswith"));
	if (python_is(t, "join"))
		return !python_is(t - 2, "path") && !is_generator(s, t + 1) &&
		       line_has(s, is_single);
	if (python_is(t, "extend"))
		return (t + 2 >= s->end || !python_is(t + 2, "[")) && line_has(s, is_single);
	if (python_is(t, "write"))
		return !python_is(t - 2, "stderr");
	/* A function of another text, which is looked at itself. */
	if (t - s->v >= 2 && find(s, t - 2) && python_is(t + 1, "(") &&
	    (!python_attribute(t->s, t->n) ||
	     !(python_attribute(t->s, t->n)->flags & PYTHON_CALL)))
		return 0;
	return !among(t, always) && attribute_holds(s, t);
}

static int name_looks(const struct scan *s, const struct python_token *t)
{
	static const char of_lists[] = "list\0tuple\0enumerate\0reversed\0zip\0";
	static const char always[] = "print\0len\0str\0any\0all\0isinstance\0";

	if (is_attribute(s, t))
		return attribute_looks(s, t);
	if (python_is(t, "file"))
		return !python_is(t + 1, "=") || t + 4 >= s->end ||
		       !python_is(t + 4, "stderr");
	if (python_is(t, "in")) {
		const struct python_token *next = t + 1, *back = t;

		while (back > s->v && !python_is(back, "for") && !python_is(back, "if") &&
		       !python_is(back, "and") && !python_is(back, "or"))
			back--;
		if (python_is(back, "for"))
			return takes_apart(s, next);
		return is_single(s, next) &&
		       ((t - 1)->type != PYTHON_STRING || is_word_letter(t - 1));
	}
	if (python_is(t, "lambda"))
		return 1;
	if (python_is_keyword(t->s, t->n) || !python_is_builtin(t->s, t->n) || among(t, always))
		return 0;
	if (among(t, of_lists))
		return line_has(s, is_single);
	return python_is(t + 1, "(") && holds_between(s, t + 1, behind(s, t + 1));
}

static int operator_looks(const struct scan *s, const struct python_token *t)
{
	const struct python_token *before = t - 1;

	if (python_is(t, "[") && t > s->v) {
		if (before->type == PYTHON_STRING || python_is(before, ")") ||
		    python_is(before, "]"))
			return 1;
		/* A key of a dictionary: letters have numbers. */
		if (t + 2 < s->end && t[1].type == PYTHON_STRING && python_is(t + 2, "]"))
			return python_is(before, "environ");
		return before->type == PYTHON_NAME && !python_is_keyword(before->s, before->n) &&
		       holds(s, before) &&
		       (tells_command(s, before) || is_single_holder(s, before));
	}
	if (python_is(t, "+="))
		return !python_is(t + 1, "[") && line_has(s, is_single);
	if (python_is(t, "*") || python_is(t, "**"))
		return takes_apart(s, t + 1);
	if (python_is(t, "%") && t > s->v && t + 1 < s->end) {
		const struct python_token *end = t + 1;

		while (end < s->end && !python_is(end, ",") && !python_is(end, "+") && !closes(end))
			end = python_is(end, "(") || python_is(end, "[") ? behind(s, end) : end + 1;
		return holds_between(s, primary(s, before), t) || holds_between(s, t, end);
	}
	return !among(t, "(\0)\0[\0]\0{\0}\0,\0:\0=\0==\0!=\0+\0.\0;\0->\0");
}

static int line_looks(const struct scan *s)
{
	for (const struct python_token *t = s->v; t < s->end; t++) {
		if (t->type == PYTHON_FORMATTED)
			return 1;
		if (t->type == PYTHON_NAME ? name_looks(s, t)
		                           : t->type == PYTHON_OPERATOR && operator_looks(s, t))
			return 1;
	}
	return 0;
}

/* Behind the statement, or behind what begins a block. */
static size_t statement_end(const struct python_tokens *t, size_t i)
{
	static const char blocks[] =
		"if\0elif\0else\0while\0for\0with\0def\0try\0except\0finally\0";
	int depth = 0, block = among(&t->v[i], blocks);

	for (; i < t->count && t->v[i].type != PYTHON_NEWLINE && t->v[i].type != PYTHON_END; i++) {
		const struct python_token *v = &t->v[i];

		depth += (python_is(v, "(") || python_is(v, "[") || python_is(v, "{")) -
		         (python_is(v, ")") || python_is(v, "]") || python_is(v, "}"));
		if (!depth && (python_is(v, ";") || (block && python_is(v, ":"))))
			break;
	}
	return i;
}

/* last: all holders are known. 1: a statement looks. */
static int each_line(struct scan *s, const struct python_tokens *t, int imported, int last)
{
	for (size_t i = 0, end; i < t->count; i = end + 1) {
		end = statement_end(t, i);
		s->v = t->v + i;
		s->end = t->v + end;
		if (i == end)
			continue;
		hold_first(s, imported);
		if (!line_has(s, holds))
			continue;
		hold_in_line(s);
		if (last && !python_is(s->v, "import") && !python_is(s->v, "from") &&
		    (!python_is(s->v, "def") || line_has(s, is_argv)) && line_looks(s))
			return 1;
	}
	return s->failed;
}

int python_looks_into_arguments(const struct python_tokens *t, int imported, struct arena *a)
{
	struct scan s = {.a = a};

	do {
		s.changed = 0;
		(void)each_line(&s, t, imported, 0);
	} while (s.changed && !s.failed);
	return s.failed || each_line(&s, t, imported, 1);
}
