"""Sources merge in one order, and whatever is wrong in them is said at once, with its place and its mend."""

from pathlib import Path

import pytest

from foldpoint.config import Aws, ConfigError, load, load_policy
from foldpoint.core.policy import Policy, Trajectory

SKILL = "skills.agent_trajectory_compaction"
SKILL_ENV = "FOLDPOINT_SKILLS__AGENT_TRAJECTORY_COMPACTION"


def written(folder: Path, text: str) -> Path:
    """A configuration file with the text."""
    path = folder / "foldpoint.toml"
    path.write_text(text, encoding="utf-8")
    return path


def problems(path: Path | None, environ: dict[str, str] | None = None, **flags: str) -> list[str]:
    """What a load complains of."""
    with pytest.raises(ConfigError) as caught:
        load(path, environ=environ or {}, flags=flags)
    return [str(problem).removeprefix(f"{path.parent}/" if path else "") for problem in caught.value.problems]


def test_without_a_file_every_value_is_the_default() -> None:
    """No file, no variables: the settings of the documentation."""
    loaded = load(environ={"HOME": "/home/me"})
    assert set(loaded.sources.values()) == {"default"}
    assert (loaded.settings.gateway.host, loaded.settings.gateway.port) == ("127.0.0.1", 4600)
    assert loaded.settings.gateway.max_body_bytes == 64 * 1024 * 1024
    assert loaded.settings.gateway.upstream_timeout_seconds == 600.0
    assert {name: one.base_url for name, one in loaded.settings.upstreams.items()} == {
        "openai": "https://api.openai.com",
        "anthropic": "https://api.anthropic.com",
        "gemini": "https://generativelanguage.googleapis.com",
        "bedrock": "https://bedrock-runtime.us-east-1.amazonaws.com",
    }
    assert loaded.settings.policy() == Policy()
    assert loaded.settings.data_dir == Path("/home/me/.local/share/foldpoint")
    assert loaded.settings.store.messages_seconds() == 24 * 3600


def test_environment_over_file_and_flags_over_both(tmp_path: Path) -> None:
    """Each later source wins, and the winner is named with its place."""
    path = written(tmp_path, '[gateway]\nhost = "a"\nport = 1\ndrain_seconds = 2\n')
    environ = {"FOLDPOINT_GATEWAY__HOST": "b", "FOLDPOINT_GATEWAY__PORT": "3"}
    loaded = load(path, environ=environ, flags={"gateway.host": "c", f"{SKILL}.mode": None})
    gateway = loaded.settings.gateway
    assert (gateway.host, gateway.port, gateway.drain_seconds) == ("c", 3, 2.0)
    assert {key: loaded.sources[f"gateway.{key}"] for key in ("host", "port", "drain_seconds", "workers")} == {
        "host": "flag",
        "port": "env:FOLDPOINT_GATEWAY__PORT",
        "drain_seconds": f"{path}:4",
        "workers": "default",
    }


def test_variables_are_converted_to_what_the_setting_is() -> None:
    """Text becomes numbers, truth values and words; an empty variable is an unset one."""
    environ = {
        f"{SKILL_ENV}__EPOCH_SIZE": " 7 ",
        f"{SKILL_ENV}__BYTES_PER_TOKEN": "2.5",
        f"{SKILL_ENV}__PRICING": "false",
        f"{SKILL_ENV}__PAYBACK_TURNS": "",
        f"{SKILL_ENV}__HORIZON": "adaptive",
        "FOLDPOINT_UPSTREAMS__OPENAI__KEEP_SESSION_ID": "True",
        "FOLDPOINT_STORE__MESSAGES": "off",
    }
    settings = load(environ=environ).settings
    trajectory = Trajectory(epoch_size=7, bytes_per_token=2.5, pricing=False, horizon="adaptive")
    assert settings.policy() == Policy(agent_trajectory_compaction=trajectory)
    assert settings.upstreams["openai"].keep_session_id is True
    assert settings.store.messages_seconds() is None


