"""Taking the program out of what a model wrote. The rules are in docs/grading.md.

No regular expression runs over the whole text: a completion is untrusted, and this is linear in it.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

_PYTHON = {"python", "python3", "py", "py3"}
# A run of three or more at the start of a line, as in CommonMark 0.31, section 4.5; any indentation
# counts, as models put blocks below items of lists.
_FENCE = re.compile(r"([ \t]*)(`{3,}|~{3,})[ \t]*([^\n]*)")
_THINKING, _ANSWER = "<think>", "</think>"


def extract_code(completion: "str | Sequence[Any] | Mapping[str, Any]") -> str:
    """Return the program in a completion: a text, a message, or a conversation (its last reply).

    Returns "" if there is none. Raises TypeError for what is neither text nor messages.
    """
    blocks = _blocks(_answer(_text(completion)))
    for wanted in (_PYTHON, {""}):
        chosen = [code for label, code in blocks if label in wanted]
        if chosen:
            return chosen[-1]
    return ""


def _text(completion: Any) -> str:
    """Return what the model said last."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Mapping):
        return _content(completion.get("content"))
    if not isinstance(completion, Sequence) or isinstance(completion, (bytes, bytearray)):
        raise TypeError(f"a completion is text or messages, not a {type(completion).__name__}")
    for message in reversed(completion):
        if not isinstance(message, Mapping):
            raise TypeError(f"a message is a dict, not a {type(message).__name__}")
        if message.get("role", "assistant") == "assistant" and message.get("content"):
            return _content(message["content"])
    return ""


def _content(content: Any) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    if isinstance(content, Sequence):
        parts = [part.get("text") for part in content if isinstance(part, Mapping)]
        return "".join(part for part in parts if isinstance(part, str))
    raise TypeError(f"a message's content is text or parts, not a {type(content).__name__}")


def _answer(text: str) -> str:
    """Return what follows the thinking; nothing if the thinking never ended."""
    text = text.rpartition(_ANSWER)[2]
    return text.partition(_THINKING)[0]


def _blocks(text: str) -> list[tuple[str, str]]:
    """List all fenced blocks: label in lower case, and text. One that never ends counts."""
    found: list[tuple[str, str]] = []
    fence, indent, label, lines = "", 0, "", list[str]()
    for line in text.split("\n"):
        line = line.removesuffix("\r")
        match = _FENCE.fullmatch(line) if "```" in line or "~~~" in line else None
        if fence:
            if match and not match[3] and match[2][0] == fence[0] and len(match[2]) >= len(fence):
                found.append((label, _joined(lines)))
                fence, lines = "", []
            else:
                lines.append(_dedented(line, indent))
        elif match and not ("`" in match[3] and match[2][0] == "`"):
            fence, indent = match[2], len(match[1])
            words = match[3].replace("{", " ").replace("}", " ").replace(",", " ").split()
            label = words[0].lstrip(".").lower() if words else ""
    if fence:
        ended = lines[:-1] if lines and not lines[-1] else lines
        found.append((label, _joined(ended)))
    return found


def _dedented(line: str, indent: int) -> str:
    """Return `line` without as much of its indentation as its fence had."""
    if not indent:
        return line
    blank = len(line) - len(line.lstrip(" \t"))
    return line[min(indent, blank) :]


def _joined(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
