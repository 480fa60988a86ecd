from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext

from players.admin import AboutMemberAdmin, MemberLedgerAdmin, MemberSearchMixin
from players.members.queries import same_person_ids
from ratings.decisions.floors.queries.titles import earned_titles
from ratings.decisions.floors.services.validation import GRANT
from ratings.models import (
    Adjustment,
    Calculation,
    Ceiling,
    EarnedTitle,
    Experiment,
    ExperimentVariant,
    Floor,
    FloorLowering,
    FloorRequest,
    GamesFile,
    GamesHistory,
    LifeMasterSetAside,
    ListDraft,
    OfficialList,
    OfficialListFile,
    OfficialRating,
    OpenFile,
    OpeningEntry,
    PlayerRating,
    PublishedRating,
    RatingChange,
    RerateMark,
    Run,
    RunDifference,
    SigningKey,
)
from ratings_site.common.admin import (
    AuditedAdmin,
    LedgerAdmin,
    ReadOnlyAdmin,
    ReadOnlyInline,
    ReasonForm,
)


class RatingChangeInline(ReadOnlyInline):
    model = RatingChange
    fields = ["player", "pre_rating", "post_rating", "post_games", "formula", "bonus"]


@admin.register(Calculation)
class CalculationAdmin(LedgerAdmin):
    list_display = [
        "section",
        "opening",
        "system",
        "order_date",
        "edition",
        "is_late",
        "is_current",
    ]
    list_filter = ["order_date", "system", "is_current", "is_late", "order_rank"]
    list_select_related = ["section__event", "opening__player"]
    search_fields = ["section__event__event_id"]
    raw_id_fields = ["section", "opening", "run"]

    def get_inlines(
        self, request: HttpRequest, obj: Calculation | None = None
    ) -> list[Any]:
        return [RatingChangeInline] if obj and obj.section_id else []


@admin.register(RatingChange)
class RatingChangeAdmin(MemberLedgerAdmin):
    list_display = ["player", "calculation", "pre_rating", "post_rating", "formula"]
    list_filter = ["formula", "calculation__system"]
    list_select_related = [
        "player",
        "calculation__section__event",
        "calculation__opening__player",
    ]


@admin.register(PlayerRating)
class PlayerRatingAdmin(MemberLedgerAdmin):
    list_display = ["player", "system", "rating", "games", "floor", "rated_on"]
    list_filter = ["system"]


@admin.register(OpeningEntry)
class OpeningEntryAdmin(MemberLedgerAdmin):
    list_display = ["player", "system", "rating", "games", "as_of", "source"]
    list_filter = ["system"]


@admin.register(PublishedRating)
class PublishedRatingAdmin(MemberLedgerAdmin):
    list_display = ["entry", "system", "post_rating", "source"]
    list_filter = ["system"]
    list_select_related = ["entry__player"]
    search_fields = ["entry__player"]


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    list_display = ["kind", "reason", "requested_by", "created_at"]


class GrantAdmin(AboutMemberAdmin):
    """A dated record that rerates replay; the office edits it on its own pages."""

    list_display = ["player", "system", "level", "starts", "ends", "reason"]
    list_filter = ["system"]


@admin.register(Floor)
class FloorAdmin(GrantAdmin):
    list_display = ["player", "system", "kind", "level", "starts", "ends"]
    list_filter = ["kind", "system"]


@admin.register(Ceiling)
class CeilingAdmin(GrantAdmin):
    pass


@admin.register(FloorLowering)
class FloorLoweringAdmin(GrantAdmin):
    list_display = ["player", "system", "level", "starts", "reason"]


@admin.register(FloorRequest)
class FloorRequestAdmin(GrantAdmin):
    list_display = ["player", "system", "floor", "day", "status", "decided_by"]
    list_filter = ["status", "system"]


@admin.register(Adjustment)
class AdjustmentAdmin(GrantAdmin):
    list_display = ["player", "system", "kind", "day", "rating", "withdrawn_at"]
    list_filter = ["kind", "system"]


@admin.register(LifeMasterSetAside)
class LifeMasterSetAsideAdmin(AboutMemberAdmin):
    list_display = ["player", "games", "reason", "decided_by", "decided_at"]


