"""The agents: the name of guide and lock of each, what it speaks, and how its tools are called."""

from collections.abc import Mapping
from typing import NamedTuple

import msgspec
from sums import ENDED, Reads, Writes

from foldpoint.lab.provider import Call, Step


class Agent(NamedTuple):
    """One agent: the name of its guide and its lock, which of the guide's fences are run, what it speaks and calls.

    `environment` is what a test needs besides: a key of nobody, and what switches reports to the vendor off.
    """

    client: str
    run: str
    surface: str
    reads: Reads
    writes: Writes
    environment: Mapping[str, str]
    last: Step = Step(ENDED)


def by_function() -> tuple[Reads, Writes]:
    """The two functions of the frameworks' guides."""
    return (
        lambda project, path: Call("read_file", {"path": path}),
        lambda project, path, text: Call("write_file", {"path": path, "text": text}),
    )


def by_script() -> tuple[Reads, Writes]:
    """A tool that runs JavaScript, in which the shell is a function."""
    reads, writes = by_shell("exec_command", "cmd")

    def script(call: Call) -> Call:
        command = msgspec.json.encode(call.arguments).decode()
        return Call("exec", {"input": f"const done = await tools.exec_command({command});\ntext(done.output);\n"})

    return (lambda *given: script(reads(*given)), lambda *given: script(writes(*given)))


def by_shell(tool: str, argument: str) -> tuple[Reads, Writes]:
    """A shell does both."""
    return (
        lambda project, path: Call(tool, {argument: f"cat {path}"}),
        lambda project, path, text: Call(tool, {argument: f"printf '{text.strip()}\\n' > {path}"}),
    )


def by_file(read: str, write: str) -> tuple[Reads, Writes]:
    """Tools for files, with absolute paths."""
    return (
        lambda project, path: Call(read, {"file_path": str(project / path)}),
        lambda project, path, text: Call(write, {"file_path": str(project / path), "content": text}),
    )


KEYS = {"ANTHROPIC_API_KEY": "nobody", "OPENAI_API_KEY": "nobody", "GEMINI_API_KEY": "nobody"}
QUIET = KEYS | {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
MINI = KEYS | {"MSWEA_CONFIGURED": "true", "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
SUBMITTED = Step("Done.", (Call("bash", {"command": "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"}),))

AGENTS = (
    Agent("claude-code", "run", "anthropic", *by_file("Read", "Write"), QUIET),
    Agent("codex", "run", "openai-responses", *by_script(), KEYS),
    Agent("codex", "run-older", "openai-responses", *by_shell("exec_command", "cmd"), KEYS),
    Agent("gemini-cli", "run", "gemini", *by_file("read_file", "write_file"), KEYS),
    Agent("mini-swe-agent", "run", "openai-chat", *by_shell("bash", "command"), MINI, SUBMITTED),
    Agent("mini-swe-agent", "run-anthropic", "anthropic", *by_shell("bash", "command"), MINI, SUBMITTED),
    Agent("langgraph", "run", "anthropic", *by_function(), KEYS),
    Agent("langgraph", "run-chat", "openai-chat", *by_function(), KEYS),
    Agent("openai-agents", "run", "openai-responses", *by_function(), KEYS),
    Agent("openai-agents", "run-chat", "openai-chat", *by_function(), KEYS),
    Agent("pydantic-ai", "run", "anthropic", *by_function(), KEYS),
    Agent("pydantic-ai", "run-chat", "openai-chat", *by_function(), KEYS),
    Agent("pydantic-ai", "run-responses", "openai-responses", *by_function(), KEYS),
)
