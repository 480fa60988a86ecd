"""FIDE lists taken in by the very way the office takes them."""

from collections.abc import Sequence
from datetime import date

from django.contrib.auth.models import Group

from events.office.groups import DIRECTOR
from players.fide.services.lists import receive_list
from players.models import FideList
from ratings_site.common.jobs.services import work_off
from ratings_site.common.models import User
from tests.factories import make_staff
from tests.players.fide.fide_files import Person, text_list

APRIL, MAY, JUNE = date(2024, 4, 1), date(2024, 5, 1), date(2024, 6, 1)


def import_list(
    people: Sequence[Person] | bytes, list_date: date = MAY, **flags
) -> FideList:
    """Send a list, let the worker do its work, and return how it went."""
    data = people if isinstance(people, bytes) else text_list(people)
    fide_list = receive_list(
        actor=None, name="players_list_foa.txt", content=[data], list_date=list_date,
        **flags,
    )  # fmt: skip
    work_off()
    fide_list.refresh_from_db()
    return fide_list


def make_executive_director() -> User:
    """Staff who may also approve that members opt out."""
    director = make_staff()
    director.groups.add(Group.objects.get(name=DIRECTOR))
    return director
