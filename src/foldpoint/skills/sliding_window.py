"""The window that slides at every turn: for comparison, and for providers without a cache."""

from ..core.policy import Trajectory
from .epoch import State
from .images import Choice, chosen, dropped_of, kept_of
from .ledger import Ledger
from .seal import Move, folds_of


def windowed(ledger: Ledger, policy: Trajectory, turn: int) -> State:
    """Everything but the newest `window_turns` turns as one block, without a gate."""
    to = turn - max(policy.window_turns, policy.keep_recent_turns)
    texts = ledger.texts(turn)
    if to < 1 or (texts and not policy.fold_text_trajectories):
        return State(turn=turn, behind=ledger.behind)
    choice = chosen(ledger, policy.keep_recent_images, turn, 0, to, ()) if ledger.pictured else Choice()
    lines = ledger.lines(texts, 0, to) + choice.added
    rewritten = ledger.behind + lines + ledger.full[turn - 1] - ledger.full[to]
    folds = folds_of(ledger, 0, [Move(turn, to, texts, rewritten, dropped_of(ledger, choice, 0, to))])
    images = kept_of(ledger, choice)
    return State(turn=turn, sealed=to, prefix=lines - choice.size, folds=tuple(folds), images=images)
