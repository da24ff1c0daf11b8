# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""examples/particles.py, where each particle is in one process, that of its slab."""
import numpy as np
import pytest
from arrays import library
from examples import example, run


@pytest.mark.parametrize("gpu", [False, True], ids=["numpy", "cupy"])
def test_the_program(comm, monkeypatch, capsys, gpu):
    if gpu:
        library("cupy")
    particles = example("particles")
    moved = []
    migrate = particles.Particles.migrate

    def counted(self, comm):
        before = set(self.number[self.here].tolist())
        migrate(self, comm)
        after = set(self.number[self.here].tolist())
        moved.append(len(after - before))
        slab = (self.position[self.here, 0] * comm.Get_size()).astype(int) % comm.Get_size()
        assert (slab == comm.Get_rank()).all()

    monkeypatch.setattr(particles.Particles, "migrate", counted)
    assert run(particles, monkeypatch, "--particles", 3000, "--steps", 12, *(["--gpu"] if gpu else [])) == 0
    assert len(moved) == 12 and (all(moved) if comm.Get_size() > 1 else not any(moved))
    if comm.Get_rank() == 0:
        assert f"3000 particles, 12 steps, {comm.Get_size()} processes: all where they must be" in capsys.readouterr().out


def test_no_particles(comm, monkeypatch):
    assert run(example("particles"), monkeypatch, "--particles", 0, "--steps", 2) == 0


def test_the_program_knows_when_it_is_wrong(comm, monkeypatch, capsys):
    particles = example("particles")
    monkeypatch.setattr(particles.Particles, "step", lambda self, time: None)
    assert run(particles, monkeypatch, "--particles", 100, "--steps", 2) == 1
    assert comm.Get_rank() > 0 or "WRONG" in capsys.readouterr().out


def test_one_that_is_lost_is_missed(comm, monkeypatch):
    particles = example("particles")
    migrate = particles.Particles.migrate

    def losing(self, comm):
        migrate(self, comm)
        self.here[np.flatnonzero(self.here)[:1]] = False

    monkeypatch.setattr(particles.Particles, "migrate", losing)
    assert run(particles, monkeypatch, "--particles", 100, "--steps", 1) == 1
