"""The request bodies of a story, as its client sends them: the opening, then one behind each step."""

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any

import msgspec

from .story import Call, Step, Story, Tool

MARK = {"type": "ephemeral"}
REMINDER = "<system-reminder>\n{}\n</system-reminder>"
ENVIRONMENT = (
    "As you answer, you can use the following context.\nWorking directory: /home/dev/{0}\nIs a git repository: yes\n"
    "Platform: linux\nThis may or may not be relevant to the task; don't answer it unless it is."
)


def bodies(story: Story) -> Iterator[bytes]:
    """The opening request, then the one behind each step, in order."""
    shape = SHAPES[story.surface]
    for count in range(len(story.steps) + 1):
        yield msgspec.json.encode(shape(story, story.steps[:count]))


def anthropic(story: Story, steps: tuple[Step, ...]) -> dict[str, Any]:
    """Messages of Anthropic, marked as coding agents do: the system prompt and the last two user messages."""
    opening = [text(REMINDER.format(ENVIRONMENT.format(story.name))), text(story.task)]
    messages: list[dict[str, Any]] = [{"role": "user", "content": opening}]
    for number, step in enumerate(steps, 1):
        calls = [
            {"type": "tool_use", "id": call_id(story, number, at), "name": call.name, "input": call.arguments}
            for at, call in enumerate(step.calls)
        ]
        answer = [answered(call, call_id(story, number, at)) for at, call in enumerate(step.calls)]
        messages.append({"role": "assistant", "content": [text(step.says), *calls]})
        messages.append({"role": "user", "content": answer + ([text(step.note)] if step.note else [])})
    for message in [message for message in messages if message["role"] == "user"][-2:]:
        message["content"][-1]["cache_control"] = MARK
    system = [text("You are a careful agent that works with tools."), {**text(story.system), "cache_control": MARK}]
    return {
        "model": story.model,
        "max_tokens": 16_000,
        "system": system,
        "tools": [declared(tool, "input_schema") for tool in story.tools],
        "metadata": {"user_id": f"user_{digest(story.name)[:24]}_account__session_{digest(story.task)[:12]}"},
        "messages": messages,
    }


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def answered(call: Call, name: str) -> dict[str, Any]:
    result = {"type": "tool_result", "tool_use_id": name, "content": call.result}
    return {**result, "is_error": True} if call.failed else result


def chat(story: Story, steps: tuple[Step, ...]) -> dict[str, Any]:
    """Chat completions of OpenAI; the cache needs no marks."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": story.system},
        {"role": "user", "content": story.task},
    ]
    for number, step in enumerate(steps, 1):
        calls = [
            {
                "id": call_id(story, number, at),
                "type": "function",
                "function": {"name": call.name, "arguments": msgspec.json.encode(call.arguments).decode()},
            }
            for at, call in enumerate(step.calls)
        ]
        messages.append({"role": "assistant", "content": step.says, "tool_calls": calls})
        messages += [
            {"role": "tool", "tool_call_id": call_id(story, number, at), "content": call.result}
            for at, call in enumerate(step.calls)
        ]
        if step.note:
            messages.append({"role": "user", "content": step.note})
    tools = [{"type": "function", "function": declared(tool, "parameters")} for tool in story.tools]
    return {"model": story.model, "messages": messages, "tools": tools, "parallel_tool_calls": True}


SHAPES: Mapping[str, Callable[[Story, tuple[Step, ...]], dict[str, Any]]] = {
    "anthropic": anthropic,
    "openai-chat": chat,
}


def declared(tool: Tool, key: str) -> dict[str, Any]:
    """A tool's declaration; `key` is what the surface calls the schema of its arguments."""
    properties = {name: {"type": "string", "description": about} for name, about in tool.arguments.items()}
    schema = {"type": "object", "properties": properties, "required": list(properties)[:1]}
    return {"name": tool.name, "description": tool.about, key: schema}


def call_id(story: Story, step: int, at: int) -> str:
    prefix, length = ("toolu_01", 22) if story.surface == "anthropic" else ("call_", 24)
    return prefix + digest(f"{story.name} {step} {at}")[:length]


def digest(words: str) -> str:
    return sha256(words.encode()).hexdigest()
