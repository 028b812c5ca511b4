"""A map over two nodes of a local Ray, one of which is killed half-way; needs the extra `ray`.

    pip install 'restricted-execution[ray]'
    python examples/callers/ray_cluster.py

With a cluster of your own, all that is needed is `RaySandbox("contest", address="auto")`.
"""

import itertools
import os
import time

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # before Ray is imported

from sandbox import Job
from sandbox.integrations.ray import RaySandbox

PROGRAM = "n = int(input())\nprint(sum(d for d in range(1, n + 1) if n % d == 0))"
HOW_MANY = 1000
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20}


def divisor_sum(n: int) -> int:
    return sum(d for d in range(1, n + 1) if n % d == 0)


def main() -> int:
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    second = cluster.add_node(**NODE)
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        with RaySandbox("contest") as sandbox:
            print(f"nodes: {sandbox.nodes}")
            started = time.perf_counter()
            results = sandbox.map(Job(PROGRAM, f"{n}\n") for n in range(HOW_MANY))
            outputs = [result.output for result in itertools.islice(results, HOW_MANY // 2)]
            print("a node is killed")
            cluster.remove_node(second, allow_graceful=False)
            outputs += [result.output for result in results]
            seconds = time.perf_counter() - started
            print(f"nodes: {sandbox.nodes}")
    finally:
        ray.shutdown()
        cluster.shutdown()
    wrong = sum(output != f"{divisor_sum(n)}\n" for n, output in enumerate(outputs))
    print(f"{len(outputs)} results in {seconds:.1f} s, {wrong} wrong or out of their order")
    return 1 if wrong or len(outputs) != HOW_MANY else 0


if __name__ == "__main__":
    raise SystemExit(main())
