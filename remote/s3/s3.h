/* remote/s3/s3.h - s3://bucket/prefix as a remote store: S3, and what speaks its protocol (MinIO,
 * Ceph, Google Cloud Storage, Cloudflare R2).
 *
 * Below an endpoint of the place, the bucket is the first part of the path. Otherwise the endpoint
 * is AWS's of the region, with the bucket in the host's name. A bucket's credentials must allow
 * s3:GetObject, s3:PutObject and s3:ListBucket: without the last one S3 refuses to say that an
 * object is absent. AWS_CA_BUNDLE names certificates. TOOL. */
#pragma once

#include "remote/backend.h"

extern const struct backend_ops backend_s3;
