"""A job that compiles as it starts: prints when its first step was done."""
import time

start = time.time()
import torch

model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.GELU(), torch.nn.Linear(256, 8))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@torch.compile
def step(x, y):
    return torch.nn.functional.cross_entropy(model(x), y)


torch.manual_seed(0)
for number in range(3):
    loss = step(torch.randn(32, 64), torch.randint(8, (32,)))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if number == 0:
        print("first step after %.1f s" % (time.time() - start), flush=True)
