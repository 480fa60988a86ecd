"""compose.yaml and Containerfile name programs, files and settings that exist.

No image is built here. The script that fills the image runs in CI, in a Debian.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from django.core.management import load_command_class

from ratings_site.common.jobs.queues import QUEUES

PRODUCTION = Path("docs/production")
# Passwords and keys come from .env; their names are in their places here.
COMPOSE = yaml.safe_load(
    re.sub(r"\$\{(\w+):\?\}", r"\1", (PRODUCTION / "compose.yaml").read_text())
)
SERVICES = COMPOSE["services"]
OURS = {name: one for name, one in SERVICES.items() if "build" in one}
CONTAINERFILE = (PRODUCTION / "Containerfile").read_text()
WORKERS = {name: one for name, one in OURS.items() if name.startswith("worker-")}
# What the first lines of compose.yaml ask for.
MADE_BY_HAND = {"office.env", "certificates"}


def options_of(command: Sequence[str]) -> dict:
    python, script, name, *options = command
    assert (Path(python).name, script) == ("python", "manage.py")
    parser = load_command_class("ratings_site", name).create_parser(script, name)
    return vars(parser.parse_args(options))


def test_compose_has_what_an_office_needs():
    assert set(SERVICES) - set(WORKERS) == {
        "database", "redis", "migrate", "web", "nginx",
    }  # fmt: skip


def test_each_queue_has_one_worker():
    served = [options_of(one["command"])["lanes"] for one in WORKERS.values()]
    assert sorted(queue for lanes in served for queue in lanes) == sorted(QUEUES)


def test_the_image_is_filled_by_the_install_script_and_serves():
    assert "RUN /opt/ratings-office/docs/production/install.sh program " in (
        CONTAINERFILE.replace("\\\n", "")
    )
    script = (PRODUCTION / "install.sh").read_text()
    assert re.search(r"^program\(\) {$", script, re.M)
    command = re.search(r"^CMD (.*)$", CONTAINERFILE, re.M)
    assert options_of(json.loads(command[1]))["bind"] == "0.0.0.0:8001"
    for service in OURS.values():
        build = service["build"]
        assert (PRODUCTION / build["context"] / build["dockerfile"]).samefile(
            PRODUCTION / "Containerfile"
        )


def test_only_workers_and_migrations_know_the_owner_of_the_database():
    users = {
        name: urlsplit(one["environment"]["DATABASE_URL"]).username
        for name, one in OURS.items()
    }
    assert users == {
        "web": "ratings_office_web",
        **dict.fromkeys(["migrate", *WORKERS], "ratings_office"),
    }
    assert "OWNER_PASSWORD" not in str(SERVICES["web"] | SERVICES["nginx"])
    roles = (PRODUCTION / "roles.sql").read_text()
    asked = set(re.findall(r"^\\getenv \w+ (\w+)$", roles, re.M))
    assert asked <= set(SERVICES["database"]["environment"])


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_uses_what_is_there(name):
    service = SERVICES[name]
    for volume in service.get("volumes", []):
        source, target, *_ = volume.split(":")
        assert target.startswith("/")
        if source.startswith("./"):
            first = Path(source).parts[0]
            assert first in MADE_BY_HAND or (PRODUCTION / source).is_file()
        else:
            assert source in COMPOSE["volumes"]
    assert set(service.get("depends_on", ())) <= set(SERVICES)
    # A service whose health others wait for says how it is measured.
    for other, asked in service.get("depends_on", {}).items():
        if asked["condition"] == "service_healthy":
            assert "healthcheck" in SERVICES[other]
    if name in OURS:
        documented = Path("docs/operations.md").read_text()
        assert [
            one for one in service["environment"] if f"`{one}`" not in documented
        ] == []
        assert service["env_file"] in MADE_BY_HAND
    else:
        assert re.fullmatch(r"[a-z]+:\d+(\.\d+)?", service["image"])


def test_containers_reach_each_other():
    """By the names of services, at the ports that the services listen on."""
    hosts = {
        urlsplit(address).hostname
        for one in OURS.values()
        for address in one["environment"].values()
        if "://" in address
    }
    assert hosts == {"database", "redis"}
    replaced = re.search(
        r"sed s/([^/]+)/(\w+):(\d+)/", str(SERVICES["nginx"]["command"])
    )
    assert f"server {replaced[1]};" in (PRODUCTION / "nginx.conf").read_text()
    assert (replaced[2], replaced[3]) == ("web", "8001")
