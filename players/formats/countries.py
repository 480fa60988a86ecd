"""Countries and their parts as files spell them."""

from __future__ import annotations

import re
from functools import lru_cache

import pycountry

from players.formats.text import without_accents

# ISO 3166 codes, and FIDE's where they differ. Most of FIDE's are the Olympic codes.
_PAIRS = """
ABW:ARU AGO:ANG ARE:UAE ATG:ANT BFA:BUR BGD:BAN BGR:BUL BHR:BRN BHS:BAH BLZ:BIZ BMU:BER
BRB:BAR BRN:BRU BTN:BHU BWA:BOT CHE:SUI CHL:CHI CRI:CRC CYM:CAY DEU:GER DNK:DEN DZA:ALG
FJI:FIJ FRO:FAI GGY:GCI GMB:GAM GNQ:GEQ GRC:GRE GRD:GRN GTM:GUA HND:HON HRV:CRO HTI:HAI
IDN:INA IMN:IOM IRN:IRI JEY:JCI KHM:CAM KNA:SKN KWT:KUW LBY:LBA LKA:SRI LSO:LES LVA:LAT
MCO:MNC MDG:MAD MMR:MYA MNG:MGL MRT:MTN MUS:MRI MWI:MAW MYS:MAS NER:NIG NGA:NGR NIC:NCA
NLD:NED NPL:NEP OMN:OMA PHL:PHI PRI:PUR PRT:POR PRY:PAR PSE:PLE SAU:KSA SDN:SUD SLB:SOL
SLV:ESA SVN:SLO SYC:SEY TCD:CHA TGO:TOG TON:TGA TWN:TPE TZA:TAN URY:URU VCT:VIN VGB:IVB
VIR:ISV VNM:VIE VUT:VAN ZAF:RSA ZMB:ZAM ZWE:ZIM
"""
_FIDE_CODES = dict(pair.split(":") for pair in _PAIRS.split())
_ISO_CODES = {fide: iso for iso, fide in _FIDE_CODES.items()}
# Names that ISO 3166 doesn't have: parts of the United Kingdom, short and former names.
_NAMES = """
GBR UK, GREAT BRITAIN, BRITAIN | ENG ENGLAND | SCO SCOTLAND | WLS WALES | NED HOLLAND
RUS RUSSIA | TUR TURKEY, TURKIYE | KOR SOUTH KOREA | KOS KOSOVO | MKD MACEDONIA
BIH BOSNIA | CIV IVORY COAST, COTE D'IVOIRE | CPV CAPE VERDE | COD DR CONGO,
DEMOCRATIC REPUBLIC OF THE CONGO | COM COMOROS ISLANDS | HKG HONG KONG CHINA
ISV US VIRGIN ISLANDS | MAC MACAU | MYA BURMA | PLE PALESTINE | SWZ SWAZILAND
TPE CHINESE TAIPEI | VAT VATICAN | LAO LAOS | BRU BRUNEI | TLS EAST TIMOR
"""
_OTHER_NAMES = {
    name.strip(): one.strip()[:3]
    for one in re.split(r" \| |(?<!,)\n", _NAMES.strip())
    for name in one.strip()[3:].split(",")
}


def country_code(text: str) -> str:
    """Return the three letters of a country as FIDE writes it, else "".

    Three letters are taken as they are: FIDE has some that ISO 3166 has not.

    >>> [country_code(text) for text in ("U.S.A.", "Germany", "DE", "gbr", "CHE")]
    ['USA', 'GER', 'GER', 'GBR', 'SUI']
    >>> country_code("Atlantis")
    ''
    """
    return _country_code(text.strip().upper())


@lru_cache(maxsize=2000)
def _country_code(name: str) -> str:
    plain = _plain(name)
    if plain in _OTHER_NAMES:
        return _OTHER_NAMES[plain]
    if re.fullmatch("[A-Z]{3}", plain):
        return plain if plain in _ISO_CODES else _FIDE_CODES.get(plain, plain)
    for spelling in (name, plain):
        try:
            iso = pycountry.countries.lookup(spelling).alpha_3
        except LookupError:
            continue
        return _FIDE_CODES.get(iso, iso)
    return ""


def _plain(name: str) -> str:
    """Return a name in capitals without accents, dots, commas and “the.”"""
    letters = without_accents(name.replace("&", "AND").replace("’", "'"))
    plain = letters.replace(".", "").replace(",", "")
    return re.sub("^ST ", "SAINT ", plain.removeprefix("THE "))


@lru_cache(maxsize=2000)
def province_code(name: str, country: str) -> str:
    """Return the letters of a part of a country other than the United States, else "".

    >>> province_code("ontario", "CAN"), province_code("New South Wales", "AUS")
    ('ON', 'NSW')
    """
    of_country = pycountry.countries.get(alpha_3=_ISO_CODES.get(country, country))
    if of_country is None:
        return ""
    get = pycountry.subdivisions.get
    parts = get(country_code=of_country.alpha_2)  # type: ignore[no-untyped-call]
    for part in parts or ():
        if part.name.casefold() == name.casefold():
            return str(part.code).partition("-")[2]
    return ""
