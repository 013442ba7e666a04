"""Renders the chart without a cluster, by Helm's own library."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import helm_python
import yaml
from dockerfile import ROOT

from foldpoint.config import Loaded, load

CHART = ROOT / "deploy" / "helm" / "foldpoint"
SECRETS = "/run/secrets/foldpoint"
STORE_URL, SHARED_URL = "postgresql://foldpoint:pw@db:5432/foldpoint", "valkey://:pw@valkey:6379/0"
SQLITE = {
    "replicaCount": 1,
    "persistence": {"enabled": True},
    "secret": {"settings": {"store.url": None, "store.shared": None}},
}
OPEN = {
    **SQLITE,
    "auth": "pass_through",
    "secret": {
        "settings": {"store.url": None, "store.shared": None, "gateway.admin_key": None, "gateway.key_secret": None}
    },
}
REACHED = {
    "ingress": {"enabled": True, "host": "ai.example.com", "tlsSecret": "ai-tls"},
    "autoscaling": {"enabled": True, "maxReplicas": 6},
    "networkPolicy": {"enabled": True, "from": [{"namespaceSelector": {"matchLabels": {"agents": "yes"}}}]},
    "workers": 4,
    "drainSeconds": 120,
}
WATCHED = {
    "monitoring": {
        "serviceMonitor": {"enabled": True, "labels": {"release": "prometheus"}},
        "rules": {"enabled": True},
        "dashboard": {"enabled": True},
    },
    "secret": {
        "settings": {"telemetry.metrics_key": "metrics_key", "upstreams.anthropic.api_key": "anthropic_api_key"}
    },
    "config": '[telemetry]\notlp_endpoint = "http://collector:4318"\n',
    "env": [{"name": "HTTPS_PROXY", "value": "http://proxy:3128"}],
    "imagePullSecrets": [{"name": "registry"}],
    "priorityClassName": "high",
    "nodeSelector": {"kubernetes.io/arch": "arm64"},
    "tolerations": [{"key": "gateways", "operator": "Exists"}],
    "podAnnotations": {"team": "platform"},
}
VALUES: dict[str, dict[str, Any]] = {
    "default": {}, "sqlite": SQLITE, "open": OPEN, "reached": REACHED, "watched": WATCHED,
}  # fmt: skip


def rendered(values: dict[str, Any]) -> dict[str, str]:
    """What each template comes to, by its path in the chart. Raises HelmError where the values are refused."""
    return _rendered(json.dumps(values))


@cache
def _rendered(values: str) -> dict[str, str]:
    with helm_python.Chart.load(CHART) as chart:
        texts = chart.render(json.loads(values), name="foldpoint", namespace="ai")
    return {path.removeprefix("foldpoint/templates/"): text for path, text in texts.items()}


def manifests(values: dict[str, Any]) -> list[dict[str, Any]]:
    """The objects that an installation would make."""
    texts = [text for path, text in rendered(values).items() if Path(path).suffix == ".yaml"]
    return [made for text in texts for made in yaml.safe_load_all(text) if made]


def of_kind(values: dict[str, Any], kind: str, name: str = "foldpoint") -> dict[str, Any]:
    """The object of that kind and name."""
    (found,) = [made for made in manifests(values) if (made["kind"], made["metadata"]["name"]) == (kind, name)]
    return found


def container(values: dict[str, Any]) -> dict[str, Any]:
    """The gateway's container."""
    found: dict[str, Any] = of_kind(values, "Deployment")["spec"]["template"]["spec"]["containers"][0]
    return found


def loaded(values: dict[str, Any], folder: Path) -> Loaded:
    """The settings that the gateway in the container would have."""
    keys = yaml.safe_load((CHART / "values.yaml").read_text())["secret"]["settings"] | values.get("secret", {}).get(
        "settings", {}
    )
    for key in filter(None, keys.values()):
        (folder / key).write_text({"store_url": STORE_URL, "shared_url": SHARED_URL}.get(key, "a-key"))
    (folder / "foldpoint.toml").write_text(of_kind(values, "ConfigMap")["data"]["foldpoint.toml"])
    environ = {one["name"]: one["value"].replace(SECRETS, str(folder)) for one in container(values)["env"]}
    return load(folder / "foldpoint.toml", environ=environ)
