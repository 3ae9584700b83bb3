"""Runs the sample as the platform does: real processes, found by the PyTorch variables, on loopback.

python3 -m unittest discover -s samples/digits
"""
from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
RUN_SECONDS = 100  # a run that takes longer is killed, and its test fails


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def connect_when_up(port: int, greeting: bytes) -> None:
    deadline = time.monotonic() + 20
    while True:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=5) as stranger:
                return stranger.sendall(greeting)
        except ConnectionRefusedError:
            if time.monotonic() > deadline:
                raise


SMALL = ("--hidden", 8)  # where the accuracy does not matter


class Job:
    """All ranks of one attempt. Ranks above 0 have an output directory of their own, as instances do."""

    def __init__(
        self, directory: Path, world: int, *options: object, ranks: range | None = None, data: Path = HERE / "data"
    ) -> None:
        self.out, self.port = directory / "out", free_port()
        self.ranks: dict[int, subprocess.Popen[str]] = {}
        self.logs: dict[int, str] = {}
        for rank in ranks or range(world):
            output = directory / (f"out-{rank}" if rank else "out")
            command = [sys.executable, "-B", HERE / "train.py", *options]
            command += ["--data_url", data, "--train_url", output]
            environment = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(self.port)}
            environment.update(RANK=str(rank), WORLD_SIZE=str(world))
            self.ranks[rank] = subprocess.Popen(
                list(map(str, command)), env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
        self.watchdog = threading.Timer(RUN_SECONDS, self.kill)
        self.watchdog.start()

    def await_line(self, beginning: str, rank: int = 0) -> None:
        """Reads on until a line begins so; the watchdog bounds the wait."""
        for line in self.ranks[rank].stdout or ():
            self.logs[rank] = self.logs.get(rank, "") + line
            if line.startswith(beginning):
                return
        raise AssertionError(f"no line begins with {beginning!r}:\n{self.logs.get(rank)}")

    def kill(self, ranks: range | None = None) -> None:
        for rank in ranks or self.ranks:
            self.ranks[rank].kill()

    def end(self) -> list[int]:
        """Exit codes in rank order, once all have ended."""
        for rank, process in self.ranks.items():
            if process.stdout is None or process.stdout.closed:
                continue
            self.logs[rank] = self.logs.get(rank, "") + process.communicate()[0]
        self.watchdog.cancel()
        return [process.returncode for process in self.ranks.values()]

    def sha256(self, name: str) -> str:
        return hashlib.sha256((self.out / name).read_bytes()).hexdigest()

    def metrics(self) -> dict:
        return json.loads((self.out / "metrics.json").read_text())


class TrainTest(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = Path(scratch.name)

    def job(self, name: str, world: int, *options: object, **more: Any) -> Job:
        job = Job(self.scratch / name, world, *options, **more)
        self.addCleanup(job.end)
        self.addCleanup(job.kill)  # runs first
        return job

    def assert_ends(self, job: Job, *codes: int) -> None:
        self.assertEqual(job.end(), list(codes), job.logs)
        self.assertNotIn("Traceback", "".join(job.logs.values()))

    def test_learns_the_digits_on_two_ranks_with_the_defaults(self) -> None:
        job = self.job("run", 2)
        self.assert_ends(job, 0, 0)
        metrics = job.metrics()
        self.assertGreaterEqual(metrics["accuracy"], 0.92)
        self.assertLess(metrics["loss_curve"][-1]["loss"], metrics["loss_curve"][0]["loss"] / 10)
        for log in job.logs.values():
            self.assertRegex(log, r"(?m)^step=120 loss=0\.\d{4} accuracy=0\.\d\d$")
            self.assertIn(f"identical parameters on all ranks: {metrics['parameters_sha256']}\n", log)
        self.assertFalse((self.scratch / "run/out-1").exists(), "rank 1 writes nothing")
        names = ["checkpoint-0.json", "checkpoint-1.json", "metrics.json", "model.json"]
        self.assertEqual(sorted(os.listdir(job.out)), names)

    def test_repeats_to_the_byte_and_learns_alike_on_any_number_of_ranks(self) -> None:
        accuracies = []
        for world in (1, 2, 3):
            with self.subTest(world=world):
                jobs = [self.job(f"{world}-{turn}", world, *SMALL, "--epochs", 2) for turn in (1, 2)]
                for job in jobs:
                    self.assert_ends(job, *[0] * world)
                for name in ("model.json", "metrics.json"):
                    self.assertEqual(jobs[0].sha256(name), jobs[1].sha256(name))
                accuracies.append(jobs[0].metrics()["accuracy"])
        self.assertLess(max(accuracies) - min(accuracies), 0.03, accuracies)

    def test_resumes_with_the_same_bytes_however_it_was_interrupted(self) -> None:
        options = (*SMALL, "--epochs", 2, "--checkpoint_steps", 10)
        whole = self.job("whole", 2, *options)
        self.assert_ends(whole, 0, 0)

        term = self.job("term", 2, *options, "--step_seconds", 0.02)
        term.await_line("step=20")
        term.ranks[1].send_signal(signal.SIGTERM)  # the others hear of it and end with the same step
        self.assert_ends(term, 143, 143)

        lost = self.job("lost", 2, *options, "--step_seconds", 0.02)
        lost.await_line("step=20")
        lost.kill(range(1, 2))
        self.assert_ends(lost, 1, -9)
        self.assertIn("error: lost rank 1", lost.logs[0])

        dead = self.job("dead", 2, *options, "--step_seconds", 0.02)
        dead.await_line("step=20")
        dead.kill()
        self.assert_ends(dead, -9, -9)

        for name in ("term", "lost", "dead"):
            with self.subTest(interrupted=name):
                job = self.job(name, 2, *options)
                self.assert_ends(job, 0, 0)
                for log in job.logs.values():
                    self.assertRegex(log, r"(?m)^resumed from step [1-7]\d$")
                for file in ("model.json", "metrics.json"):
                    self.assertEqual(job.sha256(file), whole.sha256(file))

    def test_passes_over_a_damaged_checkpoint_and_takes_up_another_number_of_ranks(self) -> None:
        first = self.job("run", 2, "--epochs", 1, "--checkpoint_steps", 20)  # checkpoints of 20, 40, 44
        self.assert_ends(first, 0, 0)
        newest = max(first.out.glob("checkpoint-*"), key=lambda path: json.loads(path.read_text())["step"])
        newest.write_bytes(newest.read_bytes()[:1000])
        second = self.job("run", 1, "--epochs", 3)
        self.assert_ends(second, 0)
        self.assertIn(f"ignored the damaged checkpoint {newest}", second.logs[0])
        self.assertIn("resumed from step 40\n", second.logs[0])
        self.assertGreaterEqual(second.metrics()["accuracy"], 0.9)

    def test_refuses_a_checkpoint_of_another_run(self) -> None:
        self.assert_ends(self.job("run", 1, *SMALL, "--epochs", 1, "--checkpoint_steps", 20), 0)
        job = self.job("run", 1, *SMALL, "--seed", 2)
        self.assert_ends(job, 1)
        self.assertRegex(job.logs[0], r"error: .*checkpoint-\d\.json was made with .*choose another --train_url")

    def test_fails_and_hangs_where_it_is_told_to(self) -> None:
        fails = self.job("fails", 2, *SMALL, "--fail_at_step", 15)
        self.assert_ends(fails, 1, 3)
        self.assertIn("checkpoint of step 15 written", fails.logs[0])

        options = (*SMALL, "--epochs", 1, "--report_steps", 10, "--hang_at_step", 10)
        hangs = self.job("hangs", 1, *options)
        hangs.await_line("step=10")
        hangs.ranks[0].send_signal(signal.SIGTERM)
        self.assert_ends(hangs, 143)
        again = self.job("hangs", 1, *options)
        self.assert_ends(again, 0)
        self.assertIn("resumed from step 10\n", again.logs[0])

    def test_gives_up_on_a_silent_rank(self) -> None:
        job = self.job("run", 2, *SMALL, "--hang_at_step", 5, "--timeout_seconds", 1)
        job.ranks[1].wait()
        job.kill(range(0, 1))
        self.assert_ends(job, -9, 1)
        self.assertIn("error: rank 0 was silent for 1 s", job.logs[1])

    def test_says_what_is_wrong_with_its_data(self) -> None:
        empty, cut, odd = (self.scratch / name for name in ("empty", "cut", "odd"))
        for directory in (empty, cut, odd):
            directory.mkdir()
        (cut / "digits.csv.gz").write_bytes((HERE / "data/digits.csv.gz").read_bytes()[:5000])
        shutil.copy(HERE / "train.py", odd / "digits.csv.gz")
        for directory, reason in ((empty, "No such file"), (cut, "ended before"), (odd, "Not a gzipped file")):
            with self.subTest(data=directory.name):
                job = self.job("run", 1, data=directory)
                self.assert_ends(job, 1)
                beginning = f"error: cannot read the data file {directory}/digits.csv.gz: "
                self.assertRegex(job.logs[0], f"^{beginning}.*{reason}")

    def test_says_who_is_missing(self) -> None:
        alone = self.job("alone", 2, "--rendezvous_seconds", 1, ranks=range(1, 2))
        self.assert_ends(alone, 1)
        self.assertIn(f"error: rank 1 cannot reach the master at 127.0.0.1:{alone.port} in time: ", alone.logs[1])
        waits = self.job("waits", 3, "--rendezvous_seconds", 1, ranks=range(0, 1))
        self.assert_ends(waits, 1)
        self.assertIn("error: ranks [1, 2] did not reach the master in time", waits.logs[0])

    def test_lets_in_neither_strangers_nor_ranks_of_another_run(self) -> None:
        job = self.job("run", 2, ranks=range(0, 1))
        for greeting in (b"GET / HTTP/1.1\r\n\r\n", b"\0\0\0\2[]", b""):
            connect_when_up(job.port, greeting)
        other = json.dumps([1, {"seed": 7}]).encode()
        connect_when_up(job.port, len(other).to_bytes(4, "big") + other)
        self.assert_ends(job, 1)
        self.assertIn("error: rank 1 came with {'seed': 7}; expected one of [1] with {'data': ", job.logs[0])

    def test_names_a_wrong_option(self) -> None:
        for options, reason in (
            (("--epochs", "none"), "argument --epochs: 'none' is not a whole number from 1 on"),
            (("--epoch", 3), "unrecognized arguments: --epoch 3"),
            (("--learning_rate", "nan"), "argument --learning_rate: 'nan' is not a number from 0 on"),
        ):
            with self.subTest(options=options):
                job = self.job("run", 1, *options)
                self.assert_ends(job, 2)
                self.assertIn(reason, job.logs[0])
        job = self.job("run", 2, ranks=range(2, 3))
        self.assert_ends(job, 2)
        self.assertIn("environment variable RANK: 2 is not below WORLD_SIZE, 2", job.logs[2])


if __name__ == "__main__":
    unittest.main()
