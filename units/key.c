/* units/key.c - keys of units and of their members, field by field (keying/key.h). */
#include "units/key.h"

#include "keying/key.h"
#include "shim/format.h"
#include "store/entry.h"

#include "shim/banned.h"

void unit_key(struct digest *out, enum unit_class class, const char *scope, const char *name,
              size_t name_len)
{
	char number[16], version[16];
	struct key k;

	format_text(number, sizeof number, "%u", (unsigned)class);
	format_text(version, sizeof version, "%u", ENTRY_VERSION);
	key_init(&k, NULL);
	key_add_str(&k, KEY_FORMAT, "of entries", version);
	key_add(&k, KEY_UNIT, number, name, name_len);
	key_add_str(&k, KEY_SCOPE, "", scope);
	key_final(&k, out);
}

void unit_member_key(struct digest *out, const struct digest *set, const char *name,
                     const struct digest *content)
{
	struct key k;

	/* The set's key holds version and class. */
	key_init(&k, NULL);
	key_add_digest(&k, KEY_SET, "", set);
	key_add_str(&k, KEY_MEMBER, "", name);
	if (content)
		key_add_digest(&k, KEY_MEMBER_CONTENT, "", content);
	key_final(&k, out);
}
