"""Admin pages of the foundation, and what all our admin pages share."""

from collections.abc import Iterator
from typing import Any

from allauth.mfa.models import Authenticator
from django import forms
from django.contrib import admin
from django.contrib.admin.utils import get_fields_from_path
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth.admin import UserAdmin
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.paginator import Paginator
from django.db import models, transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.dateparse import parse_date
from django.utils.functional import cached_property
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy

from ratings_site.common.audit.log import Wanted, kinds_of_subjects
from ratings_site.common.audit.services import record
from ratings_site.common.models import (
    ApiKey,
    AuditEntry,
    Job,
    Notice,
    NoticeSetting,
    Office,
    PendingAct,
    User,
    Webhook,
    WebhookDelivery,
)
from ratings_site.common.models.office import (
    MOST_OF_A_LOGO,
    refuse_what_is_no_logo,
    time_zones,
)
from ratings_site.common.sign_in.services import (
    address_changed_by_office,
    password_changed_by_office,
)


class HistoryInAudit:
    """The history of a record is what the audit says of it."""

    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: object = None
    ) -> HttpResponse:
        kind = self.model._meta.label_lower
        query = urlencode({"subject_type": kind, "subject_id": object_id})
        return redirect(f"{reverse('office:audit')}?{query}")


# So many rows are counted and paged through; who wants others searches for them.
MOST_COUNTED = 10_000

# Columns that a list of records leaves in the database.
BULKY = (models.BinaryField, models.JSONField)


class CappedPaginator(Paginator):
    """Counts no further than anybody turns pages: a ledger has millions of lines."""

    @cached_property
    def count(self) -> int:
        return self.object_list.order_by()[:MOST_COUNTED].count()

    @property
    def is_cut(self) -> bool:
        return self.count == MOST_COUNTED


class LargeTables:
    """What lists of any length share: nothing reads a whole table for a page."""

    list_per_page = 50
    paginator = CappedPaginator
    show_facets = admin.ShowFacets.NEVER
    show_full_result_count = False


class FoundWhole:
    """Compares what is typed with whole values, which an index finds at once.

    Django looks for ``%…%``, and for equality without regard to case or as text: each
    reads every row. A column after "^" belongs to a table small enough to be read, and
    is compared by its beginning; not with a number, which only a whole value can mean.
    What a column cannot hold is not looked for in it.
    """

    search_help_text = gettext_lazy(
        "A whole ID, day or user name, or the beginning of a name, where records "
        "have them."
    )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet, search_term: str
    ) -> tuple[QuerySet, bool]:
        text = search_term.strip()
        return (queryset.filter(self.found(text)) if text else queryset), False

    def found(self, text: str) -> Q:
        found = Q(pk__in=[])
        for column in self.search_fields:
            found |= self.found_in(column, text)
        return found

    def found_in(self, column: str, text: str) -> Q:
        nothing = Q(pk__in=[])
        if column.startswith("^"):
            begins = Q(**{f"{column[1:]}__istartswith": text})
            return nothing if text.isdecimal() else begins
        try:
            field = get_fields_from_path(self.model, column)[-1]
            value = field.clean(text, None)
        except ValidationError:
            return nothing
        return Q(**{column: value})


class HistoryAdmin(LargeTables, FoundWhole, HistoryInAudit, admin.ModelAdmin):
    """For what is added to by services and never edited: it can be looked at."""

    ordering = ["-pk"]

    def get_list_select_related(self, request: HttpRequest) -> list[str]:
        return self.list_select_related or [
            field.name
            for field in self.opts.fields
            if field.is_relation and field.name in self.list_display
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet:
        return super().get_queryset(request).defer(*self._bulky(request))

    def _bulky(self, request: HttpRequest) -> Iterator[str]:
        """Yield the bulky columns of a record and of those its list names."""
        owners = {"": self.model}
        for path in self.get_list_select_related(request):
            last = get_fields_from_path(self.model, path)[-1]
            owners[f"{path}__"] = last.related_model
        for path, model in owners.items():
            for field in model._meta.fields:
                if isinstance(field, BULKY):
                    yield f"{path}{field.name}"

    def has_add_permission(self, request: HttpRequest, *args: object) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, *args: object) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, *args: object) -> bool:
        return False


