"""Everything that went into a section's calculation, for those who compute it again."""

import json

from django.utils.translation import gettext as _

from events.models import SectionVersion
from events.models.documents import SectionDocument
from ratings.corrections.services import facts_of_document
from ratings.engine.cards import Kind, SectionCard
from ratings.engine.contract import card_from_json
from ratings.engine.rules import Rules, rules_in_force
from ratings.engine.systems import System
from ratings.ledger.services.cards import SectionFacts, card_for, facts_of
from ratings.models import Calculation, CalculationInputs
from ratings.rerates.services.as_of import states_before
from ratings.why.queries.why import Unexplained


def inputs_of(calculation: Calculation) -> tuple[SectionCard, Rules]:
    """Return the card and the rules by which a section was rated.

    What was rated as it arrived has its inputs stored. A rerate stores none: they are
    read from the books, from the lines it goes on from, and from the ledger as of its
    place in rating order. Raises Unexplained if that cannot be done.
    """
    stored: CalculationInputs | None = getattr(calculation, "inputs", None)
    if stored is not None:
        return _stored(stored.document)
    facts = _facts(calculation)
    states = states_before(
        calculation,
        facts.persons,
        is_match=facts.kind is Kind.MATCH,
        only_own=True,
    )
    rules = rules_in_force(calculation.rules_day, calculation.edition)
    return card_for(
        facts, states, system=System(calculation.system), rules=rules
    ), rules


def _stored(document: str) -> tuple[SectionCard, Rules]:
    try:
        given, faults = card_from_json(json.loads(document))
    except ValueError as error:
        raise Unexplained(_("Its inputs were not stored in full.")) from error
    if given is None:
        raise Unexplained(" ".join(str(fault) for fault in faults[:3]))
    return given.card, given.rules


def _facts(calculation: Calculation) -> SectionFacts:
    """Return the section as it was when it was rated, before later corrections."""
    section = calculation.section
    if section.version == calculation.section_version:
        return facts_of(section)
    version = SectionVersion.objects.filter(
        section=section, number=calculation.section_version
    ).first()
    if version is None:
        raise Unexplained(_("The section has been corrected since."))
    return facts_of_document(SectionDocument.from_text(version.document))
