"""Where the fold stands after each turn, worked out from nothing: the grid, the watermark and both gates."""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate

from foldpoint.core.policy import Trajectory
from foldpoint.skills.evidence import extract

from . import lines
from .model import BLOCK, IMAGE, STRICT, Message, Part, Reading, Turn, width

LAMBDA = 3
UNKNOWN = {"task": (Fraction(1, 10), Fraction(5, 4)), "adaptive": (Fraction(1, 25), Fraction(1))}  # L = 24 for adaptive
LEFT_OUT_IMAGE = BLOCK + len("[image]")
RESULTS_ALONE = STRICT  # surfaces where a carried text can't stand behind a turn kept whole


@dataclass(frozen=True)
class Decision:
    """What was weighed at one turn, and where the fold stands after it."""

    turn: int
    sealed: int
    held: int
    moved: bool
    chance: bool = False
    freed: int = 0  # ΔF
    added: int = 0  # ΔS
    moves: int = 0  # U
    owed: int = 0  # X + e·d
    over: bool = False


@dataclass(frozen=True)
class Place:
    """A message of the folded prefix: may our text be merged into it, and what it measures with all merged into it."""

    open: bool
    size: int
    whole: bool = False


@dataclass(frozen=True)
class State:
    """The folded prefix after the folds so far."""

    sealed: int = 0
    places: tuple[Place, ...] = ()
    images: tuple[tuple[int, str], ...] = ()
    blocks: tuple[str, ...] = ()
    whole: frozenset[int] = field(default=frozenset())
    results: tuple[bool, ...] = ()

    @property
    def size(self) -> int:
        return sum(place.size for place in self.places) + sum(kept_image(label) for _, label in self.images)


@dataclass(frozen=True)
class Move:
    """A move of the fold, weighed."""

    after: State
    freed: int
    added: int
    behind: int


