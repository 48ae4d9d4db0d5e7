/* cli/pack/oci.c - writes an image. */
#include "cli/pack/oci.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/pack/layer.h"
#include "cli/pack/pack_file.h"
#include "units/scope/scope.h"

/* --- annotations: what an image says about its entries and the exporting machine --- */

#define PREFIX "dev.reprise."

/* The features of x86-64 by whose names compilers choose code; of aarch64 all. */
static int is_told(const char *word)
{
#if defined(__x86_64__)
	static const char *const begins[] = {"amx", "avx", "bmi", "f16c", "fma", "gfni", "sse",
		"ssse", "vaes", "vpclmul"};

	for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
		if (strncmp(word, begins[i], strlen(begins[i])) == 0)
			return 1;
	return 0;
#else
	(void)word;
	return 1;
#endif
}

/* Cuts words out of the text that are not told. */
static void keep_told(char *text)
{
	char *rest = NULL, *to = text;

	for (char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		size_t n = strlen(word);

		if (!is_told(word))
			continue;
		memmove(to, word, n);
		to[n] = ' ';
		to += n + 1;
	}
	*(to > text ? to - 1 : to) = '\0';
}

/* The model and the features of the first processor. */
static void add_processor(struct json_object *o)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char *line = NULL;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 1) {
		char *value = strchr(line, ':');

		if (!value || value[1] != ' ')
			continue;
		value += 2;
		value[strcspn(value, "\n")] = '\0';
		if (strncmp(line, "model name", 10) == 0)
			json_text(o, PREFIX "cpu", value);
		if (strncmp(line, "flags", 5) != 0 && strncmp(line, "Features", 8) != 0)
			continue;
		keep_told(value);
		json_text(o, PREFIX "cpu.features", value);
	}
	free(line);
	if (f)
		fclose(f);
}

/* An object of texts, for annotations and labels. */
static struct json_object *oci_about(struct pack *k)
{
	struct json_object *o = json_object_new_object();
	const char *why = NULL, *gpus = device_gpus("", &k->c->arena, &why),
	           *cpu = unit_scope_cpu(k->c->envp, &k->c->arena);
	char version[16];

	snprintf(version, sizeof version, "%d", ENTRY_VERSION);
	json_text(o, PREFIX "version", REPRISE_VERSION);
	json_text(o, PREFIX "entries", version);
	if (k->job)
		json_text(o, PREFIX "job", k->job);
	add_processor(o);
	if (cpu)
		json_text(o, PREFIX "cpu.key", cpu);
	json_text(o, PREFIX "gpu", !gpus ? "unknown" : *gpus ? gpus : "none");
	return o;
}

#define TYPE "application/vnd.oci.image."
#define BLOBS "blobs/sha256"
#define PLAIN (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)
#define EPOCH "1970-01-01T00:00:00Z"

#if defined(__x86_64__)
#define ARCHITECTURE "amd64"
#elif defined(__aarch64__)
#define ARCHITECTURE "arm64"
#else
#error "the name of this architecture in Go (GOARCH)"
#endif

static char *path_of(struct pack *k, const char *name)
{
	return arena_cat(&k->c->arena, k->image, "/", name, NULL);
}

static char *blob_path(struct pack *k, const struct digest *d)
{
	char hex[DIGEST_HEX + 1];

	digest_hex(d, hex);
	return arena_cat(&k->c->arena, k->image, "/" BLOBS "/", hex, NULL);
}

/* A new directory, which is removed if the export fails. */
static int make_directory(struct pack *k, const char *path)
{
	int rc = -1;

	part_hold();
	if (path)
		rc = mkdir(path, 0777);
	if (rc == 0)
		part_add(path);
	part_release();
	return rc < 0 ? pack_failed(k) : 0;
}

/* Opens k->file, which becomes the file of this name in the end. */
static int open_file(struct pack *k)
{
	part_hold();
	k->part = path_of(k, "part");
	k->file = k->part ? fopen(k->part, "wxe") : NULL;
	if (k->file)
		part_add(k->part);
	part_release();
	return k->file ? 0 : pack_failed(k);
}

static int close_file(struct pack *k, const char *path)
{
	FILE *f = k->file;

	k->file = NULL;
	if (fflush(f) != 0 || fsync(fileno(f)) < 0)
		pack_failed(k);
	if (fclose(f) != 0 || k->failed || !path)
		return pack_failed(k);
	part_hold();
	if (rename(k->part, path) < 0)
		pack_failed(k);
	else
		part_add(path);
	part_release();
	return k->failed ? -1 : 0;
}

/* Writes the object's text to a file, and frees it. name: below the directory; NULL: a blob. */
static int write_object(struct pack *k, struct json_object *o, const char *name,
                        struct digest *digest, uint64_t *size)
{
	const char *text = json_object_to_json_string_ext(o, PLAIN);
	int rc = -1;

