"""Requests to limit reporting to listed TDs; the office approves or declines them.

A request is a pending approval that a listed TD proposes.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.access import officials_by_id
from events.affiliates.queries import KIND, open_request, speaks_for
from events.models import Affiliate, Official
from ratings_site.common.approvals.kinds import (
    ApprovedAction,
    Refusal,
    register_approved_action,
)
from ratings_site.common.approvals.preview import PreviewLine, register_preview
from ratings_site.common.approvals.services import propose
from ratings_site.common.audit.services import record
from ratings_site.common.models import PendingAct, User
from ratings_site.common.notices.services import NoticeDraft, notify, register

DECIDED = register(
    "events.td_list",
    gettext_lazy("TDs of an affiliate"),
    gettext_lazy("The office decided on your request to limit reporting."),
)


class TdListRefused(Refusal):
    """The list can't be requested or approved; the message says why."""


def request_td_list(
    *, affiliate_id: int, member_ids: str, reason: str, actor: User
) -> PendingAct:
    """Ask the office that only the TDs with these IDs report for the affiliate."""
    with transaction.atomic():
        affiliate = Affiliate.objects.select_for_update().get(pk=affiliate_id)
        named = tds_with_ids(member_ids)
        _require_valid(affiliate, named, actor)
        if open_request(affiliate):
            sentence = _("The office already has a request for this affiliate.")
            raise TdListRefused(sentence)
        ids = [one.pk for one in named]
        return propose(
            KIND,
            title=f"Listed TDs of {affiliate}",
            payload={"affiliate": affiliate.pk, "named": ids, "account": actor.pk},
            actor=actor,
            reason=reason,
            url=affiliate.get_absolute_url(),
        )


def tds_with_ids(member_ids: str) -> list[Official]:
    """Return the TDs with the member IDs of a text; refuse an ID of no TD."""
    typed = dict.fromkeys(re.findall(r"[^\s,;]+", member_ids.upper()))
    found = officials_by_id(typed)
    if unknown := [one for one in typed if one not in found]:
        sentence = _("No TD has these member IDs: {member_ids}. Correct them.")
        raise TdListRefused(sentence.format(member_ids=", ".join(unknown)))
    return list(found.values())


def td_list_lines(
    affiliate: Affiliate, named: Collection[Official], account: User
) -> Iterator[PreviewLine]:
    """Return what a request of *account* changes; refuse an invalid one."""
    _require_valid(affiliate, named, account)
    sentence = _("Only these TDs can report for {affiliate}: {names}.")
    text = sentence.format(affiliate=affiliate.name, names=_names(named))
    yield PreviewLine("named", text)
    listed = affiliate.official_set.select_related("player")
    if removed := [one for one in listed if one not in named]:
        sentence = _(
            "Removed from the list: {names}. They can’t submit reports for this "
            "affiliate, not even those in progress."
        )
        yield PreviewLine("removed", sentence.format(names=_names(removed)), "warning")


def denial_reason(affiliate: Affiliate, account: User) -> str:
    """Return why *account* can't make requests for the affiliate, or ""."""
    if speaks_for(account, affiliate):
        return ""
    sentence = _("Only a certified TD on {affiliate}’s list can request this.")
    return sentence.format(affiliate=affiliate.name)


def _require_valid(
    affiliate: Affiliate, named: Collection[Official], account: User
) -> None:
    if sentence := denial_reason(affiliate, account):
        raise TdListRefused(sentence)
    today = timezone.localdate()
    if ended := [one for one in named if not one.is_certified_on(today)]:
        sentence = _("Not certified today: {names}. Name certified TDs only.")
        raise TdListRefused(sentence.format(names=_names(ended)))
    if not named:
        raise TdListRefused(_("Enter the member ID of at least one TD."))


def _tell_decision(act: PendingAct) -> None:
    def write() -> tuple[str, str]:
        if act.status == PendingAct.Status.APPROVED:
            title = _("Only the TDs you listed can now report for {affiliate}")
        else:
            title = _("Request to limit reporting for {affiliate}: declined")
        return title.format(affiliate=affiliate.name), act.decision_reason

    affiliate, _named, account = _request_of(act.payload)
    notify([NoticeDraft(DECIDED, account.pk, f"td-list:{act.pk}", act.url, write)])


# Permission to change an affiliate includes naming its TDs.
@register_approved_action(
    KIND, permission="events.change_affiliate", on_decision=_tell_decision
)
def name_tds(act: ApprovedAction) -> None:
    """Make the named TDs the only ones who can report for the affiliate."""
    affiliate, named, account = _request_of(act.payload)
    _require_valid(affiliate, named, account)
    before = affiliate.official_set.select_related("player")
    facts = {"before": _names(before), "named": _names(named)}
    affiliate.official_set.set(named)
    affiliate.is_exclusive = True
    affiliate.save(update_fields=["is_exclusive"])
    actor, why = act.approved_by, act.reason
    record(
        "affiliate.tds_named", subject=affiliate, actor=actor, reason=why, facts=facts
    )


@register_preview(KIND)
def preview_request(facts: Mapping[str, Any], actor: User) -> list[PreviewLine]:
    return list(td_list_lines(*_request_of(facts)))


def _request_of(facts: Mapping[str, Any]) -> tuple[Affiliate, list[Official], User]:
    officials = Official.objects.filter(pk__in=facts["named"])
    return (
        Affiliate.objects.get(pk=facts["affiliate"]),
        list(officials.select_related("player")),
        User.objects.get(pk=facts["account"]),
    )


def _names(officials: Iterable[Official]) -> str:
    return ", ".join(str(one.player) for one in officials)
