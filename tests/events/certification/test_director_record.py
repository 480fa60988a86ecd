"""Directors' records: assignments, credits, renewal, and warnings of expiry."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from django.urls import reverse

from events.certification.experience import Assignment, credits_for, renewal, steps_to
from events.certification.queries import (
    assignments_of,
    director_record,
    official_by_id,
    request_with_facts,
)
from events.certification.rules import (
    REQUIREMENTS,
    TERM_YEARS,
    category_of,
    in_force,
)
from events.certification.services import warn_directors
from events.certification.tasks import WARN_DIRECTORS
from events.models import Event, Official, Section
from events.models.documents import OfficialLine
from events.public.queries import events_directed_by, td_figures
from events.records.services.versions import apply_version, document_of
from players.models import Claim, Player
from ratings_site.common.jobs.services import enqueue, run_due_jobs
from ratings_site.common.models import Job, Notice, User
from tests.factories import (
    accepted_event,
    event_report,
    make_player,
    make_staff,
    make_td,
    make_user,
    section_report,
    swiss_rows,
)

pytestmark = [pytest.mark.django_db, pytest.mark.calendar]

TODAY = date(2025, 1, 10)
# Of the page, for any number of events.
QUERIES = 9


@pytest.fixture(autouse=True)
def _today(monkeypatch):
    monkeypatch.setattr("django.utils.timezone.localdate", lambda *_: TODAY)


@pytest.fixture
def td() -> User:
    user = make_td("tess", "31415926")
    Official.objects.update(level="local", certified_until=date(2025, 1, 31))
    return user


@pytest.fixture
def other() -> User:
    return make_td("other", "27182818")


@pytest.fixture
def staff() -> User:
    return make_staff()


@pytest.fixture
def people() -> list[Player]:
    return [make_player() for _ in range(120)]


def section(people, players, *, rounds=4, **fields):
    rows = swiss_rows(players, rounds)
    return section_report(people[:players], rows, **fields)


def held(chief, sections, day, **fields) -> Event:
    """An event of one day, in which *chief* is the chief TD."""
    report = event_report(chief, sections, starts=day, ends=day, name=f"Open {day}")
    return accepted_event(chief, replace(report, **fields))


def small_event(chief, people, day=date(2024, 5, 4), **fields) -> Event:
    return held(chief, [section(people, 4, **fields)], day)


def facts(assignments) -> list[tuple]:
    return [(f"{one.day}", one.role, one.entrants, one.category) for one in assignments]


# Six years of one director


@pytest.fixture
def six_years(td, other, people, staff) -> None:
    """What Tess did. The counts below were made by hand from this list."""
    me = td.player.member_id
    # Two events on one day: chief of 20 players, assistant of 60.
    held(td, [section(people, 20, rounds=3)], date(2019, 3, 2))
    held(other, [section(people, 60)], date(2019, 3, 2), assistant_td_id=me)
    # 50 entries of 49 players: one entered twice.
    again = [*people[:49], people[0]]
    held(td, [section_report(again, swiss_rows(50, 4))], date(2019, 10, 5))
    held(td, [section(people, 50)], date(2020, 2, 1))
    # Three rounds are too few for a Senior TD.
    held(td, [section(people, 50, rounds=3)], date(2020, 9, 12))
    # Chief of one of two sections.
    mine = section(people, 52, chief_td_id=me)
    theirs = section(people[60:], 20, number=2)
    held(other, [mine, theirs], date(2021, 5, 1))
    held(other, [section(people, 100)], date(2021, 11, 6), assistant_td_id=me)
    # Online, quick, a match, and neither chief nor assistant: no credits.
    held(td, [section(people, 60, online=True)], date(2022, 4, 2))
    held(td, [section(people, 60, time_control="G/20;d5")], date(2022, 10, 1))
    held(td, [section(people, 2, kind_letter="M")], date(2022, 12, 3))
    held(other, [section(people, 120)], date(2023, 3, 4), other_td_ids=(me,))
    # 99 players: one of them also entered the other section.
    two = section([people[0], *people[50:]], 50, number=2)
    held(td, [section(people, 50), two], date(2023, 6, 3))
    # Chief of the event and of both sections: one assignment.
    both = [
        section(people[at:], 30, number=number, chief_td_id=me)
        for number, at in ((1, 0), (2, 30))
    ]
    held(td, both, date(2024, 5, 4))
    # Assistant of 90 players, and chief of a section of 40 of them.
    mine = section(people, 40, chief_td_id=me)
    theirs = section(people[40:], 50, number=2)
    held(other, [mine, theirs], date(2024, 11, 2), assistant_td_id=me)


# Newest first: last day, role, entrants that count, category, levels.
BY_HAND = [
    ("2024-11-02", "assistant", 90, "C", {"Senior TD"}),
    ("2024-11-02", "chief", 40, "D", {"Local TD"}),
    ("2024-05-04", "chief", 60, "C", {"Local TD", "Senior TD"}),
    ("2023-06-03", "chief", 99, "C", {"Local TD", "Senior TD"}),
    ("2023-03-04", "other", 120, "B", set()),
    ("2022-12-03", "chief", 0, "", set()),
    ("2022-10-01", "chief", 0, "", set()),
    ("2022-04-02", "chief", 0, "", set()),
    ("2021-11-06", "assistant", 100, "B", {"Local TD", "Senior TD"}),
    ("2021-05-01", "chief", 52, "C", {"Local TD", "Senior TD"}),
    ("2020-09-12", "chief", 50, "C", {"Local TD"}),
    ("2020-02-01", "chief", 50, "C", {"Local TD", "Senior TD"}),
    ("2019-10-05", "chief", 49, "D", {"Local TD"}),
    ("2019-03-02", "assistant", 60, "C", {"Senior TD"}),
    ("2019-03-02", "chief", 20, "D", {"Local TD"}),
]


def test_record_of_six_years_agrees_with_a_count_by_hand(td, six_years):
    record = director_record(official_by_id("31415926"), TODAY)
    rows = [
        (f"{one.day}", one.role, one.entrants, one.category, {*levels})
        for one, _, levels in record.rows
    ]
    assert sorted(rows, key=str) == sorted(BY_HAND, key=str)
    assert [row[0] for row in rows] == [row[0] for row in BY_HAND]
    # For Senior TD: 7 of 10 credits, 4 of 5 as chief. Players together don't matter.
    steps = [(one.kind, one.have, one.needed, one.missing) for one in record.steps]
    assert record.next_level == "Senior TD"
    assert steps == [("credits", 7, 10, 3), ("chief", 4, 5, 1)]
    # For Local TD: nine days, eight as chief; 20 + 49 + 50 + 50 + 52 + 100 + 99 + 60
    # + 40 players.
    local = steps_to("local", record.credits["local"], TODAY)
    assert [(one.kind, one.have) for one in local] == [
        ("credits", 9),
        ("chief", 8),
        ("players", 520),
    ]
    # The term of four years ends on January 31, 2025: five events with entrants.
    now = record.renewal
    assert (now.since, now.events.have, now.events.needed) == (date(2021, 1, 31), 5, 4)


def assignment(day, role="chief", entrants=60, rounds=4) -> Assignment:
    return Assignment(date(2024, 5, day), role, entrants, rounds)


@pytest.mark.parametrize(
    ("level", "changes", "is_credit"),
    [
        ("senior", {"entrants": 50}, True),
        ("senior", {"entrants": 49}, False),
        ("senior", {"rounds": 3}, False),
        ("senior", {"role": "assistant"}, True),
        ("senior", {"role": "other"}, False),
        ("local", {"entrants": 1, "rounds": 3}, True),
        ("local", {"entrants": 0}, False),
        ("local", {"rounds": 2}, False),
        ("local", {"role": "other"}, False),
    ],
)
def test_bounds_of_a_credit(level, changes, is_credit):
    requirement = in_force(REQUIREMENTS[level], TODAY)
    assert bool(credits_for(requirement, [assignment(1, **changes)])) is is_credit


def test_bounds_of_categories():
    bounds = [1, 49, 50, 99, 100, 299, 300]
    assert "".join(category_of(one, TODAY) for one in bounds) == "DDCCBBA"


@pytest.mark.parametrize(
    ("entrants", "missing"), [((16, 17, 17), 0), ((16, 16, 17), 1)]
)
def test_three_events_of_a_local_td_have_fifty_players_together(entrants, missing):
    assignments = [
        assignment(day + 1, entrants=some) for day, some in enumerate(entrants)
    ]
    [credits, chief, players] = steps_to("local", assignments, TODAY)
    assert (credits.missing, chief.missing, players.missing) == (0, 0, missing)


@pytest.mark.parametrize(
    ("day", "counts"),
    [
        (date(2021, 1, 31), 0),
        (date(2021, 2, 1), 1),
        (date(2025, 1, 31), 1),
        (date(2025, 2, 1), 0),
    ],
)
def test_renewal_takes_events_of_the_term(day, counts):
    found = renewal("local", date(2025, 1, 31), [Assignment(day, "chief", 20, 3)])
    assert found.events.have == counts


def test_two_events_of_one_day_are_two_for_a_renewal():
    saturday = date(2024, 5, 4)
    assignments = [
        Assignment(saturday, role, entrants, 3, event_id=event)
        for role, entrants, event in (
            ("chief", 20, "morning"),
            ("assistant", 30, "evening"),
            ("chief", 12, "evening"),
            ("chief", 0, "online"),
            ("other", 20, "noon"),
        )
    ]
    assert renewal("local", date(2025, 1, 31), assignments).events.have == 2


def test_terms_of_each_level():
    years = {level: in_force(TERM_YEARS[level], TODAY) for level in TERM_YEARS}
    assert years == {"club": 3, "local": 4, "senior": 5, "antd": 6}
    assert renewal("national", date(2025, 1, 31), []) is None


# Which sections are regular


@pytest.mark.parametrize(
    ("control", "letter", "counts"),
    [
        ("G/90;d5", "R", True),
        ("G/60;d5", "D", True),  # rated as regular and as quick
        ("G/90;d5", "Q", True),
        ("G/20;d5", "R", False),
        ("G/3;+2", "", False),
        ("rapid", "R", True),  # imported: nothing else says how it was rated
        ("rapid", "", True),
        ("rapid", "Q", False),
        ("rapid", "B", False),
    ],
)
def test_time_control_says_what_is_regular(td, people, control, letter, counts):
    small_event(td, people)
    Section.objects.update(time_control=control, reported_system=letter)
    assert [one.entrants for one in assignments_of(td.player)] == [4 if counts else 0]


@pytest.mark.parametrize("letter", ["R", ""])
def test_sections_before_the_rules_and_online_have_the_letter(td, people, letter):
    small_event(td, people, date(2000, 5, 6))
    Section.objects.update(reported_system=letter)
    assert [one.entrants for one in assignments_of(td.player)] == [4]
    Section.objects.update(is_online=True)
    assert [one.entrants for one in assignments_of(td.player)] == [0]


# Merges


def merge(kept: Player, merged: Player) -> None:
    merged.status, merged.merged_into = "duplicate", kept
    merged.save()


def test_events_under_a_merged_number_are_the_tds(td, other, people):
    """In both directions: the certification stays with the number it was given."""
    small_event(td, people)
    small_event(other, people, date(2024, 6, 1))
    merge(other.player, td.player)
    both = [("2024-06-01", "chief", 4, "D"), ("2024-05-04", "chief", 4, "D")]
    for official in Official.objects.all():
        assert facts(assignments_of(official.player)) == both
        assert td_figures(official) == {"events": 2, "sections": 2, "entries": 8}
        assert events_directed_by(official).count() == 2
    asked = Claim.objects.create(player=other.player, account=other, as_td=True)
    assert request_with_facts(asked.pk)[1].events_directed == 2


def test_entrants_are_people_not_member_numbers(td, people):
    two = section([people[4], *people[1:4]], 4, number=2)
    held(td, [section(people, 4), two], date(2024, 5, 4))
    assert [one.entrants for one in assignments_of(td.player)] == [5]
    merge(people[4], people[0])
    assert [one.entrants for one in assignments_of(td.player)] == [4]


# Corrections and deletions


def test_corrected_event_counts_once_and_a_deleted_one_not_at_all(td, people, staff):
    one = small_event(td, people).sections.get()
    deleted = small_event(td, people, date(2024, 6, 1))
    deleted.delete()
    before = [("2024-05-04", "chief", 4, "D")]
    assert facts(assignments_of(td.player)) == before
    after = document_of(one).changed(name="Open")
    apply_version(section=one, document=after, reason="Wrong.", actor=staff)
    assert facts(assignments_of(td.player)) == before


def test_time_control_corrected_to_quick_gives_no_credit(td, people, staff):
    one = small_event(td, people).sections.get()
    after = document_of(one).changed(time_control="G/10;d3")
    apply_version(section=one, document=after, reason="Quick.", actor=staff)
    assert facts(assignments_of(td.player)) == [("2024-05-04", "chief", 0, "")]


def test_corrected_chief_of_a_section_has_the_assignment(td, other, people, staff):
    event = held(
        other,
        [
            section(people, 4, chief_td_id=td.player.member_id),
            section(people[4:], 6, number=2),
        ],
        date(2024, 5, 4),
    )
    two = event.sections.get(number=2)
    line = OfficialLine("section", "chief", td.player.member_id)
    document = document_of(two)
    after = document.changed(officials=(*document.officials, line))
    apply_version(section=two, document=after, reason="Forgotten.", actor=staff)
    assignments = assignments_of(td.player)
    assert [(one.section, one.entrants) for one in assignments] == [
        ("Section 1", 4),
        ("Section 2", 6),
    ]


# The page


def page_of(td: User) -> str:
    return reverse("events:director_record", args=[td.player.member_id])


def test_page_survives_a_certification_that_ends_in_year_2(client, td):
    Official.objects.update(certified_until=date(2, 1, 1))
    client.force_login(td)
    assert "expired on Jan 1, 0002" in client.get(page_of(td)).content.decode()


@pytest.mark.parametrize("events", [2, 8])
def test_page_takes_the_same_queries_for_any_number_of_events(
    client, td, people, django_assert_num_queries, events
):
    for number in range(events):
        small_event(td, people, date(2024, 5, 4) + timedelta(number))
    client.force_login(td)
    with django_assert_num_queries(QUERIES):
        page = client.get(page_of(td)).content.decode()
    assert page.count("Open 2024-05") == events


def test_record_is_for_the_td_and_the_office_only(client, td, other, staff):
    public = reverse("events:director", args=[td.player.member_id])
    for reader, status in (
        (td, 200),
        (staff, 200),
        (other, 404),
        (make_user(), 404),
        (None, 302),
    ):
        client.force_login(reader) if reader else client.logout()
        assert client.get(page_of(td)).status_code == status
        assert (page_of(td) in client.get(public).content.decode()) is (status == 200)


@pytest.mark.parametrize(
    ("ends", "sentence"),
    [
        (date(2024, 7, 10), "becomes inactive six months later (Jan 10, 2025)"),
        (date(2025, 1, 9), "becomes inactive six months later (Jul 9, 2025)"),
        (TODAY, None),
        (date(2099, 12, 31), None),
    ],
)
def test_certification_lapses_six_months_after_the_membership(
    client, td, ends, sentence
):
    td.player.memberships.update(expires=ends)
    client.force_login(td)
    page = client.get(page_of(td)).content.decode()
    assert (sentence or "Events directed") in page
    assert ("inactive" in page) is bool(sentence)


@pytest.mark.parametrize(
    ("until", "is_current"), [(TODAY, True), (TODAY - timedelta(1), False)]
)
def test_expired_certification_does_not_look_valid(client, td, until, is_current):
    Official.objects.update(level="club", certified_until=until)
    client.force_login(td)
    page = client.get(page_of(td)).content.decode()
    assert ("Club TD through Jan 10, 2025" in page) is is_current
    assert ("expired on Jan 9, 2025" in page) is not is_current
    for part in ("As chief TD", "Renewal", "Your first renewal requires a test."):
        assert (part in page) is is_current


def test_page_says_who_can_see_it(client, td, staff):
    for reader, who in ((td, "you"), (staff, "the TD")):
        client.force_login(reader)
        page = client.get(page_of(td)).content.decode()
        assert f"Only {who} and the ratings office can see this page." in page


# Warnings


def warn_on(day: date) -> list[tuple[str, str]]:
    """Return the new notices of a day."""
    before = set(Notice.objects.values_list("pk", flat=True))
    warn_directors(day)
    rows = Notice.objects.exclude(pk__in=before).order_by("pk")
    return list(rows.values_list("account__username", "title"))


def test_td_is_warned_90_and_30_days_before_and_once_each(td, other):
    ends = date(2025, 6, 30)
    Official.objects.filter(player=td.player).update(certified_until=ends)
    said = [("tess", "Your TD certification ends on June 30, 2025")]
    days = (91, 90, 89, 31, 30, 29, 0, -1)
    assert [warn_on(ends - timedelta(left)) for left in days] == [
        *([], said, [], []),
        *(said, [], [], []),
    ]
    # Renewed, and again at its end.
    Official.objects.filter(player=td.player).update(certified_until=date(2029, 6, 30))
    assert len(warn_on(date(2029, 6, 1))) == 1


def test_td_is_warned_of_the_end_of_safe_play(td, other):
    Official.objects.filter(player=other.player).update(safe_play_until=TODAY)
    assert warn_on(TODAY + timedelta(1)) == [
        ("tess", "Your TD certification ends on January 31, 2025")
    ]
    assert warn_on(TODAY) == [
        ("other", "Your Safe Play training ends on January 10, 2025")
    ]


def test_lapsed_tds_and_those_without_account_are_not_warned(td):
    Official.objects.update(certified_until=TODAY - timedelta(1), safe_play_until=TODAY)
    make_td("gone", "20202020")
    Official.objects.filter(player__account__username="gone").update(
        certified_until=TODAY
    )
    Player.objects.filter(account__username="gone").update(account=None)
    assert warn_on(TODAY) == []


def test_nightly_job_warns(td):
    for night in ("one", "two"):
        enqueue(WARN_DIRECTORS, key=night)
        run_due_jobs()
    assert Job.objects.filter(kind=WARN_DIRECTORS, state="done").count() == 2
    notice = Notice.objects.get()
    assert (notice.account, notice.url) == (td, page_of(td))
