# Sourced by the scripts beside it and by .ci/run, from the top of the checkout.
#
#   find_python             prints an interpreter that really runs and that the package supports
#   make_venv DIR PYTHON    creates DIR with PYTHON, unless it stands already and works; what follows
#                           are options of venv
#   install_package DIR     installs the package into DIR; once per state of pyproject.toml
#   install_dev DIR         the same, with the development tools
#   install_tests DIR FROM  installs into DIR, which needs no pip, with that of FROM: the package, and
#                           what the tests of the language layer and of the runtime need
#   install_trainers DIR    installs the frameworks that tests run against, without the package

supported='import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))'
state='import hashlib, os, sys
print(hashlib.sha256(open("pyproject.toml", "rb").read()).hexdigest(), os.getcwd(), sys.version)'

find_python() {
    local candidate
    for candidate in ${PYTHON:+"$PYTHON"} python3.13 python3.12 python3.11 python3.14 python3 python; do
        # A name on PATH may be a stub that refuses to run: only an answer counts.
        if "$candidate" -c "$supported" >/dev/null 2>&1; then
            "$candidate" -c 'import sys; print(sys.executable)'
            return
        fi
    done
    echo "error: no Python 3.11 to 3.14 with its venv module was found on PATH." >&2
    echo "Install one (Debian, Ubuntu: apt install python3 python3-venv), or set PYTHON to its path." >&2
    return 1
}

make_venv() {
    local directory=$1 python=$2
    if ! "$directory/bin/python" -c "$supported" >/dev/null 2>&1; then
        rm -rf "$directory"
        "$python" -m venv "${@:3}" "$directory"
    fi
}

install_package() {
    once "$1" package pip_install "$1" --editable .
    compile_package "$1"
}

# A supervisor writes nothing, so an editable install must have its bytecode before one starts.
compile_package() {
    "$1/bin/python" -m compileall -q sandbox
}

install_dev() {
    once "$1" dev pip_install_dev "$1"
    compile_package "$1"
}

pip_install_dev() {
    pip_install "$1" 'pip>=25.1'  # the first that knows dependency groups
    pip_install "$1" --editable . --group dev
}

install_tests() {
    once "$1" tests pip_install_from "$2" "$1" --editable . --group tests
    compile_package "$1"
}

install_trainers() {
    once "$1" trainers pip_install_trainers "$1"
}

pip_install_trainers() {
    pip_install "$1" 'pip>=25.1'
    pip_install "$1" torch==2.13.0  # pinned, and first: whatever comes later takes the one that is there
    pip_install "$1" --group frameworks
    pip_install "$1" --no-deps --group frameworks-alone
}

pip_install() {
    pip_install_from "$1" "$@"
}

pip_install_from() {
    local pip=$1 directory=$2
    shift 2
    # The build backend warns of what every editable install is; errors are no warnings.
    PYTHONWARNINGS=ignore "$pip/bin/python" -m pip --python "$directory/bin/python" install \
        --quiet --disable-pip-version-check --root-user-action=ignore "$@"
}

once() {
    local directory=$1 stamp="$1/.installed-$2" now
    shift 2
    now=$("$directory/bin/python" -c "$state")
    [ "$(cat "$stamp" 2>/dev/null)" = "$now" ] && return
    "$@"
    echo "$now" >"$stamp"
}
