"""For verl's `function_tool_path`: the tool `run_python`, a program of its own for each call.

verl loads the file by its path; nothing imports it. There are no settings but the environment's:
`RESTRICTED_EXECUTION_POLICY` is a shipped policy's name or the path of a .toml file.
"""

import os

from verl.tools.function_tool import function_tool

from sandbox import Sandbox
from sandbox.integrations.tool_text import tool_text
from sandbox.runtime.caller.defaults import default_sandbox


def _sandbox() -> Sandbox:
    return default_sandbox(os.environ.get("RESTRICTED_EXECUTION_POLICY", "contest"))


@function_tool  # type: ignore[untyped-decorator]
async def run_python(code: str, stdin: str = "") -> str:
    """
    Run a Python program and get what it prints, or how it failed.

    Each call is a new process: nothing is kept from one to the next. Print what you want to see.

    Args:
        code: The Python program.
        stdin: What the program reads from standard input.

    Returns:
        What the program printed, and the traceback or the limit that ended it, if it failed.
    """
    return tool_text(await _sandbox().arun(code, stdin))
