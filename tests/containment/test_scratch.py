"""A scratch directory: what is written stays in it, is bounded, and is nobody else's.

Each attack is tried with every layer, and with the mount namespace alone: what is there without
Landlock, without the filter and without the limits must hold by the mounts. That Landlock holds by
itself is in `tests/kernel/test_own_domain.py`, what the filter lets through in
`tests/kernel/test_scratch_calls.py`, and other users and hosts in `test_situations.py`.
"""

import os
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox import Policy, Result, Sandbox, SandboxUnavailable, Status
from sandbox.kernel.numbers import MACHINE

Native = Callable[..., Result]
Open = Callable[..., Sandbox]

pytestmark = pytest.mark.skipif(MACHINE != "x86_64", reason="raw numbers are those of x86_64")

STDLIB = sysconfig.get_path("stdlib")
WAYS = {
    "every layer": (),
    "namespaces alone": ("namespaces",),
    "namespaces and Landlock": ("namespaces", "landlock"),
    "namespaces and privileges": ("namespaces", "privileges"),
}


@pytest.fixture(scope="module")
def boxes() -> Iterator[dict[str, Sandbox]]:
    found: dict[str, Sandbox] = {}
    yield found
    for sandbox in found.values():
        sandbox.close()


@pytest.fixture(params=WAYS)
def box(request: pytest.FixtureRequest, boxes: dict[str, Sandbox]) -> Sandbox:
    """Sandboxes with a scratch directory, each behind other layers."""
    name = request.param
    if name not in boxes:
        policy = Policy.load("kernel-only")
        if layers := WAYS[name]:
            off = dict.fromkeys(
                (
                    "rlimits",
                    "descriptors",
                    "privileges",
                    "namespaces",
                    "landlock",
                    "seccomp",
                    "cgroup",
                ),
                "off",
            )
            wishes = {**off, **dict.fromkeys(layers, "required")}
            policy = policy.replaced(name="apart", layers=wishes, require_any=(), testing=True)
        try:
            boxes[name] = Sandbox(policy, workers=1)
        except SandboxUnavailable as error:
            pytest.skip(f"this host does not have it: {error.reason}")
    if "namespaces" not in boxes[name].layers:
        pytest.skip("this host has no mount namespaces")
    return boxes[name]


def test_it_can_be_written_to(native: Native, box: Sandbox) -> None:
    code = (
        "open('x', 'w').write('own'); os.mkdir('/tmp/d'); os.rename('x', 'y')\nprint(os.listdir())"
    )
    assert native(code, sandbox=box).output == "['y']\n"


