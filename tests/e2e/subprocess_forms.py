"""Every way of this Python to start gcc -c a.c: prints each, its status, and whether the object
came."""
import asyncio
import os
import shutil
import subprocess
import sys

gcc = shutil.which("gcc")
cmd = [gcc, "-c", "a.c"]
bare = ["gcc", "-c", "a.c"]
new = sys.version_info >= (3, 8)


def say(name, rc):
    print(name, rc, os.path.exists("a.o"))
    sys.stdout.flush()
    if os.path.exists("a.o"):
        os.unlink("a.o")


say("run bare", subprocess.run(bare).returncode)
say("run abs", subprocess.run(cmd).returncode)
say("close_fds", subprocess.run(cmd, close_fds=False).returncode)
say("cwd", subprocess.run(cmd, cwd=".").returncode)
say("env", subprocess.run(cmd, env=dict(os.environ)).returncode)
small = {k: os.environ[k] for k in ("PATH", "TMPDIR", "LC_ALL") if k in os.environ}
say("env small", subprocess.run(cmd, env=small).returncode)
say("shell", subprocess.run("gcc -c a.c", shell=True).returncode)
say("capture", subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.PIPE).returncode)
say("check_output", len(subprocess.check_output(cmd, stderr=subprocess.STDOUT)))
null = subprocess.DEVNULL
say("devnull", subprocess.run(cmd, stdin=null, stdout=null, stderr=null).returncode)
say("preexec", subprocess.run(cmd, preexec_fn=lambda: None).returncode)
say("session", subprocess.run(cmd, start_new_session=True).returncode)
r, w = os.pipe()
say("pass_fds", subprocess.run(cmd, pass_fds=(r, w)).returncode)
say("popen", subprocess.Popen(cmd).wait())
p = subprocess.Popen(cmd, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
p.communicate(b"")
say("pipes", p.returncode)
say("os.system", os.system("gcc -c a.c"))
f = os.popen("gcc -c a.c")
f.read()
say("os.popen", f.close())
say("os.spawnv", os.spawnv(os.P_WAIT, gcc, cmd))
say("os.spawnvp", os.spawnvp(os.P_WAIT, "gcc", bare))
if new:
    say("os.posix_spawn", os.waitpid(os.posix_spawn(gcc, cmd, os.environ), 0)[1])
    say("os.posix_spawnp", os.waitpid(os.posix_spawnp("gcc", bare, os.environ), 0)[1])
pid = os.fork()
if not pid:
    os.execvp("gcc", bare)
say("fork exec", os.waitpid(pid, 0)[1])


async def co():
    p = await asyncio.create_subprocess_exec(*cmd)
    return await p.wait()


if sys.version_info >= (3, 7):
    say("asyncio", asyncio.run(co()))
import multiprocessing


def work():
    os._exit(subprocess.run(cmd).returncode)


p = multiprocessing.get_context("fork").Process(target=work)
p.start()
p.join()
say("multiprocessing fork", p.exitcode)
