from datetime import date, timedelta
from typing import Any, Protocol

from django.contrib import admin
from django.db import models
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from events.models import (
    Affiliate,
    CorrectionRequest,
    Entry,
    Event,
    EventOfficial,
    EventRegistration,
    FeeCharge,
    FindingOverride,
    ForeignEvent,
    ForeignFile,
    ForeignGame,
    ForeignResult,
    ForeignVersion,
    ForeignWork,
    Game,
    OfficeTask,
    Official,
    PendingMember,
    RatingFee,
    RegisteredSection,
    ReportMessage,
    Schedule,
    Section,
    SectionVersion,
    Submission,
    SubmissionFile,
    UnplayedRound,
)
from players.admin import AboutMemberAdmin, MemberLedgerAdmin, MemberSearchMixin
from ratings_site.common.admin import (
    AuditedAdmin,
    LedgerAdmin,
    ReadOnlyAdmin,
    ReadOnlyInline,
)
from ratings_site.common.ui.fields import DayField
from ratings_site.common.ui.formatting import format_day

# How long before its end a record counts as expiring.
ENDING_SOON = timedelta(days=60)


class EndFilter(admin.SimpleListFilter):
    """A filter by end date; a subclass names the field."""

    parameter_name = "ends"
    field: str

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [
            ("over", _("Expired")),
            ("soon", _("Expires within {days} days").format(days=ENDING_SOON.days)),
            ("later", _("Expires later")),
        ]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Any]
    ) -> QuerySet[Any] | None:
        today = timezone.localdate()
        last = today + ENDING_SOON
        wanted = {
            "over": Q(**{f"{self.field}__lt": today}),
            "soon": Q(**{f"{self.field}__gte": today, f"{self.field}__lte": last}),
            "later": Q(**{f"{self.field}__gt": last}),
        }
        value = self.value()
        return queryset.filter(wanted[value]) if value in wanted else None


class AffiliationEnds(EndFilter):
    title = "affiliation"
    field = "expires"


class CertificationEnds(EndFilter):
    title = "certification"
    field = "certified_until"


def expiry_status(end: date) -> str:
    """Return in words whether something that lasts until *end* is in force.

    The last day counts.
    """
    left = (end - timezone.localdate()).days
    if left < 0:
        return _("expired {day}").format(day=format_day(end))
    if left <= ENDING_SOON.days:
        return ngettext(
            "expires in {number} day", "expires in {number} days", left
        ).format(number=left)
    return _("active")


class _WithDirectors(Protocol):
    on_list: int


# The rows have the TDs' names, in the activity log too.
Official.affiliates.through.__str__ = (  # type: ignore[method-assign]
    lambda row: str(row.official)  # type: ignore[attr-defined]
)


class AuthorizedTdInline(admin.StackedInline):  # type: ignore[type-arg]
    model = Official.affiliates.through
    autocomplete_fields = ["official"]
    extra = 1
    verbose_name = gettext_lazy("authorized TD")
    verbose_name_plural = gettext_lazy("authorized TDs")


@admin.register(Affiliate)
class AffiliateAdmin(AuditedAdmin):
    list_display = ["affiliate_id", "name", "state", "expires", "standing", "directors",
                    "is_exclusive"]  # fmt: skip
    list_filter = [AffiliationEnds, "is_exclusive", "state"]
    inlines = [AuthorizedTdInline]
    search_fields = ["^affiliate_id", "name"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Affiliate] = super().get_queryset(request)
        return rows.annotate(on_list=Count("official"))

    @admin.display(description=gettext_lazy("Status"), ordering="expires")
    def standing(self, affiliate: Affiliate) -> str:
        return expiry_status(affiliate.expires)

    @admin.display(description=gettext_lazy("Authorized TDs"), ordering="on_list")
    def directors(self, affiliate: _WithDirectors) -> str:
        return str(affiliate.on_list or _("any"))


