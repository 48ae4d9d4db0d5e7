/* tools/script/varying.c - the list, and names compared with it. */
#include "tools/script/script.h"

#include <string.h>

#include "shim/ascii.h"

#include "shim/banned.h"

/* Each with its NUL. A star stands at the beginning, at the end, or both. */
static const char list[] =
	/* the rank, and how ranks find each other */
	"RANK\0LOCAL_RANK\0GROUP_RANK\0ROLE_RANK\0NODE_RANK\0WORLD_SIZE\0LOCAL_WORLD_SIZE\0"
	"GROUP_WORLD_SIZE\0ROLE_WORLD_SIZE\0ROLE_NAME\0NNODES\0MASTER_ADDR\0MASTER_PORT\0"
	"TORCHELASTIC_*\0PET_*\0RANK_ID\0RANK_SIZE\0RANK_TABLE_FILE\0DEVICE_ID\0RAY_*\0VC_*\0"
	"JOB_COMPLETION_INDEX\0"
	/* the devices of a rank: what asks a device is not stored */
	"CUDA_VISIBLE_DEVICES\0NVIDIA_VISIBLE_DEVICES\0HIP_VISIBLE_DEVICES\0"
	"ROCR_VISIBLE_DEVICES\0GPU_DEVICE_ORDINAL\0ASCEND_DEVICE_ID\0ASCEND_RT_VISIBLE_DEVICES\0"
	"ZE_AFFINITY_MASK\0"
	/* launchers of MPI. OMPI_CC, MPICH_CC and their like choose the compiler: no rows */
	"PMI_*\0PMIX_*\0PMI2_*\0PRTE_*\0OMPI_COMM_WORLD_*\0OMPI_MCA_*\0OMPI_UNIVERSE_SIZE\0"
	"OMPI_APP_CTX_NUM_PROCS\0OMPI_FIRST_RANKS\0OMPI_NUM_APP_CTX\0OMPI_FILE_LOCATION\0"
	"OMPI_ARGV\0OMPI_COMMAND\0MPI_LOCALRANKID\0MPI_LOCALNRANKS\0HYDI_CONTROL_FD\0"
	"MV2_COMM_WORLD_*\0PALS_*\0ALPS_APP_*\0FLUX_*\0"
	/* batch systems */
	"SLURM_*\0SLURMD_*\0SRUN_*\0PBS_*\0LSB_*\0LS_JOBPID\0JSM_NAMESPACE_*\0JOB_ID\0JOB_NAME\0"
	"SGE_TASK_*\0NSLOTS\0NHOSTS\0QUEUE\0REQUEST\0RESTARTED\0PE_HOSTFILE\0COBALT_*\0OAR_*\0"
	"BUILD_ID\0BUILD_NUMBER\0BUILD_TAG\0BUILD_URL\0CI_JOB_*\0CI_PIPELINE_*\0GITHUB_RUN_*\0"
	/* pods */
	"*_SERVICE_HOST\0*_SERVICE_PORT\0*_SERVICE_PORT_*\0POD_*\0NODE_NAME\0HOST_IP\0"
	"HOSTNAME\0HOST\0"
	/* the session */
	"SSH_*\0SUDO_*\0XDG_SESSION_*\0XDG_SEAT*\0XDG_VTNR\0XDG_RUNTIME_DIR\0"
	"DBUS_SESSION_BUS_*\0SESSION_MANAGER\0WINDOWID\0DISPLAY\0WAYLAND_DISPLAY\0XAUTHORITY\0"
	"TERM\0TERM_*\0COLORTERM\0COLUMNS\0LINES\0LS_COLORS\0TMUX\0TMUX_PANE\0STY\0WINDOW\0"
	"VTE_VERSION\0KONSOLE_*\0GNOME_TERMINAL_*\0VSCODE_*\0GPG_*\0KRB5CCNAME\0INVOCATION_ID\0"
	"JOURNAL_STREAM\0MANAGERPID\0SYSTEMD_EXEC_PID\0NOTIFY_SOCKET\0LISTEN_*\0PS1\0"
	"PROMPT_COMMAND\0"
	/* the shell, make, places of temporary files, the allocator */
	"SHLVL\0OLDPWD\0MAKEFLAGS\0MFLAGS\0MAKELEVEL\0NINJA_STATUS\0TMPDIR\0TMP\0TEMP\0TEMPDIR\0"
	"MALLOC_CONF\0_RJEM_MALLOC_CONF\0MALLOC_ARENA_MAX\0";

int varying_matches(const char *pattern, const char *name)
{
	size_t n = strlen(pattern), len = strlen(name);
	int front = pattern[0] == '*', back = n > 1 && pattern[n - 1] == '*';
	const char *text = pattern + front;

	n -= (size_t)(front + back);
	if (len < n)
		return 0;
	if (front && back)
		return memmem(name, len, text, n) != NULL;
	if (front)
		return memcmp(name + len - n, text, n) == 0;
	return memcmp(name, text, n) == 0 && (back || len == n);
}

/* Kubernetes gives each service NAME_PORT=tcp://... and NAME_PORT_80_TCP, with more behind it. */
static int is_service(const char *name, const char *value)
{
	const char *p = strstr(name, "_PORT_");
	size_t digits;

	if (!p)
		return varying_matches("*_PORT", name) &&
		       (strncmp(value, "tcp://", 6) == 0 || strncmp(value, "udp://", 6) == 0);
	p += sizeof "_PORT_" - 1;
	digits = strspn(p, "0123456789");
	p += digits;
	return digits && (strncmp(p, "_TCP", 4) == 0 || strncmp(p, "_UDP", 4) == 0) &&
	       (p[4] == '\0' || p[4] == '_');
}

int varying(const char *name, const char *value)
{
	for (const char *p = list; *p; p += strlen(p) + 1)
		if (varying_matches(p, name))
			return 1;
	return is_service(name, value);
}

/* A name counts as a word; of a pattern, the part that is no star, where a name may have it. */
static int names(const char *text, const char *pattern)
{
	size_t n = strlen(pattern);
	int front = pattern[0] == '*', back = n > 1 && pattern[n - 1] == '*';

	n -= (size_t)(front + back);
	for (const char *p = text; (p = memmem(p, strlen(p), pattern + front, n)); p++)
		if ((front || p == text || !ascii_word(p[-1])) && (back || !ascii_word(p[n])))
			return 1;
	return 0;
}

void varying_named(const char *text, void (*each)(void *ctx, const char *pattern), void *ctx)
{
	for (const char *p = list; *p; p += strlen(p) + 1)
		if (names(text, p))
			each(ctx, p);
	if (strstr(text, "_PORT"))
		each(ctx, "*_PORT*");
}
