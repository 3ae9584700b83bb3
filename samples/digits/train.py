#!/usr/bin/env python3
"""Trains a small neural network on handwritten digits, data-parallel over all instances of the job.

Each instance runs this script once and finds the others by PyTorch's variables: MASTER_ADDR and MASTER_PORT
say where rank 0 listens, RANK which one this is, WORLD_SIZE how many there are. All ranks draw the same batches
from the same seed, each computes the gradient of its own share only, the gradients are summed over sockets (a
star around rank 0) and all take the same step. At the end they prove that they hold the same parameters, to the bit.

Input: digits.csv.gz in --data_url. Output, by rank 0 alone, in --train_url: checkpoint-0.json and checkpoint-1.json
in turn, then model.json and metrics.json. A checkpoint holds all that the next step depends on: a resumed run ends
with the same bytes as an uninterrupted one. Equal seed, options, WORLD_SIZE and Python version: equal output.

Exit codes: 0 trained, 1 failed (the log's last line says why), 2 wrong options, 3 --fail_at_step, 143 stopped by
SIGTERM after a checkpoint. Python 3.9 or later, standard library only.
"""
from __future__ import annotations

import argparse
import functools
import hashlib
import json
import math
import os
import signal
import sys
import time
from array import array
from pathlib import Path
from typing import Any, Callable, NamedTuple

from network import CLASSES, PIXELS, Network, first_params, read_data, shuffled
from ranks import PeerLost, Problem, Ranks

MOMENTUM = 0.9
STOP_GRACE_SECONDS = 3.0  # how long a stopping rank waits for the others to agree on the last step
say = functools.partial(print, flush=True)


class Stopped(Exception):
    """SIGTERM came, to this rank or to another one."""


class State(NamedTuple):
    """All that the next step depends on; replaced as a whole, so it is consistent whenever a signal comes."""

    step: int
    params: list[float]
    velocity: list[float]
    window: list[float]  # loss sum, correct answers and samples since the last report
    curve: list[list[float]]  # step, loss and accuracy of each report


def add_up(parts: list[bytes]) -> bytes:
    return array("d", map(sum, zip(*(array("d", part) for part in parts)))).tobytes()


