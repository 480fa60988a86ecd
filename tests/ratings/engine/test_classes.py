import pytest

from ratings.engine.classes import CLASSES, rating_class_for


@pytest.mark.parametrize(
    ("rating", "name"),
    [
        (2850, "Senior Master"),
        (2400, "Senior Master"),
        (2399, "National Master"),
        (2200, "National Master"),
        (2199, "Expert"),
        (2000, "Expert"),
        (1999, "Class A"),
        (1800, "Class A"),
        (1799, "Class B"),
        (1600, "Class B"),
        (1599, "Class C"),
        (1400, "Class C"),
        (1399, "Class D"),
        (1200, "Class D"),
        (1199, "Class E"),
        (1000, "Class E"),
        (999, "Class F"),
        (800, "Class F"),
        (799, "Class G"),
        (600, "Class G"),
        (599, "Class H"),
        (400, "Class H"),
        (399, "Class I"),
        (200, "Class I"),
        (199, "Class J"),
        (100, "Class J"),
    ],
)
def test_class_of_each_edge(rating, name):
    assert rating_class_for(rating).name == name


def test_there_is_no_class_below_the_lowest_rating():
    with pytest.raises(ValueError, match="99 is below 100"):
        rating_class_for(99)


def test_classes_stand_highest_first_with_their_own_letters():
    lowest = [rating_class.lowest for rating_class in CLASSES]
    assert lowest == sorted(set(lowest), reverse=True)
    assert len({rating_class.short for rating_class in CLASSES}) == len(CLASSES)
