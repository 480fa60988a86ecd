"""Newcomers of every kind, and all that is public about them."""

import json
import re
from collections.abc import Iterator
from datetime import date, timedelta
from functools import cached_property

from django.test import Client
from django.utils import timezone

from events.models import Section
from players.models import Player
from ratings.engine.section_json import parse_section
from ratings.ledger.queries.published_ratings import ABOUT_STEP
from ratings.lists.services.rows import compute_list
from ratings.models import CalculationInputs
from ratings.open_data.queries import TABLES
from tests.factories import (
    event_report,
    make_player,
    make_td,
    rated_event,
    section_report,
)
from tests.privacy.attack import UNKNOWN, Cards, Disclosure

SYSTEM = "OTBR"
NUMBER = re.compile(r"^(?:(about) )?([0-9]+(?:\.[0-9]+)?)$")
WORDS = r"(?:about )?[0-9]+(?:\.[0-9]+)?"


class PublicRecords:
    """One newcomer, the *target*, with opponents in one section after the other."""

    def __init__(self, born: date, client: Client | None = None) -> None:
        self.td = make_td()
        self.born = born
        self.target = self.newcomer(born, "Kim")
        self.sections: list[Section] = []
        self.client = client or Client()
        self.pages: dict[str, str] = {}

    def newcomer(self, born: date, name: str = "Noa") -> Player:
        return make_player(given_name=name, birth_date=born)

    def rated_player(self, rating: float, games: int = 40) -> Player:
        return make_player(ratings={SYSTEM: (rating, games)})

    def play(self, players: list[Player], rows: list[str], **fields) -> None:
        starts = date(2024, 5, 4) + timedelta(days=35 * len(self.sections))
        report = event_report(
            self.td,
            [section_report(players, rows, **fields)],
            starts=starts,
            ends=starts + timedelta(days=1),
        )
        self.sections.append(rated_event(self.td, report).sections.get())

    def play_against(self, opponents: list[Player], results: str) -> None:
        """Have the target play one game against each opponent, with no other games."""
        mirror = {"W": "L", "L": "W", "D": "D"}
        own = " ".join(f"{one}{place}" for place, one in enumerate(results, start=2))
        others = [
            " ".join(
                f"{mirror[one]}1" if at == place else "H" for at in range(len(results))
            )
            for place, one in enumerate(results)
        ]
        self.play([self.target, *opponents], [own, *others])

    def round_robin(self, players: list[Player], winners: str) -> None:
        """Play a round robin: *winners* says for each pair whether the first one wins.

        The letters are those of the pairs in order: 1-2, 1-3, ... 2-3, ...
        """
        size = len(players)
        cells = [["H"] * (size * (size - 1) // 2) for _ in players]
        pairs = [(a, b) for a in range(size) for b in range(a + 1, size)]
        mirror = {"W": "L", "L": "W", "D": "D"}
        for place, ((a, b), one) in enumerate(zip(pairs, winners, strict=True)):
            cells[a][place] = f"{one}{b + 1}"
            cells[b][place] = f"{mirror[one]}{a + 1}"
        self.play(players, [" ".join(row) for row in cells])

    # --- What went in ---

    @property
    def cards(self) -> Cards:
        found = []
        for section in self.sections:
            inputs = CalculationInputs.objects.get(
                calculation__section=section,
                calculation__system=SYSTEM,
                calculation__is_current=True,
            )
            given, _faults = parse_section(json.loads(inputs.document))
            found.append((given.rating_input, given.rules))
        return found

    @cached_property
    def people(self) -> list[Player]:
        entered = Player.objects.filter(entries__section__in=self.sections)
        return list(entered.distinct().order_by("pk"))

    # --- What anybody can read ---

    def disclosures(self) -> list[Disclosure]:
        return [*self._of_sections(), *self._of_members(), *self._of_files()]

    def html(self, url: str) -> str:
        if url not in self.pages:
            self.pages[url] = " ".join(self.client.get(url).content.decode().split())
        return self.pages[url]

    def _of_sections(self) -> Iterator[Disclosure]:
        for number, section in enumerate(self.sections):
            where = f"{section.event.event_id}/{section.number}"
            page = self.html(f"/events/{where}/?decimals=1")
            api = f"/api/v1/events/{section.event.event_id}/sections/{section.number}"
            items = self.client.get(f"{api}/standings").json()["items"]
            entries = {item["member_id"]: item["ratings"] for item in items}
            for player in self.people:
                link = rf"<a href=why/{player.member_id}/{SYSTEM}/>({WORDS})</a>"
                for text in re.findall(link, page):
                    yield self._disclosure(number, player, text, "crosstable")
                for one in entries.get(player.member_id, []):
                    yield self._exact_disclosure(number, player, one, "standings")
                why = self.html(f"/events/{where}/why/{player.member_id}/{SYSTEM}/")
                said = rf"(?:first rating of|The new rating is) ({WORDS})[., ]"
                for text in re.findall(said, why):
                    yield self._disclosure(number, player, text, "why")

    def _of_members(self) -> Iterator[Disclosure]:
        last = len(self.sections) - 1
        """Read the pages of the target, and of one opponent: all are made alike."""
        for player in self.people[:2]:
            home = f"/players/{player.member_id}/"
            page = self.html(f"{home}?decimals=1")
            played = self._played(player)
            cells = re.findall(rf'data-label="After">({WORDS})<', page)
            for number, text in zip(reversed(played), cells, strict=False):
                yield self._disclosure(number, player, text, "profile")
            # The chart leaves dots out where they would overlap; its table has all.
            table = self.html(f"{home}?table=1&show={SYSTEM}")
            points = re.findall(rf'<td class="num">({WORDS})</td><td class="wr', table)
            for number, text in zip(reversed(played), points, strict=False):
                yield self._disclosure(number, player, text, "chart")
            if played[-1] != last:
                continue
            now = rf'class="figure">({WORDS})<|class="tnum">([0-9]+\.[0-9]+)</span> ·'
            for texts in re.findall(now, page):
                yield self._disclosure(last, player, "".join(texts), "profile, now")
            found = self.html(f"/players/?q={player.member_id}")
            for text in re.findall(rf'<td class="num">({WORDS})</td>', found):
                yield self._disclosure(last, player, text, "search")
            feed = self.html(f"{home}feed.atom")
            for text in re.findall(rf"→ ({WORDS})</title>", feed)[:1]:
                yield self._disclosure(last, player, text, "feed")
            ratings = self.client.get(f"/api/v1/members/{player.member_id}/ratings")
            for one in ratings.json()["current"]:
                if one["rating"] is not None:
                    yield self._exact_disclosure(
                        last, player, {**one, "after": one["rating"]}, "API"
                    )
            form = self.html(f"/estimate/?member={player.member_id}&system={SYSTEM}")
            for text in re.findall(r'name="rating" value="([0-9.]+)"', form):
                # A number to type in, so without the word that the profile has.
                is_about = 'class="figure">about' in page
                yield self._number(last, player, text, is_about, "estimator")

    def _of_files(self) -> Iterator[Disclosure]:
        people = {player.member_id: player for player in self.people}
        numbers = {one.event.event_id: n for n, one in enumerate(self.sections)}
        table = next(one for one in TABLES if one.name == "ratings")
        names = [column.name for column in table.columns]
        for values in table.rows():
            row = dict(zip(names, values, strict=True))
            if row["system"] == SYSTEM and row["event_id"] in numbers:
                yield self._number(
                    numbers[row["event_id"]],
                    people[row["member_id"]],
                    row["after"],
                    row["after_is_about"],
                    "open data",
                )
        now = timezone.now()
        month = now.date().replace(day=1)
        listed = {
            row.standing.player_id: row
            for row in compute_list(month=month, moment=now).rows
        }
        last = len(self.sections) - 1
        for player in self.people:
            if player.pk in listed and self._played(player)[-1] == last:
                row = listed[player.pk].standing
                yield self._number(last, player, row.rating, row.is_about, "list")

    def _played(self, player: Player) -> list[int]:
        return [
            number
            for number, section in enumerate(self.sections)
            if section.entries.filter(player=player).exists()
        ]

    # --- Parsing published values ---

    def _disclosure(
        self, number: int, player: Player, text: str, source: str
    ) -> Disclosure:
        about, figure = NUMBER.match(text).groups()
        decimals = len(figure.partition(".")[2])
        half = ABOUT_STEP / 2 if about else 0.5 / 10**decimals
        # Of those who came with a rating, the rating before is known as a whole number.
        came_rated = player.rating_changes.filter(formula="opening").exists()
        half += UNKNOWN if came_rated and not decimals else 0.0
        low, high = float(figure) - half, float(figure) + half
        return Disclosure(number, player.pk, low, high, source, float(figure))

    def _exact_disclosure(
        self, number: int, player: Player, one: dict, source: str
    ) -> Disclosure:
        return self._number(number, player, one["after"], one["is_about"], source)

    def _number(
        self,
        number: int,
        player: Player,
        rating: float | str,
        is_about: bool,
        source: str,
    ) -> Disclosure:
        return self._disclosure(
            number, player, f"{'about ' * is_about}{rating}", source
        )