def write_json(path: Path, value: Any) -> None:
    """Whole or not at all, even when the machine stops in the middle."""
    draft = path.with_name(f".{path.name}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(draft, "w", encoding="ascii") as file:
            json.dump(value, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except OSError as error:
        raise Problem(f"cannot write {path}: {error.strerror}") from error


class Checkpoints:
    """Two files, the older one overwritten: there is always a whole one, and an output never grows."""

    def __init__(self, directory: Path, run: dict[str, Any]) -> None:
        self.paths, self.run = [directory / "checkpoint-0.json", directory / "checkpoint-1.json"], run

    def newest(self) -> State | None:
        found: dict[Path, State] = {}
        for path in self.paths:
            try:
                content = json.loads(path.read_bytes())
                run, found[path] = content.pop("run"), State(**content)
            except FileNotFoundError:
                continue
            except (OSError, ValueError, TypeError, AttributeError, KeyError) as error:
                say(f"ignored the damaged checkpoint {path}: {error}")
                continue
            if run != self.run:
                raise Problem(f"{path} was made with {run}, not with {self.run}: choose another --train_url")
        self.paths.sort(key=lambda path: found[path].step if path in found else -1)
        return found.get(self.paths[-1])

    def save(self, state: State) -> None:
        path = self.paths[0]
        write_json(path, {"run": self.run, **state._asdict()})
        self.paths.reverse()
        say(f"[muster] step={state.step} checkpoint={path.name}")  # for whoever watches the job


class Stop:
    """SIGTERM ends the run at once before training, then after the step in hand, on all ranks.

    An alarm ends the wait for ranks that do not come to that step.
    """

    def __init__(self) -> None:
        self.asked = self.agreed = self.training = False
        signal.signal(signal.SIGTERM, self.on_term)
        signal.signal(signal.SIGALRM, self.on_alarm)

    def on_term(self, *_: Any) -> None:
        self.asked = True
        if not self.training:
            raise Stopped
        signal.setitimer(signal.ITIMER_REAL, STOP_GRACE_SECONDS)

    def on_alarm(self, *_: Any) -> None:
        raise Stopped


class Trainer:
    def __init__(self, options: argparse.Namespace, stop: Stop) -> None:
        self.options, self.stop = options, stop
        self.train, self.test, data_hash = read_data(options.data_url / "digits.csv.gz")
        if not options.world_size <= options.batch_size <= len(self.train):
            raise Problem(f"--batch_size {options.batch_size} is not in {options.world_size}..{len(self.train)}")
        self.steps = options.epochs * (len(self.train) // options.batch_size)
        names = ("seed", "hidden", "batch_size", "learning_rate")
        made_with = {"data": data_hash, **{name: getattr(options, name) for name in names}}
        self.ranks = Ranks(options, {**made_with, "world": options.world_size, "steps": self.steps})
        self.checkpoints = Checkpoints(options.train_url, made_with)
        say(f"rank {options.rank} of {options.world_size}: {len(self.train)} training images, {self.steps} steps")

    def start(self) -> State:
        """The same on every rank: what rank 0 found in its output counts, whatever the others see in theirs."""
        found = self.checkpoints.newest() if self.ranks.rank == 0 else None
        params = first_params(self.options.hidden, self.options.seed)
        state = found or State(0, params, [0.0] * len(params), [0.0] * 3, [])
        state = State(*json.loads(self.ranks.together(json.dumps(state).encode(), lambda parts: parts[0])))
        if state.step:
            say(f"resumed from step {state.step}")
        return state

    def next(self, state: State) -> State:
        """One step of all ranks, which add up their gradients, losses, right answers and wishes to stop."""
        size = self.options.batch_size
        epoch, position = divmod(state.step, len(self.train) // size)
        batch = shuffled(len(self.train), self.options.seed, epoch)[position * size : (position + 1) * size]
        share = [self.train[number] for number in batch[self.ranks.rank :: self.ranks.world]]
        mine = Network(state.params, self.options.hidden).gradient(share) + [float(self.stop.asked)]
        *total, loss, correct, stops = array("d", self.ranks.together(array("d", mine).tobytes(), add_up))
        if not math.isfinite(loss):
            raise Problem(f"the loss is {loss} at step {state.step + 1}: choose a lower --learning_rate")
        self.stop.agreed = stops > 0
        velocity = [MOMENTUM * v + g / size for v, g in zip(state.velocity, total)]
        params = [p - self.options.learning_rate * v for p, v in zip(state.params, velocity)]
        window = [state.window[0] + loss, state.window[1] + correct, state.window[2] + size]
        return state._replace(step=state.step + 1, params=params, velocity=velocity, window=window)

    def run(self, state: State) -> State:
        self.stop.training = True
        try:
            while state.step < self.steps:
                self.break_on_request(state.step)
                state = self.next(state)
                time.sleep(self.options.step_seconds)
                if state.step % self.options.report_steps == 0 or state.step == self.steps:
                    state = reported(state)
                if self.stop.agreed:
                    raise Stopped
                due = state.step % self.options.checkpoint_steps == 0 or state.step == self.steps
                if self.ranks.rank == 0 and due:
                    self.checkpoints.save(state)
            return state
        except (Stopped, PeerLost):
            signal.setitimer(signal.ITIMER_REAL, 0)
            if self.ranks.rank == 0:
                self.checkpoints.save(state)
                say(f"checkpoint of step {state.step} written")
            raise

    def break_on_request(self, step: int) -> None:
        """For trying out recovery: the last rank fails; rank 0 hangs, once a step, as a marker in its output tells."""
        if step == self.options.fail_at_step and self.ranks.rank == self.ranks.world - 1:
            say(f"error: failing at step {step}, as --fail_at_step asks", file=sys.stderr)
            sys.exit(3)
        marker = self.options.train_url / f"hung-{step}.json"
        if step in self.options.hang_at_step and self.ranks.rank == 0 and not marker.exists():
            write_json(marker, {"step": step})
            while True:
                time.sleep(60)

    def finish(self, state: State) -> None:
        mine = hashlib.sha256(array("d", state.params).tobytes())
        hashes = self.ranks.together(mine.digest(), b"".join)
        if hashes != mine.digest() * self.ranks.world:
            raise Problem(f"the ranks hold different parameters: {hashes.hex(' ', 32)}")
        say(f"identical parameters on all ranks: {mine.hexdigest()}")
        accuracy = Network(state.params, self.options.hidden).accuracy(self.test)
        if self.ranks.rank == 0:
            model = {"layers": [PIXELS, self.options.hidden, CLASSES], "parameters": state.params}
            metrics = {
                "accuracy": round(accuracy, 6),
                "steps": state.step,
                "train_images": len(self.train),
                "test_images": len(self.test),
                "world_size": self.ranks.world,
                "seed": self.options.seed,
                "parameters_sha256": mine.hexdigest(),
                "loss_curve": [dict(zip(("step", "loss", "accuracy"), line)) for line in state.curve],
            }
            write_json(self.options.train_url / "model.json", model)
            write_json(self.options.train_url / "metrics.json", metrics)
        say(f"done: steps={state.step} test_accuracy={accuracy:.4f}")


def reported(state: State) -> State:
    loss, correct, count = state.window
    say(f"step={state.step} loss={loss / count:.4f} accuracy={correct / count:.2f}")
    line = [state.step, round(loss / count, 6), round(correct / count, 6)]
    return state._replace(window=[0.0] * 3, curve=state.curve + [line])


def number(kind: Callable[[str], Any], least: float) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not least <= value < math.inf:
            what = "a whole number" if kind is int else "a number"
            raise argparse.ArgumentTypeError(f"{text!r} is not {what} from {least} on")
        return value

    return convert


def steps(text: str) -> list[int]:
    return [number(int, 0)(part) for part in text.split(",")]


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    parser.add_argument("--data_url", type=Path, required=True, help="directory with digits.csv.gz")
    parser.add_argument("--train_url", type=Path, required=True, help="directory for checkpoints, model and metrics")
    for name, kind, default, text in (
        ("epochs", number(int, 1), 12, "times that the training images are gone through"),
        ("seed", number(int, 0), 1, "equal seeds give equal results"),
        ("hidden", number(int, 1), 24, "units of the hidden layer"),
        ("batch_size", number(int, 1), 32, "images of a step, over all ranks"),
        ("learning_rate", number(float, 0), 0.05, "length of a step"),
        ("report_steps", number(int, 1), 20, "steps from one line of the log to the next"),
        ("checkpoint_steps", number(int, 1), 50, "steps from one checkpoint to the next"),
        ("step_seconds", number(float, 0), 0.0, "pause after each step, to slow the run down"),
        ("fail_at_step", number(int, 0), None, "the last rank exits with 3 before this step"),
        ("hang_at_step", steps, [], "rank 0 hangs before this step, or each of several with commas, once"),
        ("rendezvous_seconds", number(float, 0), 60.0, "how long the ranks wait for each other at the start"),
        ("timeout_seconds", number(float, 0.1), 300.0, "how long a rank may be silent later"),
    ):
        parser.add_argument(f"--{name}", type=kind, default=default, help=f"{text} (default: %(default)s)")
    for variable, least, usual in (("RANK", 0, "0"), ("WORLD_SIZE", 1, "1"), ("MASTER_PORT", 1, "23456")):
        try:
            value = number(int, least)(os.environ.get(variable, usual))
        except argparse.ArgumentTypeError as error:
            parser.error(f"environment variable {variable}: {error}")
        parser.set_defaults(**{variable.lower(): value})
    parser.set_defaults(master_addr=os.environ.get("MASTER_ADDR", "127.0.0.1"))
    options = parser.parse_args(arguments)
    if options.rank >= options.world_size:
        parser.error(f"environment variable RANK: {options.rank} is not below WORLD_SIZE, {options.world_size}")
    return options


def main() -> int:
    options = parse(sys.argv[1:])
    stop = Stop()
    try:
        trainer = Trainer(options, stop)
        trainer.finish(trainer.run(trainer.start()))
        return 0
    except Stopped:
        pass
    except Problem as problem:
        if not stop.asked:
            say(f"error: {problem}", file=sys.stderr)
            return 1
    say("stopped by SIGTERM")
    return 143


if __name__ == "__main__":
    sys.exit(main())
