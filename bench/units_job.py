"""A first step of torch.compile on the CPU, as users write it. Argument: dynamic (training at three
batch sizes, with several guard sets for a graph), autotune (training in mode max-autotune), or
inference (max-autotune with C++ GEMM templates and frozen weights). Prints one JSON line: the
seconds until the step was done, which include the compile, and its results."""

import json
import sys
import time

import torch
from torch import nn

mode = sys.argv[1]
torch.manual_seed(7)
model = nn.Sequential(nn.Linear(128, 256), nn.GELU(), nn.LayerNorm(256), nn.Linear(256, 128),
                      nn.ReLU(), nn.Linear(128, 16))
result = []


def train(compiled, sizes):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for size in sizes:
        optimizer.zero_grad()
        loss = compiled(torch.randn(size, 128)).square().mean()
        loss.backward()
        optimizer.step()
        result.append(loss.item())


start = time.perf_counter()
if mode == "dynamic":
    train(torch.compile(model, dynamic=True), (32, 48, 1))
elif mode == "autotune":
    train(torch.compile(model, mode="max-autotune"), (32,))
else:
    from torch._inductor import config

    config.max_autotune_gemm_backends = "CPP,ATEN"
    config.freezing = True
    model.eval()
    with torch.no_grad():
        result.append(torch.compile(model, mode="max-autotune")(torch.randn(64, 128)).sum().item())
print(json.dumps({"seconds": time.perf_counter() - start, "result": result}))
