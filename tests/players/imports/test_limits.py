"""Limits on the members an import may change, and the approval above them."""

from datetime import date, timedelta

import pytest
import time_machine
from django.utils import timezone

from players.imports.kinds import ImportRefused
from players.imports.services.actions import apply_intake, recheck, reject_intake
from players.imports.services.limits import exceeded_limits
from players.models import Intake, Membership, MembershipType, Player
from ratings_site.common.approvals.kinds import ApprovalRefused
from ratings_site.common.approvals.services import approve
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import PendingAct
from tests.factories import make_staff
from tests.players.imports.files import received

pytestmark = pytest.mark.django_db

FIRST = 20_000_100
NEXT_YEAR = timezone.localdate() + timedelta(days=365)
LAST_YEAR = timezone.localdate() - timedelta(days=365)


def make_members(
    number: int, *, until: date | None = NEXT_YEAR, first: int = FIRST
) -> list[str]:
    """Create members, with a membership *until* a day or none; return their IDs."""
    players = Player.objects.bulk_create(
        Player(
            member_id=str(first + n),
            given_name="Ada",
            family_name=f"Adams{n}",
            birth_date=date(1990, 1, 1),
        )
        for n in range(number)
    )
    if until is not None:
        kind, _ = MembershipType.objects.get_or_create(name="Regular")
        Membership.objects.bulk_create(
            Membership(
                player=one, type=kind, starts=until - timedelta(days=730), expires=until
            )
            for one in players
        )
    return [one.member_id for one in players]


def rows_of(ids: list[str], *cells: str) -> list[str]:
    return [",".join([one, *cells]) for one in ids]


def read_for(ids: list[str], heading: str, text: str) -> Intake:
    return received(*rows_of(ids, text), headings=f"ID,{heading}")


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("Status", "inactive"),
        ("Expires", timezone.localdate().isoformat()),
        ("First name,Birth date", "Eva,1980-05-06"),
    ],
)
def test_historic_records_do_not_hide_what_happens_to_current_members(heading, text):
    current = make_members(30)
    historic = make_members(400, until=LAST_YEAR, first=FIRST + 1000)
    cells = rows_of(current[:25], *text.split(",")) + historic
    intake = received(*cells, headings=f"ID,{heading}")
    assert intake.changed == 25
    with pytest.raises(ImportRefused, match=r"25 .* 30 current"):
        apply_intake(intake_id=intake.pk, actor=None, reason="Moving in.")


def test_a_short_file_is_measured_against_the_members_it_names():
    ids = make_members(1000)
    [sentence] = exceeded_limits(read_for(ids[:25], "Last name", "Baker"))
    assert "25 of the 25 members in the file" in sentence


@pytest.mark.parametrize(
    ("heading", "text"),
    [
        ("State", "OK"),
        ("Expires", (NEXT_YEAR + timedelta(days=365)).isoformat()),
        ("E-mail", "ada@example.org"),
    ],
)
def test_renewals_and_moves_of_a_few_members_are_within_the_limits(heading, text):
    ids = make_members(1000)
    intake = read_for(ids[:25], heading, text)
    assert (intake.changed, exceeded_limits(intake)) == (25, [])


def test_birth_dates_may_replace_the_years_on_record():
    ids = make_members(300)
    Player.objects.update(birth_date=None, birth_year=1990)
    assert exceeded_limits(read_for(ids[:100], "Birth date", "1990-05-06")) == []


def test_former_members_may_become_inactive():
    make_members(30)
    ids = make_members(100, until=LAST_YEAR, first=FIRST + 1000)
    assert exceeded_limits(read_for(ids, "Status", "inactive")) == []


def test_without_memberships_all_active_members_are_current():
    ids = make_members(30, until=None)
    [sentence, *_rest] = exceeded_limits(read_for(ids, "Status", "inactive"))
    assert "30 of 30 current members" in sentence


def test_twenty_members_may_always_change():
    ids = make_members(21)
    assert exceeded_limits(read_for(ids[:20], "Last name", "Baker")) == []
    assert exceeded_limits(read_for(ids, "Last name", "Baker"))


