"""The children of an account, and the recipients of notices about a member."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import date
from typing import Any, NamedTuple

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext as _

from players.guardians.notices import is_of_age
from players.members.queries import same_person
from players.models import GuardianAccount, GuardianConsent, Membership, Player
from ratings_site.common.models import User
from ratings_site.common.notices.services import Kind, NoticeDraft


def children_of(account: User) -> list[Player]:
    """Return the children that an account acts for, until they are of age (one query).

    For a merged duplicate, return the record it is merged into.
    """
    today = timezone.localdate()
    rows = GuardianAccount.objects.filter(account=account, ended_at=None)
    found = {}
    for row in rows.select_related("player__merged_into"):
        child = row.player.canonical
        if not is_of_age(child.latest_birth_date, today):
            found[child.pk] = child
    return sorted(found.values(), key=lambda child: child.search_name)


def linked_members(account: User) -> list[Player]:
    """Return the account's own member and the children it is a guardian of."""
    own = getattr(account, "player", None)
    return [*([own] if own else []), *children_of(account)]


def age_class(birth_date: date | None) -> str:
    """Return "under 13", "13 to 17", "of age", or "" if the birth date is unknown."""
    today = timezone.localdate()
    if birth_date is None:
        return ""
    if is_of_age(birth_date, today):
        return "of age"
    return "13 to 17" if is_of_age(birth_date, today, 13) else "under 13"


# What others may do

PERSON = Coalesce("player__merged_into_id", "player_id")


def open_to_others(members: Collection[int], kind: str) -> set[int]:
    """Return the members whom others may follow, or who may be shared (two queries).

    Adults are; children are if a guardian has consented. Without a birth date or year,
    only a membership for adults shows that a member is not a child.
    """
    today = timezone.localdate()
    adult = Membership.objects.filter(player=OuterRef("pk"), type__is_adult=True)
    players = Player.objects.filter(pk__in_array=members).annotate(adult=Exists(adult))
    adults = {
        one.pk
        for one in players.only("birth_date", "birth_year")
        if (is_of_age(day, today) if (day := one.latest_birth_date) else one.adult)
    }
    given = consents(members).filter(kind=kind)
    return adults | set(given.values_list(PERSON, flat=True))


def consents(members: Collection[int]) -> QuerySet[GuardianConsent]:
    """Return the consents for members or their duplicates, of present guardians."""
    guards = GuardianAccount.objects.annotate(person=PERSON).filter(
        person=OuterRef("person"),
        account=OuterRef("account"),
        account__is_active=True,
        ended_at=None,
    )
    given = GuardianConsent.objects.alias(person=PERSON).filter(same_person(members))
    return given.filter(Exists(guards))


# Recipients of notices about a member


class Recipient(NamedTuple):
    """An account to notify about a member; for a guardian, *child* is their name."""

    account: int
    child: str = ""
    by_mail: bool = True


Recipients = dict[int, list[Recipient]]


def members_with_recipients() -> QuerySet[Player]:
    """Return the members with at least one account to notify."""
    guards = GuardianAccount.objects.filter(ended_at=None)
    return Player.objects.filter(
        Q(account__isnull=False)
        | Q(pk__in=guards.values("player"))
        | Q(pk__in=guards.values("player__merged_into"))
    )


def notice_recipients(members: Collection[int]) -> Recipients:
    """Return the recipients by member: the own account, and until 18 the guardians.

    Two queries. Recipients of a duplicate are those of the kept record. If the child
    has an account, its emails go to a guardian's address already.
    """
    today = timezone.localdate()
    players = Player.objects.filter(pk__in_array=members).select_related("merged_into")
    kept = {player.pk: player.canonical for player in players}
    guards = active_guardians({player.pk for player in kept.values()})
    readers: Recipients = {}
    for number, player in kept.items():
        own = player.account_id
        readers[number] = [Recipient(own)] if own else []
        if not is_of_age(player.latest_birth_date, today):
            readers[number] += [
                Recipient(account, player.full_name, by_mail=own is None)
                for account in sorted(guards[player.pk] - {own})
            ]
    return readers


def guardianships(members: Collection[int]) -> QuerySet[GuardianAccount]:
    """Return members' guardian accounts, active or ended, including duplicates'."""
    return GuardianAccount.objects.filter(same_person(members))


def active_guardians(members: Collection[int]) -> defaultdict[int, set[int]]:
    """Return the active guardian accounts by member (one query)."""
    return accounts_by_person(guardianships(members).filter(ended_at=None))


def accounts_by_person(rows: QuerySet[Any]) -> defaultdict[int, set[int]]:
    """Return the accounts of rows by member, a duplicate's by the kept record."""
    found: defaultdict[int, set[int]] = defaultdict(set)
    for player, account in rows.values_list(PERSON, "account_id"):
        found[player].add(account)
    return found


def notices_for(
    readers: Iterable[Recipient],
    kind: Kind,
    key: str,
    url: str,
    write: Callable[[], tuple[str, str]],
    *,
    member: int,
) -> Iterator[NoticeDraft]:
    """Address the same notice to each recipient; for guardians it names the child."""
    for reader in readers:
        if not reader.child:
            yield NoticeDraft(kind, reader.account, key, url, write)
            continue

        def named(child: str = reader.child) -> tuple[str, str]:
            title, text = write()
            return _("For {name}: {title}").format(name=child, title=title), text

        yield NoticeDraft(
            kind, reader.account, f"{key}:{member}", url, named, reader.by_mail
        )
