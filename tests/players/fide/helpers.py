"""FIDE lists imported the same way as the office does it."""

from collections.abc import Sequence
from datetime import date

from django.contrib.auth.models import Group

from events.review.groups import DIRECTOR
from players.fide.services.lists import receive_list
from players.models import FideList
from ratings_site.common.jobs.services import run_due_jobs
from ratings_site.common.models import User
from tests.factories import make_staff
from tests.players.fide.fide_files import Person, text_list

APRIL, MAY, JUNE = date(2024, 4, 1), date(2024, 5, 1), date(2024, 6, 1)


def import_list(
    people: Sequence[Person] | bytes, list_date: date = MAY, **flags
) -> FideList:
    """Upload a list, run the worker's jobs, and return the list."""
    data = people if isinstance(people, bytes) else text_list(people)
    fide_list = receive_list(
        actor=None, name="players_list_foa.txt", content=[data], list_date=list_date,
        **flags,
    )  # fmt: skip
    run_due_jobs()
    fide_list.refresh_from_db()
    return fide_list


def make_executive_director() -> User:
    """Return a staff member who may also approve opt-outs."""
    director = make_staff()
    director.groups.add(Group.objects.get(name=DIRECTOR))
    return director
