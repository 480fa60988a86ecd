"""What all requests that the office decides have in common."""

from datetime import timedelta

import pytest
from django.utils import timezone

from events.models import CorrectionRequest, OfficeTask, Submission
from players.models import Claim, ForgetRequest
from ratings.models import FloorRequest
from ratings_site.common.models import PendingAct
from tests.factories import make_staff, make_user

MODELS = [
    *(Claim, CorrectionRequest, FloorRequest, ForgetRequest),
    *(OfficeTask, PendingAct, Submission),
]


@pytest.mark.parametrize("model", MODELS)
def test_open_states_and_the_reason_are_those_of_the_model(model):
    states = dict(model._meta.get_field(model.STATE_FIELD).flatchoices)
    assert set(model.OPEN_STATES) < states.keys()
    names = {field.name for field in model._meta.concrete_fields}
    assert {model.REASON_FIELD, "decided_by", "decided_at"} <= names


def propose(number: int) -> PendingAct:
    return PendingAct.objects.create(
        kind="x", title=str(number), reason="Why", proposed_by=make_user()
    )


@pytest.mark.django_db
def test_decided_requests_come_with_the_latest_decision_first():
    first, second, third = map(propose, range(3))
    clerk = make_staff()
    for act, ago in ((second, 1), (first, 2)):
        act.decide(PendingAct.Status.REFUSED, by=clerk, reason="No")
        act.decided_at = timezone.now() - timedelta(days=ago)
        act.save()
    assert list(PendingAct.objects.open()) == [third]
    assert list(PendingAct.objects.decided()) == [second, first]


@pytest.mark.django_db
def test_a_decision_without_a_reason_keeps_the_earlier_one():
    act, clerk = propose(1), make_staff()
    assert act.is_open
    act.decide(PendingAct.Status.REFUSED, by=clerk, reason="No")
    act.decide(PendingAct.Status.WITHDRAWN, by=None)
    assert not act.is_open
    assert (act.status, act.decided_by, act.decision_reason) == (
        "withdrawn",
        None,
        "No",
    )
