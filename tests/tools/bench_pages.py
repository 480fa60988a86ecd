"""Benchmark of pages: `make bench-pages MEMBERS=110000`. Tests nothing.

A federation of this size (`tests.full_federation`) is generated in a database of its
own and kept for the next run. Each kind of public page, API endpoint and feed is asked
for from this program: cold, another object each time and all caches empty, and warm,
the same again. Seconds by the clock say little where others work on the machine, so
they are followed by those of the processor, this program's and PostgreSQL's, for a cold
page. How many queries each kind takes is compared with runs in nations of other sizes.
Then eight clients ask the product's own server for it. DATABASE_URL chooses the
database, PAGES=why,profile only those kinds, SERVED=0 leaves the server out. The last
line is for programs.
"""

import gc
import http.client
import json
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from itertools import count
from pathlib import Path
from statistics import quantiles
from typing import Any
from urllib.parse import quote

os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
os.environ.setdefault("API_QUOTA_WITHOUT_KEY", "1000000000")

import django

django.setup()

from django.conf import settings
from django.core.cache import caches
from django.core.management.utils import get_random_secret_key
from django.db import connection
from django.db.models import Count, Model
from django.test import Client
from django.test.utils import setup_test_environment

from events.models import Affiliate, Entry, Event, EventOfficial, Section
from players.models import Player
from ratings.home.sitemaps import ADDRESSES_ON_A_PAGE
from ratings.lists.services.rating_counts import count_ratings
from ratings.models import OfficialList, PlayerRating, Run
from ratings.models import RatingChange as Line
from ratings_site.common.models import Office
from tests.full_federation import BIGGEST, FullFederation
from tests.tools.bench_rerate import Seconds

