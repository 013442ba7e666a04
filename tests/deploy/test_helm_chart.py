"""The chart renders to what Kubernetes takes, and the gateway in it to settings that it knows."""

import json
from pathlib import Path
from typing import Any

import helm_python
import kubernetes_validate
import pytest
import yaml
from charts import (
    CHART,
    OPEN,
    REACHED,
    SECRETS,
    SHARED_URL,
    SQLITE,
    STORE_URL,
    VALUES,
    WATCHED,
    container,
    loaded,
    manifests,
    of_kind,
    rendered,
)
from dockerfile import DOCKERFILE, ROOT, stages

import foldpoint
from foldpoint.cli.serve import check_host
from foldpoint.cli.workers import GRACE_SECONDS
from foldpoint.gateway.routes import PREFIXES

OLDEST, NEWEST = "1.27", kubernetes_validate.latest_version()


def test_helm_lint_finds_nothing() -> None:
    """An icon apart, which only a catalogue shows."""
    report = helm_python.lint(CHART, strict=True)
    assert report["errors"] == []
    assert [found["error"] for found in report["messages"]] == ["icon is recommended"]


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@pytest.mark.parametrize("name", VALUES)
def test_kubernetes_takes_every_object(name: str, version: str) -> None:
    """Against its schemas, strictly; objects of the Prometheus operator have none there."""
    for made in manifests(VALUES[name]):
        if made["apiVersion"] != "monitoring.coreos.com/v1":
            kubernetes_validate.validate(made, version, strict=True)


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("default", ["ConfigMap", "Deployment", "Pod", "PodDisruptionBudget", "Service", "ServiceAccount"]),
        ("sqlite", ["ConfigMap", "Deployment", "PersistentVolumeClaim", "Pod", "Service", "ServiceAccount"]),
        (
            "reached",
            [
                "ConfigMap", "Deployment", "HorizontalPodAutoscaler", "Ingress", "NetworkPolicy", "Pod",
                "PodDisruptionBudget", "Service", "ServiceAccount",
            ],
        ),
        (
            "watched",
            [
                "ConfigMap", "ConfigMap", "Deployment", "Pod", "PodDisruptionBudget", "PrometheusRule", "Service",
                "ServiceAccount", "ServiceMonitor",
            ],
        ),
    ],
)  # fmt: skip
def test_what_an_installation_makes(name: str, kinds: list[str]) -> None:
    """Nothing that was not asked for."""
    assert sorted(made["kind"] for made in manifests(VALUES[name])) == kinds


@pytest.mark.parametrize("name", VALUES)
def test_the_gateway_knows_every_setting(name: str, tmp_path: Path) -> None:
    """The file and the variables load, it may listen as it is told to, and the store is where the Secret says."""
    told = loaded(VALUES[name], tmp_path)
    check_host(told, insecure="--insecure" in container(VALUES[name])["args"])
    gateway, store = told.settings.gateway, told.settings.store
    assert (gateway.host, gateway.port) == ("0.0.0.0", 4600)
    shared = "secret" not in VALUES[name] or name == "watched"
    assert (store.url, store.shared) == ((STORE_URL, SHARED_URL) if shared else ("sqlite:///foldpoint.db", ""))


def test_what_the_values_set(tmp_path: Path) -> None:
    """Workers and drain of one, keys of the other."""
    gateway = loaded(REACHED, tmp_path).settings.gateway
    assert (gateway.workers, gateway.drain_seconds, gateway.auth, gateway.admin_key) == (4, 120, "keys", "a-key")
    watched = loaded(WATCHED, tmp_path).settings
    assert watched.telemetry.metrics_key == "a-key"
    assert watched.telemetry.otlp_endpoint == "http://collector:4318"
    assert watched.upstreams["anthropic"].api_key == "a-key"


@pytest.mark.parametrize("name", VALUES)
def test_a_pod_is_given_time_to_drain(name: str) -> None:
    """The wait before it, drain_seconds, and what a worker has to close in, five seconds to spare."""
    pod = of_kind(VALUES[name], "Deployment")["spec"]["template"]["spec"]
    settings = {one["name"]: one["value"] for one in container(VALUES[name])["env"]}
    wait = int(container(VALUES[name])["lifecycle"]["preStop"]["exec"]["command"][1])
    drain = int(settings["FOLDPOINT_GATEWAY__DRAIN_SECONDS"])
    assert pod["terminationGracePeriodSeconds"] == wait + drain + GRACE_SECONDS + 5


