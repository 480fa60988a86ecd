from django.contrib import admin

from events.models import (
    Affiliate,
    Entry,
    Event,
    EventOfficial,
    FindingOverride,
    Game,
    OfficeTask,
    Official,
    Section,
    Submission,
    SubmissionFile,
    UnplayedRound,
)
from ratings_site.common.admin import AuditedAdmin, HistoryAdmin, HistoryInline


@admin.register(Affiliate)
class AffiliateAdmin(AuditedAdmin):
    list_display = ["affiliate_id", "name", "state", "expires"]
    list_filter = ["state"]
    search_fields = ["affiliate_id", "name"]


@admin.register(Official)
class OfficialAdmin(AuditedAdmin):
    list_display = ["player", "level", "certified_until"]
    list_filter = ["level"]
    list_select_related = ["player"]
    search_fields = ["player__member_id", "player__search_name"]
    autocomplete_fields = ["player", "affiliates"]


class SubmissionFileInline(HistoryInline):
    model = SubmissionFile
    fields = ["name", "role", "size", "sha256"]


class FindingOverrideInline(HistoryInline):
    model = FindingOverride


@admin.register(Submission)
class SubmissionAdmin(HistoryAdmin):
    list_display = ["event_name", "state", "ends", "uploaded_by", "received_at"]
    list_filter = ["state"]
    list_select_related = ["uploaded_by"]
    search_fields = ["event_name", "uploaded_by__username"]
    exclude = ["report", "reader_findings"]
    inlines = [SubmissionFileInline, FindingOverrideInline]

    def get_queryset(self, request):
        return super().get_queryset(request).defer("report", "reader_findings")


class SectionInline(HistoryInline):
    model = Section
    fields = ["number", "name", "kind", "starts", "ends", "time_control", "status"]
    show_change_link = True


class EventOfficialInline(HistoryInline):
    model = EventOfficial
    fields = ["role", "section_number", "player"]


@admin.register(Event)
class EventAdmin(HistoryAdmin):
    list_display = ["event_id", "name", "starts", "ends", "state", "affiliate"]
    list_filter = ["state"]
    list_select_related = ["affiliate"]
    search_fields = ["event_id", "name"]
    date_hierarchy = "ends"
    inlines = [EventOfficialInline, SectionInline]


@admin.register(Section)
class SectionAdmin(HistoryAdmin):
    list_display = ["event", "number", "name", "ends", "time_control", "status"]
    list_filter = ["status", "kind", "is_online"]
    list_select_related = ["event"]
    search_fields = ["event__event_id", "event__name"]


@admin.register(Entry)
class EntryAdmin(HistoryAdmin):
    list_display = ["section", "pairing_number", "player", "reported_name"]
    list_select_related = ["section__event", "player"]
    search_fields = ["player__member_id", "player__search_name"]


@admin.register(Game)
class GameAdmin(HistoryAdmin):
    list_display = [
        "section",
        "round_number",
        "first",
        "first_outcome",
        "second",
        "second_outcome",
    ]
    list_select_related = ["section__event", "first__player", "second__player"]
    search_fields = ["=section__event__event_id"]


@admin.register(UnplayedRound)
class UnplayedRoundAdmin(HistoryAdmin):
    list_display = ["entry", "round_number", "kind"]
    list_filter = ["kind"]
    list_select_related = ["entry__player"]


@admin.register(OfficeTask)
class OfficeTaskAdmin(HistoryAdmin):
    list_display = ["player", "body", "rating", "state", "opened_at", "decided_by"]
    list_filter = ["state", "body"]
    list_select_related = ["player", "decided_by"]