def test_a_variable_that_spells_no_value_is_refused() -> None:
    """Nothing is guessed: the setting, the variable and what it must be are named."""
    environ = {"FOLDPOINT_GATEWAY__PORT": "many", f"{SKILL_ENV}__PRICING": "perhaps", f"{SKILL_ENV}__EPOCH_SIZE": "1"}
    assert problems(None, environ) == [
        "env:FOLDPOINT_GATEWAY__PORT: gateway.port must be a whole number",
        f"env:{SKILL_ENV}__EPOCH_SIZE: {SKILL}.epoch_size must be >= 2",
        f"env:{SKILL_ENV}__PRICING: {SKILL}.pricing must be true or false",
    ]


def test_every_problem_of_a_file_is_said_at_once(tmp_path: Path) -> None:
    """File and line, key, what is wrong, and the nearest right key, in the order of the file."""
    path = written(
        tmp_path,
        """prot = 3
port = 4600
[gateway]
workers = 0
portt = 3
host = [
  "a",
]
[stor]
[store]
url = "postgres://x"
shared = "memcached://x"
messages = "24hours"
flush_ms = 0
[upstreams]
anthropic = { base_url = "x" }
openai = 3
[skills.agent_trajectory_compaction]
epoch_sise = 5
epoch_size = 1
mode = "live"
[skills.compact_history]
mode = "prod"
""",
    )
    assert problems(path) == [
        "foldpoint.toml:1: unknown key 'prot'",
        "foldpoint.toml:2: unknown key 'port' (it belongs in [gateway])",
        "foldpoint.toml:4: gateway.workers must be >= 1 and <= 256",
        "foldpoint.toml:5: unknown key 'portt' in [gateway] (did you mean 'port'?)",
        "foldpoint.toml:6: gateway.host must be text in quotes",
        "foldpoint.toml:9: unknown key 'stor' (did you mean 'store'?)",
        "foldpoint.toml:11: store.url must be such as postgresql://user:password@host:5432/database",
        'foldpoint.toml:12: store.shared must be such as valkey://:password@host:6379/0, or ""',
        'foldpoint.toml:13: store.messages must be a time such as "90s", "15m", "24h" or "7d", or "off"',
        "foldpoint.toml:14: store.flush_ms must be >= 1 and <= 60000",
        "foldpoint.toml:16: upstreams.anthropic.base_url must be an address such as https://api.example.com, "
        "without a query",
        "foldpoint.toml:17: upstreams.openai must be a table",
        f"foldpoint.toml:19: unknown key 'epoch_sise' in [{SKILL}] (did you mean 'epoch_size'?)",
        f"foldpoint.toml:20: {SKILL}.epoch_size must be >= 2",
        f"foldpoint.toml:21: {SKILL}.mode must be one of off, shadow, prod",
        'foldpoint.toml:23: skills.compact_history is not in this version: only mode = "off" is understood',
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[gateway]\nport = = 3\n", "foldpoint.toml: is not TOML: Invalid value (at line 2, column 8)"),
        (
            "[gateway]\nport = 1\nport = 2\n",
            "foldpoint.toml: is not TOML: Cannot overwrite a value (at line 3, column 9)",
        ),
    ],
)
def test_a_file_that_is_not_toml(tmp_path: Path, text: str, said: str) -> None:
    """The line and column are the parser's."""
    assert problems(written(tmp_path, text)) == [said]


def test_numbers_past_64_bits_are_refused(tmp_path: Path) -> None:
    """TOML may write them, no limit means them."""
    path = written(tmp_path, f"[gateway]\nmax_body_bytes = {10**400}\n[{SKILL}]\nbytes_per_token = {10**400}\n")
    assert problems(path) == [
        "foldpoint.toml:2: gateway.max_body_bytes must be a number below 2^63",
        f"foldpoint.toml:4: {SKILL}.bytes_per_token must be a number below 2^63",
    ]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """A named file must be there, and be text."""
    assert problems(tmp_path / "no.toml") == ["no.toml: cannot be read: No such file or directory"]
    (tmp_path / "latin.toml").write_bytes(b'a = "\xe9"')
    assert problems(tmp_path / "latin.toml")[0].startswith("latin.toml: is not TOML: 'utf-8' codec can't decode")


