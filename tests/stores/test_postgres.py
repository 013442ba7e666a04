"""The Postgres store keeps the promises of every store, and those of a server."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from key_suite import KeySuite
from store_suite import StoreSuite

from foldpoint.stores import Store, open_store
from servers import Postgres


@pytest.fixture
def store(postgres_server: Postgres) -> Iterator[Store]:
    """An empty store."""
    store = open_store(postgres_server.database(), Path("/nowhere"))
    yield store
    store.close()


class TestPostgres(StoreSuite, KeySuite):
    """The shared suite."""
