/* Which files are max-autotune's. */
#include <criterion/criterion.h>
#include <string.h>

#include "units/format/whole.h"

TestSuite(choices);

#define NAME "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SYSTEM "\"system\": {\"hash\": \"" NAME "\"}"

static int are(const char *text)
{
	return choices_are(NAME, text, strlen(text));
}

Test(choices, torchs_own)
{
	static const char *const texts[] = {
		"{" SYSTEM ", \"cache\": {}}",
		"{\n    " SYSTEM ",\n    \"cache\": {\n        \"mm\": {\"[[1]]\": {\"highest\": "
		"{\"a\": -1.5e-3, \"b\": Infinity}}}\n    }\n}\n",
		"{\"cache\":{\"a\":[1,{\"}\":null}]}," SYSTEM "}",
		"{\"system\": {\"device\": {\"name\": \"NVIDIA \\\"H200\\\" }\"}, \"version\": "
		"{\"triton\": null, \"cuda\": \"13.0\"}, "
		"\"hash\": \"" NAME "\"}, \"cache\": {\"mm\": {}}}",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		cr_expect(are(texts[i]), "%s", texts[i]);
		for (size_t n = 0; n + 2 < strlen(texts[i]); n++)
			cr_expect(!choices_are(NAME, texts[i], n), "%zu of %s", n, texts[i]);
	}
}

Test(choices, other_programs)
{
	static const char *const texts[] = {
		"", "{}", "[]", "{\"answer\": \"42\", \"token\": \"user data\"}", "{\"cache\": {}}",
		"{" SYSTEM "}",
		"{" SYSTEM ", \"cache\": []}", "{" SYSTEM ", \"cache\": null}",
		"{" SYSTEM ", \"cache\": {}, \"more\": 1}",
		"{\"more\": 1, " SYSTEM ", \"cache\": {}}",
		"{" SYSTEM ", " SYSTEM ", \"cache\": {}}",
		"{" SYSTEM ", \"cache\": {}, \"cache\": {}}", "{\"system\": {}, \"cache\": {}}",
		"{\"system\": {\"hash\": 1}, \"cache\": {}}",
		"{\"system\": \"" NAME "\", \"cache\": {}}",
		"{\"system\": {\"hash\": \"x" NAME "\"}, \"cache\": {}}",
		"{\"system\": {\"hash\": \"0123\"}, \"cache\": {}}",
		"{\"system\": {\"device\": {\"hash\": \"" NAME "\"}}, \"cache\": {}}",
		"{\"system\": {\"hash\": \"" NAME "\", \"hash\": \"" NAME "\"}, \"cache\": {}}",
		"{" SYSTEM ", \"cache\": {}}}", "{" SYSTEM ", \"cache\": {}} x",
		"{" SYSTEM " \"cache\": {}}",
	};

	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
		cr_expect(!are(texts[i]), "%s", texts[i]);
}
