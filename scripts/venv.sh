# Sourced by the scripts beside it, from the top of the checkout: makes the virtual environment.
#
#   find_python            prints an interpreter that really runs and that the package supports
#   make_venv DIR PYTHON   creates DIR with PYTHON, unless it stands already and works
#   install DIR NAME ARG…  runs pip in DIR, once per state of pyproject.toml

supported='import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))'

find_python() {
    local candidate
    for candidate in ${PYTHON:+"$PYTHON"} python3.13 python3.12 python3.11 python3 python; do
        # A name on PATH may be a stub that refuses to run: only an answer counts.
        if "$candidate" -c "$supported" >/dev/null 2>&1; then
            "$candidate" -c 'import sys; print(sys.executable)'
            return
        fi
    done
    echo "error: no Python 3.11, 3.12 or 3.13 with its venv module was found on PATH." >&2
    echo "Install one (Debian, Ubuntu: apt install python3 python3-venv), or set PYTHON to its path." >&2
    return 1
}

make_venv() {
    local directory=$1 python=$2
    if ! "$directory/bin/python" -c "$supported" >/dev/null 2>&1; then
        rm -rf "$directory"
        "$python" -m venv "$directory"
    fi
}

install() {
    local directory=$1 name=$2
    shift 2
    local stamp="$directory/.installed-$name" state
    state=$("$directory/bin/python" -c \
        'import hashlib, sys; print(hashlib.sha256(open("pyproject.toml", "rb").read()).hexdigest(), sys.version)')
    if [ "$(cat "$stamp" 2>/dev/null)" != "$state" ]; then
        "$directory/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
        echo "$state" >"$stamp"
    fi
}