CACHE_DIR = Path(__file__).parents[2] / "var" / "bench"
OBJECTS, TIMES_WARM = 10, 3
SOME_SYSTEMS = ("OTBR", "OTBQ", "OTBB")
CLIENTS, SECONDS_PER_KIND = 8, 2.0
PORT = int(os.environ.get("PORT", "8212"))


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of page, and addresses of different ones of it."""

    name: str
    paths: list[str]


@dataclass(slots=True)
class Figures:
    """The times of a kind of page, in milliseconds."""

    queries: list[int] = field(default_factory=list)
    sql: list[float] = field(default_factory=list)
    cold: list[float] = field(default_factory=list)
    warm: list[float] = field(default_factory=list)
    processor: float = 0.0
    bytes: int = 0


def kinds() -> list[Kind]:
    """Choose the pages: always the same of a nation."""
    sampler = ObjectSampler(random.Random(1))
    months = [one.slug for one in OfficialList.objects.all()]
    states = sorted(set(Event.objects.values_list("state", flat=True)))
    rerates = [run.pk for run in Run.objects.filter(kind="rerate")]
    return [
        *_people_kinds(sampler, states, rerates),
        *_event_kinds(sampler, states),
        *_list_kinds(months, states, rerates),
        *_api_kinds(sampler, months, states),
    ]


def paths_for(address: str, objects: Iterable[Any]) -> list[str]:
    return [
        address.format(*one) if isinstance(one, tuple) else address.format(one)
        for one in objects
    ]


def _people_kinds(
    sampler: "ObjectSampler", states: list[str], rerates: list[int]
) -> list[Kind]:
    players, busiest, names = sampler.players(), sampler.busiest(), sampler.names()
    begun = [name[:length] for name in names for length in (2, 3, 4)]
    changed = [(rerates[-1], one) for one in players]
    return [
        Kind("home", ["/"]),
        Kind("search", paths_for("/players/?q={}", names)),
        Kind(
            "search_state",
            paths_for("/players/?q={}+{}", zip(names, states, strict=False)),
        ),
        Kind("search_member_id", paths_for("/players/?q={}", players)),
        Kind("search_typing", paths_for("/search/suggestions/?q={}", begun)),
        Kind("search_typing_slip", paths_for("/search/suggestions/?q={}x", names)),
        Kind("profile", paths_for("/players/{}/", players)),
        Kind("profile_busiest", paths_for("/players/{}/", busiest)),
        Kind("results", paths_for("/players/{}/results/", busiest)),
        Kind("player_lists", paths_for("/players/{}/lists/", players)),
        Kind("head_to_head", paths_for("/players/{}/against/{}/", sampler.opponents())),
        Kind("career_laboratory", paths_for("/players/{}/laboratory/", players)),
        Kind("member_feed", paths_for("/players/{}/feed.atom", players)),
        Kind("rerate_player", paths_for("/rerates/{}/players/{}/", changed)),
        Kind("director", paths_for("/tds/{}/", sampler.directors())),
    ]


def _event_kinds(sampler: "ObjectSampler", states: list[str]) -> list[Kind]:
    events, sections = sampler.events(), sampler.sections()
    pages = range(2, 10)
    return [
        Kind("events", ["/events/", *paths_for("/events/?page={}", pages)]),
        Kind("events_state", paths_for("/events/?state={}", states)),
        Kind("events_found", paths_for("/events/?q=Event+{}", range(100, 120))),
        Kind("event", paths_for("/events/{}/", events)),
        Kind("event_csv", paths_for("/events/{}/report.csv", events)),
        Kind("event_json", paths_for("/events/{}/report.json", events)),
        Kind("crosstable", paths_for("/events/{}/{}/", sections)),
        Kind("crosstable_300", [sampler.biggest().get_absolute_url()]),
        Kind("section_laboratory", paths_for("/events/{}/{}/laboratory/", sections)),
        Kind("why", sampler.explanation_paths()),
        Kind("why_300", sampler.biggest_section_explanation_paths()),
        Kind("affiliate", paths_for("/affiliates/{}/", sampler.affiliates())),
        Kind("calendar", ["/calendar/"]),
        Kind("events_feed", paths_for("/feeds/events.atom?page={}", range(1, 10))),
        Kind("events_feed_state", paths_for("/feeds/events/{}.atom", states)),
        Kind(
            "corrections_feed",
            paths_for("/feeds/corrections.atom?page={}", range(1, 5)),
        ),
        Kind("sitemap", ["/sitemap.xml"]),
        Kind(
            "sitemap_players",
            paths_for("/sitemap-players.xml?p={}", sitemap_pages(Player)),
        ),
        Kind(
            "sitemap_events",
            paths_for("/sitemap-events.xml?p={}", sitemap_pages(Event)),
        ),
        Kind(
            "sitemap_sections",
            paths_for("/sitemap-sections.xml?p={}", sitemap_pages(Section)),
        ),
    ]


def sitemap_pages(model: type[Model]) -> range:
    """Return the numbers of the full pages of the map of the site."""
    return range(1, max(2, 1 + model.objects.count() // ADDRESSES_ON_A_PAGE))


def _list_kinds(months: list[str], states: list[str], rerates: list[int]) -> list[Kind]:
    compared = "/lists/compare/?later={}&earlier={}&system={}"
    two = [(*months[:2], system) for system in SOME_SYSTEMS]
    bands = ("u8", "u10", "u12", "u14", "u16", "50-up", "65-up")
    return [
        Kind("rankings", ["/rankings/"]),
        Kind("ranking", paths_for("/rankings/OTBR/?page={}", range(1, 20))),
        Kind("ranking_far", paths_for("/rankings/OTBR/?page={}", range(1000, 1020))),
        Kind("ranking_last", ["/rankings/OTBR/?page=1000000"]),
        Kind("ranking_state", paths_for("/rankings/OTBR/?state={}", states)),
        Kind("ranking_women", ["/rankings/OTBR/?women=on"]),
        Kind("ranking_band", paths_for("/rankings/OTBR/?band={}", bands)),
        Kind("top", paths_for("/rankings/{}/top/", SOME_SYSTEMS)),
        Kind("gains", paths_for("/rankings/{}/gains/", SOME_SYSTEMS)),
        Kind("classes", paths_for("/classes/{}/", SOME_SYSTEMS)),
        Kind("class", paths_for("/classes/OTBR/class-{}/", "abcdefghij")),
        Kind("distribution", paths_for("/distribution/{}/", SOME_SYSTEMS)),
        Kind("distribution_state", paths_for("/distribution/OTBR/?state={}", states)),
        Kind("distribution_csv", ["/distribution/OTBR/distribution.csv"]),
        Kind("lists", ["/lists/"]),
        Kind("list", paths_for("/lists/{}/", months)),
        Kind("list_file", paths_for("/lists/{0}/ratings-{0}.csv", months)),
        Kind("compare_lists", paths_for(compared, two)),
        Kind("rerates", ["/rerates/"]),
        Kind("rerate", paths_for("/rerates/{}/", rerates)),
        Kind("estimate", ["/estimate/"]),
        Kind("matches", ["/matches/"]),
        Kind("foreign", ["/foreign/"]),
        Kind("laboratory", ["/laboratory/"]),
        Kind("open_data", ["/open-data/"]),
    ]


def _api_kinds(
    sampler: "ObjectSampler", months: list[str], states: list[str]
) -> list[Kind]:
    players, events, sections = sampler.players(), sampler.events(), sampler.sections()
    section = "/api/v1/events/{}/sections/{}"
    return [
        Kind("api_start", ["/api/v1/"]),
        Kind("api_members", paths_for("/api/v1/members?query={}", sampler.names())),
        Kind("api_member", paths_for("/api/v1/members/{}", players)),
        Kind("api_ratings", paths_for("/api/v1/members/{}/ratings", players)),
        Kind("api_history", paths_for("/api/v1/members/{}/history", sampler.busiest())),
        Kind("api_member_lists", paths_for("/api/v1/members/{}/lists", players)),
        Kind("api_events", paths_for("/api/v1/events?state={}", states)),
        Kind("api_event", paths_for("/api/v1/events/{}", events)),
        Kind("api_section", paths_for(section, sections)),
        Kind("api_standings", paths_for(f"{section}/standings", sections)),
        Kind("api_lists", ["/api/v1/lists"]),
        Kind("api_list", paths_for("/api/v1/lists/{}", months)),
        Kind("api_ranking", paths_for("/api/v1/rankings/OTBR?state={}", states)),
        Kind("api_classes", ["/api/v1/classes"]),
    ]


class ObjectSampler:
    """Objects of the nation, drawn without going through them all."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance

    def some(self, rows: Any) -> list[Any]:
        last = rows.order_by("-pk").values_list("pk", flat=True)[0]
        drawn = [self._chance.randint(1, last) for _ in range(OBJECTS)]
        found = [rows.filter(pk__gte=one).order_by("pk").first() for one in drawn]
        return [one for one in found if one is not None]

    def players(self) -> list[str]:
        lines = self.some(Line.objects.select_related("player"))
        return list(dict.fromkeys(line.player.member_id for line in lines))

    def busiest(self) -> list[str]:
        most = Line.objects.values("player").annotate(n=Count("pk")).order_by("-n")
        players = Player.objects.in_bulk([row["player"] for row in most[:OBJECTS]])
        return [player.member_id for player in players.values()]

    def opponents(self) -> list[tuple[str, str]]:
        entries = self.some(Entry.objects.filter(pairing_number=1))
        others = Entry.objects.filter(
            pairing_number=2, section__in=[one.section_id for one in entries]
        ).select_related("player")
        found = {one.section_id: one.player for one in others}
        return [
            (one.player.member_id, found[one.section_id].member_id) for one in entries
        ]

    def events(self) -> list[str]:
        return [event.event_id for event in self.some(Event.objects)]

    def sections(self) -> list[tuple[str, int]]:
        some = self.some(Section.objects.select_related("event"))
        return [(one.event.event_id, one.number) for one in some]

    def names(self) -> list[str]:
        return [one.family_name.lower() for one in self.some(Player.objects)]

    def biggest(self) -> Section:
        return Section.objects.select_related("event").order_by("-rounds", "-pk")[0]

    def explanation_paths(self) -> list[str]:
        return _explanation_paths(self.some(_rated_lines()))

    def biggest_section_explanation_paths(self) -> list[str]:
        lines = _rated_lines().filter(calculation__section=self.biggest())
        return _explanation_paths(lines[:OBJECTS])

    def affiliates(self) -> list[str]:
        return [one.affiliate_id for one in self.some(Affiliate.objects)]

    def directors(self) -> list[str]:
        some = self.some(EventOfficial.objects.select_related("player"))
        return list(dict.fromkeys(one.player.member_id for one in some))


