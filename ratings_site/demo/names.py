"""Invented names with the variety of real ones, always in the same order."""

GIVEN = """
Ada Amara Ana Anselm Arjun Bela Boris Bruno Carla Casimir Chidi Clara Dara
Dmitri Edda Eloise Emeka Enzo Esther Fatima Felix Frida Gideon Greta Hana Hector
Ida Ilya Imani Ines Iris Ivo Jada Jonas José Juno Kai Karim Keiko Lars Leila Leo
Lidia Lorenzo Lucía Magnus Maia Malik Mei Milan Mina Nadia Naomi Nikolai Noor
Odile Omar Oskar Paloma Petra Priya Quinn Rafael Renée Rhea Rohan Rosa Samir
Selma Siobhán Sofia Søren Tamar Tariq Teodora Theo Uma Vera Viktor Wanda Xavier
Yara Yusuf Zainab Zoë Mary-Katherine Maximiliana
""".split()

FAMILY = """
Abara Adeyemi Albrecht Almeida Andrade Arslan Bakker Balogun Banerjee Bergström
Bianchi Blackwood Boateng Brandt Calloway Castellanos Chandra Cho Cisneros Dahl
Delacroix Demir Diallo Dvořák Eberhardt Ekström Espinoza Farrell Fontaine
Fujimoto Gallagher Ganguly Giordano Grünwald Hakimi Halvorsen Hartley Hoang
Ibarra Iyer Jankowski Jørgensen Kaplan Kask Keller Kimura Kowalczyk Lachance
Lindqvist Łukasik Machado Mbeki Mendelsohn Moreau Nakagawa Novák Nwosu O’Brien
Okonkwo Olivares Papadakis Pereira Petrović Quintero Radcliffe Ramaswamy
Rasmussen Reinholt Rossi Sandoval Schreiber Sepúlveda Shapiro Silva Sørensen
Stavros Szabó Takahashi Thorvaldsen Ueda Valdez Vandenberg Varga Verma Voss
Wachowski Weinstein Whitaker Yamamoto Yilmaz Zamora Zielinski
Featherstonehaugh-Worthington
""".split()

STATES = """
IL NY CA TX OH FL PA WA GA MA
""".split()


def name_of(number: int) -> tuple[str, str]:
    """Return the given and family name of the *number*-th invented member.

    The lengths of the lists are coprime, so names repeat late.
    """
    return GIVEN[number % len(GIVEN)], FAMILY[number * 7 % len(FAMILY)]
