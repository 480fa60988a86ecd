from django.contrib import admin

from players.models import ExternalRating, Membership, MembershipType, Player
from ratings_site.common.admin import AuditedAdmin


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0
    can_delete = False


class ExternalRatingInline(admin.TabularInline):
    model = ExternalRating
    extra = 0
    can_delete = False


@admin.register(Player)
class PlayerAdmin(AuditedAdmin):
    list_display = ["member_id", "family_name", "given_name", "state", "status"]
    list_filter = ["status", "state"]
    search_fields = ["member_id", "search_name", "search_given", "=fide_id"]
    inlines = [MembershipInline, ExternalRatingInline]
    autocomplete_fields = ["account"]
    fieldsets = [
        (
            None,
            {
                "fields": [
                    "member_id",
                    ("given_name", "family_name", "suffix"),
                    ("state", "residence", "federation"),
                    "status",
                ]
            },
        ),
        (
            "For the office only",
            {
                "fields": ["birth_date", "fide_id", "account"],
                "description": "The birth date never leaves staff pages.",
            },
        ),
        ("Why", {"fields": ["reason_for_change"]}),
    ]


@admin.register(MembershipType)
class MembershipTypeAdmin(AuditedAdmin):
    list_display = ["name", "is_adult"]


@admin.register(ExternalRating)
class ExternalRatingAdmin(AuditedAdmin):
    list_display = ["player", "body", "rating", "list_date", "source"]
    list_filter = ["body"]
    list_select_related = ["player"]
    search_fields = ["player__member_id", "player__search_name"]
    autocomplete_fields = ["player"]
    date_hierarchy = "list_date"
