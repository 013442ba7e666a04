"""The fold grid: where the fold stands at turn N, replayed from turn 1 by the gate alone."""

import msgspec

from ..core.policy import Trajectory
from ..pricing.gate import Gate
from .images import Choice, Images, chosen, dropped_of, kept_of
from .ledger import Ledger
from .seal import Fold, fold_of

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
    grid, keep, waits = policy.epoch_size, policy.keep_recent_turns, gate.waits
    watermark = policy.token_watermark * policy.bytes_per_token or float("inf")
    edge = gate.edge * policy.bytes_per_token if gate.edge else float("inf")
    full, held, waited = ledger.full, state.held, state.waited
    fixed = ledger.head_size + state.prefix + state.images.size - full[state.sealed]
    for turn in range(state.turn + 1, until + 1):
        over, forced = fixed + full[turn] > watermark, fixed + full[turn] > edge
        if turn <= grid and not (over or forced):
            continue
        chance = over or turn % grid == 1
        to = turn - keep if over else (turn - 1) // grid * grid + 1 - keep
        if to <= state.sealed or to < 1 or not (chance or waits or forced):
            continue
        texts = ledger.texts(turn)
        if texts and not policy.fold_text_trajectories:
            continue
        sealing, choice = full[to] - full[state.sealed], _NO_IMAGES
        lines, moved = ledger.lines(texts, state.sealed, to), state.behind + full[turn - 1] - full[to]
        if ledger.pictured:
            choice = chosen(ledger, policy.keep_recent_images, turn, state.sealed, to, state.folds)
            lines, moved = lines + choice.added, moved + choice.stayed
        folds = chance and gate.folds(turn, sealing, lines, moved, waited, 1 if over else grid)
        if folds or (forced and sealing > lines):
            state, waited = _moved(ledger, state, turn, to, lines, moved, choice), 0
            fixed = ledger.head_size + state.prefix + state.images.size - full[to]
        else:
            held += chance
            waited += sealing - lines if sealing > lines else 0
    return msgspec.structs.replace(state, turn=until, held=held, waited=waited)


def _moved(ledger: Ledger, state: State, turn: int, to: int, lines: int, moved: int, choice: Choice) -> State:
    dropped = dropped_of(ledger, choice, state.sealed, to) if choice.left_out else {}
    fold = fold_of(ledger, turn, state.sealed, to, dropped, moved + lines)
    images = kept_of(ledger, choice) if choice.last else _NONE
    prefix = state.prefix + lines - (choice.size - choice.stayed)
    behind = _behind(ledger, state.behind, state.sealed, to, fold.texts)
    return State(turn, to, 0, 0, prefix, behind, (*state.folds, fold), images)


def _behind(ledger: Ledger, behind: int, sealed: int, to: int, texts: bool) -> int:
    """Bytes behind the place of the next block, once turns sealed+1…to are sealed."""
    if ledger.carries and ledger.shape.strict_turns:
        for turn in ledger.turns[sealed:to]:
            if (turn.by_texts if texts else turn.by_results).whole:
                behind = turn.behind if turn.behind >= 0 else behind + turn.size
    return behind
