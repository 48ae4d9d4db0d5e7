"""The first step of torch.compile in ranks of one host, with gloo on the CPU, as torchrun starts
them: all look in one cache directory. Each rank trains on data of its own, and gradients are
averaged. Rank 0 prints one JSON line: the seconds of the slowest rank's first step (with the
compile), the losses of all ranks, and how many graphs were found and compiled in all."""

import json
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch._dynamo.utils import counters

dist.init_process_group("gloo")
rank, world = dist.get_rank(), dist.get_world_size()
torch.manual_seed(7)
model = nn.Sequential(nn.Linear(128, 256), nn.GELU(), nn.LayerNorm(256), nn.Linear(256, 128),
                      nn.ReLU(), nn.Linear(128, 16))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
torch.manual_seed(rank)
data = torch.randn(32, 128)


@torch.compile
def loss_of(x):
    return model(x).square().mean()


def step():
    optimizer.zero_grad()
    loss = loss_of(data)
    loss.backward()
    for p in model.parameters():
        dist.all_reduce(p.grad)
        p.grad /= world
    optimizer.step()
    return loss.item()


dist.barrier()
start = time.perf_counter()
losses = [step()]
seconds = time.perf_counter() - start
losses.append(step())
found, aot = counters["inductor"], counters["aot_autograd"]
mine = {"seconds": seconds, "result": losses,
        "hits": found["fxgraph_cache_hit"] + aot["autograd_cache_hit"],
        "misses": found["fxgraph_cache_miss"] + aot["autograd_cache_miss"]}
everybody = [None] * world
dist.all_gather_object(everybody, mine)
if rank == 0:
    print(json.dumps({"seconds": max(r["seconds"] for r in everybody),
                      "result": [v for r in everybody for v in r["result"]],
                      "hits": sum(r["hits"] for r in everybody),
                      "misses": sum(r["misses"] for r in everybody)}), flush=True)
dist.barrier()
dist.destroy_process_group()
sys.stdout.flush()
os._exit(0)  # threads of the group may abort while the interpreter ends
