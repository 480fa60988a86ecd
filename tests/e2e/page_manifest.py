"""Fill an office with what ``tests.sample_office.PAGES`` show, and say where they are.

Run on an empty office: ``python -m tests.e2e.page_manifest FILE`` writes one JSON
object with the URL of each page by its id, and the sessions of those who may open them.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

import django
from django.test.utils import setup_test_environment

# Sessions in the middle of signing in, besides the accounts of that world.
HALFWAY, UNVERIFIED, WITH_FACTOR, WITHOUT_FACTOR = (
    "halfway",
    "unverified",
    "with a second factor",
    "without a second factor",
)


def write_pages(path: Path) -> None:
    from django.conf import settings
    from django.test import Client

    from ratings_site.common.sign_in.services import link_to_set_password
    from tests.common.sign_in.test_second_factor import set_up
    from tests.factories import make_user, verified
    from tests.sample_office import PAGES, World
    from tests.test_page_security import address_of

    world = World()
    pages = {place.id: address_of(place, world) for place in PAGES}
    protected, open_ = verified(make_user("protected")), verified(make_user("open"))
    make_user("unverified", email="unverified@example.org")
    accounts = world.users | {WITH_FACTOR: protected, WITHOUT_FACTOR: open_}
    clients = defaultdict(Client)
    for name, user in accounts.items():
        clients[name].force_login(user)
    set_up(clients[WITH_FACTOR])
    clients[WITHOUT_FACTOR].post("/accounts/reauthenticate/", {"password": "secret"})
    for name, username in ((HALFWAY, "protected"), (UNVERIFIED, "unverified")):
        typed = {"login": username, "password": "secret"}
        clients[name].post("/accounts/login/", typed)
    pages["set a password"] = link_to_set_password(open_).partition("/accounts/")[2]
    sessions = {
        name: client.cookies[settings.SESSION_COOKIE_NAME].value
        for name, client in clients.items()
    }
    path.write_text(json.dumps({"pages": pages, "sessions": sessions}))


if __name__ == "__main__":
    django.setup()
    setup_test_environment()
    write_pages(Path(sys.argv[1]))
