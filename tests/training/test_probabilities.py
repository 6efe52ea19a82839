from __future__ import annotations

import numpy as np
import pytest
from training.probabilities import expected_calibration_error, log_softmax


def test_log_softmax_gives_the_logs_of_probabilities_in_the_ratio_of_the_powers() -> None:
    logs = log_softmax(np.log(np.array([[1.0, 3.0], [6.0, 2.0]])))
    assert np.exp(logs) == pytest.approx(np.array([[0.25, 0.75], [0.75, 0.25]]))


def test_log_softmax_bears_large_logits_and_ignores_a_common_shift() -> None:
    logits = np.array([[1000.0, 1001.0, 999.0]])
    assert log_softmax(logits) == pytest.approx(log_softmax(logits - 1000))


def test_the_calibration_error_of_a_worked_example() -> None:
    # Two bins. Below 0.5: confidence 0.3, accuracy 0.5, half of the rows. Above: 0.8 and 1.0.
    probabilities = np.array([0.2, 0.4, 0.7, 0.9])
    right = np.array([True, False, True, True])
    error = expected_calibration_error(probabilities, right, bins=2)
    assert error == pytest.approx(0.5 * 0.2 + 0.5 * 0.2)


def test_bins_are_weighed_by_their_rows() -> None:
    # Three rows miss by 0.1, one by 0.5.
    probabilities = np.array([0.9, 0.9, 0.9, 0.5])
    right = np.array([True, True, True, False])
    error = expected_calibration_error(probabilities, right, bins=10)
    assert error == pytest.approx(0.75 * 0.1 + 0.25 * 0.5)


def test_full_confidence_that_is_right_has_no_error_and_one_that_is_wrong_all() -> None:
    certain = np.ones(4)
    assert expected_calibration_error(certain, np.full(4, True)) == 0
    assert expected_calibration_error(certain, np.full(4, False)) == 1
