"""Turns of made Responses transcripts: items of every type, for a `Maker`."""

from typing import TYPE_CHECKING, Any

from .spelling import Speller

if TYPE_CHECKING:
    from .transcripts import Maker

PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"


def opening(maker: "Maker") -> list[Any]:
    """Instructions, tools that were loaded, the person's first message, and what stands behind it."""
    found: list[Any] = []
    if maker.has("hosted", 0.3):
        found.append({"type": "additional_tools", "role": "developer", "tools": [{"type": "custom", "name": "exec"}]})
    if maker.rng.random() < 0.7:
        found.append({"role": maker.rng.choice(["system", "developer"]), "content": maker.text(5, 60)})
    if not maker.has("no_opening"):
        found.append(user(maker, maker.note(), images=0.2))
    if maker.has("compactions", 0.4):
        found.append(compaction(maker))
    if maker.has("systems", 0.4):
        found.append({"role": "developer", "content": maker.text(3, 60)})
    elif maker.rng.random() < 0.1 and found:
        found.append(user(maker, maker.note()))
    return found


def compaction(maker: "Maker") -> dict[str, Any]:
    """What stands for turns that the provider compacted."""
    return {"type": "compaction", "id": f"cmp_{maker.rng.randint(0, 99)}", "encrypted_content": maker.text(1, 9)}


def user(maker: "Maker", said: str, images: float = 0.0) -> dict[str, Any]:
    """A message of the person's, in one of its spellings."""
    content: Any = said
    if maker.rng.random() < 0.6:
        content = [{"type": "input_text", "text": said, **maker.mark()}]
        if maker.has("images", images):
            content.append(image(maker))
        if images and maker.has("unknown_blocks", 0.3):
            content.append({"type": "hologram", "data": [1, 2]})
        if images and maker.has("documents", 0.3):
            content.append({"type": "input_file", "filename": "a.pdf", "file_data": "JVBERi0xLjQK" * 20})
    typed = {"type": "message"} if maker.rng.random() < 0.5 else {}
    named = {"id": f"msg_{maker.rng.randint(0, 99)}", "status": "completed"} if maker.rng.random() < 0.2 else {}
    return {**typed, "role": "user", "content": content, **named, **maker.extras()}


def image(maker: "Maker") -> dict[str, Any]:
    """An image."""
    return {"type": "input_image", "detail": "auto", "image_url": PIXEL + str(maker.rng.randint(0, 9))}


def turn(maker: "Maker") -> list[Any]:
    """An action and all that answers it."""
    found: list[Any] = []
    asked = batch(maker)
    if maker.has("thinking", 0.6):
        found.append(reasoning(maker))
    if not asked or maker.rng.random() < 0.5:
        found.append(said(maker, maker.rng.choice([maker.text(), maker.text(40, 90)])))
    if maker.has("hosted", 0.35):
        found += hosted(maker)
    found += [call for call, _ in asked]
    outputs = [output for _, output in asked]
    if maker.has("reordered", 0.5):
        maker.rng.shuffle(outputs)
    if outputs and maker.has("missing", 0.15):
        outputs.pop(maker.rng.randrange(len(outputs)))
    if maker.has("orphans", 0.1):
        outputs.append({"type": "function_call_output", "call_id": "orphan_1", "output": "o"})
    found += outputs
    if not asked or maker.has("beside", 0.25):
        note = maker.rng.choice(["", " "]) if maker.has("empty", 0.15) else maker.note()
        found.append(user(maker, note, images=0.5))
    if maker.has("systems", 0.1):
        found.append({"role": "developer", "content": maker.text()})
    if maker.has("compactions", 0.04):
        found.append(compaction(maker))
    if maker.has("odd_roles", 0.1):
        found.append(maker.rng.choice([{"role": "critic", "content": "c"}, {"type": "hologram"}, {"id": "msg_1"}]))
    return found


