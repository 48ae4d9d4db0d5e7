"""Exports, compiles, packages and loads a model with AOTInductor. The frameworks' caches do not
keep what g++ makes here: a second export in the same directory compiles again. Argument: the path
of the package. Prints one JSON line: seconds, and the sum of the loaded model's answer."""

import json
import sys
import time

import torch
from torch import nn

torch.manual_seed(7)
package = sys.argv[1]
model = nn.Sequential(nn.Linear(64, 128), nn.GELU(), nn.LayerNorm(128), nn.Linear(128, 128),
                      nn.ReLU(), nn.Linear(128, 8)).eval()
x = torch.randn(16, 64)

with torch.no_grad():
    start = time.perf_counter()
    exported = torch.export.export(model, (x,))
    path = torch._inductor.aoti_compile_and_package(exported, package_path=package)
    loaded = torch._inductor.aoti_load_package(path)
    answer = loaded(x)
    seconds = time.perf_counter() - start
    assert torch.allclose(answer, model(x), atol=1e-4)

print(json.dumps({"seconds": seconds, "result": answer.double().sum().item()}))