@admin.register(Official)
class OfficialAdmin(MemberSearchMixin, AuditedAdmin):
    list_display = ["player", "level", "certified_until", "standing", "reports_for"]
    list_filter = [CertificationEnds, "level"]
    list_select_related = ["player"]
    search_fields = ["player"]
    autocomplete_fields = ["player", "affiliates"]
    formfield_overrides = {
        models.DateField: {"form_class": DayField, "widget": DayField.widget}
    }

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).prefetch_related("affiliates")

    @admin.display(description=gettext_lazy("Status"), ordering="certified_until")
    def standing(self, official: Official) -> str:
        return expiry_status(official.certified_until)

    @admin.display(description=gettext_lazy("Affiliates"))
    def reports_for(self, official: Official) -> str:
        return ", ".join(one.name for one in official.affiliates.all())


class SubmissionFileInline(ReadOnlyInline):
    model = SubmissionFile
    fields = ["name", "role", "size", "sha256"]


class FindingOverrideInline(ReadOnlyInline):
    model = FindingOverride


@admin.register(RatingFee)
class RatingFeeAdmin(AuditedAdmin):
    list_display = ["starts", "system", "amount", "basis", "office_amount", "minimum"]


@admin.register(FeeCharge)
class FeeChargeAdmin(ReadOnlyAdmin):
    list_display = ["day", "affiliate", "event", "section", "cause", "amount"]
    list_filter = ["day", "cause"]
    list_select_related = ["affiliate", "event", "section__event"]
    search_fields = ["affiliate__affiliate_id", "event__event_id"]


@admin.register(Submission)
class SubmissionAdmin(ReadOnlyAdmin):
    list_display = ["event_name", "state", "ends", "uploaded_by", "received_at"]
    list_filter = ["state"]
    search_fields = ["event__event_id", "uploaded_by__username", "^event_name"]
    exclude = ["content", "reader_findings"]
    inlines = [SubmissionFileInline, FindingOverrideInline]


@admin.register(PendingMember)
class PendingMemberAdmin(AboutMemberAdmin):
    list_display = [
        "number",
        "family_name",
        "given_name",
        "submission",
        "told_at",
        "resolved_to",
        "resolved_how",
    ]
    list_filter = ["resolved_how"]
    search_fields = ["^family_name", "^given_name", "number", "resolved_to"]


class SectionInline(ReadOnlyInline):
    model = Section
    fields = ["number", "name", "kind", "starts", "ends", "time_control", "status"]
    show_change_link = True


class EventOfficialInline(ReadOnlyInline):
    model = EventOfficial
    fields = ["role", "section_number", "player"]


@admin.register(Event)
class EventAdmin(ReadOnlyAdmin):
    list_display = ["event_id", "name", "starts", "ends", "state", "affiliate"]
    list_filter = ["ends", "state"]
    search_fields = ["event_id", "ends", "^name"]
    ordering = ["-ends", "-event_id"]
    inlines = [EventOfficialInline, SectionInline]


@admin.register(Section)
class SectionAdmin(ReadOnlyAdmin):
    list_display = ["event", "number", "name", "ends", "time_control", "status"]
    list_filter = ["status", "kind", "is_online"]
    search_fields = ["event__event_id"]


@admin.register(Entry)
class EntryAdmin(MemberLedgerAdmin):
    list_display = ["section", "pairing_number", "player", "reported_name"]
    list_select_related = ["section__event", "player"]


@admin.register(Game)
class GameAdmin(LedgerAdmin):
    list_display = [
        "section",
        "round_number",
        "first",
        "first_outcome",
        "second",
        "second_outcome",
    ]
    list_select_related = ["section__event", "first__player", "second__player"]
    search_fields = ["section__event__event_id"]


@admin.register(UnplayedRound)
class UnplayedRoundAdmin(LedgerAdmin):
    list_display = ["entry", "round_number", "kind"]
    list_filter = ["kind"]
    list_select_related = ["entry__player"]
    search_fields = ["entry__section__event__event_id"]


