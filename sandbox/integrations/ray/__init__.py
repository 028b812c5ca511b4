"""Many machines: the jobs of one caller on every node of a Ray cluster."""

from sandbox.integrations.ray.batches import BatchGrader, BatchRunner
from sandbox.integrations.ray.client import RaySandbox

__all__ = ["BatchGrader", "BatchRunner", "RaySandbox"]
