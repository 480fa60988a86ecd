"""A FIDE list is imported completely or not at all."""

import hashlib
from datetime import date

import pytest
from django.utils import timezone

from players.fide.queries import fide_rating_on, fide_ratings_on, members_with_games
from players.fide.services import imports as fide_import
from players.fide.services.lists import ListUploadRefused, cancel_import, receive_list
from players.models import ExternalRating, FideList, FidePlayer, FideRating
from ratings_site.common.jobs import services as jobs
from ratings_site.common.models import AuditEntry, Job, SignOfLife
from ratings_site.common.uploads.services import read_upload
from tests.factories import make_player, make_user
from tests.players.fide.fide_files import (
    COMBINED,
    STANDARD,
    Person,
    line,
    packed,
    text_list,
    xml_list,
)
from tests.players.fide.helpers import APRIL, JUNE, MAY, import_list

pytestmark = pytest.mark.django_db

EMMY = Person(30900001, "Noether, Emmy", 2104, games=9, title="WFM")
ADA = Person(2000001, "Lovelace, Ada", 1850, fed="ENG")
OLGA = Person(4100018, "Ladyzhenskaya, Olga", 0, fed="FID")


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch):
    monkeypatch.setattr(fide_import, "CHUNK", 4)


def crowd(count: int, **fields) -> list[Person]:
    return [Person(1000 + number, f"Nobody, {number}", **fields) for number in
            range(count)]  # fmt: skip


def traces() -> tuple:
    """Return all data that an import may change."""
    return (
        list(FideRating.objects.order_by("pk").values()),
        list(ExternalRating.objects.order_by("pk").values()),
        list(FidePlayer.objects.order_by("pk").values()),
        list(FideList.objects.filter(state="current").values_list("pk", flat=True)),
    )


def test_list_is_kept_byte_for_byte_and_comes_into_force():
    data = packed(text_list([EMMY, ADA, OLGA]))
    fide_list = import_list(data)
    assert read_upload(fide_list.stored_as) == data
    assert fide_list.sha256 == hashlib.sha256(data).hexdigest()
    assert (
        fide_list.state,
        fide_list.layout,
        fide_list.rows,
        fide_list.rated,
        fide_list.changed,
        fide_list.unreadable,
        fide_list.findings,
    ) == ("current", "combined", 3, 2, 2, 0, [])
    emmy = FidePlayer.objects.get(list=fide_list, fide_id=30900001)
    assert (emmy.name, emmy.search_name, emmy.federation, emmy.title, emmy.rating) == (
        "Noether, Emmy",
        "noether emmy",
        "USA",
        "WFM",
        2104,
    )
    assert FidePlayer.objects.get(fide_id=4100018).rating is None
    assert list(AuditEntry.objects.order_by("pk").values_list("action", flat=True)) == [
        "fide_list.received",
        "fide_list.in_force",
    ]


def test_standing_is_known_for_any_stored_month():
    import_list([EMMY, ADA], APRIL)
    import_list([Person(30900001, "Noether, Emmy", 2104), ADA], MAY)
    import_list([Person(30900001, "Noether, Emmy", 2130, games=5)], JUNE,
                allow_smaller=True, reason="A short list.")  # fmt: skip

    def on(day):
        return {
            fide_id: (value.rating, value.games, value.federation, value.since)
            for fide_id, value in fide_ratings_on([30900001, 2000001], day).items()
        }

    assert on(date(2024, 3, 31)) == {}
    assert on(date(2024, 4, 30)) == {
        30900001: (2104, 9, "USA", APRIL),
        2000001: (1850, 0, "ENG", APRIL),
    }
    assert on(date(2024, 5, 31)) == {
        30900001: (2104, 0, "USA", MAY),
        2000001: (1850, 0, "ENG", APRIL),
    }
    # A player no longer on the list has no rating from then on.
    assert on(date(2024, 6, 1)) == {
        30900001: (2130, 5, "USA", JUNE),
        2000001: (None, 0, "ENG", JUNE),
    }
    assert fide_rating_on(30900001, date(2030, 1, 1)).rating == 2130


def test_standings_take_one_query(django_assert_num_queries):
    import_list(crowd(10))
    for wanted in ([1001], range(1000, 1010)):
        with django_assert_num_queries(1):
            assert len(fide_ratings_on(wanted, MAY)) == len(list(wanted))