@admin.register(OfficeTask)
class OfficeTaskAdmin(AboutMemberAdmin):
    list_display = ["player", "body", "rating", "state", "opened_at", "decided_by"]
    list_filter = ["state", "body"]


@admin.register(CorrectionRequest)
class CorrectionRequestAdmin(ReadOnlyAdmin):
    list_display = ["section", "kind", "state", "asked_by", "asked_at", "decided_by"]
    list_filter = ["state", "kind"]
    list_select_related = ["section__event", "asked_by", "decided_by"]
    search_fields = ["section__event__event_id"]


@admin.register(SectionVersion)
class SectionVersionAdmin(ReadOnlyAdmin):
    list_display = ["section", "number", "reason", "made_by", "made_at"]
    list_select_related = ["section__event", "made_by"]
    search_fields = ["section__event__event_id"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).defer("document")


@admin.register(EventOfficial)
class EventOfficialAdmin(MemberLedgerAdmin):
    list_display = ["event", "role", "section_number", "player"]
    search_fields = ["player", "event__event_id"]


@admin.register(Schedule)
class ScheduleAdmin(ReadOnlyAdmin):
    list_display = ["section", "place", "name", "time_control", "starts", "ends"]
    list_select_related = ["section__event"]
    search_fields = ["section__event__event_id"]


@admin.register(SubmissionFile)
class SubmissionFileAdmin(ReadOnlyAdmin):
    list_display = ["name", "submission", "role", "size"]
    search_fields = ["submission__event__event_id"]


@admin.register(FindingOverride)
class FindingOverrideAdmin(ReadOnlyAdmin):
    list_display = ["at", "submission", "finding_key", "by", "reason"]
    search_fields = ["submission__event__event_id"]


@admin.register(ReportMessage)
class ReportMessageAdmin(ReadOnlyAdmin):
    list_display = ["at", "submission", "by", "from_office", "place"]
    list_filter = ["from_office"]
    search_fields = ["submission__event__event_id", "by__username"]


@admin.register(EventRegistration)
class EventRegistrationAdmin(ReadOnlyAdmin):
    list_display = ["name", "starts", "ends", "affiliate", "chief", "status"]
    list_filter = ["ends", "status"]
    search_fields = ["affiliate__affiliate_id", "starts", "^name"]


@admin.register(RegisteredSection)
class RegisteredSectionAdmin(ReadOnlyAdmin):
    list_display = ["registration", "number", "name", "time_control"]


@admin.register(ForeignEvent)
class ForeignEventAdmin(ReadOnlyAdmin):
    list_display = ["name", "fide_code", "federation", "starts", "ends"]
    list_filter = ["ends"]
    search_fields = ["fide_code", "ends", "^name"]


@admin.register(ForeignFile)
class ForeignFileAdmin(ReadOnlyAdmin):
    list_display = ["received_at", "name", "event", "size", "received_by"]


@admin.register(ForeignResult)
class ForeignResultAdmin(AboutMemberAdmin):
    list_display = ["player", "event", "status", "source", "version"]
    list_filter = ["status"]
    search_fields = ["player", "event__fide_code"]


@admin.register(ForeignGame)
class ForeignGameAdmin(AboutMemberAdmin):
    list_display = ["result", "round_number", "opponent_name", "color", "half_points"]
    list_select_related = ["result__player", "result__event"]
    search_fields = ["result__player", "opponent_fide_id"]


@admin.register(ForeignVersion)
class ForeignVersionAdmin(AboutMemberAdmin):
    list_display = ["result", "number", "replaced_at", "replaced_by", "reason"]
    list_select_related = ["result__player", "result__event", "replaced_by"]
    search_fields = ["result__player"]
    exclude = ["content"]


@admin.register(ForeignWork)
class ForeignWorkAdmin(AboutMemberAdmin):
    list_display = ["player", "fide_list", "fide_rating", "games", "decided_at"]
