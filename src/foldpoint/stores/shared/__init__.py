"""What the processes of a gateway share: limits of keys, the ring, news of keys, locks. Valkey is spoken here alone."""

from .base import Limiter, News
from .line import Pace
from .opening import LEASE_SECONDS, open_shared
from .shared import Shared

__all__ = ["LEASE_SECONDS", "Limiter", "News", "Pace", "Shared", "open_shared"]