def test_only_what_changed_is_added_to_history():
    people = crowd(10, rating=1500)
    import_list(people, APRIL)
    people[3] = Person(1003, "Nobody, 3", 1510, games=6)
    may = import_list(people, MAY)
    assert may.changed == 1
    assert list(FideRating.objects.filter(list=may).values_list("fide_id")) == [(1003,)]


def test_rows_of_the_list_before_are_tidied_away():
    april = import_list(crowd(9), APRIL)
    may = import_list(crowd(9), MAY)
    april.refresh_from_db()
    assert (april.state, may.state, may.previous) == ("stored", "current", april)
    assert FidePlayer.objects.filter(list=april).count() == 0
    assert FidePlayer.objects.filter(list=may).count() == 9


def test_older_list_is_added_between_only_on_purpose():
    import_list([Person(1, "A, B", 1500), Person(2, "C, D", 1600)], APRIL)
    import_list([Person(1, "A, B", 1500), Person(2, "C, D", 1650)], JUNE)
    late = [Person(1, "A, B", 1540), Person(3, "E, F", 1700)]
    with pytest.raises(ListUploadRefused, match="FIDE list of June 2024 is newer"):
        import_list(late, MAY)
    with pytest.raises(ListUploadRefused, match="Explain why"):
        import_list(late, MAY, allow_older=True)
    may = import_list(late, MAY, allow_older=True, reason="It was forgotten.")
    assert may.state == "stored"
    history = {
        day: {key: one.rating for key, one in fide_ratings_on([1, 2, 3], day).items()}
        for day in (APRIL, MAY, JUNE)
    }
    assert history == {
        APRIL: {1: 1500, 2: 1600},
        MAY: {1: 1540, 2: None, 3: 1700},
        JUNE: {1: 1500, 2: 1650, 3: None},
    }
    assert FideList.objects.get(state="current").list_date == JUNE


@pytest.mark.parametrize(
    ("list_date", "sentence"),
    [
        (date(2024, 5, 2), "A FIDE list starts on the 1st of a month."),
        (
            date(2099, 1, 1),
            ("This date is in the future. Enter the date of a published list."),
        ),
        (MAY, "The FIDE list of May 2024 is already uploaded: Current."),
    ],
)
def test_date_of_a_list_is_checked(list_date, sentence):
    import_list([EMMY])
    with pytest.raises(ListUploadRefused) as refusal:
        import_list([EMMY], list_date)
    assert str(refusal.value) == sentence


def test_one_list_is_read_at_a_time():
    receive_list(actor=None, name="a.txt", content=[b"x"], list_date=APRIL)
    with pytest.raises(ListUploadRefused, match="Another list is being imported"):
        receive_list(actor=None, name="b.txt", content=[b"x"], list_date=MAY)


def cut_text() -> bytes:
    return text_list(crowd(10))[:-60]


def cut_archive() -> bytes:
    return packed(text_list(crowd(10)))[:-60]


def cut_xml() -> bytes:
    return xml_list(crowd(10))[:-60]


def shifted_from_line_6() -> bytes:
    lines = [COMBINED, *(line(person) for person in crowd(10))]
    lines[5:] = [one[:76] + "  " + one[76:] for one in lines[5:]]
    return "".join(f"{one}\r\n" for one in lines).encode()


def shifted_header() -> bytes:
    return text_list(crowd(10)).replace(b"FOA SRtng", b"SRtng FOA")


def said(finding) -> str:
    return finding["sentence"].format(**finding["values"])


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (cut_text, "The file ends in the middle of this line."),
        (cut_archive, "The ZIP file is damaged: "),
        (cut_xml, "The end of the file is missing."),
        (shifted_from_line_6, "We can’t read 6 of 10 lines."),
        (shifted_header, "The first line has no columns of a FIDE list: "),
        (lambda: text_list([]), "The list has 0 players. It needs at least 1."),
        (
            lambda: text_list(crowd(5)),
            (
                "The list has 5 rated players, but the FIDE list of April 2024 has 10. "
                "More than 2% are missing."
            ),
        ),
        (
            lambda: text_list(crowd(10), STANDARD).replace(b"MAY24", b"JUN24"),
            "The file is the list of June 2024, but you chose May 2024.",
        ),
    ],
    ids=["text", "zip", "xml", "shifted", "header", "empty", "smaller", "month"],
)
def test_damaged_list_changes_nothing_and_says_where(make, says):
    make_player(fide_id="1003")
    import_list(crowd(10, rating=1500), APRIL)
    before = traces()
    refused = import_list(make())
    assert refused.state == "refused"
    assert said(refused.findings[0]).startswith(says)
    assert traces() == before
    # The correct file can be uploaded for the month.
    assert import_list(crowd(10, rating=1600)).state == "current"


