/* action/replay.c - outputs, streams and status of a result, under this start's names. */
#include "action/action.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "action/nest.h"
#include "action/remote_store.h"
#include "action/stream_texts.h"
#include "action/write_output.h"
#include "judge/input/input.h"
#include "judge/output/in_place.h"
#include "judge/output/mode.h"
#include "judge/output/output.h"
#include "judge/start_event.h"
#include "judge/text/text.h"
#include "keying/loader_variables.h"
#include "names/names.h"
#include "shim/kernel/signals.h"
#include "shim/kernel/sys.h"
#include "shim/loader/object.h"
#include "shim/loader/stand_in.h"
#include "shim/log.h"
#include "store/job/counters.h"
#include "store/job/job_list.h"
#include "tools/driver.h"

#include "shim/banned.h"

/* Other writers may use free space of the disk before the replay is done. */
#define ROOM (1u << 20)

/* Enters this start's names. */
static int patched(struct action *a, const struct result *r, const struct patch_name *from,
                   const struct patch_name *to, const struct result_output *o,
                   struct ready *out)
{
	struct buf moved = BUF_INIT(&a->start.arena);
	enum exchange done = judge_exchange(&a->start, from, r->name_count, to, o, out->data,
	                                     &moved);

	if (done == EXCHANGE_OUT) {
		out->data = moved.data;
		out->len = moved.len;
	}
	return done == EXCHANGE_FAILED ? -1 : 0;
}

/* Stream text gets this start's nvcc name, because later messages may hold the name. A file keeps
 * the recorded name, since no other file has that name. So each replay makes the same object, and a
 * link of the object is the same action. NULL: no memory. */
static struct patch_name *output_names(struct action *a, const struct result *r,
                                       const struct patch_name *from)
{
	size_t count = name_list_all(&a->start.all_names);
	struct patch_name *to = arena_alloc(&a->start.arena, (count + 1) * sizeof *to);

	for (size_t i = 0; to && i < count; i++) {
		to[i] = a->start.all_names.v[i];
		for (size_t j = 0; to[i].kind == NAME_KIND_OWN && j < r->name_count; j++)
			if (from[j].kind == NAME_KIND_OWN)
				to[i] = from[j];
	}
	return to;
}

static int patched_output(struct action *a, struct result *r, struct patch_name *from,
                          const struct patch_name *to, struct result_output *o,
                          struct ready *out)
{
	out->o = o;
	out->path = names_resolve(&a->start.names, o->spec, o->spec_len, &a->start.arena);
	/* Where texts are written first, no output may prove damaged later. */
	out->streams = !r->chunk_count && start_streams(a->start.row, o);
	/* The entry lies in our own memory, so an output that needs no unpacking is patched in
	 * place. The exception is an entry that the local store must still get unchanged
	 * (remote_store_fill). */
	if (o->packed && !out->streams)
		out->data = result_output_bytes(o, &a->start.arena);
	else if (a->fetched && o->patches.count)
		out->data = (unsigned char *)arena_memdup(&a->start.arena, o->data, o->len);
	else
		out->data = (unsigned char *)o->data;
	if (!out->path || (!out->data && o->len && !out->streams)) {
		start_detail(&a->start, "a damaged output in the result");
		return -1;
	}
	out->len = o->len;
	if (patched(a, r, from, to, o, out) < 0) {
		start_detail(&a->start, "%s cannot hold names of another length", out->path);
		return -1;
	}
	return 0;
}

/* A program that runs, and a file that swaps, cannot be written. */
static int opens(const struct ready *w)
{
	int fd = sys_open(w->path, O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);

	if (fd >= 0)
		sys_close(fd);
	return fd >= 0;
}

/* Runs before the first write: if an output cannot be written, the tool itself might not write the
 * other outputs either. The texts are written first, and the tool would write them again. A tool
 * that is ended while its text waits has emptied or removed an older file. */