def test_the_approver_sees_what_they_approve(client, over_limit):
    proposal = request_approval(over_limit, make_staff())
    client.force_login(make_staff())
    page = client.get(f"/office/approvals/{proposal.pk}/").content.decode()
    assert "0 new and 25 changed records" in page
    assert "25 of 30 current members become inactive" in page


@pytest.fixture
def over_limit():
    """An import that makes 25 of 30 current members inactive."""
    return read_for(make_members(30)[:25], "Status", "inactive")


def request_approval(intake: Intake, actor) -> PendingAct:
    return apply_intake(intake_id=intake.pk, actor=actor, reason="They left.")


def inactive() -> int:
    run_due_jobs()
    return Player.objects.filter(status="inactive").count()


def test_above_the_limits_second_approval_is_required(over_limit):
    first, second = make_staff(), make_staff()
    proposal = request_approval(over_limit, first)
    assert (inactive(), over_limit.get_absolute_url()) == (0, proposal.url)
    with pytest.raises(ImportRefused, match="already been requested"):
        request_approval(over_limit, first)
    with pytest.raises(ApprovalRefused):
        approve(act_id=proposal.pk, actor=first)
    approve(act_id=proposal.pk, actor=second)
    assert inactive() == 25
    over_limit.refresh_from_db()
    assert (over_limit.state, over_limit.decided_by, over_limit.reason) == (
        Intake.State.ENTERED,
        first,
        "They left.",
    )


def test_a_proposal_ends_when_the_file_is_read_again_or_set_aside(over_limit):
    staff = make_staff()
    proposal = request_approval(over_limit, staff)
    recheck(intake_id=over_limit.pk, actor=staff)
    run_due_jobs()
    proposal.refresh_from_db()
    assert proposal.status == PendingAct.Status.WITHDRAWN
    proposal = request_approval(over_limit, staff)
    reject_intake(intake_id=over_limit.pk, actor=make_staff(), reason="The wrong file.")
    proposal.refresh_from_db()
    assert proposal.status == PendingAct.Status.REFUSED


def test_an_approval_is_for_what_was_proposed_only(over_limit):
    proposal = request_approval(over_limit, make_staff())
    Intake.objects.filter(pk=over_limit.pk).update(changed=26)
    with pytest.raises(ImportRefused, match="checked again"):
        approve(act_id=proposal.pk, actor=make_staff())
    assert inactive() == 0


def test_waiting_time_can_replace_second_approval(over_limit, settings):
    settings.INTAKE_WAIT_HOURS = 24
    staff = make_staff()
    proposal = request_approval(over_limit, staff)
    with pytest.raises(ImportRefused, match="24 hours"):
        request_approval(over_limit, staff)
    early = proposal.proposed_at + timedelta(hours=23)
    with time_machine.travel(early), pytest.raises(ImportRefused, match="24 hours"):
        request_approval(over_limit, staff)
    with time_machine.travel(proposal.proposed_at + timedelta(hours=25)):
        with pytest.raises(ImportRefused, match="already been requested"):
            request_approval(over_limit, make_staff())
        request_approval(over_limit, staff)
        assert inactive() == 25
    proposal.refresh_from_db()
    assert proposal.status == PendingAct.Status.WITHDRAWN


def test_without_a_waiting_time_only_second_approval_helps(over_limit):
    staff = make_staff()
    proposal = request_approval(over_limit, staff)
    late = proposal.proposed_at + timedelta(days=365)
    refused = pytest.raises(ImportRefused, match="It needs a second approval")
    with time_machine.travel(late), refused:
        request_approval(over_limit, staff)


def test_the_page_says_which_limit_is_passed_and_who_has_asked(client, over_limit):
    staff = make_staff("grace")
    client.force_login(staff)
    address = over_limit.get_absolute_url()
    page = client.get(address).content.decode()
    assert "25 of 30 current members become inactive" in page
    answer = client.post(f"{address}enter/", {"reason": "They left."}, follow=True)
    page = answer.content.decode()
    assert "The import is waiting for a second approval." in page
    assert "grace requested approval" in page
    assert f'href="/office/approvals/{PendingAct.objects.get().pk}/"' in page
    assert f"{address}enter/" not in page
    assert inactive() == 0
