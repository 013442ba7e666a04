"""Keep long-running LLM agents inside their context window and inside their provider's prompt cache."""

from .core.policy import Policy
from .core.receipt import Receipt
from .engine import Engine, Folded, fold, fold_messages

__all__ = ["Engine", "Folded", "Policy", "Receipt", "fold", "fold_messages"]
__version__ = "0.1.0"