static int all_writable(struct action *a, struct ready *w, size_t count,
                        const struct stream_texts *texts)
{
	int waits = stream_texts_may_wait(a, texts);

	for (size_t i = 0; i < count; i++)
		if (w[i].len > a->file_size ||
		    !older_is_replaced(&a->start, w[i].o, w[i].path, &w[i].older) ||
		    (texts->count && !w[i].older.absent && w[i].o->style == WRITE_TRUNCATE &&
		     (waits || !opens(&w[i]))))
			return start_detail(&a->start, "%s cannot be written", w[i].path);
	return 1;
}

/* The texts are written first, and a reader may have seen them when an output fails. So the disk is
 * asked for room before. */
static int have_room(struct action *a, const struct ready *w, size_t count, uint64_t bytes)
{
	for (size_t i = 0; i < count; i++) {
		const char *dir = place_directory(&a->start.arena, w[i].path);
		struct statfs fs;

		if (a->size_limited || !dir || sys_statfs(dir, &fs) < 0 ||
		    (fs.f_blocks && (uint64_t)fs.f_bavail * (uint64_t)fs.f_bsize < bytes + ROOM))
			return start_detail(&a->start, "no room for %s", w[i].path);
	}
	return 1;
}

/* Those that the tool makes for an output. It would make them before it fails, too. */
static void make_directories(struct action *a, const struct ready *w, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *dir = w[i].path[0] != '/' && tool_makes_directories(a->start.row, w[i].path)
		                    ? arena_strdup(&a->start.arena, w[i].path) : NULL;

		for (char *p = dir; p && (p = strchr(p + 1, '/')) != NULL; *p = '/') {
			*p = '\0';
			sys_mkdir(dir, 0777);
		}
	}
}

/* Links may make one file of two outputs, or of an output and an input. Two names of the command
 * may lead to one file. */
static int any_alias(struct action *a, const struct ready *w, size_t count)
{
	const char **path = arena_alloc(&a->start.arena, (count + 1) * sizeof *path);

	for (size_t i = 0; path && i < count; i++)
		path[i] = w[i].path;
	for (size_t i = 0; path && i < count; i++)
		/* No other output can have another name than in the recorded run. */
		if ((names_output_file(w[i].o->spec, w[i].o->spec_len) >= 0 &&
		     aliases_twice(&a->start, path, count, i)) ||
		    (!w[i].older.alone &&
		     aliases_other(&a->start, path, count, i, a->start.verdict.held)))
			return 1;
	return !path;
}

/* The tool will run from the start, so files that were absent are removed again. */
static void undo(const struct ready *w, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (w[i].older.absent)
			sys_unlink(w[i].path);
}

/* REASON_NONE: all outputs are written. Outputs that may prove damaged come first, while nothing
 * else is touched. */
static enum reason write_outputs(struct action *a, struct ready *w, size_t count)
{
	for (int streams = 1; streams >= 0; streams--)
		for (size_t i = 0; i < count; i++) {
			int rc = w[i].streams == streams ? write_output(a, &w[i]) : 0;

			if (rc == -EBADMSG) {
				remote_store_refuse(a);
				return REASON_MISS_REFUSED;
			}
			if (rc < 0) {
				undo(w, count);
				return REASON_BYPASS_REPLAY;
			}
		}
	return REASON_NONE;
}

/* A later start that reads a precompiled header asks for its texts. */
static void list_precompiled(struct action *a, const struct ready *w, size_t count)
{
	struct digest *made = arena_alloc(&a->start.arena, (count + 1) * sizeof *made);
	size_t n = 0;

	for (size_t i = 0; made && i < count; i++)
		if (w[i].listed)
			made[n++] = w[i].content;
	if (n)
		precompiled_record(&a->start, a->start.verdict.held, made, n);
}

