"""Effects of applying a version."""

from datetime import date

import pytest

from events.corrections.changes import changed_document
from events.models import Entry, Game, PackedSection, SectionVersion, UnplayedRound
from events.models.documents import OfficialLine, SectionDocument
from events.records.packed_section import unpack
from events.records.services.packing import pack_section
from events.records.services.versions import apply_version, document_of, first_version
from ratings.models import Calculation, PublishedRating, RatingChange, RerateMark
from ratings.rerates.services.publishing import publish_rerate
from ratings.rerates.services.start import start_rerate
from ratings_site.common.jobs.services import run_due_jobs
from tests.events.corrections.samples import (
    apply_change,
    cell,
    make_event,
    make_section,
    result,
)
from tests.factories import make_player, make_staff

pytestmark = pytest.mark.django_db

REASON = "The score sheet shows a draw."


def correct(section, kind, change, actor=None) -> SectionVersion:
    after = apply_change(kind, change, document_of(section))
    return apply_version(section=section, document=after, reason=REASON, actor=actor)


DRAWN = result(cell(4, 1, "D", 1, color="B"))


def test_section_document_matches_the_records():
    section = make_section()
    entries = list(section.entries.order_by("pairing_number").select_related("player"))
    document = document_of(section)
    assert [(e.number, e.member_id, e.player) for e in document.entries] == [
        (entry.pairing_number, entry.player.member_id, entry.player_id)
        for entry in entries
    ]
    assert [tuple(game) for game in document.games] == [
        (1, 1, 1, 4, "W", "W", "L"),
        (1, 1, 2, 3, "W", "W", "L"),
        (2, 1, 1, 3, "B", "W", "L"),
        (2, 1, 2, 4, "B", "D", "D"),
        (3, 1, 1, 2, "W", "D", "D"),
        (3, 1, 3, 4, "W", "W", "L"),
    ]
    [chief] = document.officials
    assert chief == ("event", "chief", section.event.officials.get().player.member_id)
    assert SectionDocument.from_text(document.to_text()) == document


def test_accepted_section_has_one_first_version():
    section = make_section()
    version = first_version(section)
    assert first_version(section) == version
    assert section.versions.count() == 1
    assert version.number == 1
    assert SectionDocument.from_text(version.document) == document_of(section)


def test_versions_are_kept_and_the_records_change():
    section, staff = make_section(), make_staff()
    before = document_of(section)
    correct(section, "result", DRAWN, staff)
    one, two = section.versions.order_by("number")
    assert SectionDocument.from_text(one.document) == before
    assert SectionDocument.from_text(two.document) == document_of(section)
    assert (two.number, two.reason, two.made_by) == (2, REASON, staff)
    section.refresh_from_db()
    assert section.version == 2
    game = section.games.get(round_number=1, first__pairing_number=1)
    assert (game.first_outcome, game.second_outcome) == ("D", "D")


def test_only_changes_are_written():
    section = make_section()
    entries = set(section.entries.values_list("pk", "player"))
    kept = set(section.games.exclude(round_number=1, first__pairing_number=1))
    correct(section, "result", DRAWN)
    assert set(section.entries.values_list("pk", "player")) == entries
    assert kept < set(section.games.all())
    assert section.games.count() == 6


def test_packed_section_follows():
    section = make_section()
    correct(section, "result", DRAWN)
    packed = PackedSection.objects.get(section=section)
    assert packed.version == 2
    # Half points of both sides as 3 × a + b: 1–4 drawn, 2 beat 3, 1 beat 3, ...
    assert list(unpack(packed.data).scores) == [4, 6, 6, 4, 4, 6]


def test_byes_and_forfeits_are_written():
    section = make_section()
    correct(section, "result", result(cell(4, 1, "X", 1), cell(2, 1, "H")))
    marks = UnplayedRound.objects.filter(entry__section=section)
    assert sorted(
        marks.values_list(
            "entry__pairing_number", "round_number", "kind", "opponent__pairing_number"
        ),
        key=str,
    ) == [(1, 1, "F", 4), (2, 1, "H", None), (4, 1, "X", 1)]
    assert not Game.objects.filter(section=section, round_number=1).exists()
    correct(section, "result", result(cell(4, 1, "L", 1)))
    assert marks.count() == 1


def test_entry_keeps_its_row_when_its_member_changes():
    section = make_section()
    entry = section.entries.get(pairing_number=2)
    other = section.entries.get(pairing_number=3)
    book = PublishedRating.objects.create(
        entry=entry, system="OTBR", post_rating=1600, source="a book"
    )
    correct(section, "player", {"number": 2, "other": 3})
    exchanged = Entry.objects.get(pk=entry.pk)
    assert exchanged.player == other.player
    assert exchanged.reported_name == entry.reported_name
    assert exchanged.reported_member_id == other.player.member_id
    assert Entry.objects.get(pk=other.pk).player == entry.player
    assert book.entry == exchanged


def test_pending_rerate_names_section_day_and_difference():
    section, staff = make_section(), make_staff()
    correct(section, "result", DRAWN, staff)
    mark = RerateMark.objects.get()
    assert (mark.kind, mark.section, mark.left_by, mark.run) == (
        "correction",
        section,
        staff,
        None,
    )
    assert mark.from_day == date(2024, 5, 5)
    assert mark.note == (
        "May Open, section 1, corrected. Round 1, pairing number 1: won against 4, now "
        "drawn against 4. The score sheet shows a draw."
    )


