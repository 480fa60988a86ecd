"""Given names and their short forms, such as Robert and Bob."""

from collections import defaultdict
from collections.abc import Iterable

# Each line is one name: the full form first, then its variants. A short form may belong
# to several names (Al to Albert and Alan).
_FORMS = """
abigail abby gail
abraham abe
albert al bert
alan al allan allen
alexander alex sasha alec xander sandy
alexandra alex sasha sandra sandy
alfred al fred alf
andrew andy drew
anthony tony
arthur art
barbara barb babs
benjamin ben benny
bradley brad
calvin cal
catherine katherine kathryn cathy kathy kate katie kat
charles charlie chuck chas
christina christine chris tina
christopher chris kit
cynthia cindy
daniel dan danny
david dave davy
deborah debra deb debbie
dennis denny
dmitry dmitri dima mitya
donald don donny
dorothy dot dottie
douglas doug
edward ed eddie ted ned
elizabeth liz beth betsy betty eliza lisa libby
eugene gene yevgeny evgeny
frances fran
francis frank
francisco pancho paco
franklin frank
frederick fred freddy rick
gabriel gabe
gerald jerry gerry
gregory greg
harold hal harry
henry harry hank
isaac ike
jacob jake
james jim jimmy jamie
janet jan
jeffrey geoffrey jeff geoff
jennifer jen jenny
jessica jess jessie
john jack johnny jon
jonathan jon jonny
joseph joe joey
jose pepe
joshua josh
judith judy
kenneth ken kenny
lawrence laurence larry
leonard len lenny leo
leonid leo
louis lou
manuel manny
margaret maggie meg peggy marge
martin marty
matthew matt
maximilian max
michael mike mickey mick misha mikhail
mikhail misha
mitchell mitch
nathaniel nathan nate nat
nicholas nick nicky
nikolai kolya
pamela pam
patricia pat patty tricia trish
patrick pat paddy
peter pete
philip phillip phil
ramon ray
raymond ray
rebecca becky becca
richard rick dick rich ricky
robert bob bobby rob robbie bert
roberto beto
ronald ron ronny
russell russ
samuel sam sammy
samantha sam
sergei sergey serge
stanley stan
stephen steven steve
stephanie steph
susan sue susie suzanne
terrence terence terry
theodore ted teddy theo
thomas tom tommy
timothy tim
veronica ronnie
victor vic
victoria vicky tori
vincent vince
vladimir vlad volodya
walter walt
william bill billy will willie liam
yekaterina ekaterina katya
zachary zach zack
"""


def _by_form(lines: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return for each form the other forms of all its names."""
    others: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        forms = line.split()
        for form in forms:
            others[form].update(forms)
    return {form: frozenset(found - {form}) for form, found in others.items()}


BY_FORM = _by_form(_FORMS.strip().splitlines())


def other_forms(given_name: str) -> frozenset[str]:
    """Return other forms of a *searchable* given name.

    >>> sorted(other_forms("bob"))
    ['bert', 'bobby', 'rob', 'robbie', 'robert']
    >>> "alan" in other_forms("al"), other_forms("zebedee")
    (True, frozenset())
    """
    return BY_FORM.get(given_name, frozenset())