# Every one fails, whatever its error is. `BOX` is the directory, `SHOWN` a file of the library.
OUTSIDE = """
open('/x', 'w')
open('/box/../x', 'w')
open('/tmp/../x', 'w')
open('/aside/x', 'w')
open('/dev/x', 'w')
open('/dev/null/x', 'w')
open('/dev/sda', 'rb')
open('/proc/self/mem', 'r+b')
open('/proc/self/root/x', 'w')
open('/proc/sys/kernel/hostname', 'w')
open('/sys/kernel/x', 'w')
open('/etc/passwd')
open('/etc/passwd', 'a')
open('/root/.ssh/authorized_keys', 'w')
open(SHOWN, 'r+')
open(SHOWN, 'a')
open(STDLIB + '/planted.py', 'w')
os.open('/', os.O_RDWR | os.O_TMPFILE)
os.open(STDLIB, os.O_RDWR | os.O_TMPFILE)
os.mkdir('/x')
os.mkdir(STDLIB + '/x')
os.rmdir('/tmp')
os.rmdir('/box')
os.rmdir('/dev')
os.rename('/box', '/other')
os.rename('/tmp', '/box/tmp')
os.rename(SHOWN, 'taken')
os.rename('/dev/null', 'null')
os.unlink(SHOWN)
os.unlink('/dev/null')
os.link(SHOWN, 'hard')
os.link('/dev/null', 'null')
os.symlink('x', '/link')
os.symlink('x', STDLIB + '/link')
os.chmod(SHOWN, 0o777)
os.chmod('/', 0o777)
os.chmod('/dev/null', 0o600)
os.chown(SHOWN, os.getuid(), os.getgid())
os.utime(SHOWN)
os.utime('/')
os.truncate(SHOWN, 0)
os.setxattr(SHOWN, 'user.x', b'y')
os.replace('own', SHOWN)
os.replace('own', '/x')
os.replace('own', STDLIB + '/planted.py')
os.link('own', STDLIB + '/planted.py')
os.link('own', '/x')
os.link('0', 'linked', src_dir_fd=0)
os.chroot('/box')
os.mknod('device', 0o666 | stat.S_IFCHR, os.makedev(1, 3))
os.mknod('disk', 0o666 | stat.S_IFBLK, os.makedev(8, 0))
open('to-shown', 'a')
open('to-root/x', 'w')
open('to-library/planted.py', 'w')
open('up/x', 'w')
os.mkdir('to-root/x')
os.unlink('to-library/colorsys.py')
os.truncate('to-shown', 0)
os.chmod('to-shown', 0o777)
""".strip().splitlines()
OWN_LINKS = f"""
import stat
STDLIB = {STDLIB!r}
SHOWN = STDLIB + '/colorsys.py'
open('own', 'w').close()
pairs = (SHOWN, 'to-shown'), ('/', 'to-root'), (STDLIB, 'to-library'), ('../..', 'up')
for target, name in pairs:
    os.symlink(target, name)
"""


def test_nothing_outside_is_written_read_or_changed(native: Native, box: Sandbox) -> None:
    lines = [f"({line!r}, lambda: {line})," for line in OUTSIDE]
    code = f"""{OWN_LINKS}
import signal
worked = []
for text, act in [{" ".join(lines)}]:
    try: act()
    except OSError: continue
    worked.append(text)
print(worked)
"""
    killing = {"os.setxattr", "os.chroot"}  # no honest library calls them: the filter kills
    if "seccomp" in box.layers:
        for name in killing:
            (line,) = (line for line in OUTSIDE if line.startswith(name))
            result = native(f"{OWN_LINKS}\n{line}\nprint('through')", sandbox=box)
            assert result.status is Status.VIOLATION, line
            code = code.replace(f"({line!r}, lambda: {line}),", "")
    before = [os.stat(path).st_mtime for path in (STDLIB, "/")]
    result = native(code, sandbox=box)
    assert (result.status, result.output) == (Status.OK, "[]\n"), result
    assert [os.stat(path).st_mtime for path in (STDLIB, "/")] == before
    assert not Path(STDLIB, "planted.py").exists()


def test_what_is_written_never_becomes_code(native: Native, box: Sandbox) -> None:
    code = r"""
import shutil
with open('program', 'wb') as f: f.write(b'\x7fELF' + open(ctypes.__file__, 'rb').read(1 << 16))
os.chmod('program', 0o4755)
fd = os.open('program', os.O_RDWR)
answers = [call(9, 0, 4096, 5, 2, fd, 0), call(9, 0, 4096, 7, 1, fd, 0)]
try: os.execv('program', ['program'])
except OSError as error: answers.append(-error.errno)
print([answer in (-1, -13, -8) for answer in answers])
"""
    if "seccomp" in box.layers:  # which kills what maps writable memory as code
        code = code.replace("call(9, 0, 4096, 7, 1, fd, 0)", "call(9, 0, 4096, 5, 1, fd, 0)")
    assert native(code, sandbox=box).output == "[True, True, True]\n"
    later = """
open('own', 'wb').write(bytes(4096))
fd = os.open('own', os.O_RDWR)
print(call(10, call(9, 0, 4096, 1, 1, fd, 0), 4096, 5))
"""
    result = native(later, sandbox=box)
    if "seccomp" in box.layers:
        assert result.status is Status.VIOLATION
    else:
        assert result.output == "-13\n"  # the mount is noexec


