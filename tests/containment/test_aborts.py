"""A process that ends itself by abort or fault has crashed: it attacked nothing."""

from collections.abc import Callable

import pytest

from sandbox import Result, Sandbox, Status

Native = Callable[..., Result]


def test_an_abort_is_a_crash_and_not_a_violation(native: Native) -> None:
    result = native("os.abort()")
    # Pid 1 of a namespace ignores the SIGABRT that it sends itself; libc then faults on purpose.
    assert (result.status, result.exit_signal in (6, 11)) == (Status.CRASHED, True)


WRITE = "import errno, os\ntry: print(os.write(2, b'x'))\n"
WRITE += "except OSError as e: print(errno.errorcode[e.errno])"


def test_what_cpython_writes_when_it_aborts_is_no_violation(
    native: Native, without_files: Sandbox
) -> None:
    result = native("print('before')\nctypes.pythonapi.Py_FatalError(b'no memory')")
    assert (result.status, result.stdout) == (Status.CRASHED, "before\n")
    assert without_files.run(WRITE).output == "EBADF\n"


def test_where_there_are_files_it_goes_to_the_null_device(kernel_only: Sandbox) -> None:
    if "namespaces" not in kernel_only.layers:
        pytest.skip("a scratch directory takes a mount namespace, which this host has not")
    result = kernel_only.run(WRITE)
    assert (result.output, result.stderr) == ("1\n", "")


def test_an_abort_with_memory_used_up_is_the_memory_limit(native: Native) -> None:
    held = "held = bytearray(b'x') * (240 << 20)"
    result = native(f"{held}\nctypes.pythonapi.Py_FatalError(b'no memory')", memory_mib=256)
    assert result.status is Status.MEMORY_LIMIT, result
    assert "hardly any memory was left" in result.error


def test_a_wild_pointer_is_a_crash(native: Native) -> None:
    result = native("print('before', flush=True)\nctypes.string_at(8)")
    assert (result.status, result.exit_signal) == (Status.CRASHED, 11)
    assert result.stdout == "before\n"
