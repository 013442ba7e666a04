"""An address with a password in it may stand in a file or a variable, as keys may."""

from pathlib import Path

import pytest

from foldpoint.config import ConfigError, load
from foldpoint.config.show import rows


def test_addresses_are_read_from_where_they_point(tmp_path: Path) -> None:
    """From a file and from a variable; a line end does no harm, and what is shown is the pointer."""
    (tmp_path / "store_url").write_text("postgresql://foldpoint:pw@db:5432/foldpoint\n")
    environ = {
        "FOLDPOINT_STORE__URL": f"file:{tmp_path}/store_url",
        "FOLDPOINT_STORE__SHARED": "env:VALKEY",
        "VALKEY": "valkey://:pw@valkey:6379/0",
    }
    loaded = load(environ=environ)
    assert loaded.settings.store.url == "postgresql://foldpoint:pw@db:5432/foldpoint"
    assert loaded.settings.store.shared == "valkey://:pw@valkey:6379/0"
    shown = {row.key: row.value for row in rows(loaded)}
    assert (shown["store.url"], shown["store.shared"]) == (f"file:{tmp_path}/store_url", "env:VALKEY")


def test_what_is_not_there_or_no_address_is_refused(tmp_path: Path) -> None:
    """Without saying what stands there: it may be a password."""
    (tmp_path / "store_url").write_text("mysql://foldpoint:pw@db/foldpoint")
    environ = {"FOLDPOINT_STORE__URL": f"file:{tmp_path}/store_url", "FOLDPOINT_STORE__SHARED": "env:VALKEY"}
    with pytest.raises(ConfigError) as caught:
        load(environ=environ)
    assert sorted(map(str, caught.value.problems)) == [
        "env:FOLDPOINT_STORE__SHARED: store.shared names the variable VALKEY, which is not set",
        f"env:FOLDPOINT_STORE__URL: store.url points to file:{tmp_path}/store_url, and what stands there must begin "
        "with sqlite:/// (sqlite:///name lies in the data directory, sqlite:////path is absolute) or postgresql://",
    ]
