"""What the headers of a request have to say otherwise because its body was changed."""

from collections.abc import Sequence

import msgspec

from .headers import Field

BETAS = b"anthropic-beta"


class Changes(msgspec.Struct, frozen=True):
    """plain: the body is sent without its content-encoding; beta: a beta that the body needs, empty where none."""

    plain: bool = False
    beta: str = ""


UNCHANGED = Changes()


def changed(fields: list[Field], changes: Changes) -> list[Field]:
    """The headers with the changes made; the list itself where there is none."""
    if changes.plain:
        fields = [field for field in fields if field[0].lower() != b"content-encoding"]
    return with_beta(fields, changes.beta.encode()) if changes.beta else fields


def with_beta(fields: list[Field], beta: bytes) -> list[Field]:
    """The headers with a beta more, behind the client's own; as they are where it is one of these."""
    given = [at for at, (name, _) in enumerate(fields) if name.lower() == BETAS]
    if any(beta in named(fields[at][1]) for at in given):
        return fields
    if not given:
        return [*fields, (BETAS, beta)]
    last = given[-1]
    name, value = fields[last]
    return [*fields[:last], (name, value + b"," + beta if value.strip() else beta), *fields[last + 1 :]]


def named(value: bytes) -> Sequence[bytes]:
    """The betas that a header's value names."""
    return [beta.strip() for beta in value.split(b",")]