	*size = text ? strlen(text) : 0;
	if (text && open_file(k) == 0) {
		crypto_hash_sha256(digest->b, (const unsigned char *)text, *size);
		if (fwrite(text, *size, 1, k->file) != 1)
			pack_failed(k);
		rc = close_file(k, name ? path_of(k, name) : blob_path(k, digest));
	}
	json_object_put(o);
	return rc;
}

static const char *sha_text(char out[PACK_DIGEST], const struct digest *d)
{
	digest_hex(d, stpcpy(out, "sha256:"));
	return out;
}

static struct json_object *described(const char *type, const struct digest *d, uint64_t size)
{
	struct json_object *o = json_object_new_object();
	char text[PACK_DIGEST];

	json_text(o, "mediaType", type);
	json_text(o, "digest", sha_text(text, d));
	json_number(o, "size", size);
	return o;
}

static struct json_object *list_of(struct json_object *o)
{
	struct json_object *list = json_object_new_array();

	json_object_array_add(list, o);
	return list;
}

static struct json_object *configuration(const struct layer *l, struct json_object *about)
{
	struct json_object *o = json_object_new_object(), *config = json_object_new_object(),
	                   *step = json_object_new_object(), *layers = json_object_new_object(),
	                   *digests = json_object_new_array();
	char text[PACK_DIGEST];

	json_text(o, "created", EPOCH);
	json_text(o, "architecture", ARCHITECTURE);
	json_text(o, "os", "linux");
	json_object_object_add(config, "Labels", json_object_get(about));
	json_object_object_add(o, "config", config);
	json_text(layers, "type", "layers");
	json_add_text(digests, sha_text(text, &l->tar));
	json_object_object_add(layers, "diff_ids", digests);
	json_object_object_add(o, "rootfs", layers);
	json_text(step, "created", EPOCH);
	json_text(step, "created_by", "reprise export --oci");
	json_object_object_add(o, "history", list_of(step));
	return o;
}

static struct json_object *head_of(const char *type)
{
	struct json_object *o = json_object_new_object();

	json_number(o, "schemaVersion", 2);
	json_text(o, "mediaType", type);
	return o;
}

/* The only image has a name, which `skopeo copy oci:DIR:latest` and oras ask for. */
static struct json_object *index_of(const struct digest *manifest, uint64_t size)
{
	struct json_object *o = head_of(TYPE "index.v1+json"), *name = json_object_new_object(),
	                   *one = described(TYPE "manifest.v1+json", manifest, size);

	json_text(name, "org.opencontainers.image.ref.name", "latest");
	json_object_object_add(one, "annotations", name);
	json_object_object_add(o, "manifests", list_of(one));
	return o;
}

static int write_layer(struct pack *k, struct layer *l)
{
	if (open_file(k) < 0)
		return -1;
	layer_begin(l, k->file);
	seed_write(k, l);
	if (layer_end(l) < 0)
		pack_failed(k);
	return close_file(k, blob_path(k, &l->blob));
}

static int write_image(struct pack *k)
{
	struct json_object *about = oci_about(k), *o, *version = json_object_new_object();
	struct digest digest;
	struct layer l;
	uint64_t size;

	json_text(version, "imageLayoutVersion", "1.0.0");
	if (write_layer(k, &l) < 0 ||
	    write_object(k, configuration(&l, about), NULL, &digest, &size) < 0)
		goto out;
	o = head_of(TYPE "manifest.v1+json");
	json_object_object_add(o, "config", described(TYPE "config.v1+json", &digest, size));
	json_object_object_add(o, "layers",
	                       list_of(described(TYPE "layer.v1.tar+gzip", &l.blob, l.size)));
	json_object_object_add(o, "annotations", json_object_get(about));
	if (write_object(k, o, NULL, &digest, &size) < 0)
		goto out;
	sha_text(k->digest, &digest);
	o = index_of(&digest, size);
	if (write_object(k, json_object_get(version), "oci-layout", &digest, &size) < 0)
		json_object_put(o);
	else
		write_object(k, o, "index.json", &digest, &size);
out:
	json_object_put(version);
	json_object_put(about);
	return k->failed ? -1 : 0;
}

static int is_empty(const char *path)
{
	DIR *d = opendir(path);
	int names = 0;

	if (!d)
		return 0;
	while (readdir(d))
		names++;
	closedir(d);
	if (names > 2)
		errno = ENOTEMPTY;
	return names <= 2;
}

int oci_begin(struct pack *k)
{
	k->rows.arena = &k->c->arena;
	part_begin();
	if (access(k->image, F_OK) < 0) {
		if (make_directory(k, k->image) < 0)
			return -1;
	} else if (!is_empty(k->image)) {
		return pack_failed(k);
	}
	return make_directory(k, path_of(k, "blobs")) < 0 ||
	       make_directory(k, path_of(k, BLOBS)) < 0 ? -1 : 0;
}

int oci_end(struct pack *k)
{
	if (!k->failed && write_image(k) == 0)
		part_keep();
	else
		part_drop();
	return k->failed ? -1 : 0;
}
