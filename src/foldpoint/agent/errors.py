"""What goes wrong when a provider is asked."""

from foldpoint.core.errors import FoldpointError


class AskError(FoldpointError):
    """There is no answer.

    Attributes:
        retryable: the same request may be answered later.
        retry_after: seconds that the provider asks to wait; None where it says nothing of that.
        status: the HTTP status; 0 where there was none, or a stream broke.
        kind: the provider's name for the error, such as `overloaded_error`; "" where it has none.
    """

    def __init__(
        self, message: str, *, retryable: bool, retry_after: float | None = None, status: int = 0, kind: str = ""
    ) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after = retry_after
        self.status = status
        self.kind = kind
