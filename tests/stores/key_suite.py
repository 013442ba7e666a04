"""What every store must do with keys. A store's tests inherit this and give `store`, an empty one."""

from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest

from foldpoint.core.key import Key, KeyLimits, KeySkills
from foldpoint.stores import KeyStore, StoreError

WHOLE = Key(
    id="k1",
    name="ci — 日本",
    tenant="acme",
    plan="enterprise",
    shown="fp-ab12",
    skills=KeySkills(
        ("agent_trajectory_compaction",),
        {"agent_trajectory_compaction": "shadow"},
        {"agent_trajectory_compaction": {"epoch_size": 7, "horizon": "adaptive", "ratio": 1.0, "on": True, "no": None}},
    ),
    upstreams={"anthropic": "env:ANTHROPIC_API_KEY"},
    limits=KeyLimits(60, 100_000, None),
    created=1_700_000_000.123456,
)
OFF = Key(id="k2", tenant="u", skills=KeySkills(()), created=1_800_000_000.0)
DIGESTS = (b"\x00" * 32, bytes(range(32)))


class KeySuite:
    """One test for each thing that KeyStore promises."""

    def test_a_key_comes_back_as_it_went_in(self, store: KeyStore) -> None:
        """By its digest; every field, and no skills is another thing than none named."""
        store.add_key(WHOLE, DIGESTS[0])
        store.add_key(OFF, DIGESTS[1])
        assert [store.key_by(digest) for digest in DIGESTS] == [WHOLE, OFF]
        assert store.key_by(b"\x01" * 32) is None

    def test_keys_are_listed_newest_first(self, store: KeyStore) -> None:
        """Of all tenants, or of one."""
        store.add_key(WHOLE, DIGESTS[0])
        store.add_key(OFF, DIGESTS[1])
        assert store.keys() == [OFF, WHOLE]
        assert store.keys("acme") == [WHOLE]
        assert store.keys("nobody") == []

    @pytest.mark.parametrize(("key", "digest"), [(OFF, DIGESTS[0]), (msgspec.structs.replace(OFF, id="k1"), b"x")])
    def test_neither_digest_nor_id_is_taken_twice(self, store: KeyStore, key: Key, digest: bytes) -> None:
        """The first stays what it was."""
        store.add_key(WHOLE, DIGESTS[0])
        with pytest.raises(StoreError):
            store.add_key(key, digest)
        assert store.keys() == [WHOLE]
        assert store.key_by(DIGESTS[0]) == WHOLE

    def test_skills_are_set_of_one_key(self, store: KeyStore) -> None:
        """By what they were; all else of it stays, and so do other keys."""
        store.add_key(WHOLE, DIGESTS[0])
        store.add_key(OFF, DIGESTS[1])
        seen: list[Key] = []

        def change(key: Key) -> KeySkills:
            seen.append(key)
            return KeySkills(())

        changed = msgspec.structs.replace(WHOLE, skills=KeySkills(()))
        assert store.set_skills("k1", change) == changed
        assert (seen, store.key_by(DIGESTS[0]), store.key_by(DIGESTS[1])) == ([WHOLE], changed, OFF)

    def test_skills_of_no_key_are_not_set(self, store: KeyStore) -> None:
        """And none is made."""
        assert store.set_skills("k1", lambda key: key.skills) is None
        assert store.keys() == []

    def test_skills_that_cannot_be_are_not_set(self, store: KeyStore) -> None:
        """What is raised comes through."""
        store.add_key(WHOLE, DIGESTS[0])
        with pytest.raises(ZeroDivisionError):
            store.set_skills("k1", lambda key: KeySkills((str(1 / 0),)))
        assert store.keys() == [WHOLE]

    def test_skills_that_many_set_at_once_are_all_set(self, store: KeyStore) -> None:
        """Each knows what the others made of them."""
        store.add_key(OFF, DIGESTS[0])

        def add(number: int) -> None:
            store.set_skills(OFF.id, lambda key: KeySkills((*(key.skills.skills or ()), str(number))))

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(add, range(12)))
        (key,) = store.keys()
        assert sorted(key.skills.skills or (), key=int) == [str(number) for number in range(12)]

    def test_a_key_is_revoked_once(self, store: KeyStore) -> None:
        """It is still known, and the first time counts."""
        store.add_key(WHOLE, DIGESTS[0])
        revoked = msgspec.structs.replace(WHOLE, revoked=7.0)
        assert store.revoke_key("k1", 7.0) == revoked
        assert store.revoke_key("k1", 8.0) == revoked
        assert store.key_by(DIGESTS[0]) == revoked
        assert store.revoke_key("none", 7.0) is None

    def test_a_revoked_key_is_left_as_it_is(self, store: KeyStore) -> None:
        """Also where that comes while its skills are being set."""
        store.add_key(WHOLE, DIGESTS[0])
        revoked = msgspec.structs.replace(WHOLE, revoked=7.0)

        def change(key: Key) -> KeySkills:
            store.revoke_key("k1", 7.0)
            return KeySkills(())

        assert store.set_skills("k1", change) == revoked
        assert store.set_skills("k1", lambda key: KeySkills(())) == revoked
        assert store.key_by(DIGESTS[0]) == revoked

    def test_the_secret_is_made_once(self, store: KeyStore) -> None:
        """32 bytes, the same for all who ask at once and later."""
        with ThreadPoolExecutor(8) as threads:
            made = set(threads.map(lambda _: store.secret(), range(16)))
        assert made == {store.secret()}
        assert [len(secret) for secret in made] == [32]

    def test_odd_texts_of_a_key_are_held(self, store: KeyStore) -> None:
        """NUL and what is no Unicode as in records; what can't be written as JSON is refused."""
        store.add_key(Key(id="k", name="a\0b\udc80", tenant="t\0"), DIGESTS[0])
        assert store.keys("t\0") == [Key(id="k", name="a?b?", tenant="t?")]
        odd = Key(id="odd", upstreams={"openai": "file:\udc80"})
        with pytest.raises(StoreError, match="'odd' has a text that is no Unicode"):
            store.add_key(odd, DIGESTS[1])
