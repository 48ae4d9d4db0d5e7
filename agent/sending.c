/* agent/sending.c - the publisher of the agent. */
#include "agent/sending.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include "remote/remote.h"
#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/queue/spool.h"
#include "units/offer.h"

/* As long as workers do not take what is to be sent (remote/breaker.h). */
#define DENIED_NS 3600000000000ll

void sending_look(struct sending *s, const struct dispatch *d)
{
	size_t records = 0, offers = 0;
	int64_t age, now = sys_now_ns(CLOCK_MONOTONIC);

	if (s->pid || (s->looked && now - s->looked < SENDING_LOOK_NS))
		return;
	s->looked = now;
	offers_pending(d->terms.store, &offers, &age);
	if (d->has_remote && now >= s->denied_until)
		spool_pending(d->terms.store, &records, &age);
	s->wanted |= records || offers;
}

void sending_start(struct sending *s, const struct dispatch *d)
{
	char name[] = "reprise", verb[] = "publish", option[] = "--daemon";
	char *argv[] = {name, verb, option, NULL};
	posix_spawnattr_t attr;
	sigset_t none;

	if (!s->wanted || s->pid || (s->later && sys_now_ns(CLOCK_MONOTONIC) < s->later))
		return;
	s->wanted = 0;
	if (!d->publisher) {
		log_once("publisher", "no `reprise` beside the agent: nothing is published");
		return;
	}
	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSID);
	if (posix_spawn(&s->pid, d->publisher, NULL, &attr, argv, d->terms.envp) != 0)
		s->pid = 0;
	posix_spawnattr_destroy(&attr);
}

int sending_ended(struct sending *s, const struct dispatch *d, pid_t pid, int status)
{
	int64_t now = sys_now_ns(CLOCK_MONOTONIC);

	if (pid != s->pid)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == AGENT_DENIED) {
		s->denied_until = now + DENIED_NS;
		if (d->memory)
			remote_memory_publishing_off(d->memory);
	}
	/* What was told meanwhile is sent, or it waits in the spool. */
	*s = status ? (struct sending){.wanted = s->wanted, .looked = now,
	                               .later = now + SENDING_LOOK_NS,
	                               .denied_until = s->denied_until}
	            : (struct sending){0};
	return 1;
}
