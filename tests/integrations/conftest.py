"""A local Ray for the modules that are about it."""

import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from .ray_nodes import NODE, QUIET


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    ray = pytest.importorskip("ray", reason="ray is not installed")
    from ray.cluster_utils import Cluster

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Ray's own, of resources and of deprecations
        for name, value in QUIET.items():
            patch.setenv(name, value)
        started = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
        started.add_node(**NODE)
        ray.init(address=started.address, log_to_driver=False)
        try:
            yield started
        finally:
            ray.shutdown()
            started.shutdown()


@pytest.fixture(scope="module")
def contest(cluster: Any) -> Iterator[Any]:
    from sandbox.integrations.ray import RaySandbox

    with RaySandbox("contest") as sandbox:
        yield sandbox
