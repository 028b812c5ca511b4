"""The door of a Ray cluster: one local node, and a driver that is interrupted."""

import os
import random
from typing import Any

import psutil
import ray

from benchmarks.chaos.door import BATCH, Door
from sandbox.integrations.ray import RaySandbox

_ROWS = 8
_OPTIONS: dict[str, Any] = {
    "num_cpus": 2,
    "object_store_memory": 80 << 20,
    "include_dashboard": False,
    "log_to_driver": False,
    "logging_level": "ERROR",
}


class RayDoor(Door):
    """A cluster of our own, of which this process is the driver."""

    def __init__(self, chance: random.Random) -> None:
        """Start the cluster."""
        os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
        super().__init__(chance)
        ray.init(**_OPTIONS)
        self._sandbox = RaySandbox("contest", workers=3)

    def use(self) -> None:
        """Run one batch, in one of the ways that there are."""
        self.chance.choice((self.map, self.call, self.grade))()

    def map(self) -> None:
        """Run a batch by `RaySandbox.map` with faults as items."""
        batch = [self.known() for _ in range(BATCH)]
        self.compare(batch, self._sandbox.map([k.job for k in batch], on_fault="yield"))

    def call(self) -> None:
        """Run a batch by `RaySandbox.call_many`."""
        self.call_many(self._sandbox)

    def grade(self) -> None:
        """Grade a batch by `RaySandbox.grade_many`: assertions."""
        rows, scores = self.rows(_ROWS)
        self.compare_grades(scores, self._sandbox.grade_many(rows))

    def belongings(self) -> dict[str, int]:
        """Count the processes with a sandbox: Ray's own descriptors and threads are Ray's."""
        found = 0
        for process in psutil.Process().children(recursive=True):
            try:
                words = " ".join(process.cmdline())
            except psutil.Error:
                continue
            found += "sandbox.runtime.supervisor.supervisor" in words or words.startswith(
                "ray::Node"
            )
        return {"processes": found}

    def close(self) -> None:
        """End the actors; the cluster stays until this process ends."""
        self._sandbox.close()
