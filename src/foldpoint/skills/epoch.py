"""The fold grid: where the fold stands at turn N, replayed from turn 1 by the gate alone."""

import msgspec

from ..core.policy import Trajectory
from ..pricing.gate import Gate, Move
from .images import Choice, Images, chosen
from .ledger import Ledger
from .seal import Fold, fold_of
from .turns import Turn

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
    grid, keep = policy.epoch_size, policy.keep_recent_turns
    watermark = policy.token_watermark * policy.bytes_per_token or float("inf")
    waits = policy.horizon == "adaptive" and policy.payback_turns is None
    full, sealed, held, waited = ledger.full, state.sealed, state.held, state.waited
    fixed = ledger.head_size + state.prefix + state.images.size - full[sealed]
    for turn in range(state.turn + 1, until + 1):
        over = fixed + full[turn] > watermark
        chance = over or (turn % grid == 1 and turn > grid)
        to = turn - keep if over else (turn - 1) // grid * grid + 1 - keep
        if to <= sealed or to < 1 or not (chance or waits) or (turn <= grid and not over):
            continue
        if ledger.texts(turn) and not policy.fold_text_trajectories:
            continue
        choice = _choice(ledger, policy, state, turn, sealed, to)
        move = _move(ledger, choice, state, turn, to, waited, 1 if over else grid)
        if not chance:
            waited += max(0, move.full - move.lines)
        elif gate.folds(move):
            state = _moved(ledger, choice, state, move, to, held)
            sealed, waited = to, 0
            fixed = ledger.head_size + state.prefix + state.images.size - full[sealed]
        else:
            held += 1
            waited += max(0, move.full - move.lines)
    return msgspec.structs.replace(state, turn=until, held=held, waited=waited)


def _choice(ledger: Ledger, policy: Trajectory, state: State, turn: int, sealed: int, to: int) -> Choice:
    if not ledger.pictured:
        return _NO_IMAGES
    kinds = _kinds(state.folds) + [ledger.texts(turn)] * (to - sealed)
    return chosen(ledger.turns, ledger.views, policy.keep_recent_images, turn, sealed, to, kinds)


def _kinds(folds: tuple[Fold, ...]) -> list[bool]:
    """For each sealed turn, whether it was sealed as one of plain messages."""
    kinds: list[bool] = []
    for fold in folds:
        kinds += [fold.texts] * (fold.sealed - len(kinds))
    return kinds


def _move(ledger: Ledger, choice: Choice, state: State, turn: int, to: int, waited: int, chances: int) -> Move:
    full, sealed = ledger.full, state.sealed
    return Move(
        turn=turn,
        full=full[to] - full[sealed],
        lines=ledger.lines(ledger.texts(turn), sealed, to) - choice.left_out + choice.images.size - choice.stayed,
        moved=state.behind + choice.stayed + full[turn - 1] - full[to],
        waited=waited,
        chances=chances,
    )


def _moved(ledger: Ledger, choice: Choice, state: State, move: Move, to: int, held: int) -> State:
    fold = fold_of(ledger, move.turn, state.sealed, to, choice.dropped, move.moved + move.lines)
    return State(
        turn=move.turn,
        sealed=to,
        held=held,
        prefix=state.prefix + move.lines - (choice.images.size - choice.stayed),
        behind=_behind(ledger, state.behind, ledger.turns[state.sealed : to]),
        folds=(*state.folds, fold),
        images=choice.images,
    )


def _behind(ledger: Ledger, behind: int, turns: list[Turn]) -> int:
    """Bytes behind the place of the next block, once these turns are sealed."""
    if not ledger.shape.strict_turns:
        return 0
    for turn in turns:
        if turn.whole:
            behind = turn.behind if turn.behind >= 0 else behind + turn.size
    return behind
