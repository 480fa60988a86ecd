"""Requests at the same time."""

import pytest

from events.affiliates.services import TdListRefused, request_td_list
from ratings_site.common.models import PendingAct
from tests.concurrency import needs_two_connections, run_before_commit  # noqa: F401
from tests.factories import make_affiliate, make_td

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgresql]


def listed_tds(club, number: int):
    tds = [make_td() for _ in range(number)]
    for td in tds:
        td.player.official.affiliates.add(club)
    return tds


def test_of_two_requests_at_once_one_is_refused():
    club = make_affiliate()

    def ask(td):
        return lambda: request_td_list(
            affiliate_id=club.pk,
            member_ids=td.player.member_id,
            reason="So.",
            actor=td,
        )

    results = run_before_commit(*(ask(td) for td in listed_tds(club, 2)))
    assert [type(one) for one in results] == [PendingAct, TdListRefused]
    assert str(results[1]) == "The office already has a request for this affiliate."
    assert PendingAct.objects.count() == 1
