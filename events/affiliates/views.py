"""The page to request limiting reporting to listed TDs."""

from collections.abc import Sequence
from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy

from events.affiliates.forms import TdListForm
from events.affiliates.services import (
    denial_reason,
    request_td_list,
    td_list_lines,
    tds_with_ids,
)
from events.models import Affiliate
from ratings_site.common.accounts.permissions import account_required
from ratings_site.common.approvals.pages import PreviewedActionView
from ratings_site.common.approvals.preview import PreviewLine
from ratings_site.common.models import PendingAct


@account_required
class AskTdList(PreviewedActionView[Affiliate]):
    """Name the TDs, see their names, and send the request."""

    form_class = TdListForm
    template_name = "events/affiliates/ask.html"
    context_object_name = "affiliate"
    success_message = gettext_lazy("The office has your request. We’ll notify you.")

    def get_object(self) -> Affiliate:
        return get_object_or_404(Affiliate, affiliate_id=self.kwargs["affiliate_id"])

    @cached_property
    def why_not(self) -> list[str]:
        sentence = denial_reason(self.object, self.request.user)
        return [sentence] if sentence else []

    def get_initial(self) -> dict[str, Any]:
        listed = self.object.official_set.values_list("player__member_id", flat=True)
        return {"member_ids": "\n".join(listed)}

    def form_preview(self, data: dict[str, Any]) -> Sequence[PreviewLine]:
        named = tds_with_ids(data["member_ids"])
        return list(td_list_lines(self.object, named, self.request.user))

    def do(self, data: dict[str, Any]) -> PendingAct:
        pk, actor = self.object.pk, self.request.user
        return request_td_list(affiliate_id=pk, actor=actor, **data)
