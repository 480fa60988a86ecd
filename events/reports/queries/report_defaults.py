"""Default values from a sender's earlier reports."""

from django.contrib.auth.models import AnonymousUser

from events.access import official_of
from events.formats.findings import Finding, Place, make_finding
from events.formats.places import with_parsed_place_fields
from events.formats.report import ReportedEvent
from events.models import Submission
from ratings_site.common.models import User

PLACE = ("city", "state", "zip_code")


def report_defaults(
    user: User | AnonymousUser, affiliate_id: str = ""
) -> dict[str, str]:
    """Return the place of a TD's latest event of an affiliate, and the TD's ID.

    Without *affiliate_id*, the affiliate of the latest event is used. Only submitted
    and accepted reports count: a draft may still be wrong.
    """
    official = official_of(user)
    reports = Submission.objects.filter(
        uploaded_by_id=user.pk,
        state__in=(Submission.State.SUBMITTED, Submission.State.ACCEPTED),
    )
    if affiliate_id:
        reports = reports.filter(affiliate__affiliate_id=affiliate_id)
    last = reports.first()
    said = last.content if last and last.content else {}
    affiliate = official.affiliates.first() if official else None
    place = with_parsed_place_fields(dict.fromkeys(PLACE, "") | said)
    return {
        "affiliate_id": said.get("affiliate_id")
        or (affiliate.affiliate_id if affiliate else ""),
        "chief_td_id": official.player.member_id if official else "",
        **{name: place[name] for name in PLACE},
    }


def with_report_defaults(
    reported: ReportedEvent, user: User
) -> tuple[ReportedEvent, list[Finding]]:
    """Fill in missing facts from the sender's last report, with findings.

    The files take precedence; a place that is given in part is not filled in.
    """
    last = report_defaults(user, reported.affiliate_id)
    changes: dict[str, str] = {}
    findings = []
    if last["city"] and not (reported.city or reported.state or reported.zip_code):
        changes |= {name: last[name] for name in PLACE}
        place = ", ".join(filter(None, (last["city"], last["state"])))
        findings.append(
            make_finding("event.remembered", Place(field="city"), place=place)
        )
    if (affiliate := last["affiliate_id"]) and not reported.affiliate_id:
        changes["affiliate_id"] = affiliate
        at = Place(field="affiliate_id")
        findings.append(
            make_finding("event.remembered/affiliate", at, affiliate_id=affiliate)
        )
    if (chief := last["chief_td_id"]) and not reported.chief_td_id.strip("0"):
        changes["chief_td_id"] = chief
        at = Place(field="chief_td_id")
        findings.append(make_finding("event.remembered/chief", at, member_id=chief))
    return reported.with_event(**changes), findings
