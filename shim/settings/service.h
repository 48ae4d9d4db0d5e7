/* shim/settings/service.h - variables that Kubernetes sets for a service. Pure.
 *
 * For a service called "reprise" or "reprise-redis", each container of its namespace gets variables
 * such as REPRISE_SERVICE_HOST and REPRISE_REDIS_PORT=tcp://10.0.0.1:6379. Docker's links have the
 * same form. They are no settings, also where the name is that of a setting. */
#ifndef SHIM_SETTINGS_SERVICE_H
#define SHIM_SETTINGS_SERVICE_H

#include <stddef.h>

/* CHILD. entry: NAME=VALUE. Returns the length of the service's part of NAME, 0 if this is no such
 * variable. */
size_t service_variable(const char *entry);

#endif
