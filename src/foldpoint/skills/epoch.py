"""The fold grid: where the fold stands at turn N, replayed from turn 1 by the gate alone."""

from typing import NamedTuple

import msgspec

from ..core.policy import Trajectory
from ..pricing.gate import Gate
from .images import Choice, Images, chosen
from .ledger import Ledger
from .seal import Fold, fold_of

_NO_IMAGES = Choice()


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
    grid, keep, waits = policy.epoch_size, policy.keep_recent_turns, gate.waits
    watermark = policy.token_watermark * policy.bytes_per_token or float("inf")
    full, held, waited = ledger.full, state.held, state.waited
    fixed = ledger.head_size + state.prefix + state.images.size - full[state.sealed]
    for turn in range(state.turn + 1, until + 1):
        over = fixed + full[turn] > watermark
        if turn <= grid and not over:
            continue
        chance = over or turn % grid == 1
        to = turn - keep if over else (turn - 1) // grid * grid + 1 - keep
        if to <= state.sealed or to < 1 or not (chance or waits):
            continue
        if not policy.fold_text_trajectories and ledger.texts(turn):
            continue
        move = _move(ledger, policy.keep_recent_images, state, turn, to)
        if chance and gate.folds(turn, move.full, move.lines, move.moved, waited, 1 if over else grid):
            state, waited = _moved(ledger, state, turn, to, move), 0
            fixed = ledger.head_size + state.prefix + state.images.size - full[to]
        else:
            held += chance
            waited += max(0, move.full - move.lines)
    return msgspec.structs.replace(state, turn=until, held=held, waited=waited)


class _Move(NamedTuple):
    """What a move would do, in bytes: sealed turns as they are; their lines and what they carry; what is displaced."""

    full: int
    lines: int
    moved: int
    choice: Choice


def _move(ledger: Ledger, images: int, state: State, turn: int, to: int) -> _Move:
    full, sealed = ledger.full, state.sealed
    lines = ledger.lines(ledger.texts(turn), sealed, to)
    moved = state.behind + full[turn - 1] - full[to]
    if not ledger.pictured:
        return _Move(full[to] - full[sealed], lines, moved, _NO_IMAGES)
    kinds = _kinds(state.folds) + [ledger.texts(turn)] * (to - sealed)
    choice = chosen(ledger.turns, ledger.views, images, turn, sealed, to, kinds)
    lines += choice.images.size - choice.stayed - choice.left_out
    return _Move(full[to] - full[sealed], lines, moved + choice.stayed, choice)


def _kinds(folds: tuple[Fold, ...]) -> list[bool]:
    """For each sealed turn, whether it was sealed as one of plain messages."""
    kinds: list[bool] = []
    for fold in folds:
        kinds += [fold.texts] * (fold.sealed - len(kinds))
    return kinds


def _moved(ledger: Ledger, state: State, turn: int, to: int, move: _Move) -> State:
    choice = move.choice
    fold = fold_of(ledger, turn, state.sealed, to, choice.dropped, move.moved + move.lines)
    return State(
        turn=turn,
        sealed=to,
        prefix=state.prefix + move.lines - (choice.images.size - choice.stayed),
        behind=_behind(ledger, state.behind, state.sealed, to),
        folds=(*state.folds, fold),
        images=choice.images,
    )


def _behind(ledger: Ledger, behind: int, sealed: int, to: int) -> int:
    """Bytes behind the place of the next block, once turns sealed+1…to are sealed."""
    if ledger.shape.strict_turns:
        for turn in ledger.turns[sealed:to]:
            if turn.whole:
                behind = turn.behind if turn.behind >= 0 else behind + turn.size
    return behind
