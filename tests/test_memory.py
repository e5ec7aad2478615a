"""What is remembered is given again for the same content, and only for that."""

import pandas as pd

from sdanalysis.stats.fit import remembered


def test_a_result_is_given_again_for_the_same_content_and_a_frame_is_the_callers():
    asked = []

    @remembered
    def doubled(frame, name="a", *, more=0):
        asked.append((name, more))
        return frame.assign(**{name: frame["a"] * 2 + more})

    frame = pd.DataFrame({"a": [1, 2]})
    first = doubled(frame)
    first["a"] = 0  # nobody else sees it
    assert doubled(frame.copy())["a"].tolist() == [2, 4]
    assert doubled(frame, "b")["b"].tolist() == [2, 4]
    assert doubled(frame, more=1)["a"].tolist() == [3, 5]
    frame.loc[0, "a"] = 5  # other content in the same frame
    assert doubled(frame)["a"].tolist() == [10, 4]
    assert asked == [("a", 0), ("b", 0), ("a", 1), ("a", 0)]
