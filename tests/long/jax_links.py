#!/usr/bin/env python3
"""Compiles programs ahead of time for an H100, and prints digests of their executables. JAX's CUDA
plugin needs no GPU for this. Its check of cuDNN is left out by JAX_PLATFORMS=cpu."""
import hashlib

import jax
import jax.numpy as jnp
from jax.experimental import topologies
from jax.sharding import NamedSharding, PartitionSpec

H100 = """
gpu_device_info {
  threads_per_block_limit: 1024
  threads_per_warp: 32
  shared_memory_per_block: 49152
  shared_memory_per_core: 233472
  threads_per_core_limit: 2048
  core_count: 132
  fpus_per_core: 128
  block_dim_limit_x: 2147483647
  block_dim_limit_y: 65535
  block_dim_limit_z: 65535
  memory_bandwidth: 3352320000000
  l2_cache_size: 52428800
  clock_rate_ghz: 1.98
  device_memory_size: 84942979072
  shared_memory_per_block_optin: 232448
  cuda_compute_capability { major: 9 }
  registers_per_core_limit: 65536
  registers_per_block_limit: 65536
}
platform_name: "CUDA"
dnn_version_info { major: 9 minor: 3 }
device_description_str: "NVIDIA H100 80GB HBM3"
"""


def layer(w, x):
    return jnp.tanh(x @ w) + jax.nn.softmax(x, axis=-1)


def loss(w, x):
    return jnp.sum(layer(w, x) ** 2)


def scan(w, x):
    return jax.lax.scan(lambda c, _: (layer(w, c), jnp.max(c)), x, None, length=3)


topology = topologies.get_topology_desc("", "cuda", target_config=H100, topology="1x1x1")
sharding = NamedSharding(topologies.make_mesh(topology, (1,), ("x",)), PartitionSpec())
shape = jax.ShapeDtypeStruct((64, 64), jnp.float32, sharding=sharding)
for f in layer, jax.grad(loss), scan:
    compiled = jax.jit(f).lower(shape, shape).compile()
    print(f.__name__, hashlib.sha256(compiled.runtime_executable().serialize()).hexdigest())
