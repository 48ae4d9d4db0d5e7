/* shim/job.c - the name of the job this process belongs to. */
#include "shim/job.h"

#include <string.h>

#include "shim/format.h"
#include "shim/sys.h"

#include "shim/banned.h"

const char *settings_job(const struct settings *s, char *const envp[], struct arena *a,
                         const char **variable)
{
	/* Slurm, PBS, LSF, Grid Engine, Flux, torchrun's rendezvous, Kubernetes (a pod's name). */
	static const char *const names[] = {"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID",
	                                    "FLUX_JOB_ID", "TORCHELASTIC_RUN_ID", NULL};
	char text[32];

	if (variable)
		*variable = NULL;
	if (*setting_text(s, SETTING_JOB)) {
		if (variable)
			*variable = "REPRISE_JOB";
		return setting_text(s, SETTING_JOB);
	}
	for (int i = 0; names[i]; i++) {
		const char *value = env_get(envp, names[i]);
		/* torchrun without a rendezvous id sets "none" */
		if (!value || !*value || strcmp(value, "none") == 0)
			continue;
		if (variable)
			*variable = names[i];
		return value;
	}
	/* In a Kubernetes pod HOSTNAME is the pod's name; session ids are the same in many pods. */
	if (env_get(envp, "KUBERNETES_SERVICE_HOST") && env_get(envp, "HOSTNAME")) {
		if (variable)
			*variable = "HOSTNAME";
		return env_get(envp, "HOSTNAME");
	}
	long sid = SYS1(SYS_getsid, 0);
	format_text(text, sizeof text, "session-%ld", sid > 0 ? sid : 0);
	const char *job = arena_strdup(a, text);
	return job ? job : "session";
}
