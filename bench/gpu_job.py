"""A training job of about GPT-2 size for bench/gpu.py and bench/ranks.py: prints the time of the
first step, and the losses.

gpu_job.py MODE STEPS: MODE is a mode of torch.compile. Under torchrun each GPU has one rank.
JOB_DETERMINISTIC asks torch for algorithms that give the same loss each time. JOB_LAYERS is the
number of layers. With JOB_PART=mlp the model is two matrix products, with JOB_PART=mm a single one,
for which max-autotune compiles far fewer kernels. With JOB_PARALLEL=tensor each layer's second half
is split over the ranks by torch's own tensor parallelism, and all ranks read the same data. Rank 0
prints one line of JSON. If there are more ranks than GPUs, ranks share GPUs over gloo (NCCL refuses
that), and the directories are named as those of ranks that each have a GPU. Without a GPU the model
is small and the ranks' directory is one, as torch has it on CPUs."""
import json
import os
import sys
import time

begin = time.time()
import torch
import torch.nn as nn
import torch.nn.functional as F

mode, steps = sys.argv[1], int(sys.argv[2])
rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
local = int(os.environ.get("LOCAL_RANK", 0))
gpus = torch.cuda.device_count()
shared = world > gpus
tensor = os.environ.get("JOB_PARALLEL") == "tensor"
if shared and gpus:
    # Keys of graphs hold the device, so ranks with their own GPUs never share a directory.
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(os.environ["TORCHINDUCTOR_CACHE_DIR"],
                                                         str(local))
    os.environ["TRITON_CACHE_DIR"] = os.path.join(os.environ["TORCHINDUCTOR_CACHE_DIR"], "triton",
                                                  str(local))
    local %= gpus
kind = "cuda" if gpus else "cpu"
if gpus:
    torch.cuda.set_device(local)
torch.manual_seed(0)
torch.use_deterministic_algorithms("JOB_DETERMINISTIC" in os.environ)
if world > 1:
    torch.distributed.init_process_group("gloo" if shared else "nccl")

WIDTH, HEADS, VOCAB, LENGTH, BATCH = (768, 12, 50304, 512, 8) if gpus else (64, 4, 512, 64, 2)
LAYERS = int(os.environ.get("JOB_LAYERS", 4))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        n, t, c = x.shape
        q, k, v = (y.view(n, t, HEADS, c // HEADS).transpose(1, 2)
                   for y in self.qkv(self.a(x)).split(c, dim=2))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(n, t, c))
        return x + self.down(F.gelu(self.up(self.b(x))))


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.token, self.place = nn.Embedding(VOCAB, WIDTH), nn.Embedding(LENGTH, WIDTH)
        self.blocks = nn.Sequential(*(Block() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCAB, bias=False)

    def forward(self, x, y):
        h = self.token(x) + self.place(torch.arange(x.shape[1], device=x.device))
        z = self.head(self.norm(self.blocks(h)))
        return F.cross_entropy(z.view(-1, VOCAB), y.reshape(-1))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.token = nn.Embedding(VOCAB, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x, y):
        return self.down(F.gelu(self.up(self.token(x)))).float().square().mean()


class Product(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("token", torch.randn(VOCAB, WIDTH))
        self.up = nn.Linear(WIDTH, 4 * WIDTH, bias=False)

    def forward(self, x, y):
        return self.up(self.token[x]).float().square().mean()


model = {"mlp": Mlp, "mm": Product}.get(os.environ.get("JOB_PART"), Model)().to(kind)
if tensor:
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.tensor.parallel import (ColwiseParallel, RowwiseParallel,
                                                   parallelize_module)
    for block in model.blocks:
        parallelize_module(block, init_device_mesh(kind, (world,)),
                           {"up": ColwiseParallel(), "down": RowwiseParallel()})
elif world > 1:
    model = nn.parallel.DistributedDataParallel(model, device_ids=[local] if gpus else None)
step = torch.compile(model, mode=None if mode == "default" else mode)
# One call for all parameters takes no mixture of whole and of split ones.
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, foreach=False if tensor else None)
g = torch.Generator().manual_seed(0 if tensor else rank)
losses = []
ready = time.time()
for i in range(steps):
    x = torch.randint(0, VOCAB, (BATCH, LENGTH + 1), generator=g).to(kind)
    with torch.autocast(kind, torch.bfloat16):
        loss = step(x[:, :-1], x[:, 1:])
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    if i == 0:
        if gpus:
            torch.cuda.synchronize()
        first = time.time() - ready
    losses.append(loss.item())
if rank == 0:
    from torch._dynamo.utils import counters
    print(json.dumps({"first_step": round(first, 3), "import": round(ready - begin, 3),
                      "losses": ["%.9g" % v for v in losses],
                      "fx_miss": counters["inductor"]["fxgraph_cache_miss"],
                      "fx_hit": counters["inductor"]["fxgraph_cache_hit"],
                      "aot_miss": counters["aot_autograd"]["autograd_cache_miss"],
                      "aot_hit": counters["aot_autograd"]["autograd_cache_hit"]}), flush=True)
if world > 1:
    torch.distributed.destroy_process_group()