def test_a_variable_that_is_no_setting() -> None:
    """A misspelt variable is refused with the nearest right one, and so is one with a single underscore."""
    environ = {"FOLDPOINT_GATEWAY__PROT": "1", "FOLDPOINT_STORE_URL": "x", "FOLDPOINT_MODE": "off"}
    assert problems(None, environ) == [
        "env:FOLDPOINT_GATEWAY__PROT: is no setting (did you mean 'FOLDPOINT_GATEWAY__PORT'?)",
        f"env:FOLDPOINT_MODE: is no setting (did you mean '{SKILL_ENV}__MODE' or "
        "'FOLDPOINT_SKILLS__TOOL_OUTPUT_CAP__MODE' or 'FOLDPOINT_SKILLS__STALE_TOOL_OUTPUT__MODE'?)",
        "env:FOLDPOINT_STORE_URL: is no setting (did you mean 'FOLDPOINT_STORE__URL'?)",
    ]


def test_variables_of_a_kubernetes_service_are_no_settings() -> None:
    """A service called foldpoint puts its own FOLDPOINT_* into every container."""
    environ = {
        "FOLDPOINT_SERVICE_HOST": "10.0.0.1",
        "FOLDPOINT_SERVICE_PORT": "4600",
        "FOLDPOINT_SERVICE_PORT_HTTP": "4600",
        "FOLDPOINT_PORT": "tcp://10.0.0.1:4600",
        "FOLDPOINT_PORT_4600_TCP": "tcp://10.0.0.1:4600",
        "FOLDPOINT_PORT_4600_TCP_ADDR": "10.0.0.1",
        "FOLDPOINT_GATEWAY_SERVICE_HOST": "10.0.0.1",
    }
    assert set(load(environ=environ).sources.values()) == {"default"}


def test_the_head_of_a_result_is_a_default_of_the_deployment(tmp_path: Path) -> None:
    """ACE_AGENT_TOOL_RESULT_HEAD_CHARS is below the file, and the file below FOLDPOINT_*."""
    name = "ACE_AGENT_TOOL_RESULT_HEAD_CHARS"
    key = f"{SKILL}.tool_result_head_chars"
    path = written(tmp_path, f"[{SKILL}]\ntool_result_head_chars = 80\n")
    by_itself = load(environ={name: "40"})
    assert (by_itself.values[key], by_itself.sources[key]) == (40, f"env:{name}")
    assert load(path, environ={name: "40"}).values[key] == 80
    assert load(path, environ={name: "40", f"{SKILL_ENV}__TOOL_RESULT_HEAD_CHARS": "0"}).values[key] == 0


def test_the_region_of_bedrock_is_the_one_of_aws() -> None:
    """AWS_REGION before AWS_DEFAULT_REGION."""
    loaded = load(environ={"AWS_DEFAULT_REGION": "us-west-2", "AWS_REGION": "eu-central-1"})
    assert loaded.settings.upstreams["bedrock"].base_url == "https://bedrock-runtime.eu-central-1.amazonaws.com"
    assert loaded.sources["upstreams.bedrock.base_url"] == "env:AWS_REGION"


def test_keys_are_read_from_where_they_point(tmp_path: Path) -> None:
    """env:NAME, file:PATH or the key; nothing of them is said by the settings' repr."""
    (tmp_path / "key").write_text("sk-file\n")
    path = written(
        tmp_path,
        f"""[upstreams.openai]
api_key = "env:KEY"
base_url = "http://127.0.0.1:9/"
[upstreams.anthropic]
api_key = "file:{tmp_path}/key"
[upstreams.gemini]
api_key = "sk-plain"
""",
    )
    settings = load(path, environ={"KEY": "sk-env"}).settings
    keys = {name: one.api_key for name, one in settings.upstreams.items()}
    assert keys == {"openai": "sk-env", "anthropic": "sk-file", "gemini": "sk-plain", "bedrock": None}
    assert settings.upstreams["openai"].base_url == "http://127.0.0.1:9"
    assert "sk-" not in repr(settings)


