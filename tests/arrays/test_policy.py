"""What the policies with numpy promise, and that the others pay nothing for them."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError
from importlib.util import find_spec

import pytest

from sandbox import Policy, PolicyError, Sandbox, SandboxUnavailable, Status
from sandbox.audit.findings import Severity
from sandbox.audit.policy.audit import audit_policy
from sandbox.language.numpy.engine import tables
from sandbox.policy import packages
from sandbox.runtime.caller import doctor

HEAD = 'name = "own"\nextends = "contest"\n[[packages]]\nname = "numpy"\nreason = "r"\n'


def test_shipped_policies_grant_it():
    for name in ("algorithms", "contest"):
        plan = Policy.load(f"{name}-numpy").plan()
        assert [package.name for package in plan.packages] == ["numpy"]
        assert plan.language
        assert "numpy.linalg" in plan.modules
        assert not Policy.load(name).plan().packages


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (HEAD, "needs a grant in \\[\\[modules\\]\\] as well"),
        (HEAD.replace("numpy", "pandas"), 'need language = "off", pandas too'),
        (HEAD + "optional = true\n", "takes no preload, warm_up or optional"),
        (HEAD + 'preload = ["numpy.testing"]\n', "takes no preload, warm_up or optional"),
        (
            'name = "own"\nextends = "contest"\n'
            '[[modules]]\nmodule = "numpy"\nnames = "*"\nreason = "r"\n',
            "needs a grant in \\[\\[packages\\]\\] as well",
        ),
    ],
)
def test_a_policy_that_does_not_hold_together_is_refused(text, reason):
    with pytest.raises(PolicyError, match=reason):
        Policy.from_toml(text)


def test_where_numpy_is_not_installed_the_refusal_says_how_to_install_it(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    packages._found.cache_clear()
    monkeypatch.setattr(packages.metadata, "distribution", missing)
    with pytest.raises(SandboxUnavailable, match="pip install numpy"):
        Sandbox("contest-numpy", workers=1)


def test_a_world_without_numpy_has_none_of_its_modules():
    code = (
        "import sys\n"
        "from sandbox.policy.model import Policy\n"
        "plan = Policy.load('contest').plan()\n"
        "for name in [n for n in sys.modules if n.startswith('sandbox.language.numpy')]:\n"
        "    del sys.modules[name]\n"
        "import sandbox.runtime.supervisor.preparation\n"
        "from sandbox.language.guest.world import build_world\n"
        "build_world(plan)\n"
        "print(*[n for n in sys.modules if 'numpy' in n])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_every_layer_holds_beside_it(contest):
    """The interpreter layer among them: its census counted what a child can come to."""
    assert "interpreter" in contest.run("print(1)").layers


def test_no_file_of_it_is_shown():
    if find_spec("numpy") is None:
        pytest.skip("numpy is not installed")
    report = doctor.examine("contest-numpy")
    assert (report.shown, report.problem) == ((), "")


def test_what_nobody_seeds_is_the_same_in_every_execution(contest):
    code = (
        "import numpy as np\n"
        "print(np.random.rand(3), np.random.default_rng().integers(0, 1000, 5),"
        " np.random.RandomState().rand(2))"
    )
    first = contest.run(code)
    assert first.status is Status.OK
    assert contest.run(code).output == first.output


def test_a_program_that_does_not_import_it_is_as_it_was(contest):
    assert contest.run("print(sorted(map(int, input().split())))", "3 1 2").output == "[1, 2, 3]\n"


def test_too_much_memory_is_the_limit_that_says_so(contest):
    result = contest.run("import numpy as np\nx = np.ones(10**9)\nprint(x.sum())")
    assert result.status is Status.MEMORY_LIMIT


def test_an_error_names_numpys_class_and_the_programs_line(contest):
    result = contest.run("import numpy as np\n\nnp.linalg.inv(np.zeros((2, 2)))")
    assert result.error.endswith("LinAlgError: Singular matrix (line 3)")


def test_warnings_go_to_the_programs_filters(contest):
    result = contest.run(
        "import numpy as np, warnings\n"
        "with warnings.catch_warnings(record=True) as log:\n"
        "    warnings.simplefilter('always')\n"
        "    np.array([1.0]) / 0\n"
        "print(log[0].category.__name__, log[0].message)\n"
    )
    assert result.output == "RuntimeWarning divide by zero encountered in divide\n"


def test_files_of_the_programs_own_tree_are_read_and_written(contest):
    result = contest.run(
        "import numpy as np\n"
        "np.savetxt('m.txt', [[1, 2], [3, 4]], fmt='%d')\n"
        "print(open('m.txt').read(), np.loadtxt('m.txt'))\n"
    )
    assert result.output == "1 2\n3 4\n [[1. 2.]\n [3. 4.]]\n"


def test_a_function_of_algorithms_gets_it_too():
    with Sandbox("algorithms-numpy", workers=1) as sandbox:
        assert sandbox.run("import numpy\nprint(numpy.arange(3) @ numpy.ones(3))").output == "3.0\n"


def test_what_lapack_would_complain_of_is_an_error_and_no_violation(contest):
    result = contest.run(
        "import numpy as np\n"
        "bad, n = np.array([[np.nan, 1.0], [2, 3]]), 0\n"
        "uses = (lambda: np.linalg.lstsq(bad, np.ones(2)), lambda: np.linalg.svd(bad),\n"
        "        lambda: np.linalg.eig(bad), lambda: np.linalg.eigh(bad),\n"
        "        lambda: np.linalg.pinv(bad),\n"
        "        lambda: np.polyfit([1, np.nan, 3], [1, 2, 3], 2), lambda: np.linalg.inv(bad),\n"
        "        lambda: np.polyfit([1e300, 2e300, 3e300], [1, 2, 3], 2),\n"
        "        lambda: np.linalg.cond(bad), lambda: np.linalg.matrix_rank(bad))\n"
        "for use in uses:\n"
        "    for _ in range(200):\n"
        "        try: use()\n"
        "        except (np.linalg.LinAlgError, ValueError): n += 1\n"
        "print(n >= 600)\n"
    )
    assert (result.status, result.output) == (Status.OK, "True\n"), result.error


# Of what draws, the arguments that it takes; one number, if none are here.
_DRAWN_WITH = {
    "binomial": "(5, .5)", "choice": "(5)", "dirichlet": "([1., 2.])", "beta": "(1, 2)",
    "gamma": "(2.)", "geometric": "(.5)", "integers": "(5)", "multinomial": "(3, [.5, .5])",
    "randint": "(5)", "multivariate_normal": "([0., 0.], [[1., 0.], [0., 1.]])",
    "negative_binomial": "(3, .5)", "normal": "()", "laplace": "()", "gumbel": "()",
    "logistic": "()", "lognormal": "()", "permutation": "(5)", "permuted": "([1, 2, 3])",
    "shuffle": "([1, 2, 3])", "poisson": "()", "rand": "()", "randn": "()", "random": "()",
    "random_sample": "()", "rayleigh": "()", "seed": "(1)", "standard_cauchy": "()",
    "standard_exponential": "()", "standard_normal": "()", "triangular": "(1, 2, 3)",
    "uniform": "()", "exponential": "()",
}  # fmt: skip


def test_each_draw_is_made_behind_every_layer() -> None:
    """What imports a module at its first use would end the program as a violation."""
    if find_spec("numpy") is None:
        pytest.skip("numpy is not installed")
    own = {"Generator": "np.random.default_rng(3)", "RandomState": "np.random.RandomState(3)"}
    tables_of = {"Generator": tables.NEW_DRAWS, "RandomState": tables.OLD_DRAWS}
    lines = ["import numpy as np", "import warnings", "warnings.simplefilter('ignore')"]
    for home, made in own.items():
        for name in tables.names(tables.DRAWS + tables_of[home]):
            lines.append(f"{made}.{name}{_DRAWN_WITH.get(name, '(2.)')}")
    for name in tables.names(tables.DRAWS + tables.OLD_DRAWS):
        lines.append(f"np.random.{name}{_DRAWN_WITH.get(name, '(2.)')}")
    with Sandbox("contest-numpy", workers=1) as sandbox:
        failed = {
            line: result
            for line in lines[3:]
            if not (result := sandbox.run("\n".join([*lines[:3], line]))).ok
        }
    assert failed == {}


def test_the_audit_walks_it_whole_and_finds_nothing_of_weight() -> None:
    if find_spec("numpy") is None:
        pytest.skip("numpy is not installed")
    found = audit_policy("contest-numpy", prove=False)
    assert [f for f in found.findings if f.severity > Severity.LOW] == []
    assert found.figures["steps that were stopped"] == 0
    assert int(found.figures["steps tried"]) > 100_000
