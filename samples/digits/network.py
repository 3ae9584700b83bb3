"""The digits and the small network that learns them, in plain Python."""
from __future__ import annotations

import functools
import gzip
import hashlib
import math
import random
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple

from ranks import Problem

PIXELS, CLASSES, TEST_EVERY = 64, 10, 5


class Sample(NamedTuple):
    pixels: list[float]  # and 1.0, which carries the bias
    digit: int


def read_data(path: Path) -> tuple[list[Sample], list[Sample], str]:
    """Training samples, held-out test samples (every fifth line) and the file's SHA-256."""
    samples: list[Sample] = []
    try:
        packed = path.read_bytes()
        for line in gzip.decompress(packed).decode("ascii").splitlines():
            *pixels, digit = map(float, line.split(","))
            if len(pixels) != PIXELS or digit not in range(CLASSES):
                raise ValueError(f"expected {PIXELS} pixels and a digit")
            samples.append(Sample([pixel / 16 for pixel in pixels] + [1.0], int(digit)))
    except (OSError, EOFError) as error:
        raise Problem(f"cannot read the data file {path}: {getattr(error, 'strerror', None) or error}") from error
    except ValueError as error:
        raise Problem(f"bad data in {path}, line {len(samples) + 1}: {error}") from error
    train = [sample for number, sample in enumerate(samples) if number % TEST_EVERY]
    return train, samples[::TEST_EVERY], hashlib.sha256(packed).hexdigest()


@functools.lru_cache(maxsize=1)
def shuffled(count: int, seed: int, epoch: int) -> list[int]:
    order = list(range(count))
    random.Random(f"{seed}/{epoch}").shuffle(order)
    return order


def first_params(hidden: int, seed: int) -> list[float]:
    draw = random.Random(f"{seed}/parameters").gauss
    params = [draw(0, (2 / PIXELS) ** 0.5) for _ in range(hidden * (PIXELS + 1))]
    return params + [draw(0, (1 / hidden) ** 0.5) for _ in range(CLASSES * (hidden + 1))]


def dot(left: Any, right: Any) -> float:
    return sum(map(mul, left, right))


class Network:
    """64 pixels, one hidden ReLU layer, softmax over ten digits. A unit's weights end with its bias."""

    def __init__(self, params: list[float], hidden: int) -> None:
        split, row = hidden * (PIXELS + 1), hidden + 1
        self.lower = [params[i : i + PIXELS + 1] for i in range(0, split, PIXELS + 1)]
        self.upper = [params[i : i + row] for i in range(split, len(params), row)]

    def predict(self, pixels: list[float]) -> tuple[list[float], list[float]]:
        """Activations of the hidden layer (and 1.0 for the bias), probabilities of the ten digits."""
        active = [max(0.0, dot(row, pixels)) for row in self.lower] + [1.0]
        scores = [dot(row, active) for row in self.upper]
        top = max(scores)
        weights = [math.exp(score - top) for score in scores]
        total = sum(weights)
        return active, [weight / total for weight in weights]

    def gradient(self, share: list[Sample]) -> list[float]:
        """Gradient of the loss summed over the samples, followed by that loss and the number of right answers."""
        columns = list(zip(*self.upper))[:-1]
        loss, correct, actives, lower_errors, upper_errors = 0.0, 0, [], [], []
        for pixels, digit in share:
            active, error = self.predict(pixels)
            loss -= math.log(max(error[digit], 1e-300))
            correct += error.index(max(error)) == digit
            error[digit] -= 1.0
            actives.append(active)
            upper_errors.append(error)
            lower_errors.append([dot(column, error) if a > 0 else 0.0 for a, column in zip(active, columns)])
        lower = outer(lower_errors, [sample.pixels for sample in share])
        return lower + outer(upper_errors, actives) + [loss, float(correct)]

    def accuracy(self, samples: list[Sample]) -> float:
        answers = [self.predict(sample.pixels)[1] for sample in samples]
        return sum(p.index(max(p)) == sample.digit for p, sample in zip(answers, samples)) / len(samples)


def outer(errors: list[list[float]], values: list[list[float]]) -> list[float]:
    columns = list(zip(*values))
    return [dot(error, column) for error in zip(*errors) for column in columns]