def _rated_lines() -> Any:
    return Line.objects.filter(calculation__is_current=True).select_related(
        "calculation__section__event", "player"
    )


def _explanation_paths(lines: Iterable[Line]) -> list[str]:
    return [
        f"{line.calculation.section.get_absolute_url()}why/"
        f"{line.player.member_id}/{line.calculation.system}/"
        for line in lines
    ]


def measure(kind: Kind) -> Figures:
    figures, client = Figures(), Client()
    paths = [kind.paths[n % len(kind.paths)] for n in range(OBJECTS)]
    began = Seconds.now()
    for path in paths:
        for cache in caches.all():
            cache.clear()
        milliseconds, queries, sql, size = _ask(client, path)
        figures.cold.append(milliseconds)
        figures.sql.append(sql)
        figures.queries.append(queries)
        figures.bytes = max(figures.bytes, size)
    spent = Seconds.now() - began
    figures.processor = 1000 * spent.processor / len(paths)
    figures.warm = [_ask(client, paths[-1])[0] for _ in range(TIMES_WARM)]
    return figures


def _ask(client: Client, path: str) -> tuple[float, int, float, int]:
    """Return milliseconds, queries, milliseconds in them, and compressed bytes."""
    spent: list[float] = []

    def counted(execute: Callable, *arguments: Any) -> Any:
        began = time.perf_counter()
        try:
            return execute(*arguments)
        finally:
            spent.append(time.perf_counter() - began)

    with connection.execute_wrapper(counted):
        began = time.perf_counter()
        response = client.get(path, headers={"accept-encoding": "gzip"})
        body = b"".join(response) if response.streaming else response.content
        took = time.perf_counter() - began
    if response.status_code != 200:
        sys.exit(f"{path} answers {response.status_code}.")
    return 1000 * took, len(spent), 1000 * sum(spent), len(body)


