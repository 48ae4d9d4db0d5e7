"""Runs the job of a workflow for GitHub Actions: workflow.py WORKFLOW PLACE RUN_ID.

A runner is new for each run: PLACE/runner is its home, and holds its workspace. What
actions/checkout and actions/cache do is done with the commands that they call: PLACE/repository is
copied, and tar writes and reads the cache (@actions/cache 4, tar.ts). Commands run by `bash -e`,
but for the step that installs Reprise: PATH has it.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

import yaml

workflow, place, run_id = sys.argv[1:]
flow = yaml.safe_load(open(workflow))
(job,) = flow["jobs"].values()
home = place + "/runner"
workspace = home + "/work/project/project"
caches = place + "/caches"
known = {"github.workspace": workspace, "github.run_id": run_id, "github.workflow": flow["name"],
         "runner.os": "Linux", "runner.arch": "X64"}
shutil.rmtree(home, ignore_errors=True)
for path in (workspace, home + "/run", caches):
    os.makedirs(path, exist_ok=True)
os.chmod(home + "/run", 0o700)


def value(text):
    return re.sub(r"\$\{\{ *(.*?) *\}\}", lambda match: known[match.group(1)], text)


env = {"PATH": os.environ["PATH"], "HOME": home, "XDG_RUNTIME_DIR": home + "/run",
       "GITHUB_ACTIONS": "true", "CI": "true"}
env.update((name, value(str(text))) for name, text in job["env"].items())


def tar(*arguments):
    subprocess.run(["tar", "-P", "-C", workspace, *arguments], check=True)


def restore(wanted):
    found = sorted(glob.glob(caches + "/*"), key=os.path.getmtime)
    for path in reversed(found):
        if os.path.basename(path).startswith(value(wanted["restore-keys"])):
            tar("-z", "-xf", path)
            print("restored", os.path.basename(path), flush=True)
            return


def save(wanted):
    path = os.path.relpath(value(wanted["path"]).replace("~", home), workspace)
    manifest = place + "/manifest.txt"
    with open(manifest, "w") as f:
        print(path, file=f)
    tar("--posix", "-z", "-cf", caches + "/" + value(wanted["key"]), "--files-from", manifest)


ends = []
for step in job["steps"]:
    uses = step.get("uses", "").split("@")[0]
    if uses == "actions/checkout":
        subprocess.run(["cp", "-r", place + "/repository/.", workspace], check=True)
    elif uses == "actions/cache":
        restore(step["with"])
        ends.append(step["with"])
    elif step.get("name") != "Install Reprise":
        subprocess.run(["bash", "-e", "-c", value(step["run"])], check=True, env=env,
                       cwd=workspace)
for wanted in ends:
    save(wanted)