class UnsortedList(ChangeList):
    """Sorts by no column, whatever stands in the address."""

    def get_ordering_field(self, field_name: str) -> None:
        return None


class LedgerAdmin(HistoryAdmin):
    """The same for millions of lines, which nobody may sort."""

    sortable_by = ()

    def get_changelist(self, request: HttpRequest, **kwargs: object) -> type:
        return UnsortedList


class HistoryInline(admin.TabularInline):
    """The same for lines below a record."""

    extra = 0
    can_delete = False

    def has_add_permission(self, request: HttpRequest, *args: object) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, *args: object) -> bool:
        return False


class ReasonForm(forms.ModelForm):
    """Every change by hand has a reason, kept in the audit."""

    reason_for_change = forms.CharField(
        label=gettext_lazy("Reason"),
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=gettext_lazy(
            "Why this is entered or changed. It stays in the audit for ever."
        ),
    )


class AuditedAdmin(LargeTables, HistoryInAudit, admin.ModelAdmin):
    """For records that staff keep by hand: each change is audited with its reason.

    Nothing is deleted here: what history rests on must stay.
    """

    form = ReasonForm

    def has_delete_permission(self, request: HttpRequest, *args: object) -> bool:
        return False

    def save_model(
        self, request: HttpRequest, obj: Any, form: forms.ModelForm, change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        changed = [name for name in form.changed_data if name != "reason_for_change"]
        record(
            f"{obj._meta.model_name}.{'changed' if change else 'added'}",
            subject=obj,
            actor=request.user,
            reason=form.cleaned_data.get("reason_for_change", ""),
            facts={name: _change(form, name) for name in changed},
        )

    def save_formset(
        self,
        request: HttpRequest,
        form: forms.ModelForm,
        formset: forms.BaseModelFormSet,
        change: bool,
    ) -> None:
        """Audit the lines below the record as well, with the same reason."""
        super().save_formset(request, form, formset, change)
        lines = [(line, [], "added") for line in formset.new_objects]
        lines += [(line, names, "changed") for line, names in formset.changed_objects]
        for line, names, what in lines:
            record(
                f"{line._meta.model_name}.{what}",
                subject=line,
                actor=request.user,
                reason=form.cleaned_data.get("reason_for_change", ""),
                facts={"of": str(form.instance), "fields": names},
            )


def _change(form: forms.ModelForm, name: str) -> dict[str, str]:
    return {
        "from": _in_words(form, name, form.initial.get(name)),
        "to": _in_words(form, name, form.cleaned_data.get(name)),
    }


def _in_words(form: forms.ModelForm, name: str, value: Any) -> str:
    """Return a field's value as people read it: records by their names."""
    field = form.fields[name]
    if isinstance(field, forms.ModelMultipleChoiceField):
        return ", ".join(sorted(str(record) for record in value or ()))
    if isinstance(field, forms.ModelChoiceField) and isinstance(value, int):
        value = field.queryset.filter(pk=value).first()
    return "" if value is None else str(value)


# Its page would show the secrets of second factors.
admin.site.unregister(Authenticator)


@admin.register(User)
class OfficeUserAdmin(HistoryInAudit, UserAdmin):
    list_display = ["username", "email", "first_name", "last_name", "is_staff"]
    readonly_fields = ["last_login", "date_joined"]

    def save_model(
        self, request: HttpRequest, obj: User, form: forms.ModelForm, change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        if change and "email" in form.changed_data:
            address_changed_by_office(
                request=request, user=obj, before=form.initial["email"]
            )
        record(
            f"account.{'changed' if change else 'added'}",
            subject=obj,
            actor=request.user,
            facts={name: _change(form, name) for name in form.changed_data},
        )

    def user_change_password(
        self, request: HttpRequest, id: str, form_url: str = ""
    ) -> HttpResponse:
        """Keep it in the audit too, and tell whose password it is."""
        answer = super().user_change_password(request, id, form_url)
        if request.method == "POST" and answer.status_code == 302:
            user = User.objects.get(pk=id)
            password_changed_by_office(request=request, user=user, actor=request.user)
        return answer


@admin.register(AuditEntry)
class AuditEntryAdmin(LedgerAdmin):
    """Finds by what has an index; the office's own page also looks into reasons."""

    list_display = ["at", "actor", "action", "subject_name", "reason"]
    list_filter = ["at"]
    search_fields = ["action", "subject_type", "subject_id", "at"]
    search_help_text = gettext_lazy(
        "The beginning of an action (section.), a kind of record and its number "
        "(events.event 15), or a day (2026-05-04)."
    )

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet, search_term: str
    ) -> tuple[QuerySet, bool]:
        return _wanted(search_term.strip()).among(queryset), False


def _wanted(text: str) -> Wanted:
    """Return which entries somebody means who typed *text*."""
    kind, _, number = text.partition(" ")
    if kind in dict(kinds_of_subjects()):
        return Wanted(subject_type=kind, subject_id=number)
    try:
        day = parse_date(text)
    except ValueError:
        day = None
    if day:
        return Wanted(since=day, until=day)
    return Wanted(action=text)


@admin.register(Job)
class JobAdmin(HistoryAdmin):
    list_display = ["created_at", "kind", "key", "state", "attempts", "message"]
    list_filter = ["state", "kind"]
    search_fields = ["^kind", "key"]


@admin.register(ApiKey)
class ApiKeyAdmin(HistoryAdmin):
    list_display = ["name", "prefix", "owner", "may_submit", "may_feed", "last_used_on"]
    list_filter = ["may_submit", "may_feed"]
    search_fields = ["^name", "prefix", "owner__username"]
    exclude = ["digest"]


admin.site.register(
    PendingAct,
    HistoryAdmin,
    list_display=[
        "proposed_at",
        "title",
        "kind",
        "status",
        "proposed_by",
        "decided_by",
    ],
    list_filter=["status"],
    exclude=["payload"],
)
admin.site.register(
    Notice,
    LedgerAdmin,
    list_display=["created_at", "account", "kind", "title", "read_at", "mailed_at"],
    search_fields=["account__username"],
    exclude=["text", "url"],
)
admin.site.register(
    NoticeSetting,
    HistoryAdmin,
    list_display=["account", "kind", "channel", "is_on"],
    search_fields=["account__username"],
)
admin.site.register(
    Webhook,
    HistoryAdmin,
    list_display=["url", "owner", "is_active", "created_at", "failing_since"],
    list_filter=["is_active"],
    search_fields=["owner__username"],
    exclude=["salt"],
)
admin.site.register(
    WebhookDelivery,
    LedgerAdmin,
    list_display=["created_at", "webhook", "kind", "state", "attempts", "status"],
    search_fields=["message_id"],
    exclude=["body"],
)


class OfficeForm(ReasonForm):
    time_zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        choices=lambda: [(name, name) for name in time_zones()],
        initial=Office._meta.get_field("time_zone").default,
        help_text=gettext_lazy("In which days begin and times are shown."),
    )
    new_logo = forms.FileField(
        label=gettext_lazy("New logo"),
        required=False,
        help_text=gettext_lazy("A PNG picture of at most 200 kB."),
    )
    no_logo = forms.BooleanField(
        label=gettext_lazy("Show no logo any more"), required=False
    )

    def clean_new_logo(self) -> UploadedFile | None:
        uploaded = self.cleaned_data["new_logo"]
        if uploaded:
            self.instance.logo = uploaded.read(MOST_OF_A_LOGO + 1)
            refuse_what_is_no_logo(self.instance.logo)
        return uploaded

    def clean_no_logo(self) -> bool:
        if self.cleaned_data["no_logo"]:
            self.instance.logo = b""
        return self.cleaned_data["no_logo"]


@admin.register(Office)
class OfficeAdmin(AuditedAdmin):
    form = OfficeForm
    list_display = ["name", "address", "time_zone", "issues_ids", "ours_from"]

    def save_model(self, request: HttpRequest, obj: Office, *args: Any) -> None:
        """Show it at once; other processes follow within seconds."""
        obj.pk = Office.THE_ONE
        super().save_model(request, obj, *args)
        transaction.on_commit(Office.show)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """There is one; without ``create_office``, as in a trial, none yet."""
        return super().has_add_permission(request) and not Office.objects.exists()
