"""Runs the pod of a Kubernetes manifest here: pod.py MANIFEST PLACE [INDEX [COMMAND...]].

Each container, the init containers first, has namespaces and a root of its own: this machine's
/usr and /etc, an empty /tmp, /dev/shm and /var. The image `reprise` has PLACE/inst/usr/local, and
others have an empty /usr/local and PLACE/app in /app. hostPath is a directory below
PLACE/node. INDEX: which pod of a Job it is. The last init container or container that fails gives
the exit status. A container that sleeps is left out. Services of the namespace: one called
`reprise`, whose variables a pod gets unless it turns service links off.

COMMAND runs in the container of a pod that was started before, as by `kubectl exec`: the process
gets the environment of the container, and not that of its command.
"""
import os
import shlex
import subprocess
import sys

import yaml

manifest, place = sys.argv[1:3]
index = sys.argv[3] if len(sys.argv) > 3 else "0"
command = sys.argv[4:]
thing = yaml.safe_load(open(manifest))
name = thing["metadata"]["name"]
template = thing if thing["kind"] == "Pod" else thing["spec"]["template"]
spec = template["spec"]
pod = name if thing["kind"] == "Pod" else "%s-%s-x7k2p" % (name, index)
labels = {"batch.kubernetes.io/job-name": name}
volumes = {}
for volume in spec.get("volumes", []):
    if "emptyDir" in volume:
        path = os.path.join(place, "pods", pod, volume["name"])
        os.makedirs(path, exist_ok=bool(command))
    else:
        path = place + "/node" + volume["hostPath"]["path"]
        if volume["hostPath"]["type"] == "DirectoryOrCreate":
            os.makedirs(path, exist_ok=True)
        assert os.path.isdir(path), "%s: no such directory on the node" % path
    volumes[volume["name"]] = path


def field(path):
    if path.startswith("metadata.labels["):
        return labels[path[len("metadata.labels['"):-2]]
    return {"metadata.name": pod}[path]


def variables(container):
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOSTNAME": pod,
           "KUBERNETES_SERVICE_HOST": "10.96.0.1", "JOB_COMPLETION_INDEX": index}
    if spec.get("enableServiceLinks", True):
        env.update(REPRISE_SERVICE_HOST="10.0.0.1", REPRISE_SERVICE_PORT="80",
                   REPRISE_PORT="tcp://10.0.0.1:80")
    for entry in container.get("env", []):
        env[entry["name"]] = (entry["value"] if "value" in entry
                              else field(entry["valueFrom"]["fieldRef"]["fieldPath"]))
    return env


def run(container):
    root = os.path.join(place, "root")
    os.makedirs(root, exist_ok=True)
    steps = ["set -e", "mount --make-rprivate /", "hostname %s" % pod,
             "mount -t tmpfs none %s" % root, "cd %s" % root,
             "mkdir usr etc proc dev tmp var run app",
             "for d in bin sbin lib lib64; do ln -s usr/$d $d; done",
             "mount --rbind /usr usr", "mount --rbind /etc etc", "mount -t proc proc proc",
             "mount --rbind /dev dev", "mount -t tmpfs none dev/shm"]
    if "/reprise:" in container["image"]:
        steps.append("mount --bind %s/inst/usr/local usr/local" % place)
    else:
        steps += ["mount -t tmpfs none usr/local", "cp -r %s/app ." % place]
    for mount in container.get("volumeMounts", []):
        steps += ["mkdir -p .%s" % mount["mountPath"],
                  "mount --bind %s .%s" % (volumes[mount["name"]], mount["mountPath"])]
        if mount.get("readOnly"):
            steps.append("mount -o remount,bind,ro .%s" % mount["mountPath"])
    env = " ".join(shlex.quote("%s=%s" % pair) for pair in variables(container).items())
    steps.append("exec chroot . env -i -C /app %s %s" %
                 (env, shlex.join(command or container["command"])))
    return subprocess.run(["unshare", "--mount", "--pid", "--uts", "--fork", "--kill-child",
                           "sh", "-c", "\n".join(steps)]).returncode


first = [] if command else spec.get("initContainers", [])
for container in first + spec["containers"]:
    status = container["command"][0] != "sleep" and run(container)
    if status:
        sys.exit(status)
