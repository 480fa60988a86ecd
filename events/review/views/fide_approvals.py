"""The office's mark that FIDE approved an event's time control."""

from typing import Any

from django.http import Http404
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from events.access import office_required
from events.models import Event
from events.reports.services.submissions import REVIEW
from events.review.forms import FideApprovalForm
from events.review.services.fide_approvals import mark_fide_approval
from ratings_site.common.approvals.pages import ActionView


@office_required
class FideApproval(ActionView[Event]):
    form_class = FideApprovalForm
    template_name = "events/review/fide_approval.html"
    permission = REVIEW
    context_object_name = "event"
    success_message = gettext_lazy("Approval saved.")

    def get_object(self) -> Event:
        event = Event.objects.filter(event_id=self.kwargs["event_id"]).first()
        if event is None:
            raise Http404(_("There is no event with this ID."))
        return event

    def get_initial(self) -> dict[str, Any]:
        return {"day": self.object.fide_approved_on}

    def do(self, data: dict[str, Any]) -> Event:
        return mark_fide_approval(
            event_id=self.object.event_id, actor=self.request.user, **data
        )