@pytest.mark.parametrize(
    ("starts", "ends", "from_day"),
    [
        ("2024-04-06", "2024-04-07", date(2024, 4, 7)),
        ("2024-06-01", "2024-06-02", date(2024, 5, 5)),
    ],
)
def test_moved_section_moves_the_event_and_rerates_from_the_earlier_day(
    starts, ends, from_day
):
    section = make_section()
    correct(section, "dates", {"starts": starts, "ends": ends})
    section.refresh_from_db()
    assert (str(section.starts), str(section.ends)) == (starts, ends)
    assert (str(section.event.starts), str(section.event.ends)) == (starts, ends)
    assert RerateMark.objects.get().from_day == from_day


def test_event_still_lasts_from_its_first_section_to_its_last():
    event = make_event(sections=2)
    section = event.sections.get(number=1)
    correct(section, "dates", {"starts": "2024-05-01", "ends": "2024-05-02"})
    event.refresh_from_db()
    assert (event.starts, event.ends) == (date(2024, 5, 1), date(2024, 5, 5))


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("name", {"name": "U1800"}),
        ("result", result(cell(4, 1, "L", 1, color="W"))),
    ],
)
def test_changes_without_effect_on_ratings_create_no_pending_rerate(kind, change):
    section = make_section()
    correct(section, kind, change)
    assert section.versions.count() == 2
    assert not RerateMark.objects.exists()


def test_director_of_the_event_is_corrected_in_every_section():
    event, staff = make_event(sections=2), make_staff()
    one = event.sections.get(number=1)
    new = one.entries.get(pairing_number=1).player
    officials = [OfficialLine("event", "chief", new.member_id)]
    after = document_of(one).changed(officials=officials)
    apply_version(section=one, document=after, reason=REASON, actor=staff)
    assert event.officials.get().player == new
    for section in event.sections.all():
        assert section.version == 2
        newest = section.versions.order_by("number").last()
        assert SectionDocument.from_text(newest.document).officials == (
            ("event", "chief", new.member_id),
        )
    assert not RerateMark.objects.exists()


def test_name_and_place_of_the_event_are_corrected_in_every_section():
    event, staff = make_event(sections=2), make_staff()
    one = event.sections.get(number=1)
    change = {"name": "June Open", "city": "Peoria", "state": "IL"}
    correct(one, "event", change, staff)
    event.refresh_from_db()
    assert (event.name, event.city, event.state) == ("June Open", "Peoria", "IL")
    for section in event.sections.all():
        first, newest = section.versions.order_by("number")
        documents = [SectionDocument.from_text(v.document) for v in (first, newest)]
        assert [one.event_name for one in documents] == ["May Open", "June Open"]
        assert documents[1] == document_of(section)
    assert not RerateMark.objects.exists()


def test_other_corrections_leave_the_event_and_its_sister_sections_alone():
    event = make_event(sections=2)
    correct(event.sections.get(number=1), "result", DRAWN)
    assert event.sections.get(number=2).version == 1
    assert not event.sections.get(number=2).versions.exists()


def test_missing_player_is_entered_and_rated_once_a_result_follows():
    section, staff = make_section(), make_staff()
    entries = set(section.entries.values_list("pk", "player"))
    missing = make_player(given_name="Mo", family_name="Moss")
    document = document_of(section)
    change = {"member_id": missing.member_id, "name": "MOSS, MO"}
    after = changed_document(
        document, "missing", change, find_member=lambda _: missing.pk
    )
    apply_version(section=section, document=after, reason=REASON, actor=staff)
    entry = section.entries.get(pairing_number=5)
    assert (entry.player, entry.reported_name, entry.reported_member_id) == (
        missing,
        "MOSS, MO",
        missing.member_id,
    )
    assert entries < set(section.entries.values_list("pk", "player"))
    correct(section, "result", result(cell(5, 3, "D", 1), cell(2, 3, "B")), staff)
    game = section.games.get(second=entry)
    assert (game.round_number, game.first_outcome, game.second_outcome) == (3, "D", "D")
    run = start_rerate(actor=None, reason="Corrections.")
    run_due_jobs()
    publish_rerate(run_id=run.pk, actor=None, reason="Looked at.")
    line = RatingChange.objects.get(player=missing, calculation__is_current=True)
    assert (line.games, line.half_points) == (1, 1)


def test_section_that_waits_is_rated_from_its_new_version():
    section = make_section(rated=False)
    correct(section, "time_control", {"time_control": "G/10;d3", "is_online": False})
    run_due_jobs()
    section.refresh_from_db()
    assert section.status == "rated"
    assert list(
        Calculation.objects.filter(section=section).values_list("system", flat=True)
    ) == ["OTBQ"]
    assert not RerateMark.objects.exists()


def test_section_that_could_not_be_rated_is_rated_once_corrected():
    section = make_section(rated=False)
    section.time_control = "G/1;d0"  # as if accepted before the check existed
    section.save()
    pack_section(section)
    run_due_jobs()
    section.refresh_from_db()
    assert section.status == "ready"
    correct(section, "time_control", {"time_control": "G/90;d5", "is_online": False})
    run_due_jobs()
    section.refresh_from_db()
    assert section.status == "rated"
    assert section.calculations.get().system == "OTBR"
