"""Admin pages of the foundation, and what all our admin pages share."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy

from ratings_site.common.audit.services import record
from ratings_site.common.models import ApiKey, AuditEntry, Job, Office, User
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


class HistoryAdmin(HistoryInAudit, admin.ModelAdmin):
    """For what is added to by services and never edited: it can be looked at."""

    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, request: HttpRequest, *args: object) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, *args: object) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, *args: object) -> bool:
        return False


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


class AuditedAdmin(HistoryInAudit, admin.ModelAdmin):
    """For records that staff keep by hand: each change is audited with its reason.

    Nothing is deleted here: what history rests on must stay.
    """

    form = ReasonForm
    show_full_result_count = False
    list_per_page = 50

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


@admin.register(User)
class OfficeUserAdmin(HistoryInAudit, UserAdmin):
    list_display = ["username", "email", "first_name", "last_name", "is_staff"]

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
class AuditEntryAdmin(HistoryAdmin):
    list_display = ["at", "actor", "action", "subject_name", "reason"]
    list_filter = ["action"]
    list_select_related = ["actor"]
    search_fields = ["subject_name", "reason", "=subject_id"]
    date_hierarchy = "at"


@admin.register(Job)
class JobAdmin(HistoryAdmin):
    list_display = ["created_at", "kind", "key", "state", "attempts", "message"]
    list_filter = ["state", "kind"]
    search_fields = ["key", "message"]


@admin.register(ApiKey)
class ApiKeyAdmin(HistoryAdmin):
    list_display = ["name", "prefix", "owner", "may_submit", "may_feed", "last_used_on"]
    list_filter = ["may_submit", "may_feed"]
    list_select_related = ["owner"]
    search_fields = ["name", "prefix", "owner__username"]
    exclude = ["digest"]


class OfficeForm(ReasonForm):
    time_zone = forms.ChoiceField(
        label=gettext_lazy("Time zone"),
        choices=lambda: [(name, name) for name in time_zones()],
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
    list_display = ["name", "address", "time_zone", "issues_ids"]

    def save_model(self, *args: Any) -> None:
        """Show it at once; other processes follow within seconds."""
        super().save_model(*args)
        transaction.on_commit(Office.show)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """``create_office`` makes the one there is."""
        return False
