from datetime import datetime

from django.utils.translation import gettext as _

from ratings_site.common.desk.queries import Standing, says_how_it_stands
from ratings_site.common.webhooks.services import webhooks_in_trouble


@says_how_it_stands
def _how_webhooks_stand(now: datetime) -> list[Standing]:
    """Speak of webhooks only while some of them are in trouble."""
    failing, off = webhooks_in_trouble()
    if not failing + off:
        return []
    text = _("{failing} failing at present, {off} switched off for failing").format(
        failing=failing, off=off
    )
    return [Standing(_("Webhooks"), text, level="note")]
