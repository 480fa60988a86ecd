from django import forms
from django.contrib import admin
from django.http import HttpRequest

from ratings.models import (
    Calculation,
    Ceiling,
    Floor,
    OpeningEntry,
    PlayerRating,
    PublishedRating,
    RatingChange,
    Run,
)
from ratings_site.common.admin import AuditedAdmin, HistoryAdmin, HistoryInline


class RatingChangeInline(HistoryInline):
    model = RatingChange
    fields = ["player", "pre_rating", "post_rating", "post_games", "formula", "bonus"]


@admin.register(Calculation)
class CalculationAdmin(HistoryAdmin):
    list_display = [
        "section",
        "opening",
        "system",
        "order_date",
        "edition",
        "is_late",
        "is_current",
    ]
    list_filter = ["system", "is_current", "is_late", "order_rank"]
    list_select_related = ["section__event", "opening__player"]
    search_fields = ["=order_event_id", "section__event__name"]
    date_hierarchy = "order_date"
    raw_id_fields = ["section", "opening", "run"]

    def get_inlines(self, request: HttpRequest, obj: Calculation | None = None) -> list:
        return [RatingChangeInline] if obj and obj.section_id else []


@admin.register(RatingChange)
class RatingChangeAdmin(HistoryAdmin):
    list_display = ["player", "calculation", "pre_rating", "post_rating", "formula"]
    list_filter = ["formula", "calculation__system"]
    list_select_related = [
        "player",
        "calculation__section__event",
        "calculation__opening__player",
    ]
    search_fields = ["player__member_id", "player__search_name"]


@admin.register(PlayerRating)
class PlayerRatingAdmin(HistoryAdmin):
    list_display = ["player", "system", "rating", "games", "floor", "rated_on"]
    list_filter = ["system"]
    list_select_related = ["player"]
    search_fields = ["player__member_id", "player__search_name"]


@admin.register(OpeningEntry)
class OpeningEntryAdmin(HistoryAdmin):
    list_display = ["player", "system", "rating", "games", "as_of", "source"]
    list_filter = ["system"]
    list_select_related = ["player"]
    search_fields = ["player__member_id", "player__search_name"]


@admin.register(PublishedRating)
class PublishedRatingAdmin(HistoryAdmin):
    list_display = ["entry", "system", "post_rating", "source"]
    list_filter = ["system"]
    list_select_related = ["entry__player"]


@admin.register(Run)
class RunAdmin(HistoryAdmin):
    list_display = ["kind", "reason", "requested_by", "created_at"]
    list_select_related = ["requested_by"]


class GrantAdmin(AuditedAdmin):
    """A dated record that somebody grants; who did is filled in."""

    list_display = ["player", "system", "level", "starts", "ends", "reason"]
    list_filter = ["system"]
    list_select_related = ["player"]
    search_fields = ["player__member_id", "player__search_name"]
    autocomplete_fields = ["player"]
    granter_field = ""

    def get_exclude(self, request: HttpRequest, obj: object = None) -> list[str]:
        return [self.granter_field]

    def save_model(
        self, request: HttpRequest, obj, form: forms.ModelForm, change: bool
    ) -> None:
        if not change:
            setattr(obj, self.granter_field, request.user)
        super().save_model(request, obj, form, change)


@admin.register(Floor)
class FloorAdmin(GrantAdmin):
    granter_field = "granted_by"
    list_display = ["player", "system", "kind", "level", "starts", "ends"]


@admin.register(Ceiling)
class CeilingAdmin(GrantAdmin):
    granter_field = "imposed_by"