def test_its_size_is_bounded_however_it_is_filled(native: Native, box: Sandbox) -> None:
    policy = box.policy
    assert policy.files is not None
    code = f"""
import mmap
SIZE = {policy.files.scratch_kib << 10}
block = bytes(1 << 20)
def fill(act):
    total = 0
    try:
        while total < SIZE * 2: total += act()
    except OSError as error: return errno.errorcode[error.errno], total <= SIZE
    return 'no end', False
files = [open(d + '/fill', 'wb', buffering=0) for d in ('/box', '/tmp', '/mnt')]
print(*(fill(lambda f=f: f.write(block)) for f in files))
for d in ('/box', '/tmp', '/mnt'): os.truncate(d + '/fill', 0)
print(fill(lambda: (os.posix_fallocate(files[0].fileno(), 0, SIZE + 4096), 1)[1]))
number = iter(range(1 << 30))
def one():
    with open(f'/tmp/{{next(number)}}', 'wb') as f: return f.write(block)
print(fill(one))
"""
    output = native(code, sandbox=box).output
    assert output.count("True") == 5, output
    assert output.count("ENOSPC") + output.count("EFBIG") == 5, output


def test_the_number_of_its_files_is_bounded_however_they_are_made(
    native: Native, box: Sandbox
) -> None:
    policy = box.policy
    assert policy.files is not None
    code = f"""
MOST = {policy.files.scratch_count}
open('one', 'w').close()
def make(act):
    n = 0
    try:
        while n <= MOST + 5:
            act(f'{{n}}')
            n += 1
    except OSError as error: return errno.errorcode[error.errno], n < MOST
    finally:
        for m in range(n):
            try: os.unlink(f'{{m}}')
            except OSError: os.rmdir(f'{{m}}')
    return 'no end', n
acts = (
    lambda p: os.close(os.open(p, os.O_CREAT | os.O_WRONLY)), os.mkdir,
    lambda p: os.symlink('x' * 200, p), lambda p: os.link('one', p),
)
print(*(make(act) for act in acts))
"""
    output = native(code, sandbox=box).output
    assert output == " ".join(["('ENOSPC', True)"] * 4) + "\n", output


def test_a_file_is_no_larger_than_all_of_it(native: Native) -> None:
    policy = Policy.load("kernel-only")
    assert policy.files is not None
    size = policy.files.scratch_kib << 10
    code = f"""
import resource
print(resource.getrlimit(resource.RLIMIT_FSIZE))
for act in (lambda: os.truncate('f', {size}), lambda: os.truncate('f', {size} + 1)):
    open('f', 'w').close()
    try: print(act())
    except OSError as error: print(errno.errorcode[error.errno])
for act in (lambda: os.ftruncate(0, 1), lambda: os.write(0, b'x'), lambda: os.pwrite(0, b'x', 0)):
    try: print(act())
    except OSError as error: print(errno.errorcode[error.errno])
"""
    assert native(code, "input").output.split("\n")[:6] == [
        f"({size}, {size})", "None", "EFBIG", "EPERM", "EPERM", "EPERM",
    ]  # fmt: skip


def test_what_goes_to_standard_descriptors_is_in_no_file_of_the_programs() -> None:
    """Nothing would have the numbers 1 and 2 else, and the first files would get them."""
    code = """
import os
f = open('data.csv', 'w')
f.write('a,b\\n')
f.flush()
os.write(1, b'printed')
os.write(2, b'complained')
f.write('1,2\\n')
f.close()
print(f'{os.dup(1)} {open("data.csv").read()!r}')
"""
    with Sandbox("kernel-only", workers=1) as sandbox:
        if "namespaces" not in sandbox.layers:
            pytest.skip("this host has no mount namespaces")
        result = sandbox.run(code)
    assert result.output == "3 'a,b\\n1,2\\n'\n", result