@contextmanager
def served() -> Iterator[None]:
    """Run the product's own server over the nation while the block runs."""
    name = connection.settings_dict["NAME"]
    base = os.environ.get("DATABASE_URL", "sqlite:///").rpartition("/")[0]
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "ratings_site.settings",
        "DATABASE_URL": f"{base}/{name}",
        "SECRET_KEY": get_random_secret_key(),
        "NIGHTLY_AT": "",
    }
    command = [sys.executable, "manage.py", "serve", "--bind", f"127.0.0.1:{PORT}"]
    server = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    try:
        _wait_for_server()
        yield
    finally:
        server.terminate()
        server.wait()


def _wait_for_server() -> None:
    for _ in range(300):
        try:
            _status(http.client.HTTPConnection("127.0.0.1", PORT), "/health/")
        except OSError:
            time.sleep(0.2)
        else:
            return
    sys.exit("The server does not answer.")


def _status(to: http.client.HTTPConnection, path: str) -> int:
    as_sent = quote(path, safe="/?&=+%")
    to.request("GET", as_sent, headers={"Accept-Encoding": "gzip"})
    response = to.getresponse()
    response.read()
    return response.status


def requests_per_second(kind: Kind) -> float:
    """Ask for all pages of a kind in turn with eight clients at once.

    It ends the run if an answer is no page: a refusal or a redirect is quick.
    """
    began = time.perf_counter()
    ends = began + SECONDS_PER_KIND

    def ask(client: int) -> int:
        to = http.client.HTTPConnection("127.0.0.1", PORT)
        for answered in count():
            if time.perf_counter() >= ends:
                break
            path = kind.paths[(client + CLIENTS * answered) % len(kind.paths)]
            if (status := _status(to, path)) != HTTPStatus.OK:
                sys.exit(f"{path} answers {status}.")
        to.close()
        return answered

    with ThreadPoolExecutor(CLIENTS) as clients:
        answered = sum(clients.map(ask, range(CLIENTS)))
    return answered / (time.perf_counter() - began)


def percentile(values: list[float], percent: int) -> float:
    return quantiles(values, n=100, method="inclusive")[percent - 1]


