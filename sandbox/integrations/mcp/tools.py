"""The tools for sessions: a model names the session by the handle that `begin_session` gave it."""

import base64
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any, Literal, TypedDict, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.types import CallToolResult, ImageContent, TextContent, ToolAnnotations
from pydantic import Field

from sandbox.errors import PolicyError, SandboxError, SessionLost
from sandbox.integrations.mcp.handles import Handles
from sandbox.integrations.tool_text import CELL_DESCRIPTION, cell_text
from sandbox.runtime.sessions.result import CellResult
from sandbox.runtime.sessions.session import Session

OwnerOf = Callable[[Mapping[str, str] | None], str]
_T = TypeVar("_T")
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_SessionHandle = Annotated[str, Field(description="The handle that begin_session answered.")]
_Name = Annotated[str, Field(description="The file's name, below the working directory.")]


class Cell(TypedDict):
    """One cell; `value` is the repr of its last expression's value, `output` what was printed."""

    status: str
    output: str
    error: str
    value: str | None
    execution_count: int
    undone: bool


class Begun(TypedDict):
    """A session that has begun."""

    session: str


class Branches(TypedDict):
    """The branches that were made, each a session."""

    sessions: list[str]


class Closed(TypedDict):
    """The session that was closed."""

    closed: str


class Names(TypedDict):
    """The files of a session."""

    files: list[str]


class FileText(TypedDict):
    """A file: as text where it is UTF-8, else in base64."""

    name: str
    encoding: Literal["utf-8", "base64"]
    content: str


class Written(TypedDict):
    """A file that was written."""

    name: str
    size: int


def hints(*, reads: bool = False, destroys: bool = False, repeats: bool = False) -> ToolAnnotations:
    """Return annotations of a tool; none of ours reaches anything outside of the sandbox."""
    return ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=destroys,
        idempotent_hint=repeats,
        open_world_hint=False,
    )


def told(text: str, structured: Any = None, *more: Any, is_error: bool = False) -> CallToolResult:
    """Return a tool's answer."""
    content: list[Any] = [TextContent(type="text", text=text), *more]
    return CallToolResult(content=content, is_error=is_error, structured_content=structured)


def add_session_tools(server: MCPServer, handles: Handles, owner_of: OwnerOf, bounds: str) -> None:
    """Add the tools to `server`. `bounds` is a sentence about the limits of a cell."""

    def owner(context: Context) -> str:
        return owner_of(context.headers)

    async def begin_session(
        context: Context,
        on_error: Annotated[
            Literal["keep", "undo"],
            Field(description="What becomes of what a cell did before it raised: kept, or undone."),
        ] = "keep",
    ) -> Annotated[CallToolResult, Begun]:
        async def begun() -> CallToolResult:
            handle = await handles.begin(owner(context), on_error)
            return told(f"Session {handle} has begun.", Begun(session=handle))

        return await _answered(begun)

    async def run_cell(
        context: Context,
        session: _SessionHandle,
        code: Annotated[str, Field(description="The cell's Python.")],
        stdin: Annotated[str, Field(description="What the cell reads by input().")] = "",
    ) -> Annotated[CallToolResult, Cell]:
        async def ran() -> CallToolResult:
            result = await handles.use(owner(context), session, lambda held: held.run(code, stdin))
            return told(cell_text(result), _cell(result), *_images(result), is_error=not result.ok)

        return await _answered(ran)

    async def fork_session(
        context: Context,
        session: _SessionHandle,
        count: Annotated[int, Field(description="How many branches to make.", ge=1)] = 1,
    ) -> Annotated[CallToolResult, Branches]:
        async def forked() -> CallToolResult:
            made = await handles.fork(owner(context), session, count)
            text = f"Branches with the state of {session}: {', '.join(made)}"
            return told(text, Branches(sessions=made))

        return await _answered(forked)

    async def close_session(
        context: Context, session: _SessionHandle
    ) -> Annotated[CallToolResult, Closed]:
        async def closed() -> CallToolResult:
            await handles.close(owner(context), session)
            return told(f"Session {session} was closed.", Closed(closed=session))

        return await _answered(closed)

    async def list_files(
        context: Context, session: _SessionHandle
    ) -> Annotated[CallToolResult, Names]:
        async def listed() -> CallToolResult:
            names = await handles.use(owner(context), session, Session.files)
            return told("\n".join(names) or "There are no files.", Names(files=names))

        return await _answered(listed)

    async def read_file(
        context: Context, session: _SessionHandle, name: _Name
    ) -> Annotated[CallToolResult, FileText]:
        async def read() -> CallToolResult:
            content = await handles.use(owner(context), session, lambda held: held.read_file(name))
            answer = _file(name, content)
            return told(answer["content"], answer)

        return await _answered(read)

    async def write_file(
        context: Context,
        session: _SessionHandle,
        name: _Name,
        content: Annotated[str, Field(description="What is in the file, as text or in base64.")],
        encoding: Annotated[
            Literal["utf-8", "base64"], Field(description="How content is to be read.")
        ] = "utf-8",
    ) -> Annotated[CallToolResult, Written]:
        async def written() -> CallToolResult:
            data = _bytes(content, encoding)
            await handles.use(owner(context), session, lambda held: held.write_file(name, data))
            return told(f"{name}: {len(data)} bytes", Written(name=name, size=len(data)))

        return await _answered(written)

    fresh, reading = hints(), hints(reads=True, repeats=True)
    changing, replacing = hints(destroys=True), hints(destroys=True, repeats=True)
    for tool, annotations, description in (
        (begin_session, fresh, "Begin a session: a Python program that is run cell by cell."),
        (run_cell, changing, f"{CELL_DESCRIPTION} {bounds}"),
        (fork_session, fresh, "Make sessions that have the same state, and are independent of it."),
        (close_session, replacing, "End a session that is not needed any more, with its branches."),
        (list_files, reading, "List the files in a session's working directory."),
        (read_file, reading, "Read a file of a session."),
        (write_file, replacing, "Write a file for the cells of a session to read."),
    ):
        server.add_tool(tool, description=description, annotations=annotations)


async def _answered(work: Callable[[], Awaitable[CallToolResult]]) -> CallToolResult:
    """Return the answer of `work`; what it raises is told to the model."""
    try:
        return await work()
    except (SessionLost, PolicyError, ValueError, TypeError, FileNotFoundError) as error:
        return told(f"{error}\n", is_error=True)
    except SandboxError as error:
        return told(f"The sandbox failed, not the program: {error}", is_error=True)


def _cell(result: CellResult) -> Cell:
    return Cell(
        status=str(result.status),
        output=result.stdout,
        error=result.error,
        value=result.value_repr,
        execution_count=result.execution_count,
        undone=result.undone,
    )


def _images(result: CellResult) -> list[ImageContent]:
    return [
        ImageContent(type="image", data=part["data"], mime_type=part["type"])
        for part in result.parts
        if part["type"] in _IMAGES
    ]


def _file(name: str, content: bytes) -> FileText:
    try:
        return FileText(name=name, encoding="utf-8", content=content.decode())
    except UnicodeDecodeError:
        encoded = base64.b64encode(content).decode()
        return FileText(name=name, encoding="base64", content=encoded)


def _bytes(content: str, encoding: str) -> bytes:
    if encoding == "base64":
        return base64.b64decode(content, validate=True)
    return content.encode("utf-8", "surrogatepass")
