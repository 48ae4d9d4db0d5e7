/* cli/doctor/seed_checks.c - checks of the seed stores (REPRISE_SEED_DIRS). */
#include <errno.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"
#include "store/dirs.h"
#include "store/walk.h"

/* True if a directory of entries is there; *error: errno of one that cannot be read, or 0. */
static int has_classes(const char *dir, int *error)
{
	char path[PATH_SIZE];
	int found = 0;

	*error = 0;
	for (int i = 0; i < WALK_CLASSES; i++) {
		if (path_join(path, sizeof path, dir, walk_classes[i].dir) >= sizeof path)
			continue;
		if (access(path, R_OK | X_OK) == 0)
			found = 1;
		else if (errno != ENOENT)
			*error = errno;
	}
	return found;
}

static void check_seed(struct doctor *d, const char *dir)
{
	int found, error = access(dir, R_OK | X_OK) < 0 ? errno : 0;

	if (!error && dirs_use_seed(dir) < 0) {
		doctor_say(d, DOCTOR_MEND, "seed store", "take that right from others (chmod o-w)",
		           "%s: not used: it is no directory, or all users may write to it", dir);
		return;
	}
	if (!error)
		found = has_classes(dir, &error);
	if (error == EACCES)
		doctor_say(d, DOCTOR_MEND, "seed store", "chmod -R a+rX where it is made",
		           "%s: not used: this user may not read it", dir);
	else if (error)
		doctor_say(d, DOCTOR_MEND, "seed store",
		           "mount it there, or name another directory", "%s: not used: %s", dir,
		           strerror(error));
	else if (!found)
		doctor_say(d, DOCTOR_MEND, "seed store",
		           "name the directory that holds its VERSION",
		           "%s: of no use: it is no store", dir);
	else if (dirs_layout(dir) != STORE_LAYOUT)
		doctor_say(d, DOCTOR_MEND, "seed store", "make it again with this version",
		           "%s: another version of Reprise made it: entries that this one does not "
		           "know are misses", dir);
	else
		doctor_say(d, DOCTOR_OK, "seed store", NULL, "%s", dir);
}

void doctor_seeds(struct doctor *d)
{
	char *dirs = arena_strdup(&d->cli->arena,
	                          setting_text(&d->cli->settings, SETTING_SEED_DIRS)), *rest = NULL;

	for (char *dir = dirs ? strtok_r(dirs, ":", &rest) : NULL; dir;
	     dir = strtok_r(NULL, ":", &rest))
		check_seed(d, dir);
}
