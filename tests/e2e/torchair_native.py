"""Stands for torchair.core._torchair, the one native module of TorchAir, which needs the Ascend libraries: import before torchair.
A graph is read from what TorchAir made of it and computed with torch on the CPU; an operation that is not below is an error."""
import sys
import types

import torch

native = types.ModuleType("torchair.core._torchair")
native.TorchDataType = type("TorchDataType", (), {k: k for k in (
    "BOOL UINT8 INT8 INT16 UINT16 INT32 UINT32 INT64 UINT64 BF16 FLOAT16 FLOAT32 FLOAT64 COMPLEX64 COMPLEX128").split()})
for name in "InitializeGraphEngine FinalizeGraphEngine InitDeviceStdoutChannel".split():
    setattr(native, name, lambda *args: None)

DTYPES = {1: torch.float32, 7: torch.int32, 8: torch.int64, 12: torch.float64}  # of ge_ir_pb2.DataType
OPS = {"Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Relu": torch.relu,
       "Transpose": lambda x, order: x.permute(order.tolist())}


def constant(t):
    data = torch.frombuffer(bytearray(t.data), dtype=DTYPES[t.desc.dtype])
    return data.reshape(list(t.desc.shape.dim))


class TorchNpuGraphBase:
    loads = 0

    def __init__(self, name):
        self.name = name

    def load(self, text, options, placements, dtypes, executor):
        from torchair._ge_concrete_graph import ge_ir_pb2
        TorchNpuGraphBase.loads += 1
        model = ge_ir_pb2.ModelDef()
        model.ParseFromString(text)
        self.graph = model.graph[0]

    def set_hint_shape(self, inputs, outputs):
        pass

    def compile(self):
        pass

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
                x, y = (v.T if op.attr["transpose_" + n].b else v for v, n in zip(inputs, ("x1", "x2")))
                value = x @ y
            elif op.type == "Cast":
                value = inputs[0].to(DTYPES[op.output_desc[0].dtype])
            else:
                value = OPS[op.type](*inputs)
            at[op.name + ":0"] = value


native.TorchNpuGraphBase = TorchNpuGraphBase
sys.modules[native.__name__] = native
