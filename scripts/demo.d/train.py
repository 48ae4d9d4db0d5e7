"""A small training job as users write it: a convolution and three linear layers, torch.compile, two
steps on the CPU. It does not mention Reprise. Prints one JSON line: the seconds of the first step
(with the compile), of the second, and the losses."""

import json
import time

import torch
from torch import nn

torch.manual_seed(7)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, padding=1)
        self.norm = nn.LayerNorm(16 * 16)
        self.layers = nn.Sequential(
            nn.Linear(16 * 16, 256), nn.GELU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10)
        )

    def forward(self, x):
        x = torch.relu(self.conv(x))
        x = nn.functional.adaptive_avg_pool2d(x, 4).flatten(1)
        return self.layers(self.norm(x))


model = Net()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
images = torch.randn(32, 3, 32, 32)
labels = torch.randint(0, 10, (32,))


@torch.compile
def loss_of(x, y):
    return nn.functional.cross_entropy(model(x), y)


def step():
    start = time.perf_counter()
    optimizer.zero_grad()
    loss = loss_of(images, labels)
    loss.backward()
    optimizer.step()
    return time.perf_counter() - start, loss.item()


first, loss1 = step()
second, loss2 = step()
print(json.dumps({"seconds": first, "second_step": second, "result": [loss1, loss2]}))