def said(maker: "Maker", text: str) -> dict[str, Any]:
    """A message of the assistant's, in one of its spellings."""
    if maker.rng.random() < 0.2:
        return {"role": "assistant", "content": text}
    part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": []}
    if maker.rng.random() < 0.1:
        part = {"type": "refusal", "refusal": text}
    named = {"id": "msg_0a", "status": "completed"} if maker.rng.random() < 0.5 else {}
    return {"type": "message", "role": "assistant", "content": [{**part, **maker.mark()}], **named}


def reasoning(maker: "Maker") -> dict[str, Any]:
    """A thought, its summary told or not."""
    summary = [{"type": "summary_text", "text": "Hidden " + maker.text()}] if maker.rng.random() < 0.5 else []
    content = {"content": None} if maker.rng.random() < 0.3 else {}
    return {"type": "reasoning", "id": f"rs_{maker.calls}", "summary": summary, **content, "encrypted_content": "gAAA"}


def batch(maker: "Maker") -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Calls of the client's tools with their outputs."""
    if maker.has("silent", 0.15):
        return []
    names: list[str] = []
    for _ in range(maker.rng.randint(2, 4) if maker.has("parallel", 0.4) else 1):
        name = maker.call_id()
        while name in names:
            name += "x"
        names.append(name)
    return [pair(maker, name) for name in names]


