"""torch's counts of its graph caches in this process."""

import torch._functorch.config
from torch._dynamo.utils import counters


def graph_counts():
    inductor, aot = counters["inductor"], counters["aot_autograd"]
    return {
        "fx_hit": inductor["fxgraph_cache_hit"],
        "fx_miss": inductor["fxgraph_cache_miss"],
        "aot_on": torch._functorch.config.enable_autograd_cache,
        "aot_hit": aot["autograd_cache_hit"],
        "aot_miss": aot["autograd_cache_miss"],
    }
