"""The ring has the newest records of each tenant, and no more."""

import asyncio

from store_suite import ids, record

from foldpoint.stores import Ring


def test_the_newest_of_each_tenant() -> None:
    """Newest first; the oldest goes; tenants do not meet."""
    ring = Ring(size=2)
    for name in "abc":
        ring.put(record(name))
    ring.put(record("x", tenant="u"), b"a body that is not kept")
    assert ids(asyncio.run(ring.records("t"))) == ["c", "b"]
    assert ids(asyncio.run(ring.records("u"))) == ["x"]
    assert asyncio.run(ring.records("nobody")) == []


def test_tenants_are_bounded() -> None:
    """The one that was heard of longest ago goes."""
    ring = Ring(tenants=2)
    for tenant in "abac":
        ring.put(record("x", tenant=tenant))
    assert [len(asyncio.run(ring.records(tenant))) for tenant in "abc"] == [2, 0, 1]