def prepare_database(members: int) -> None:
    """Open the nation's database; make the nation up unless it is all there."""
    name = f"bench_pages_{members}"
    if connection.vendor == "sqlite":
        CACHE_DIR.mkdir(parents=True, exist_ok=True)
        name = f"{CACHE_DIR / name}.sqlite3"
    settings.DATABASES["default"]["TEST"]["NAME"] = name
    connection.creation.create_test_db(
        verbosity=0, autoclobber=True, serialize=False, keepdb=True
    )
    if _is_complete():
        return
    if Player.objects.exists():  # an earlier run broke off
        connection.close()
        connection.creation.create_test_db(
            verbosity=0, autoclobber=True, serialize=False
        )
    began = time.perf_counter()
    FullFederation(members, cache_dir=CACHE_DIR).build()
    print(f"made up in {time.perf_counter() - began:.0f} s")
    _vacuum()


def _vacuum() -> None:
    """Vacuum, as autovacuum does within an hour.

    Until then there are no index-only scans, and some pages take half as long again.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM (ANALYZE)")


def _is_complete() -> bool:
    """Return whether the rerate, the last generated part, exists."""
    return Run.objects.filter(kind="rerate", status="published").count() == 2


def main(members: int) -> None:
    setup_test_environment()
    prepare_database(members)
    print(
        f"{connection.vendor}: {Player.objects.count():,} members, "
        f"{Event.objects.count():,} events, {Line.objects.count():,} ledger lines, "
        f"{PlayerRating.objects.count():,} current ratings, a section of {BIGGEST}"
    )
    began = time.perf_counter()
    count_ratings()
    print(f"ratings counted in {time.perf_counter() - began:.1f} s", flush=True)
    only = [name for name in os.environ.get("PAGES", "").split(",") if name]
    chosen = [one for one in kinds() if not only or one.name in only]
    Client().get("/")  # what the first request loads is no page's doing
    gc.freeze()  # as a server does before its first (`serve`)
    Office.REFRESH_SECONDS = math.inf  # a query by the clock, whichever page it meets
    print(HEAD)
    found = {
        kind.name: print_figures(kind, measure(kind)) for kind in chosen if kind.paths
    }
    worst = max(percentile(figures.cold, 95) for figures in found.values())
    compare_queries(members, {kind: max(one.queries) for kind, one in found.items()})
    if os.environ.get("SERVED", "1") != "0":
        with served():
            for kind in chosen:
                rate = requests_per_second(kind)
                print(f"{kind.name:<20}{rate:>8.0f} requests a second", flush=True)
    print(f"worst_cold_p95_ms={worst:.0f}")


def compare_queries(members: int, queries: dict[str, int]) -> None:
    """Keep how many queries each kind took, and print what other nations' took."""
    CACHE_DIR.mkdir(parents=True, exist_ok=True)
    (CACHE_DIR / f"queries-{members}.json").write_text(json.dumps(queries))
    for path in CACHE_DIR.glob("queries-*.json"):
        others = json.loads(path.read_text())
        changed_ratings = [
            f"{kind} {others[kind]}"
            for kind, number in queries.items()
            if others.get(kind, number) != number
        ]
        if changed_ratings:
            print(f"Other queries in {path.stem}: {', '.join(changed_ratings)}")


HEAD = (
    f"{'':<20}{'queries':>8}{'SQL ms':>8}{'cold p50':>10}{'p95':>8}"
    f"{'warm p50':>10}{'p95':>8}{'CPU ms':>8}{'kB':>7}"
)


def print_figures(kind: Kind, figures: Figures) -> Figures:
    """Print a line of figures, and return them."""
    print(
        f"{kind.name:<20}{max(figures.queries):>8}{percentile(figures.sql, 50):>8.1f}"
        f"{percentile(figures.cold, 50):>10.1f}{percentile(figures.cold, 95):>8.1f}"
        f"{percentile(figures.warm, 50):>10.1f}{percentile(figures.warm, 95):>8.1f}"
        f"{figures.processor:>8.1f}{figures.bytes / 1000:>7.1f}",
        flush=True,
    )
    return figures


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 110_000)