def test_the_container_is_locked_down() -> None:
    """As the image is: its user, nothing written but /data and /tmp, no token, no power."""
    pod = of_kind({}, "Deployment")["spec"]["template"]["spec"]
    user = int(stages(DOCKERFILE.read_text())[-1].argument("USER").split(":")[0])
    assert (pod["securityContext"]["runAsUser"], pod["securityContext"]["runAsNonRoot"]) == (user, True)
    assert (pod["automountServiceAccountToken"], pod["enableServiceLinks"]) == (False, False)
    assert container({})["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
    }  # fmt: skip
    mounts = {mount["mountPath"]: mount.get("readOnly", False) for mount in container({})["volumeMounts"]}
    assert mounts == {"/etc/foldpoint": True, "/data": False, "/tmp": False, SECRETS: True}


def test_only_who_trusts_everybody_is_insecure() -> None:
    """The flag stands in pass_through alone, and the notes say what that means."""
    assert container({})["args"] == ["serve", "--config=/etc/foldpoint/foldpoint.toml"]
    assert container(OPEN)["args"] == ["serve", "--config=/etc/foldpoint/foldpoint.toml", "--insecure"]
    assert "whoever reaches the Service is served" in rendered(OPEN)["NOTES.txt"]
    assert "foldpoint keys create" in rendered({})["NOTES.txt"]


def test_sqlite_is_one_pod_on_a_volume_that_is_kept() -> None:
    """Never two at once on the file, and it outlives the release."""
    assert of_kind(SQLITE, "Deployment")["spec"]["strategy"] == {"type": "Recreate"}
    assert of_kind(SQLITE, "PersistentVolumeClaim")["metadata"]["annotations"] == {"helm.sh/resource-policy": "keep"}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({**SQLITE, "replicaCount": 2}, "SQLite is one pod's: set replicaCount to 1"),
        ({**SQLITE, "autoscaling": {"enabled": True}}, "SQLite is one pod's: set replicaCount to 1"),
        ({**SQLITE, "persistence": {"enabled": False}}, "SQLite without persistence.enabled would lose keys"),
        ({"persistence": {"enabled": True}}, "persistence is for SQLite"),
        ({"secret": {"name": ""}}, "secret.settings needs secret.name"),
    ],
)
def test_what_would_go_wrong_later_is_refused(values: dict[str, Any], said: str) -> None:
    """With what to set instead."""
    with pytest.raises(helm_python.HelmError, match=said):
        rendered(values)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"replicas": 3}, "replicas"),
        ({"auth": "none"}, "auth"),
        ({"workers": 0}, "workers"),
        ({"secret": {"settings": {"GATEWAY": "x"}}}, "GATEWAY"),
    ],
)
def test_values_that_there_are_not_are_refused(values: dict[str, Any], said: str) -> None:
    """By the schema, which names them."""
    with helm_python.Chart.load(CHART) as chart, pytest.raises(helm_python.HelmError, match=said):
        chart.validate_schema(values)


def test_the_schema_knows_every_value() -> None:
    """And no other."""
    schema = json.loads((CHART / "values.schema.json").read_text())
    assert set(schema["properties"]) - {"global"} == set(yaml.safe_load((CHART / "values.yaml").read_text()))


def test_the_ingress_has_every_path_of_a_provider() -> None:
    """And the records and keys; never the figures."""
    paths = [each["path"] for each in of_kind(REACHED, "Ingress")["spec"]["rules"][0]["http"]["paths"]]
    begun = [f"/{prefix.begins.split('/')[1]}" for prefix in PREFIXES]
    assert sorted(paths) == sorted({*begun, "/api/v1"})


def test_the_test_pod_is_no_gateway() -> None:
    """The Service does not send it requests."""
    selector = of_kind({}, "Service")["spec"]["selector"]
    labels = of_kind({}, "Pod", "foldpoint-ready")["metadata"]["labels"]
    assert {name: labels.get(name) for name in selector} != selector
    assert of_kind({}, "Deployment")["spec"]["template"]["metadata"]["labels"].items() >= selector.items()


def test_rules_and_dashboard_are_those_beside_the_chart() -> None:
    """The same alerts and the same page, braces and all."""
    alerts = yaml.safe_load((ROOT / "deploy" / "prometheus" / "alerts.yml").read_text())
    assert of_kind(WATCHED, "PrometheusRule")["spec"] == alerts
    page = of_kind(WATCHED, "ConfigMap", "foldpoint-dashboard")
    assert json.loads(page["data"]["foldpoint.json"]) == json.loads(
        (ROOT / "deploy" / "grafana" / "foldpoint.json").read_text()
    )
    monitor = of_kind(WATCHED, "ServiceMonitor")
    assert monitor["spec"]["endpoints"][0]["authorization"]["credentials"] == {
        "name": "foldpoint", "key": "metrics_key",
    }  # fmt: skip
    assert of_kind(WATCHED, "Service")["metadata"]["labels"].items() >= (
        monitor["spec"]["selector"]["matchLabels"].items()
    )


def test_the_chart_is_of_this_version() -> None:
    """The image that it asks for is the one that was built from here."""
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["appVersion"] == foldpoint.__version__
    assert container({})["image"] == f"foldpoint:{foldpoint.__version__}"
