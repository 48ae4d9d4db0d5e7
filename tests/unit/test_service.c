/* Variables of Kubernetes' services, and settings that look like them. */
#include <criterion/criterion.h>
#include <string.h>

#include "shim/settings/settings.h"

TestSuite(service);

Test(service, variables)
{
	static const struct {
		const char *entry, *service;
	} rows[] = {
		{"REPRISE_SERVICE_HOST=10.0.0.1", "REPRISE"},
		{"REPRISE_SERVICE_PORT=80", "REPRISE"},
		{"REPRISE_SERVICE_PORT_HTTP=80", "REPRISE"},
		{"REPRISE_SERVICE_PORT_REDIS_TLS=80", "REPRISE"},
		{"REPRISE_PORT=tcp://10.0.0.1:80", "REPRISE"},
		{"REPRISE_PORT=udp://10.0.0.1:80", "REPRISE"},
		{"REPRISE_PORT=sctp://[fd00::1]:80", "REPRISE"},
		{"REPRISE_PORT_80_TCP=tcp://10.0.0.1:80", "REPRISE"},
		{"REPRISE_PORT_80_TCP_PROTO=tcp", "REPRISE"},
		{"REPRISE_PORT_80_UDP_PORT=80", "REPRISE"},
		{"REPRISE_PORT_80_SCTP_ADDR=10.0.0.1", "REPRISE"},
		{"REPRISE_REDIS_PORT=tcp://10.0.0.1:6379", "REPRISE_REDIS"},
		{"REPRISE_REDIS_PORT_6379_TCP_ADDR=10.0.0.1", "REPRISE_REDIS"},
		{"REPRISE_REDIS_SERVICE_HOST=10.0.0.1", "REPRISE_REDIS"},
		{"REPRISE_JOB_SERVICE_HOST=10.0.0.1", "REPRISE_JOB"},
		{"REPRISE_REDIS_PORT=6379", ""},
		{"REPRISE_REDIS_PORT=", ""},
		{"REPRISE_REDIS_HOST=tcp", ""},
		{"REPRISE_REDIS_URL=redis://10.0.0.1:6379", ""},
		{"REPRISE_PORT=80", ""},
		{"REPRISE_PORT_80=1", ""},
		{"REPRISE_PORT_X_TCP=1", ""},
		{"REPRISE_PORT_80_TCPS=1", ""},
		{"REPRISE_JOB=a_PORT=tcp://", ""},
		{"_PORT=tcp://10.0.0.1:1", ""},
		{"REPRISE_SERVICE", ""},
		{"", ""},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		cr_expect_eq(service_variable(rows[i].entry), strlen(rows[i].service), "%s",
		             rows[i].entry);
}
