"""docs/getting-started.md, executed as it is written."""
import os
import subprocess

from harness import walk
from harness.tap import Skip, test


@test("docs/getting-started.md works as it is written")
def getting_started(env):
    program = env.command[0]
    stand_in = {}
    if env.stand_in:
        # `kubectl muster` is muster in any case.
        program = os.environ.get("MUSTER")
        if not program:
            raise Skip("MUSTER names no program, and the document is about muster")
        stand_in = {"MUSTER_STAND_IN": "kube-scheduler"}
    directory = os.path.join(env.plane.directory, "walk")
    environment = {**os.environ, **stand_in, "MUSTER": program, "MUSTER_CLUSTER": directory,
                   "K8S_BIN": env.binaries,
                   "WALK_ENV": os.path.join(env.plane.directory, "walk.env")}
    try:
        for note in walk.run(os.path.join(env.root, "docs", "getting-started.md"), env.root,
                             environment):
            env.note(note)
    finally:
        subprocess.run([os.path.join(env.root, "tests", "e2e", "cluster"), "down"],
                       env=environment, check=False)
