/* remote/http/net_backends.c - the rows of HTTP and S3. */
#include "remote/http/net_backends.h"

#include "remote/http/curl.h"
#include "remote/http/http.h"
#include "remote/s3/s3.h"

const struct backend_ops *const net_backends[] = {&backend_http, &backend_s3, NULL};

void net_backends_load(void)
{
	/* What is missing is said when a store is opened. */
	(void)curl_load();
}
