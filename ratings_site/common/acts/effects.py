"""What will happen: what an act does, said in sentences before anybody confirms it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effect:
    """One sentence of what will happen. *level* is that of an icon, if it needs one."""

    code: str
    sentence: str
    level: str = ""
