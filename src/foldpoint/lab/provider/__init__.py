"""A simulated provider: answers, refuses, streams and bills as the real ones do, deterministic and on loopback."""

from .app import Provider
from .faults import Fault, fault
from .ledger import Exchange, Ledger
from .reply import Call, Step
from .script import Answers, Echo, Script, script

__all__ = ["Answers", "Call", "Echo", "Exchange", "Fault", "Ledger", "Provider", "Script", "Step", "fault", "script"]
