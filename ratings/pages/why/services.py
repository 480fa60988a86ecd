"""The inputs of a section's calculation, to recompute it."""

import json

from django.utils.translation import gettext as _

from events.models import SectionVersion
from events.models.documents import SectionDocument
from ratings.engine.inputs import Kind, RatingInput
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.section_json import parse_section
from ratings.engine.systems import System
from ratings.ledger.services.rating_inputs import (
    SectionFacts,
    build_rating_input,
    read_section_facts,
)
from ratings.models import Calculation, CalculationInputs
from ratings.pages.why.queries.why import ExplanationError
from ratings.previews.corrections.services import facts_of_document
from ratings.rerates.services.states_before import states_before


def inputs_of(calculation: Calculation) -> tuple[RatingInput, Rules]:
    """Return the input and the rules with which a section was rated.

    A section rated on arrival has its inputs stored. A rerate stores none: they are
    read from the records, the previous lines, and the ledger as of its place in rating
    order. Raises ExplanationError if that is impossible.
    """
    stored: CalculationInputs | None = getattr(calculation, "inputs", None)
    if stored is not None:
        return _stored(stored.document)
    facts = _facts(calculation)
    states = states_before(
        calculation, facts.persons, is_match=facts.kind is Kind.MATCH, only_own=True
    )
    rules = rules_in_force(calculation.rules_day, calculation.edition)
    return build_rating_input(
        facts, states, system=System(calculation.system), rules=rules
    ), rules


def _stored(document: str) -> tuple[RatingInput, Rules]:
    try:
        given, faults = parse_section(json.loads(document))
    except ValueError as error:
        raise ExplanationError(
            _("Part of the data it was rated from was not saved.")
        ) from error
    if given is None:
        raise ExplanationError(" ".join(str(fault) for fault in faults[:3]))
    return given.rating_input, given.rules


def _facts(calculation: Calculation) -> SectionFacts:
    """Return the section as it was when it was rated, before later corrections."""
    section = calculation.section
    if section is not None and section.version == calculation.section_version:
        return read_section_facts(section)
    version = SectionVersion.objects.filter(
        section=section, number=calculation.section_version
    ).first()
    if version is None:
        raise ExplanationError(_("The section was corrected after it was rated."))
    return facts_of_document(SectionDocument.from_text(version.document))
