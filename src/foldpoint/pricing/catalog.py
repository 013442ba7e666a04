"""Our price table, by model id and never by date: a decision may not change with the clock.

Read on 30 November 2026 from the providers' pricing and prompt-caching pages and from genai-prices 0.2.3.
"""

from msgspec.structs import replace

from .rates import CAUTIOUS, DEFAULT, Rates, longest_match, longest_name


def _claude(input_usd: float, read: int = 100, window: int = 1_000_000, min_prefix: int = 1_024) -> Rates:
    """A Claude row at the price of the 5-minute cache."""
    return Rates(read, 1_250, input_usd, window, min_prefix)


def _binding(input_usd: float, read: int, min_prefix: int = 1_024, band: int | None = None) -> Rates:
    """A Claude row of a model that binds thinking to its prefix (platform.claude.com/docs, preserved thinking)."""
    return Rates(read, 1_250, input_usd, 1_000_000, min_prefix, binds_thinking=True, band=band)


def _free_write(input_usd: float, read: int, window: int | None, band: int | None = None) -> Rates:
    """A row of a provider that charges nothing extra for writing its cache."""
    return Rates(read, 1_000, input_usd, window, band=band)


def _gpt(input_usd: float, read: int = 100) -> Rates:
    """A row of OpenAI's since it charges for writes: twice the price over 272k tokens."""
    return Rates(read, 1_250, input_usd, 1_050_000, band=272_000)


def _gemini(input_usd: float | None, read: int = 100, min_prefix: int = 2_048, band: int | None = None) -> Rates:
    """A row of Google's: writing its automatic cache is free."""
    return Rates(read, 1_000, input_usd, 1_048_576, min_prefix, band=band)


