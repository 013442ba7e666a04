"""Why a request is refused, in the provider's own words."""

import msgspec

from foldpoint.core.errors import FoldpointError


class Refused(FoldpointError):
    """The provider refuses the request.

    Attributes:
        status: the HTTP status.
        kind: the provider's error type; "" = the one the status has.
        param, code: (OpenAI) the parameter and the error code.
        details: (Anthropic) further members of the error.
    """

    def __init__(
        self,
        message: str,
        status: int = 400,
        *,
        kind: str = "",
        param: str | None = None,
        code: str | None = None,
        details: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.kind = kind
        self.param = param
        self.code = code
        self.details = details


class Place(msgspec.Struct, frozen=True):
    """A place in a request, printed as the provider prints it: `messages.3.content.0`."""

    path: str

    def __truediv__(self, step: str | int) -> "Place":
        return Place(f"{self.path}.{step}")

    def __str__(self) -> str:
        return self.path

    def refused(self, why: str) -> Refused:
        """The refusal that names this place."""
        return Refused(f"{self.path}: {why}")
