"""For whom an account speaks, and who is told of a member."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date
from typing import NamedTuple

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _

from players.guardians.notices import is_of_age
from players.models import GuardianAccount, Player
from ratings_site.common.models import User
from ratings_site.common.notices.services import Kind, News


def children_of(account: User) -> list[Player]:
    """Return the children an account speaks for, until they are of age (one query).

    A record that was merged counts as the one that goes on.
    """
    today = timezone.localdate()
    rows = GuardianAccount.objects.filter(account=account, ended_at=None)
    found = {}
    for row in rows.select_related("player__merged_into"):
        child = row.player.canonical
        if not is_of_age(child.birth_date, today):
            found[child.pk] = child
    return sorted(found.values(), key=lambda child: child.search_name)


def age_class(birth_date: date | None) -> str:
    """Return "under 13", "13 to 17", "of age", or "" where it is not known."""
    today = timezone.localdate()
    if birth_date is None:
        return ""
    if is_of_age(birth_date, today):
        return "of age"
    return "13 to 17" if is_of_age(birth_date, today, 13) else "under 13"


# Who is told of a member


class Reader(NamedTuple):
    """An account that is told of a member, and *child*, the name, if as a guardian."""

    account: int
    child: str = ""
    by_mail: bool = True


Readers = dict[int, list[Reader]]


def heard_of() -> QuerySet[Player]:
    """Return the members of whom some account is told."""
    guards = GuardianAccount.objects.filter(ended_at=None)
    return Player.objects.filter(
        Q(account__isnull=False)
        | Q(pk__in=guards.values("player"))
        | Q(pk__in=guards.values("player__merged_into"))
    )


def readers_of(members: Collection[int]) -> Readers:
    """Return by member who is told: the own account, and until 18 the guardians'.

    Two queries. A duplicate's readers are those of the member kept. Where the child has
    an account, its e-mails go to a guardian's address already.
    """
    today = timezone.localdate()
    players = Player.objects.filter(pk__among=members).select_related("merged_into")
    kept = {player.pk: player.canonical for player in players}
    guards = guards_of({player.pk for player in kept.values()})
    readers: Readers = {}
    for number, player in kept.items():
        own = player.account_id
        readers[number] = [Reader(own)] if own else []
        if not is_of_age(player.birth_date, today):
            readers[number] += [
                Reader(account, player.name, by_mail=own is None)
                for account in sorted(guards[player.pk] - {own})
            ]
    return readers


def guardianships(members: Collection[int]) -> QuerySet[GuardianAccount]:
    """Return who speaks or spoke for members, also under a merged number."""
    numbers = Q(player__among=members) | Q(player__merged_into__among=members)
    return GuardianAccount.objects.filter(numbers)


def guards_of(members: Collection[int]) -> defaultdict[int, set[int]]:
    """Return by member the accounts of guardians that speak now (one query)."""
    rows = guardianships(members).filter(ended_at=None)
    found: defaultdict[int, set[int]] = defaultdict(set)
    for player, kept, account in rows.values_list(
        "player_id", "player__merged_into_id", "account_id"
    ):
        found[kept or player].add(account)
    return found


def news_for(
    readers: Iterable[Reader],
    kind: Kind,
    key: str,
    url: str,
    write: Callable[[], tuple[str, str]],
    *,
    member: int,
) -> Iterator[News]:
    """Address the same news to each reader; to guardians it names the child."""
    for reader in readers:
        if not reader.child:
            yield News(kind, reader.account, key, url, write)
            continue

        def named(child: str = reader.child) -> tuple[str, str]:
            title, text = write()
            return _("For {name}: {title}").format(name=child, title=title), text

        yield News(kind, reader.account, f"{key}:{member}", url, named, reader.by_mail)
