"""bench/gpu_jax_job.py - a training job of JAX on a GPU: a small transformer, three steps and an
evaluation. Prints one line of JSON: seconds until the first step ended, and a digest of the losses
and parameters, bit for bit."""
import time

begin = time.monotonic()
import hashlib
import json

import jax
import jax.numpy as jnp
import numpy as np

counts = {"hits": 0, "misses": 0}


def count(event, **_):
    for k in counts:
        counts[k] += event == "/jax/compilation_cache/cache_" + k


jax.monitoring.register_event_listener(count)
D, HEADS, LAYERS, VOCAB = 512, 8, 4, 4096


def layer_norm(x, scale):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) * jax.lax.rsqrt(v + 1e-5) * scale


def block(w, x):
    b, t, d = x.shape
    h = layer_norm(x, w["n1"])
    q, k, v = (z.reshape(b, t, HEADS, d // HEADS) for z in jnp.split(h @ w["qkv"], 3, -1))
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(d // HEADS)
    s = jnp.where(jnp.tril(jnp.ones((t, t), bool)), s, -1e9)
    x = x + jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(s), v).reshape(b, t, d) @ w["o"]
    return x + jax.nn.gelu(layer_norm(x, w["n2"]) @ w["up"]) @ w["down"]


def loss(w, x, y):
    h = w["emb"][x]
    for layer in w["layers"]:
        h = block(layer, h)
    p = jax.nn.log_softmax((h @ w["emb"].T).astype(jnp.float32))
    return -jnp.take_along_axis(p, y[..., None], -1).mean()


@jax.jit
def step(w, m, x, y):
    value, g = jax.value_and_grad(loss)(w, x, y)
    m = jax.tree.map(lambda a, b: 0.9 * a + b, m, g)
    return jax.tree.map(lambda a, b: (a - 0.01 * b).astype(a.dtype), w, m), m, value


evaluate = jax.jit(loss)
keys = iter(jax.random.split(jax.random.key(0), 64))


def new(*shape):
    return (jax.random.normal(next(keys), shape) / 32).astype(jnp.bfloat16)


w = {"emb": new(VOCAB, D),
     "layers": [{"qkv": new(D, 3 * D), "o": new(D, D), "up": new(D, 4 * D), "down": new(4 * D, D),
                 "n1": jnp.ones(D, jnp.bfloat16), "n2": jnp.ones(D, jnp.bfloat16)}
                for _ in range(LAYERS)]}
m = jax.tree.map(jnp.zeros_like, w)
x = jax.random.randint(next(keys), (8, 256), 0, VOCAB)
y = jnp.roll(x, -1, 1)
digest = hashlib.sha256()
first = None
for _ in range(3):
    w, m, value = step(w, m, x, y)
    digest.update(np.asarray(value).tobytes())
    first = first or time.monotonic() - begin
digest.update(np.asarray(evaluate(w, x, y)).tobytes())
for leaf in jax.tree.leaves(w):
    digest.update(np.asarray(leaf).tobytes())
print(json.dumps({"first": first, "whole": time.monotonic() - begin,
                  "platform": jax.devices()[0].platform, "digest": digest.hexdigest(), **counts}))
