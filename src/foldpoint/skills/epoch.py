"""The fold grid: where the fold stands at turn N, replayed from turn 1 by the gate alone."""

import sys
from collections.abc import Sequence
from math import floor

import msgspec

from ..core.policy import Trajectory
from ..pricing.gate import Gate
from .images import Choice, Images, chosen, dropped_of, kept_of
from .ledger import Ledger
from .seal import Fold, Move, folds_of

_NO_IMAGES, _NONE = Choice(), Images()


class State(msgspec.Struct, frozen=True):
    """Where the fold stands after a turn.

    turn: the turn; sealed: turns sealed; held: chances refused; waited: what holding has cost since the fold last
    moved, in bytes; prefix: bytes of the blocks and of what they carry; behind: of these and the head, what stands
    behind the place of the next block; folds: every move so far; images: those that stand last.
    """

    turn: int = 0
    sealed: int = 0
    held: int = 0
    waited: int = 0
    prefix: int = 0
    behind: int = 0
    folds: tuple[Fold, ...] = ()
    images: Images = Images()

    @property
    def moved(self) -> bool:
        """Did the fold move at this turn?"""
        return bool(self.folds) and self.folds[-1].turn == self.turn


def start(ledger: Ledger) -> State:
    """The state before the first turn."""
    return State(behind=ledger.behind)


def replayed(ledger: Ledger, policy: Trajectory, gate: Gate, state: State, until: int) -> State:
    """The state after turn `until`, from an earlier state: one decision a turn, none looks at a later turn."""
    if until == state.turn:
        return state
    grid, keep, waits, decides = policy.epoch_size, policy.keep_recent_turns, gate.waits, gate.terms()
    watermark, edge = _bytes(policy.token_watermark, policy), _bytes(gate.edge, policy)
    full, answered, pictured = ledger.full, ledger.answered, ledger.pictured
    stand, moves, held, waited = _Stand(ledger, state), list[Move](), state.held, state.waited
    sealed, opens, fixed = stand.sealed, ledger.opens(stand.sealed), stand.fixed
    for turn in range(state.turn + 1, until + 1):
        size, chance = fixed + full[turn], True
        over, forced = size > watermark, size > edge
        if over:
            to = turn - keep
        elif turn > grid or forced:
            chance, to = turn % grid == 1, (turn - 1) // grid * grid + 1 - keep
            if not (chance or waits or forced):
                continue
        else:
            continue
        texts = not 0 < answered <= turn
        if to <= sealed or (texts and not policy.fold_text_trajectories):
            continue
        sums, choice = ledger.sealed[texts], _NO_IMAGES
        lines, moved = opens + sums[to] - sums[sealed], stand.behind + full[turn - 1] - full[to]
        if pictured:
            choice = chosen(ledger, policy.keep_recent_images, turn, sealed, to, [*state.folds, *moves])
            lines, moved = lines + choice.added, moved + choice.stayed
        saved = full[to] - full[sealed] - lines
        if (chance and decides(turn, saved, lines, moved, waited, 1 if over else grid)) or (forced and saved > 0):
            moves.append(stand.move(turn, to, texts, lines, moved, choice))
            sealed, opens, fixed, waited = to, ledger.opens(to), stand.fixed, 0
        else:
            held += chance
            if saved > 0:
                waited += saved
    return stand.after(state, moves, until, held, waited)


def _bytes(tokens: int | None, policy: Trajectory) -> int:
    """The most bytes that are not over so many tokens; no number is, of none."""
    return floor(tokens * policy.bytes_per_token) if tokens else sys.maxsize


class _Stand:
    """Where the fold stands while it is replayed. `fixed`: bytes beside turns not sealed, less those of the sealed."""

    def __init__(self, ledger: Ledger, state: State) -> None:
        self.ledger, self.sealed, self.prefix = ledger, state.sealed, state.prefix
        self.behind, self.images = state.behind, state.images
        self.fixed = self._fixed()

    def _fixed(self) -> int:
        return self.ledger.head_size + self.prefix + self.images.size - self.ledger.full[self.sealed]

    def move(self, turn: int, to: int, texts: bool, lines: int, moved: int, choice: Choice) -> Move:
        """Seal turns up to `to`."""
        ledger = self.ledger
        dropped = dropped_of(ledger, choice, self.sealed, to) if choice.left_out else {}
        if ledger.carries:
            self.behind = _behind(ledger, self.behind, self.sealed, to, texts)
        if ledger.pictured:
            self.images = kept_of(ledger, choice) if choice.last else _NONE
        self.prefix += lines - (choice.size - choice.stayed)
        self.sealed = to
        self.fixed = self._fixed()
        return Move(turn, to, texts, moved + lines, dropped)

    def after(self, state: State, moves: Sequence[Move], until: int, held: int, waited: int) -> State:
        """The state after the replay of these moves from the other state."""
        folds = (*state.folds, *folds_of(self.ledger, state.sealed, moves)) if moves else state.folds
        return State(until, self.sealed, held, waited, self.prefix, self.behind, folds, self.images)


def _behind(ledger: Ledger, behind: int, sealed: int, to: int, texts: bool) -> int:
    """Bytes behind the place of the next block, once turns sealed+1…to are sealed."""
    if ledger.shape.strict_turns:
        for _, turn in ledger.among(sealed, to):
            if turn.seal(texts).whole:
                behind = turn.behind if turn.behind >= 0 else behind + turn.size
    return behind
