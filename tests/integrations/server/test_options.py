"""What of the server's settings is an option of its command, and what is said of the rest."""

import ast
import inspect
import re
from dataclasses import fields
from pathlib import Path

import typer.main

from sandbox.cli import app
from sandbox.integrations.server import command, settings

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "docs/server.md").read_text(encoding="utf-8")
NOT_OPTIONS = {  # figures that only code changes
    *("batch", "read_seconds", "grace_seconds", "idle_seconds", "answer_bytes", "value_items"),
    *("value_kib", "reward_seconds", "helpers", "helper_cpu_seconds", "helper_mib", "least_rate"),
    "connections",
}


def _given_by_the_command():
    (call,) = (
        node
        for node in ast.walk(ast.parse(inspect.getsource(command.serve_command)))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Settings"
    )
    return {keyword.arg for keyword in call.keywords}


def test_each_figure_is_given_by_the_command_or_said_to_be_no_option():
    names = {field.name for field in fields(settings.Settings)}
    assert _given_by_the_command() == names - NOT_OPTIONS
    assert all(f"`{name}`" in settings.__doc__ for name in ("jobs", "wait_seconds", "body_bytes"))
    assert not any(f"`{name}`" in settings.__doc__ for name in NOT_OPTIONS)


def test_every_option_that_the_document_names_is_one():
    serve = typer.main.get_command(app).commands["serve"]
    options = {name for each in serve.params for name in each.opts}
    assert set(re.findall(r"`(--[a-z-]+)`", TEXT)) <= options