TABLE: dict[str, dict[str, Rates]] = {
    "Anthropic: platform.claude.com/docs, pricing and prompt-caching": {
        "claude-3": _claude(3, window=200_000),
        "claude-3-haiku": Rates(120, 1_200, 0.25, 200_000, 2_048),
        "claude-3-opus": _claude(15, window=200_000),
        "claude-3-5-haiku": _claude(0.8, window=200_000, min_prefix=2_048),
        "claude-opus-4": _claude(15, window=200_000),
        "claude-opus-4-5": _claude(5, window=200_000, min_prefix=4_096),
        "claude-opus-4-6": _claude(5, min_prefix=4_096),
        "claude-opus-4-7": _claude(5, min_prefix=2_048),
        "claude-opus-4-8": _claude(5),
        "claude-opus-5": _claude(5, min_prefix=512),
        "claude-opus-5-5": _binding(4, 50),
        "claude-sonnet-4": _claude(3, window=200_000),
        "claude-sonnet-4-5": Rates(100, 1_250, 3, 200_000, band=200_000),
        "claude-sonnet-4-6": _claude(3),
        "claude-sonnet-5": _claude(2),
        "claude-sonnet-5-5": _binding(2, 50),
        "claude-haiku-4-5": _claude(1, window=200_000, min_prefix=4_096),
        "claude-haiku-5-5": _binding(0.1, 100, 512, band=100_000),
        "claude-fable-5": _claude(10, min_prefix=512),
        "claude-fable-5-1": _binding(10, 25, 512),
        "claude-fable-5-2": _binding(8, 25),
        "claude-mythos-5-2": _binding(8, 25),
    },
    "OpenAI: developers.openai.com/api/docs, pricing and prompt-caching": {
        "gpt-4o": _free_write(2.5, 500, 128_000),
        "gpt-4o-mini": _free_write(0.15, 500, 128_000),
        "o1": _free_write(15, 500, 200_000),
        "o3": _free_write(2, 250, 200_000),
        "o4-mini": _free_write(1.1, 250, 200_000),
        "gpt-4-1": _free_write(2, 250, 1_000_000),
        "gpt-4-1-mini": _free_write(0.4, 250, 1_000_000),
        "gpt-4-1-nano": _free_write(0.1, 250, 1_000_000),
        "gpt-5": _free_write(1.25, 100, 400_000),
        "gpt-5-mini": _free_write(0.25, 100, 400_000),
        "gpt-5-nano": _free_write(0.05, 100, 400_000),
        "gpt-5-1": _free_write(1.25, 100, 400_000),
        "gpt-5-2": _free_write(1.75, 100, 400_000),
        "gpt-5-3": _free_write(1.75, 100, 128_000),
        "gpt-5-3-codex": _free_write(1.75, 100, 400_000),
        "gpt-5-4": _free_write(2.5, 100, 1_050_000, 272_000),
        "gpt-5-4-mini": _free_write(0.75, 100, 400_000),
        "gpt-5-4-nano": _free_write(0.2, 100, 400_000),
        "gpt-5-5": _free_write(5, 100, 1_000_000, 272_000),
        "gpt-5-6-sol": _gpt(4),
        "gpt-5-6-terra": _gpt(2),
        "gpt-5-6-luna": _gpt(0.2),
        "gpt-6-astra": _gpt(10),
        "gpt-6-sol": _gpt(2),
        "gpt-6-luna": _gpt(0.1),
        "gpt-6-1-sol": _gpt(2, 50),
        "gpt-6-1-terra": _gpt(1, 50),
        "gpt-6-2-sol": _gpt(2, 50),
    },
    "Amazon: aws.amazon.com/bedrock/pricing; prefixes from docs.aws.amazon.com/bedrock, prompt-caching": {
        "nova-micro": Rates(250, 1_000, 0.035, 128_000, 1_000),
        "nova-lite": Rates(250, 1_000, 0.06, 300_000, 1_000),
        "nova-pro": Rates(250, 1_000, 0.8, 300_000, 1_000),
        "nova-premier": Rates(250, 1_000, 2.5, 1_000_000, 1_000),
        "nova-2-lite": Rates(250, 1_000, 0.3, 1_000_000, 1_000),
    },
    "DeepSeek: api-docs.deepseek.com, pricing and kv_cache": {
        "deepseek-v4-1-flash": _free_write(0.15, 20, None),
    },
    "Google: ai.google.dev/gemini-api/docs, pricing and caching; text of up to 200k tokens where the price has bands": {
        "gemini-2-0-flash": _gemini(0.1, read=250),
        "gemini-2-5": _gemini(None),
        "gemini-2-5-pro": _gemini(1.25, band=200_000),
        "gemini-2-5-flash": _gemini(0.3),
        "gemini-2-5-flash-lite": _gemini(0.1),
        "gemini-3": _gemini(None, min_prefix=4_096),
        "gemini-3-pro": _gemini(2, min_prefix=4_096, band=200_000),
        "gemini-3-flash": _gemini(0.5, min_prefix=4_096),
        "gemini-3-1-pro": _gemini(2, min_prefix=4_096, band=200_000),
        "gemini-3-1-flash-lite": _gemini(0.25, min_prefix=4_096),
        "gemini-3-5-flash": _gemini(1.5, min_prefix=4_096),
        "gemini-3-5-flash-lite": _gemini(0.3, min_prefix=4_096),
        "gemini-3-6-flash": _gemini(0.75, min_prefix=4_096),
        "gemini-3-7-flash": _gemini(0.75, min_prefix=4_096),
        "gemini-3-8-flash": _gemini(0.75, min_prefix=4_096),
        "gemini-4": _gemini(None, read=50, min_prefix=4_096),
        "gemini-4-argon": _gemini(2, read=50, min_prefix=4_096),
    },
}
"""By source: where a row was read, beside genai-prices where that has the model."""
ROWS: dict[str, Rates] = {
    name: replace(row, source=source) for source, rows in TABLE.items() for name, row in rows.items()
}


def known_rates(model: str) -> Rates | None:
    """The model's row, if the table has one."""
    return longest_match(model, ROWS)


def known_name(model: str) -> str | None:
    """The name of the model's row, if the table has one."""
    return longest_name(model, ROWS)


def rates_of(model: str) -> Rates:
    """The model's row, or the default one where the table has none."""
    return known_rates(model) or DEFAULT


def gate_rates(model: str, pricing: bool, adaptive: bool) -> Rates:
    """The prices that the gate reads for a model."""
    known = known_rates(model) if pricing else None
    return known or (CAUTIOUS if adaptive else DEFAULT)
