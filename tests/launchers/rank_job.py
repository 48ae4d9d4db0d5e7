"""One rank of the launchers' test job: rank_job.py OUT [kill].

It builds an extension as cffi and torch.utils.cpp_extension do: gcc compiles and links in a new
temporary directory, and the result is loaded. A line in OUT/<rank>.<pid> holds what the rank saw:
rank, 1 if the object is in the process, the job's name, and the extension's answer.

kill: in torchrun's first generation, rank 1 is killed while its compiler runs, and no rank ends.
"""
import ctypes
import json
import os
import signal
import subprocess
import sys
import tempfile

out = sys.argv[1]
rank = next((os.environ[n] for n in ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID",
                                     "PET_NODE_RANK") if n in os.environ), "0")
there = "libreprise" in open("/proc/self/maps").read()
place = tempfile.mkdtemp(prefix="ext-")
source = os.path.join(place, "ext.c")
with open(source, "w") as f:
    f.write("#include <math.h>\n#include <stdio.h>\n")
    f.writelines("static double f%d(double x) { return sin(x) * %d; }\n" % (i, i)
                 for i in range(200))
    f.write("int answer(void) { return (int)f199(0) + 42; }\n")
# A compiler that is started at once reads a file that is too new to be trusted.
os.utime(source, (1e9, 1e9))
compile_it = ["gcc", "-O1", "-fPIC", "-MMD", "-c", "ext.c", "-o", "ext.o"]
if sys.argv[2:] == ["kill"] and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
    if rank == "1":
        subprocess.Popen(compile_it, cwd=place)
        os.kill(os.getpid(), signal.SIGKILL)
    signal.pause()
subprocess.run(compile_it, cwd=place, check=True)
subprocess.run(["gcc", "-shared", "ext.o", "-lm", "-o", "ext.so"], cwd=place, check=True)
reprise = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../build/reprise")
config = json.loads(subprocess.run([reprise, "config", "--json"], stdout=subprocess.PIPE).stdout)
answer = ctypes.CDLL(os.path.join(place, "ext.so")).answer()
with open(os.path.join(out, "%s.%d" % (rank, os.getpid())), "w") as f:
    print(rank, int(there), config["job"], answer, file=f)
