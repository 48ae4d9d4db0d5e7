"""Stands for torchair.core._torchair, the native module of TorchAir, which needs the Ascend
libraries. Import it before torchair. It reads a graph from what TorchAir made, and computes it with
torch on the CPU. An operation that is not below is an error. With ge_cache it leaves files with
GE's names in GE's places; their content is its own."""
import json
import os
import sys
import time
import types

import torch

native = types.ModuleType("torchair.core._torchair")
native.TorchDataType = type("TorchDataType", (), {k: k for k in (
    "BOOL UINT8 INT8 INT16 UINT16 INT32 UINT32 INT64 UINT64 BF16 FLOAT16 FLOAT32 FLOAT64 COMPLEX64 "
    "COMPLEX128").split()})
for name in "InitializeGraphEngine FinalizeGraphEngine InitDeviceStdoutChannel".split():
    setattr(native, name, lambda *args: None)

# of ge_ir_pb2.DataType
DTYPES = {1: torch.float32, 7: torch.int32, 8: torch.int64, 12: torch.float64}
OPS = {"Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Relu": torch.relu,
       "Transpose": lambda x, order: x.permute(order.tolist())}


def constant(t):
    data = torch.frombuffer(bytearray(t.data), dtype=DTYPES[t.desc.dtype])
    return data.reshape(list(t.desc.shape.dim))


class TorchNpuGraphBase:
    loads = 0
    ge = []  # of each graph with ge_cache: "found" or "compiled"

    def __init__(self, name):
        self.name = name

    def load(self, text, options, placements, dtypes, executor):
        from torchair._ge_concrete_graph import ge_ir_pb2
        TorchNpuGraphBase.loads += 1
        model = ge_ir_pb2.ModelDef()
        model.ParseFromString(text)
        self.graph = model.graph[0]
        self.cache_dir, self.key = (options.get("ge.graph_" + k)
                                    for k in ("compiler_cache_dir", "key"))

    def set_hint_shape(self, inputs, outputs):
        pass

    def compile(self):
        if not self.cache_dir:
            return
        index = os.path.join(self.cache_dir, "graph_%s.idx" % self.key)
        found = os.path.exists(index)
        TorchNpuGraphBase.ge.append("found" if found else "compiled")
        if found:
            return
        om = "graph_%s_%d.om" % (self.key, time.time() * 1000)
        with open(os.path.join(self.cache_dir, om), "wb") as f:
            f.write(b"IMOD" + os.urandom(500))
        with open(index, "w") as f:
            json.dump({"cache_file_list": [{"graph_key": self.key, "om_file_name": "./cache_dir/" +
                                            om, "var_desc_file_name": ""}]}, f)

    def run(self, what):
        given, at = what[0], {}
        for op in self.graph.op:
            inputs = [at[i] for i in op.input if i]
            if op.type == "NetOutput":
                return inputs
            if op.type == "Data":
                value = given[op.attr["index"].i]
            elif op.type == "Const":
                value = constant(op.attr["value"].t)
            elif op.type == "MatMulV2":
                x, y = (v.T if op.attr["transpose_" + n].b else v
                        for v, n in zip(inputs, ("x1", "x2")))
                value = x @ y
            elif op.type == "Cast":
                value = inputs[0].to(DTYPES[op.output_desc[0].dtype])
            else:
                value = OPS[op.type](*inputs)
            at[op.name + ":0"] = value


native.TorchNpuGraphBase = TorchNpuGraphBase
sys.modules[native.__name__] = native
