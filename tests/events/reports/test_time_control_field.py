"""The time control field of all forms."""

import pytest
from django.core.exceptions import ValidationError

from events.corrections.forms import TimeControlForm
from events.reports.forms.edits import SectionForm
from events.reports.forms.schedules import ScheduleForm
from events.results_entry.forms import NewSectionForm
from ratings.pages.estimator.forms import PlayerEventForm

FIELDS = [
    TimeControlForm.base_fields["time_control"],
    NewSectionForm.base_fields["time_control"],
    SectionForm.base_fields["time_control"],
    ScheduleForm.base_fields["time_control"],
    PlayerEventForm.base_fields["control"],
]


@pytest.mark.parametrize("field", FIELDS)
def test_forms_read_the_spellings_of_files_and_refuse_unclear_ones(field):
    assert field.clean("600d5") == "G/10;d5"
    assert field.clean("900+10") == "G/15;+10"
    assert field.clean("G/60, INC-30") == "G/60;+30"
    assert field.clean("G/60 d5") == "G/60 d5"
    with pytest.raises(ValidationError) as caught:
        field.clean("180+30")
    assert "G/3;+30 and G/180;+30" in caught.value.messages[0]