@pytest.mark.parametrize(("least", "state"), [(10, "current"), (11, "refused")])
def test_list_shorter_than_the_office_expects_changes_nothing(settings, least, state):
    settings.FIDE_LIST_LEAST_ROWS = least
    before = traces()
    fide_list = import_list(crowd(10))
    assert fide_list.state == state
    assert (traces() == before) is (state == "refused")
    assert [said(one) for one in fide_list.findings] == (
        ["The list has 10 players. It needs at least 11."] if state == "refused" else []
    )


def test_shifted_columns_name_the_first_bad_line():
    refused = import_list(shifted_from_line_6())
    place = f"Line 6, byte {5 * (len(COMBINED) + 2):,}"
    assert [one["place"] for one in refused.findings[:2]] == [place, place]
    assert said(refused.findings[1]) == "The federation “US” isn’t three letters."


def test_a_wreck_is_not_read_to_its_end(monkeypatch):
    monkeypatch.setattr(fide_import, "UNREADABLE_ALLOWANCE", 10)
    good = text_list(crowd(3)).splitlines(keepends=True)
    refused = import_list(b"".join([*good, *[b"x" * 150 + b"\r\n"] * 500]))
    assert (refused.state, refused.unreadable) == ("refused", 13)


def test_a_few_unreadable_lines_are_named_and_left_out(monkeypatch):
    monkeypatch.setattr(fide_import, "MAX_UNREADABLE_SHARE", 0.1)
    data = text_list(crowd(20)).replace(b"1007 ", b"1OO7 ")
    fide_list = import_list(data)
    assert (fide_list.state, fide_list.rows, fide_list.unreadable) == ("current", 19, 1)
    assert [said(one) for one in fide_list.findings] == [
        "The FIDE ID “1OO7” isn’t a number."
    ]


def test_repeated_fide_id_counts_once(monkeypatch):
    monkeypatch.setattr(fide_import, "MAX_UNREADABLE_SHARE", 0.5)
    people = [*crowd(6), Person(1001, "Double, A"), Person(1001, "Double, B")]
    fide_list = import_list(people)
    assert (fide_list.state, fide_list.rows, fide_list.unreadable) == ("current", 6, 2)
    assert [said(one) for one in fide_list.findings] == [
        "FIDE ID 1001 (Double, A) is in the list twice.",
        "FIDE ID 1001 (Double, B) is in the list twice.",
    ]
    assert FidePlayer.objects.get(fide_id=1001).name == "Nobody, 1"


def test_smaller_list_is_taken_on_purpose():
    import_list(crowd(10), APRIL)
    may = import_list(crowd(5), allow_smaller=True, reason="FIDE removed them.")
    assert (may.state, may.rows, may.reason) == ("current", 5, "FIDE removed them.")


def claimed(fide_list) -> jobs.ClaimedJob:
    return jobs.claim(Job.objects.get(key=str(fide_list.pk)).pk)


@pytest.mark.parametrize("dies_after", [1, 2, 3, 4, 5])
def test_worker_that_died_is_succeeded_without_a_trace(dies_after, monkeypatch):
    """The result is the same whichever chunk a worker dies in."""
    make_player(fide_id="1003")
    fide_list = receive_list(
        actor=None, name="a.txt", content=[text_list(crowd(11))], list_date=MAY
    )
    beats = 0
    true_beat = jobs.ClaimedJob.beat

    def dying_beat(self, *what):
        nonlocal beats
        beats += 1
        if beats > dies_after:
            raise KeyboardInterrupt
        true_beat(self, *what)

    monkeypatch.setattr(jobs.ClaimedJob, "beat", dying_beat)
    job = claimed(fide_list)
    with pytest.raises(KeyboardInterrupt):
        jobs.perform(job)
    monkeypatch.undo()
    monkeypatch.setattr(fide_import, "CHUNK", 4)
    assert fide_ratings_on([1003], MAY) == {}
    assert not ExternalRating.objects.exists()

    SignOfLife.objects.update(at=timezone.now() - timezone.timedelta(hours=1))
    jobs.run_due_jobs()
    fide_list.refresh_from_db()
    assert (fide_list.state, fide_list.rows, fide_list.changed) == ("current", 11, 11)
    assert FidePlayer.objects.count() == FideRating.objects.count() == 11
    assert ExternalRating.objects.count() == 1


