/* remote/dir/shared_root.h - the directory of a file:// remote store: where files are, and which of
 * them are served.
 *
 * <root>/<2 hex>/<kind>-<62 hex> ; <root>/<2 hex>/.tmp-<16 hex>, a file that is being written. An
 * HTTP server that serves the directory gives the same names.
 *
 * The root may be reached through links; below it no link is followed. Who may have written a file
 * decides whether it is served:
 *
 *   signatures     REPRISE_TRUST is set: every file, since each blob is checked
 *   own files      files of the effective user that nobody else may write to
 *   group          the root is writable for its group, the process is in this group, and neither
 *                  root nor folder is writable for all: files of that group as well. Below a
 *                  directory that is writable for all, somebody else may have made such a root:
 *                  what lies in that directory has to belong to this user or to the superuser
 *
 * A root that all users may write to needs the sticky bit, or signatures. Folders and files get the
 * access that the root gives, files without write permission for others.
 *
 * A missing root is made by the first writer: 0700, or 2770 where the parent directory has the
 * setgid bit. Its parents are not made, because a file system that is not mounted looks like this.
 * The descriptor of the root is renewed after ROOT_RENEW_NS, so that a root that was replaced is
 * found.
 *
 * Functions return 0 or -errno and fill no fault, unless their comment says so. One thread uses a
 * root. */
#pragma once

#include <linux/stat.h>
#include <stdint.h>
#include <sys/types.h>

#include "remote/backend.h"

#define ROOT_RENEW_NS 2000000000ll
#define FOLDER_NAME 3
#define FILE_NAME (2 + DIGEST_HEX - 2 + 1)
#define ROOT_TEMPORARY ".tmp-"

struct shared_root {
	const char *path; /* by reference */
	int fd;           /* -1: closed */
	int64_t opened;   /* CLOCK_MONOTONIC, ns */
	uid_t uid;
	const gid_t *groups; /* of this process, the effective one first */
	unsigned group_count;
	int signatures;   /* the caller checks signatures */
	unsigned mode, gid; /* of the root */
	int by_group;       /* a group of this process shares it */
};

/* Makes no system call on the root. -1 with *fault: no memory. */
int root_init(struct shared_root *r, const char *path, int signatures, struct arena *a,
              struct fault *fault);
/* Opens and checks the root, unless that was done a moment ago. A server that hangs is TIMEOUT.
 * make: it is made if it is missing.
 * OK; ABSENT: it is missing, and its parent directory is there; else with *fault. */
enum backend_status root_open(struct shared_root *r, int make, int64_t deadline,
                              struct fault *fault);
void root_close(struct shared_root *r);

/* Names of the folder and the file of a name. Pure. */
void root_names(const struct backend_name *name, char folder[FOLDER_NAME], char file[FILE_NAME]);
/* 1: a name that root_names makes, or one of a temporary file. Pure. */
int root_is_file_name(const char *name);
/* Descriptor of a folder, for the calls below alone. make: the folder is made if it is missing. */
int root_folder(const struct shared_root *r, const char *name, int make);
/* Opens a file to read it. st: its type, owner, size and time of change. */
int root_file(int folder, const char *name, struct statx *st);
/* NULL: the file is served; else why it is not. signatures: as in struct shared_root. */
const char *root_refuses(const struct shared_root *r, int folder, const struct statx *st,
                         int signatures);
/* Writes head and rest to a file under a temporary name, which is renamed. On failure no file is
 * left. -ESTALE: the folder is gone. -EISDIR: the name belongs to another user, or is no file.
 * -EREMOTE with *refusal: the file server gave the file an owner or a mode that is not served. */
int root_write(const struct shared_root *r, int folder, const char *name,
               struct backend_bytes head, const struct source *rest, int64_t deadline,
               const char **refusal);
/* The file server's clock, s: of a file that is made and removed. */
int root_clock(const struct shared_root *r, int64_t *now);
