from django.contrib import admin
from django.http import HttpRequest

from ratings.models import (
    Adjustment,
    Calculation,
    Ceiling,
    Floor,
    FloorLowering,
    FloorRequest,
    LifeMasterSetAside,
    OpeningEntry,
    PlayerRating,
    PublishedRating,
    RatingChange,
    Run,
)
from ratings_site.common.admin import HistoryAdmin, HistoryInline


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


class GrantAdmin(HistoryAdmin):
    """A dated record that rerates replay; the office decides on its own pages."""

    list_display = ["player", "system", "level", "starts", "ends", "reason"]
    list_filter = ["system"]
    list_select_related = ["player"]
    search_fields = ["player__member_id", "player__search_name"]


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
    list_select_related = ["player", "decided_by"]


@admin.register(Adjustment)
class AdjustmentAdmin(GrantAdmin):
    list_display = ["player", "system", "kind", "day", "rating", "withdrawn_at"]
    list_filter = ["kind", "system"]


@admin.register(LifeMasterSetAside)
class LifeMasterSetAsideAdmin(HistoryAdmin):
    list_display = ["player", "games", "reason", "decided_by", "decided_at"]
    list_select_related = ["player", "decided_by"]
    search_fields = ["player__member_id", "player__search_name"]
