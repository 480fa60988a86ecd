"""Default values from a sender's earlier reports."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser

from events.access import official_of
from events.formats.findings import Finding, Place, make_finding
from events.formats.places import with_parsed_place_fields
from events.formats.report import ReportedEvent
from events.models import Submission
from ratings_site.common.models import User


@dataclass(frozen=True, slots=True)
class ReportDefaults:
    """The facts that a TD's reports have in common."""

    affiliate_id: str = ""
    chief_td_id: str = ""
    city: str = ""
    state: str = ""
    zip_code: str = ""


def report_defaults(
    user: User | AnonymousUser, affiliate_id: str = ""
) -> ReportDefaults:
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
    place = with_parsed_place_fields(
        dict.fromkeys(("city", "state", "zip_code"), "") | said
    )
    return ReportDefaults(
        affiliate_id=said.get("affiliate_id")
        or (affiliate.affiliate_id if affiliate else ""),
        chief_td_id=official.player.member_id if official else "",
        city=place["city"],
        state=place["state"],
        zip_code=place["zip_code"],
    )


def with_report_defaults(
    reported: ReportedEvent, user: User
) -> tuple[ReportedEvent, list[Finding]]:
    """Fill in missing facts from the sender's last report, with findings.

    The files take precedence; a place that is given in part is not filled in.
    """
    last = report_defaults(user, reported.affiliate_id)
    changes: dict[str, str] = {}
    findings = []
    if last.city and not (reported.city or reported.state or reported.zip_code):
        changes |= {"city": last.city, "state": last.state, "zip_code": last.zip_code}
        place = ", ".join(filter(None, (last.city, last.state)))
        findings.append(
            make_finding("event.remembered", Place(field="city"), place=place)
        )
    if last.affiliate_id and not reported.affiliate_id:
        changes["affiliate_id"] = last.affiliate_id
        at = Place(field="affiliate_id")
        findings.append(
            make_finding(
                "event.remembered/affiliate", at, affiliate_id=last.affiliate_id
            )
        )
    if last.chief_td_id and not reported.chief_td_id.strip("0"):
        changes["chief_td_id"] = last.chief_td_id
        at = Place(field="chief_td_id")
        findings.append(
            make_finding("event.remembered/chief", at, member_id=last.chief_td_id)
        )
    return reported.with_event(**changes), findings