class EarnedTitleForm(ReasonForm):
    def clean(self) -> dict[str, Any]:
        """Refuse a decision on a title that the records show: correct them first."""
        numbers = same_person_ids([self.instance.player_id])[self.instance.player_id]
        person = self.instance.player.canonical.pk
        shown = earned_titles(dict.fromkeys(numbers, person)).get(person, {})
        if self.instance.level in shown:
            raise forms.ValidationError(
                gettext("The records show this title. Correct the results first.")
            )
        return super().clean() or self.cleaned_data


@admin.register(EarnedTitle)
class EarnedTitleAdmin(MemberSearchMixin, AuditedAdmin):
    """Clerks revoke titles earned by mistaken identity, which would be for life."""

    form = EarnedTitleForm
    audit_name = "title"
    list_display = ["player", "title", "earned_on", "decision", "recorded_at"]
    list_filter = ["level", "decision"]
    search_fields = ["player"]
    readonly_fields = ["player", "title", "earned_on", "recorded_at"]
    fields = [*readonly_fields, "decision", "reason_for_change"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, *args: object) -> bool:
        return request.user.has_perm(GRANT)


@admin.register(RerateMark)
class RerateMarkAdmin(AboutMemberAdmin):
    list_display = [
        "left_at",
        "kind",
        "from_day",
        "player",
        "section",
        "left_by",
        "run",
    ]
    list_filter = ["kind"]
    list_select_related = ["player", "section__event", "left_by", "run"]
    search_fields = ["player", "section__event__event_id"]


@admin.register(RunDifference)
class RunDifferenceAdmin(MemberLedgerAdmin):
    """The changes of published rerates; open ones have their own page."""

    list_display = ["player", "run", "system", "before", "after"]
    list_filter = ["system"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[RunDifference]:
        return (
            super().get_queryset(request).filter(run__status__in=Run.PUBLISHED_STATUSES)
        )


@admin.register(OfficialList)
class OfficialListAdmin(ReadOnlyAdmin):
    list_display = ["month", "members", "cut_off", "published_at", "published_by"]
    exclude = ["summary"]


@admin.register(OfficialRating)
class OfficialRatingAdmin(MemberLedgerAdmin):
    list_display = ["player", "list", "system", "rating", "games", "place"]
    list_filter = ["system"]


@admin.register(OfficialListFile)
class OfficialListFileAdmin(ReadOnlyAdmin):
    list_display = ["name", "list", "kind", "size", "sha256"]
    list_filter = ["kind"]
    exclude = ["content"]


@admin.register(SigningKey)
class SigningKeyAdmin(ReadOnlyAdmin):
    list_display = ["key_id", "created_at", "retired_at", "is_revoked"]
    exclude = ["private"]


@admin.register(ListDraft)
class ListDraftAdmin(ReadOnlyAdmin):
    list_display = ["month", "cut_off", "prepared_at", "prepared_by"]
    exclude = ["summary"]


@admin.register(OpenFile)
class OpenFileAdmin(ReadOnlyAdmin):
    list_display = ["made_at", "table", "kind", "rows", "size", "is_newest"]
    list_filter = ["kind", "is_newest"]


@admin.register(Experiment)
class ExperimentAdmin(ReadOnlyAdmin):
    list_display = ["asked_at", "title", "kind", "status", "asked_by", "published_at"]
    list_filter = ["kind", "status"]
    exclude = ["plan", "facts", "findings", "results"]


@admin.register(ExperimentVariant)
class ExperimentVariantAdmin(ReadOnlyAdmin):
    list_display = ["experiment", "number", "label", "system", "finished_at"]
    exclude = ["parameters", "result", "predictions"]


@admin.register(GamesFile)
class GamesFileAdmin(ReadOnlyAdmin):
    list_display = ["sent_at", "name", "size", "sent_by"]
    exclude = ["content"]


@admin.register(GamesHistory)
class GamesHistoryAdmin(ReadOnlyAdmin):
    list_display = ["read_at", "games", "players", "first_day", "last_day"]
    search_fields = ["digest"]
    exclude = ["content"]
