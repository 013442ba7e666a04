"""Configuration: `foldpoint.toml`, over it `FOLDPOINT_*`, over that flags; strict, every problem at once."""

from .check import ConfigError, Problem
from .load import Loaded, load, load_policy
from .settings import Aws, GatewaySettings, Settings, StoreSettings, TelemetrySettings, Upstream

__all__ = [
    "Aws",
    "ConfigError",
    "GatewaySettings",
    "Loaded",
    "Problem",
    "Settings",
    "StoreSettings",
    "TelemetrySettings",
    "Upstream",
    "load",
    "load_policy",
]
