/* agent/sending.c - the publisher of the agent. */
#include "agent/sending.h"

#include <signal.h>
#include <spawn.h>

#include "shim/kernel/sys.h"
#include "shim/log.h"
#include "store/queue/spool.h"
#include "units/offer.h"

void sending_look(struct sending *s, const struct dispatch *d)
{
	size_t records = 0, offers = 0;
	int64_t age, now = sys_now_ns(CLOCK_MONOTONIC);

	if (s->pid || (s->looked && now - s->looked < SENDING_LOOK_NS))
		return;
	s->looked = now;
	offers_pending(d->terms.store, &offers, &age);
	if (d->has_remote)
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

int sending_ended(struct sending *s, pid_t pid, int failed)
{
	int64_t now = sys_now_ns(CLOCK_MONOTONIC);

	if (pid != s->pid)
		return 0;
	/* What was told meanwhile is sent, or it waits in the spool. */
	*s = failed ? (struct sending){.wanted = s->wanted, .looked = now,
	                               .later = now + SENDING_LOOK_NS}
	            : (struct sending){0};
	return 1;
}
