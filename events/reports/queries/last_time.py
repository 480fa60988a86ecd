"""What a sender's reports have in common, and what new files leave out of it."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser

from events.access import official_of
from events.importers.findings import Finding, Place, found
from events.importers.records import ReportedEvent
from events.models import Submission
from ratings_site.common.models import User


@dataclass(frozen=True, slots=True)
class LastTime:
    """What a TD's reports have in common, to be typed once."""

    affiliate_id: str = ""
    chief_td_id: str = ""
    city: str = ""
    state: str = ""
    zip_code: str = ""


def last_time(user: User | AnonymousUser) -> LastTime:
    """Return where a TD's latest event was, and who the TD is."""
    official = official_of(user)
    last = Submission.objects.filter(uploaded_by_id=user.pk).first()
    said = last.content if last and last.content else {}
    affiliate = official.affiliates.first() if official else None
    return LastTime(
        affiliate_id=said.get("affiliate_id")
        or (affiliate.affiliate_id if affiliate else ""),
        chief_td_id=official.player.member_id if official else "",
        city=said.get("city", ""),
        state=said.get("state", ""),
        zip_code=said.get("zip_code", ""),
    )


def with_last_time(
    reported: ReportedEvent, user: User
) -> tuple[ReportedEvent, list[Finding]]:
    """Fill in what files do not say from the sender's last report, and say so.

    What the files say wins; of a place they say a part of, nothing is filled in.
    """
    last = last_time(user)
    changes = {}
    findings = []
    if last.city and not (reported.city or reported.state or reported.zip_code):
        changes |= {"city": last.city, "state": last.state, "zip_code": last.zip_code}
        place = ", ".join(filter(None, (last.city, last.state)))
        findings.append(found("event.remembered", Place(field="city"), place=place))
    if last.affiliate_id and not reported.affiliate_id:
        changes["affiliate_id"] = last.affiliate_id
        at = Place(field="affiliate_id")
        findings.append(
            found("event.remembered/affiliate", at, affiliate_id=last.affiliate_id)
        )
    if last.chief_td_id and not reported.chief_td_id.strip("0"):
        changes["chief_td_id"] = last.chief_td_id
        at = Place(field="chief_td_id")
        findings.append(found("event.remembered/chief", at, member_id=last.chief_td_id))
    return reported.with_event(**changes), findings
