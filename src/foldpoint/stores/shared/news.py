"""News of keys where no other process listens."""


class OwnNews:
    """There is nobody else to tell: another worker reads a key again after a while."""

    async def changed(self, key: str) -> None:
        """Say that the key is not what it was."""