class Replay:
    """The replay of one request under one policy."""

    def __init__(self, reading: Reading, policy: Trajectory, rates: tuple[Fraction, Fraction] | None = None) -> None:
        self.reading, self.policy = reading, policy
        name = "adaptive" if policy.horizon == "adaptive" and policy.payback_turns is None else "task"
        self.read, self.write = rates or UNKNOWN[name]
        self.limit = policy.token_watermark * Fraction(policy.bytes_per_token)
        self.sizes = list(accumulate((turn.size for turn in reading.turns), initial=0))
        self.images = [(turn.number, image, result) for turn in reading.turns for image, result in turn.images]
        self.answered = [turn.number for turn in reading.turns if turn.has_result]
        self.entries: dict[tuple[int, bool, bool], str] = {}
        self.moves: dict[tuple[int, int, int], Move] = {}
        self.states: list[State] = []
        self.decisions = self.replayed()

    def turns(self, first: int, last: int) -> tuple[Turn, ...]:
        """Turns first…last, counted from 1, both in it."""
        return self.reading.turns[max(0, first - 1) : max(0, last)]

    def measure(self, first: int, last: int) -> int:
        """The size of turns first…last as they are."""
        return self.sizes[last] - self.sizes[first - 1] if last >= first else 0

    def candidate(self, n: int, over: bool) -> int:
        """c(n)."""
        last = n - self.policy.keep_recent_turns
        if over:
            return last
        epoch, keep = self.policy.epoch_size, self.policy.keep_recent_turns
        grid = [point for k in range(1, n + 1) if (point := epoch * k + 1 - keep) <= last]
        return max(grid, default=0)

    def is_over(self, n: int, state: State) -> bool:
        """over(n), from the size of the request as it would stand."""
        size = state.size + self.measure(state.sealed + 1, n)
        return self.policy.token_watermark > 0 and size > self.limit

    def replayed(self) -> list[Decision]:
        """For n = 1…N what was decided."""
        state = State(places=tuple(Place(mergeable(message), message.size) for message in self.reading.head))
        held, moved_at = 0, 0
        found: list[Decision] = []
        for n in range(1, len(self.reading.turns) + 1):
            over = self.is_over(n, state)
            c = self.candidate(n, over)
            on_grid = n > 1 and (n - 1) % self.policy.epoch_size == 0
            chance = (on_grid or over) and c > state.sealed and c >= 1
            if not chance:
                found.append(Decision(n, state.sealed, held, False, over=over))
                self.states.append(state)
                continue
            move = self.move(state, c, n)
            owed = self.owed(state, moved_at, n, over, move)
            folds = self.folds(n, move, owed)
            if folds:
                state, moved_at = move.after, n
            held += not folds
            moves = move.behind + self.measure(c + 1, n - 1)
            found.append(Decision(n, state.sealed, held, folds, True, move.freed, move.added, moves, owed, over))
            self.states.append(state)
        return found

    def owed(self, state: State, moved_at: int, n: int, over: bool, move: Move) -> int:
        """X + e·d(n): what holding has cost since the last fold, and will cost to the next chance."""
        held = 0
        waits = self.policy.horizon == "adaptive" and self.policy.payback_turns is None
        for m in range(moved_at + 1, n) if waits else ():
            c = self.candidate(m, self.is_over(m, state))
            if c > state.sealed:
                then = self.move(state, c, m)
                held += max(0, then.freed - then.added)
        return held + (1 if over else self.policy.epoch_size) * max(0, move.freed - move.added)

    def folds(self, n: int, move: Move, owed: int) -> bool:
        """Ask the gate."""
        if move.added >= move.freed:
            return False
        moved = move.behind + self.measure(move.after.sealed + 1, n - 1)
        if self.policy.payback_turns is None and self.policy.horizon == "adaptive":
            level = (self.write - self.read) / self.read
            return owed >= level * max(Fraction(moved), Fraction(moved + move.added, LAMBDA))
        steps = self.policy.payback_turns
        if steps is None:
            steps = self.policy.expected_task_steps - n
            if steps <= 1:
                return False
        saved = self.read * (move.freed - move.added)
        cost = (self.write - self.read) * (moved + move.added) - saved
        return saved * steps >= cost

    def move(self, state: State, c: int, n: int) -> Move:
        """The move to c, decided at turn n."""
        key = (len(state.blocks), c, n)
        if key not in self.moves:
            self.moves[key] = self.weighed(state, c, n)
        return self.moves[key]

    def weighed(self, state: State, c: int, n: int) -> Move:
        """Seal turns state.sealed + 1…c, and measure."""
        results = bool(self.answered) and self.answered[0] <= n
        newest = self.newest_images(n)
        places = list(state.places)
        behind = displaced(self.reading.surface, places)
        whole: set[int] = set()
        carried: list[Place] = []
        texts = 0
        entries = []
        for turn in self.turns(state.sealed + 1, c):
            alone = self.reading.surface in RESULTS_ALONE and closed_by_turn(places + carried)
            keeps = stays_whole(turn, self.reading.surface, results) or (alone and text_carried(turn, results))
            entries.append(self.entry(turn, keeps, results))
            if keeps:
                whole.add(turn.number)
                says = text_carried(turn, True)
                carried += [Place(mergeable(message), message.size, says) for message in turn.messages]
            else:
                texts += self.carried_size(turn, results, newest)
        text = lines.block(entries, first=not state.blocks)
        block = BLOCK + width(text)
        kinds = (*state.results, *[results] * (c - state.sealed))
        images = self.standing(newest, c, whole | state.whole, kinds)
        fresh = sum(kept_image(label) for number, label in images if number > state.sealed)
        stayed = sum(kept_image(label) for number, label in images if number <= state.sealed)
        added = block + texts + sum(place.size for place in carried) + fresh
        after = State(
            c,
            (*places, Place(True, block + texts), *carried),
            images,
            (*state.blocks, text),
            state.whole | whole,
            kinds,
        )
        if self.reading.surface in STRICT:
            after = merged(after, places, block + texts, carried)
        return Move(after, self.measure(state.sealed + 1, c), added, behind + stayed)

    def entry(self, turn: Turn, keeps: bool, results: bool) -> str:
        """The entry of a turn."""
        key = (turn.number, keeps, results)
        if key not in self.entries:
            policy = self.policy
            self.entries[key] = lines.entry(turn, keeps, results, policy.verbatim_chars, self.told)
        return self.entries[key]

    def told(self, text: str) -> str:
        """What a line carries of a result. The finder has tests of its own; here it is only asked."""
        take = extract if self.policy.extract == "evidence" else lines.head
        return take(text, self.policy.tool_result_head_chars)

    def newest_images(self, n: int) -> list[tuple[int, Part, Part | None]]:
        """(turn, image, the result it is in) of the newest images of turns 1…n."""
        found = [image for image in self.images if image[0] <= n]
        return found[max(0, len(found) - self.policy.keep_recent_images) :] if self.policy.keep_recent_images else []

    def standing(
        self, newest: list[tuple[int, Part, Part | None]], c: int, whole: frozenset[int], kinds: tuple[bool, ...]
    ) -> tuple[tuple[int, str], ...]:
        """(turn, label) of those of the newest images that stand last: in no turn kept whole, in no message carried."""
        found = []
        for number, _, result in newest:
            if number <= c and number not in whole and (result or not kinds[number - 1]):
                found.append((number, f"tool_result[{result.id}]" if result else f"turn {number}"))
        return tuple(found)

    def carried_size(self, turn: Turn, results: bool, newest: list[tuple[int, Part, Part | None]]) -> int:
        """What the messages and texts measure that a sealed turn leaves behind."""
        size = 0
        for message in turn.messages:
            if message.role == "system":
                size += message.size
            elif message.role == "user" and results:
                for part in message.parts:
                    dropped = part.kind == "image" and not any(part is image for _, image, _ in newest)
                    size += 0 if part.kind == "result" else LEFT_OUT_IMAGE if dropped else part.size
        return size


