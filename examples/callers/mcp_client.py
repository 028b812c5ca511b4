"""Runs cells as the tools of the Model Context Protocol, as a model's client does.

pip install 'restricted-execution[mcp]'
python examples/callers/mcp_client.py            # starts `sandbox mcp` for itself
python examples/callers/mcp_client.py --url http://127.0.0.1:8000/mcp
"""

import argparse
import asyncio
import sys
from typing import Any

import mcp


async def cell(client: Any, session: str, code: str) -> str:
    """What a model is told of one cell."""
    answer = await client.call_tool("run_cell", {"session": session, "code": code})
    return str(answer.content[0].text).strip()


async def show(server: Any) -> None:
    """Run a cell, and another one in two branches."""
    async with mcp.Client(server) as client:
        begun = await client.call_tool("begin_session", {})
        session = begun.structured_content["session"]
        print("cell:", await cell(client, session, "1+1"))

        await cell(client, session, "x = 20")
        made = await client.call_tool("fork_session", {"session": session, "count": 2})
        for number, branch in enumerate(made.structured_content["sessions"], 21):
            print(f"x = {number}:", await cell(client, branch, f"x = {number}\nx * 2"))
        print("here:", await cell(client, session, "x"))
        await client.call_tool("close_session", {"session": session})


def main() -> None:
    """Ask the server that is named, or one of our own."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--url")
    url = parser.parse_args().url
    own = mcp.StdioServerParameters(command=sys.executable, args=["-m", "sandbox.cli", "mcp"])
    asyncio.run(show(url or own))


if __name__ == "__main__":
    main()
