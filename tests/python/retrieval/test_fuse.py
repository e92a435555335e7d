from hypothesis import given
from hypothesis import strategies as st

from roam_semantic.retrieval.fuse import TOP, linear, reciprocal

scores = st.floats(min_value=-1, max_value=100, allow_nan=False)
leg = st.dictionaries(st.integers(1, 300), scores, max_size=150).map(
    lambda found: sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
)
legs = st.fixed_dictionaries({"words": leg, "vectors": leg})


def order(fused):
    return [item.unit for item in fused]


def test_a_unit_both_legs_like_beats_a_unit_one_leg_loves():
    fused = linear(
        {"words": [(1, 10.0), (2, 9.0), (4, 1.0)], "vectors": [(3, 0.9), (2, 0.8), (5, 0.1)]}
    )

    assert 2 == order(fused)[0]
    assert {"words": 2, "vectors": 2} == fused[0].ranks


def test_the_last_of_a_few_words_hits_counts_more_than_nothing():
    fused = {item.unit: item.score for item in linear({"words": [(1, 8.0), (2, 6.0)]})}

    assert {1: 1.0, 2: 0.75} == fused


def test_the_last_of_a_full_leg_counts_nothing():
    fused = linear({"words": [(unit, 200.0 - unit) for unit in range(1, TOP + 51)]})

    assert 0.0 == fused[TOP - 1].score
    assert list(range(1, TOP + 51)) == order(fused)


def test_equal_scores_keep_the_better_rank_then_the_lower_id():
    assert [7, 9] == order(linear({"a": [(9, 1.0)], "b": [(7, 1.0)]}, {"a": 1.0, "b": 1.0}))
    assert [3, 5] == order(reciprocal({"words": [(5, 1.0)], "vectors": [(3, 1.0)]}))


def test_one_unit_alone_scores_one():
    assert [1.0] == [item.score for item in linear({"words": [(4, 3.0)]})]


def test_no_leg_gives_nothing():
    assert [] == linear({})
    assert [] == reciprocal({"words": []})


@given(legs)
def test_fusion_loses_no_unit_and_invents_none(given_legs):
    expected = {unit for found in given_legs.values() for unit, _ in found}

    for fused in (linear(given_legs), reciprocal(given_legs), reciprocal(given_legs, k=10)):
        assert sorted(expected) == sorted(order(fused))
        assert all(0 <= item.score <= 1 for item in fused)
        assert [item.score for item in fused] == sorted(
            (item.score for item in fused), reverse=True
        )


@given(leg)
def test_one_leg_alone_keeps_its_order(found):
    assert [unit for unit, _ in found] == order(reciprocal({"words": found}))
    assert [unit for unit, _ in found] == order(linear({"words": found}))


def test_a_unit_that_holds_every_word_comes_before_the_nearest_in_meaning():
    assert [9, 7] == order(linear({"words": [(9, 1.0)], "vectors": [(7, 1.0)]}))


def test_a_unit_that_holds_few_of_the_words_comes_after_the_nearest_in_meaning():
    fused = linear({"words": [(9, 1.0)], "vectors": [(7, 1.0)]}, trust={9: 0.25})

    assert [7, 9] == order(fused)