/* In the counters, the job's list and the log. */
static void count_hit(struct action *a, const struct result *r, uint64_t bytes)
{
	int64_t took = start_times_took(&a->start.times);

	counters_add(&a->start.store,
	             a->start.verdict.from_remote ? COUNTER_HITS_REMOTE : COUNTER_HITS_LOCAL, 1);
	counters_add(&a->start.store, COUNTER_SAVED_NS, (int64_t)r->wall_ns - took);
	counters_add(&a->start.store, COUNTER_REPLAYED_BYTES, (int64_t)bytes);
	judge_event_hit(&a->start, took, (int64_t)r->wall_ns, bytes);
	job_list_add(&a->start.store,
	             job_list_job(&a->start.set, a->start.call.envp, &a->start.arena),
	             STORE_MANIFEST, &a->start.k1, &a->start.verdict.held->result);
	if (log_enabled(LOG_INFO))
		log_write(LOG_INFO, "hit: %u outputs, %llu bytes in %lld us, %lu files digested",
		          (unsigned)r->out_count, (unsigned long long)bytes, (long long)took / 1000,
		          a->start.prober.files_hashed);
}

/* Other preloaded libraries begin and end as in a process that runs the tool. What such a library
 * prints then may be in the result's messages already: beside messages it does not begin. */
_Noreturn static void leave(struct action *a, int status, size_t messages)
{
	struct buf others = BUF_INIT(&a->start.arena);

	if (messages)
		sys_exit_group(status);
	loader_preloads(&others, invocation_env(&a->start.call, "LD_PRELOAD"), object_path());
	if (others.len || sys_access(LOADER_PRELOAD_FILE, F_OK) == 0) {
		action_free(a);
		stand_in_leave(status);
	}
	sys_exit_group(status);
}

enum reason action_replay(struct action *a, struct result *r)
{
	struct patch_name *from = arena_alloc(&a->start.arena, (r->name_count + 1) * sizeof *from);
	struct ready *w = arena_alloc(&a->start.arena, (r->out_count + 1) * sizeof *w);
	struct patch_name *to;
	struct stream_texts streams = {0};
	enum stream_texts_end end;
	enum reason reason;
	uint64_t bytes = 0, held;
	int list = a->start.cmd.flags & CMD_PCH && a->start.store.writable &&
	           !precompiled_recorded(&a->start, a->start.verdict.held);

	if (!from || !w)
		return REASON_BYPASS_REPLAY;
	names_flat(r->name, r->name_count, from);
	to = output_names(a, r, from);
	if (!to)
		return REASON_BYPASS_REPLAY;
	for (size_t i = 0; i < r->out_count; i++) {
		if (patched_output(a, r, from, to, &r->out[i], &w[i]) < 0)
			return REASON_MISS_NAMES;
		if (stream_files_at(&a->start, w[i].path))
			return REASON_BYPASS_REPLAY;
		w[i].listed = list;
		bytes += r->out[i].len;
	}
	if (stream_texts_prepare(a, r, from, &streams) < 0)
		return REASON_MISS_NAMES;
	make_directories(a, w, r->out_count);
	if ((streams.count && !have_room(a, w, r->out_count, bytes)) ||
	    stream_texts_reserve(a, &streams) < 0 ||
	    !all_writable(a, w, r->out_count, &streams) ||
	    any_alias(a, w, r->out_count))
		return REASON_BYPASS_REPLAY;
	end = stream_texts_write(a, &streams);
	if (end == STREAM_TEXTS_UNDONE)
		return REASON_BYPASS_REPLAY;
	nest_before_replay(a, r);
	/* A tool that is asked to end removes its unfinished outputs; a replay finishes them
	 * instead. */
	held = signals_hold();
	reason = write_outputs(a, w, r->out_count);
	signals_release(held);
	if (reason != REASON_NONE)
		return reason;
	remote_store_fill(a);
	list_precompiled(a, w, r->out_count);
	action_stdin_consume(&a->start.source);
	nest_replayed(a, r);
	count_hit(a, r, bytes);
	/* A reader has seen a part, so the tool cannot write all again. It would have died of
	 * SIGPIPE, or reported the error. */
	if (end == STREAM_TEXTS_CUT && r->exit_status == 0)
		sys_kill(sys_getpid(), SIGPIPE);
	leave(a,
	      end != STREAM_TEXTS_WRITTEN && r->exit_status == 0 ? EXIT_FAILURE : r->exit_status,
	      r->chunk_count);
}