def pair(maker: "Maker", name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A call and its output, of a function or of another kind of tool."""
    kind = maker.rng.choice(["custom", "shell", "local_shell", "apply_patch", "computer", "program", "search", "new"])
    if not maker.has("hosted", 0.4):
        arguments = Speller(maker.rng, True).spell(maker.arguments())
        tool = maker.rng.choice(["read_file", "run", "search"])
        call = {"type": "function_call", "call_id": name, "name": tool, "arguments": arguments, **maker.extras()}
        return call, {"type": "function_call_output", "call_id": name, "output": output(maker), **maker.extras()}
    return OTHERS[kind](maker, name)


def output(maker: "Maker") -> Any:
    """What a tool says: a text, or parts."""
    if maker.has("empty", 0.1):
        return maker.rng.choice([None, [], "", "   \n"])
    if not maker.has("block_results", 0.4):
        return maker.output()
    parts: list[Any] = [{"type": "input_text", "text": maker.output() or "x", **maker.mark()}]
    if maker.has("images", 0.5):
        parts.append(image(maker))
    if maker.has("documents", 0.2):
        parts.append({"type": "input_file", "filename": "a.pdf", "file_data": "JVBERi0xLjQK" * 20})
    return parts


def custom(maker: "Maker", name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    call = {"type": "custom_tool_call", "call_id": name, "name": "exec", "input": maker.text()}
    return call, {"type": "custom_tool_call_output", "call_id": name, "output": output(maker)}


def shell(maker: "Maker", name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    outcome = (
        {"type": "timeout"} if maker.has("errors", 0.3) else {"type": "exit", "exit_code": maker.rng.randint(0, 1)}
    )
    told = [{"stdout": maker.output(), "stderr": maker.rng.choice(["", "warned"]), "outcome": outcome}]
    call = {"type": "shell_call", "call_id": name, "action": {"commands": ["ls -la", maker.text(1, 3)]}}
    return call, {"type": "shell_call_output", "call_id": name, "output": told}


def local_shell(maker: "Maker", name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    action = {"type": "exec", "command": ["ls", maker.text(1, 3)], "env": {}}
    call = {"type": "local_shell_call", "id": "lsh_1", "call_id": name, "action": action, "status": "completed"}
    return call, {"type": "local_shell_call_output", "id": name, "output": maker.output()}


def apply_patch(maker: "Maker", name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    operation = {"type": "update_file", "path": "a.py", "diff": maker.text(3, 50)}
    call = {"type": "apply_patch_call", "call_id": name, "operation": operation, "status": "completed"}
    status = "failed" if maker.has("errors", 0.4) else "completed"
    told = {"output": maker.output()} if maker.rng.random() < 0.7 else {}
    return call, {"type": "apply_patch_call_output", "call_id": name, "status": status, **told}


def computer(maker: "Maker", name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    action = {"type": "click", "button": "left", "x": maker.rng.randint(0, 99), "y": 1}
    asked: dict[str, Any] = {"action": action} if maker.rng.random() < 0.5 else {"actions": [action]}
    call = {"type": "computer_call", "call_id": name, "pending_safety_checks": [], **asked}
    shot = {"image_url": PIXEL} if maker.rng.random() < 0.7 else {"file_id": "file_1"}
    return call, {"type": "computer_call_output", "call_id": name, "output": {"type": "computer_screenshot", **shot}}


def by_program(maker: "Maker", name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    caller = {"caller": {"type": "program", "caller_id": "call_p"}}
    call, told = custom(maker, name)
    return {**call, **caller}, {**told, **caller}


def search(maker: "Maker", name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    call = {
        "type": "tool_search_call",
        "call_id": name,
        "execution": "client",
        "arguments": {"query": maker.text(1, 4)},
    }
    return call, {"type": "tool_search_output", "call_id": name, "execution": "client", "tools": [{"type": "custom"}]}


def new(maker: "Maker", name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """A kind of tool that there is not yet."""
    return {"type": "teleport_call", "call_id": name, "input": "x"}, {
        "type": "teleport_call_output",
        "call_id": name,
        "output": maker.text(),
    }


OTHERS = {
    "custom": custom,
    "shell": shell,
    "local_shell": local_shell,
    "apply_patch": apply_patch,
    "computer": computer,
    "program": by_program,
    "search": search,
    "new": new,
}


def hosted(maker: "Maker") -> list[dict[str, Any]]:
    """What the provider's own tools did in an action."""
    name = f"x_{maker.rng.randint(0, 999)}"
    action = {"type": "search", "query": maker.text(1, 5)}
    logs = [{"type": "logs", "logs": maker.output()}, {"type": "image", "url": "https://x/y.png"}]
    arguments = Speller(maker.rng, True).spell(maker.arguments())
    mcp = {"id": name, "server_label": "s", "name": "look", "arguments": arguments}
    return maker.rng.choice(
        [
            [{"type": "web_search_call", "id": name, "status": "completed", "action": action}],
            [{"type": "file_search_call", "id": name, "queries": ["a"], "results": [{"text": maker.output()}]}],
            [{"type": "file_search_call", "id": name, "queries": ["a"], "results": None}],
            [{"type": "code_interpreter_call", "id": name, "code": maker.text(), "outputs": logs}],
            [{"type": "code_interpreter_call", "id": name, "code": None, "outputs": None}],
            [{"type": "image_generation_call", "id": name, "result": PIXEL.rpartition(",")[2]}],
            [{"type": "image_generation_call", "id": name, "result": None}],
            [{"type": "mcp_call", **mcp, "output": maker.output(), "error": None}],
            [{"type": "mcp_call", **mcp, "output": None, "error": {"type": "http_error", "message": "no"}}],
            [{"type": "mcp_list_tools", "id": name, "server_label": "s", "tools": []}],
            approval(maker, name, mcp),
            [
                {"type": "tool_search_call", "call_id": None, "id": name, "execution": "server", "arguments": {}},
                {"type": "tool_search_output", "call_id": None, "execution": "server", "tools": []},
            ],
            [
                {"type": "program", "id": name, "call_id": name, "code": maker.text(), "fingerprint": "f"},
                {
                    "type": "program_output",
                    "id": name,
                    "call_id": name,
                    "result": maker.output(),
                    "status": "completed",
                },
            ],
        ]
    )


def approval(maker: "Maker", name: str, mcp: dict[str, Any]) -> list[dict[str, Any]]:
    """A call that the person was asked about."""
    answer = {"type": "mcp_approval_response", "approval_request_id": name, "approve": maker.rng.random() < 0.5}
    told = {"reason": maker.text(1, 5)} if maker.rng.random() < 0.5 else {}
    return [{"type": "mcp_approval_request", **mcp}, {**answer, **told}]