def test_keys_that_are_not_there_are_refused(tmp_path: Path) -> None:
    """The variable or file is named, never a key."""
    path = written(
        tmp_path,
        """[upstreams.openai]
api_key = "env:NOPE"
[upstreams.anthropic]
api_key = "file:/no/such/key"
[upstreams.gemini]
api_key = ""
[upstreams.bedrock]
api_key = "two words"
""",
    )
    assert problems(path) == [
        "foldpoint.toml:2: upstreams.openai.api_key names the variable NOPE, which is not set",
        "foldpoint.toml:4: upstreams.anthropic.api_key names the file /no/such/key, which cannot be read: "
        "[Errno 2] No such file or directory: '/no/such/key'",
        "foldpoint.toml:6: upstreams.gemini.api_key must not be empty: leave it out where there is none",
        "foldpoint.toml:8: upstreams.bedrock.api_key must be printable ASCII without spaces, as a header can carry",
    ]


def test_the_policy_alone_does_not_look_into_the_gateway(tmp_path: Path) -> None:
    """A whole foldpoint.toml is a policy file; only its skills must be right."""
    text = f'[upstreams.openai]\napi_key = "env:NOPE"\n[{SKILL}]\nhorizon = "adaptive"\n'
    policy = load_policy(written(tmp_path, text), environ={"FOLDPOINT_GATEWAY__PORT": "x"})
    assert policy == Policy(agent_trajectory_compaction=Trajectory(horizon="adaptive"))
    with pytest.raises(ConfigError, match="epoch_size must be >= 2"):
        load_policy(written(tmp_path, f"[{SKILL}]\nepoch_size = 0\n"), environ={})


def test_the_data_directory_is_the_one_of_xdg() -> None:
    """XDG_DATA_HOME where it is absolute."""
    assert load(environ={"HOME": "/h", "XDG_DATA_HOME": "/data"}).settings.data_dir == Path("/data/foldpoint")
    assert load(environ={"HOME": "/h", "XDG_DATA_HOME": "rel"}).settings.data_dir == Path("/h/.local/share/foldpoint")


ENV_KEYS = {"AWS_ACCESS_KEY_ID": "AKID", "AWS_SECRET_ACCESS_KEY": "secret"}


@pytest.mark.parametrize(
    ("said", "environ", "aws"),
    [
        ("", {}, Aws()),
        ("", ENV_KEYS, Aws("AKID", "secret")),
        ("", {"AWS_ACCESS_KEY_ID": "AKID"}, Aws()),
        ('aws_credentials = "env"', {**ENV_KEYS, "AWS_SESSION_TOKEN": "t"}, Aws("AKID", "secret", "t", lends=True)),
        ('aws_credentials = "profile:work"', ENV_KEYS, Aws(profile="work", lends=True)),
    ],
)
def test_aws_credentials(tmp_path: Path, said: str, environ: dict[str, str], aws: Aws) -> None:
    """Keys that merely lie in the environment are told from those that were set; other providers have none."""
    upstreams = load(written(tmp_path, f"[upstreams.bedrock]\n{said}\n"), environ=environ).settings.upstreams
    assert (upstreams["bedrock"].aws, upstreams["openai"].aws) == (aws, Aws())


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ("env", "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not both set"),
        ("keys", 'must be "env" or "profile:NAME"'),
        ("profile:", 'must be "env" or "profile:NAME"'),
    ],
)
def test_aws_credentials_that_are_none(tmp_path: Path, said: str, complaint: str) -> None:
    """The mend is said."""
    (found,) = problems(written(tmp_path, f'[upstreams.bedrock]\naws_credentials = "{said}"\n'))
    assert complaint in found


def test_secrets_are_not_shown() -> None:
    """Neither keys nor tokens stand in what is printed of the settings."""
    shown = repr(load(environ={**ENV_KEYS, "AWS_SESSION_TOKEN": "a token"}).settings)
    assert [word for word in ("'secret'", "a token") if word in shown] == []