def kept_image(label: str) -> int:
    """An image that stands last, and the text that leads it."""
    return 2 * BLOCK + IMAGE + width(f"[image of {label}]")


def mergeable(message: Message) -> bool:
    """May a text of ours be merged into this message?"""
    return message.role == "user" and not message.results


def closed_by_turn(places: list[Place]) -> bool:
    """Does a turn kept whole, in which the caller says something, stand behind the last message that takes a text?"""
    for place in reversed(places):
        if place.open:
            return False
        if place.whole:
            return True
    return False


def displaced(surface: str, places: list[Place]) -> int:
    """What stands behind the place of a new block. Where roles need not take turns, it stands at the end."""
    if surface not in STRICT:
        return 0
    size = 0
    for place in reversed(places):
        if place.open:
            return size
        size += place.size
    return size


def merged(state: State, places: list[Place], size: int, carried: list[Place]) -> State:
    """The state with block and texts merged into the last message that takes them."""
    at = max((at for at, place in enumerate(places) if place.open), default=-1)
    grown = [
        Place(place.open, place.size + (size if number == at else 0), place.whole)
        for number, place in enumerate(places)
    ]
    if at < 0:
        grown.append(Place(True, size))
    return State(state.sealed, (*grown, *carried), state.images, state.blocks, state.whole, state.results)


def text_carried(turn: Turn, results: bool) -> bool:
    """Does the turn, sealed, leave a message or a text behind?"""
    return any(
        message.role == "system"
        or (results and message.role == "user" and any(says_something(p) for p in message.parts))
        for message in turn.messages
    )


def says_something(part: Part) -> bool:
    """Is it neither a result nor an empty text?"""
    return part.kind != "result" and not (part.kind == "text" and not part.size_of_text)


def stays_whole(turn: Turn, surface: str, results: bool) -> bool:
    """Is the turn kept as it is: marked, unpaired, or with a system message where the provider is strict?

    On a result trajectory a message that nothing can be merged with keeps its turn, too.
    """
    if any(message.marked or (message.alone and results) for message in turn.messages) or not paired(turn):
        return True
    return surface in STRICT and any(message.role == "system" for message in turn.messages)


def paired(turn: Turn) -> bool:
    """Does every call of the turn have its result in it, and the other way round?"""
    calls = sorted(str(part.id) for message in turn.messages for part in message.parts if part.kind == "call")
    results = sorted(str(part.id) for message in turn.messages for part in message.parts if part.kind == "result")
    return calls == results
