"""The ring has the newest records of each tenant, and no more."""

from store_suite import ids, record

from foldpoint.stores import Ring


def test_the_newest_of_each_tenant() -> None:
    """Newest first; the oldest goes; tenants do not meet."""
    ring = Ring(size=2)
    for name in "abc":
        ring.add(record(name))
    ring.add(record("x", tenant="u"))
    assert ids(ring.records("t")) == ["c", "b"]
    assert ids(ring.records("u")) == ["x"]
    assert ring.records("nobody") == []


def test_tenants_are_bounded() -> None:
    """The one that was heard of longest ago goes."""
    ring = Ring(tenants=2)
    for tenant in "abac":
        ring.add(record("x", tenant=tenant))
    assert [len(ring.records(tenant)) for tenant in "abc"] == [2, 0, 1]
