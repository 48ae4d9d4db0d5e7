/* units/refusal.c - the checks, by class. */
#include "units/refusal.h"

#include "units/choices.h"
#include "units/index.h"

#include "shim/banned.h"

/* Earlier versions took any program's file of such a name. */
static int is_choices(const struct parcel *p, const char *name, struct arena *a)
{
	uint64_t n;
	const unsigned char *bytes = p->files == 1 ? parcel_file_bytes(&p->file[0], NULL, &n, a)
	                             : NULL;

	return bytes && choices_are(name, bytes, n);
}

static int is_of_npu(const struct parcel *p)
{
	for (unsigned i = 0; i < p->files; i++)
		if (index_is_of_npu(p->file[i].name))
			return 1;
	return 0;
}

/* A mode that the umask does not limit is TorchAir's alone, and is not for others. */
static int has_odd_mode(const struct parcel *p)
{
	for (unsigned i = 0; i < p->files; i++)
		if (p->file[i].exact && (unit_rows[p->class].check != CHECK_AS_MODULE ||
		                         p->file[i].mode != MODULE_MODE))
			return 1;
	return 0;
}

const char *parcel_refusal(const struct parcel *p, const char *name, struct arena *a)
{
	if (unit_rows[p->class].check == CHECK_AS_CHOICES && !is_choices(p, name, a))
		return "the stored entry is not a file of max-autotune's choices";
	if (unit_rows[p->class].check == CHECK_AS_KERNEL_DIRECTORY && is_of_npu(p))
		return "kernels of the npu backend are not shared";
	if (has_odd_mode(p))
		return "the stored entry gives a file a mode that this class does not give";
	return NULL;
}