def test_worker_that_was_declared_dead_writes_nothing_more():
    fide_list = receive_list(
        actor=None, name="a.txt", content=[text_list(crowd(11))], list_date=MAY
    )
    slow = claimed(fide_list)
    SignOfLife.objects.update(at=timezone.now() - timezone.timedelta(hours=1))
    jobs.run_due_jobs()
    after = traces()
    jobs.perform(slow)
    assert traces() == after


def test_members_get_ratings_where_lists_changed_them_or_rated_games(announced_changes):
    emmy = make_player(given_name="Emmy", family_name="Noether", fide_id="30900001")
    make_player(fide_id="999")
    ids = crowd(2)
    import_list([Person(30900001, rating=2104), *ids], APRIL)
    import_list([Person(30900001, rating=2104), *ids], MAY)
    june = import_list([Person(30900001, rating=2104, games=3), *ids], JUNE)
    rows = emmy.external_ratings.order_by("list_date")
    assert [(row.body, row.list_date, row.rating, row.source) for row in rows] == [
        ("FIDE", APRIL, 2104, "FIDE list of April 2024"),
        ("FIDE", JUNE, 2104, "FIDE list of June 2024"),
    ]
    assert june.members == 1
    assert announced_changes == [
        ("external_rating", emmy, APRIL),
        ("external_rating", emmy, JUNE),
    ]
    emmy.refresh_from_db()
    assert emmy.federation == "USA"


def test_those_who_rate_say_whom_a_list_concerns(
    announced_changes, fake_ratings, monkeypatch
):
    one, two = make_player(fide_id="1001"), make_player(fide_id="1002")
    asked = []

    def only_one(player_ids, day):
        asked.append((set(player_ids), day))
        return {one.pk}

    monkeypatch.setattr(fake_ratings, "affected_by_rating", only_one)
    import_list(crowd(5))
    assert asked == [({one.pk, two.pk}, MAY)]
    assert announced_changes == [("external_rating", one, MAY)]


def test_value_entered_by_hand_stays(announced_changes):
    player = make_player(fide_id="1001")
    ExternalRating.objects.create(
        player=player, body="FIDE", list_date=MAY, rating=1999, source="By hand."
    )
    import_list(crowd(3, rating=2100))
    assert list(player.external_ratings.values_list("rating", "source")) == [
        (1999, "By hand.")
    ]
    assert announced_changes == []


def test_members_who_played_are_found_per_list(django_assert_num_queries):
    emmy = make_player(fide_id="30900001")
    make_player(fide_id="2000001")
    for people, day in (([EMMY, ADA], APRIL), ([EMMY, ADA], MAY)):
        fide_list = import_list(people, day)
        with django_assert_num_queries(2):
            found = members_with_games(fide_list)
        assert [(player, value.games, value.since) for player, value in found] == [
            (emmy, 9, day)
        ]


def test_list_that_is_stuck_can_be_given_up():
    staff = make_user(is_superuser=True)
    fide_list = receive_list(
        actor=staff, name="a.txt", content=[text_list(crowd(3))], list_date=MAY
    )
    cancel_import(list_id=fide_list.pk, actor=staff, reason="The wrong file.")
    jobs.run_due_jobs()
    fide_list.refresh_from_db()
    assert fide_list.state == "refused"
    assert fide_list.findings[0]["values"] == {"reason": "The wrong file."}
    assert traces() == ([], [], [], [])
    with pytest.raises(ListUploadRefused, match="no longer being imported"):
        cancel_import(list_id=fide_list.pk, actor=staff, reason="Again.")


@pytest.mark.parametrize("step", ["_stage_chunk", "_upper_end"])
def test_list_given_up_while_it_is_read_stays_given_up(step, monkeypatch):
    staff = make_user(is_superuser=True)
    fide_list = receive_list(
        actor=staff, name="a.txt", content=[text_list(crowd(11))], list_date=MAY
    )
    true_step = getattr(fide_import, step)

    def interrupted(mine, *args):
        done = true_step(mine, *args)
        if FideList.objects.get(pk=mine.pk).state == "loading":
            cancel_import(list_id=mine.pk, actor=staff, reason="The wrong file.")
        return done

    monkeypatch.setattr(fide_import, step, interrupted)
    jobs.run_due_jobs()
    fide_list.refresh_from_db()
    assert fide_list.state == "refused"
    assert fide_list.findings[0]["values"] == {"reason": "The wrong file."}
    assert traces() == ([], [], [], [])
    assert Job.objects.get(key=str(fide_list.pk)).message == (
        "Import of the FIDE list of May 2024 was canceled."
    )
