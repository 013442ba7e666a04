"""An agent from its settings: log, dialect, asker and tools put together."""

import os
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing

from foldpoint.stores import Conversations, open_log

from .asker import HttpAsker
from .dialects import dialect_of
from .ports import Tool
from .prompt import Prompt
from .recall import Recall
from .runtime import Runtime, Say
from .settings import AgentSettings
from .text_mode import TextMode
from .text_mode_calls import BrokenCall
from .tools import open_tools


def log_of(settings: AgentSettings) -> Conversations:
    """The agent's log; close it. Raises StoreError."""
    return open_log(settings.store, settings.folder)


def prompt_of(settings: AgentSettings) -> Prompt:
    """What builds the agent's requests."""
    dialect = dialect_of(settings.surface, settings.model, settings.extra)
    return Prompt(
        TextMode(dialect) if settings.disable_native_tools else dialect,
        settings.policy,
        system=settings.system,
        max_tokens=settings.max_tokens,
        window=settings.window_messages,
    )


@asynccontextmanager
async def open_agent(
    settings: AgentSettings, say: Say = lambda kind, text: None, environ: Mapping[str, str] = os.environ
) -> AsyncIterator[Runtime]:
    """The agent, its tools ready. Raises StoreError, ToolError."""
    with closing(log_of(settings)) as log:
        async with (
            open_tools(settings.tools, environ) as tools,
            HttpAsker(
                settings.surface, settings.base_url, settings.api_key, idle_seconds=settings.timeout_seconds
            ) as asker,
        ):
            recall = Recall(lambda: log.rows(log.current(settings.name)))
            own: list[Tool] = [recall] if hides(settings) else []
            untold: list[Tool] = [BrokenCall()] if settings.disable_native_tools else []
            yield Runtime(
                settings.name,
                log,
                prompt_of(settings),
                asker.within,
                [*tools, *own],
                untold=untold,
                max_turns=settings.max_turns,
                say=say,
                clock=time.time,
            )


def hides(settings: AgentSettings) -> bool:
    """May a prompt show less of a result than the log has?"""
    return settings.window_messages > 0 or settings.policy.mode == "prod"
