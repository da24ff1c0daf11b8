# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""examples/fft.py, whose transforms are NumPy's of the whole box."""
import numpy as np
import pytest
from arrays import library
from examples import example, run


def test_transforms_are_those_of_one_process(comm):
    fft = example("fft")
    whole = np.random.default_rng(3).random((8, 8, 8)) + 1j
    box = fft.Transform(np, 8, comm)
    box.space[...] = fft.own(whole, comm)
    box.forward()
    mine = fft.own(np.arange(8), comm)
    assert np.allclose(box.waves, np.fft.fftn(whole)[:, mine], atol=1e-12)
    box.inverse()
    assert np.allclose(box.space, whole[mine], atol=1e-12)
    box.close()


@pytest.mark.parametrize("gpu", [False, True], ids=["numpy", "cupy"])
def test_the_program(comm, monkeypatch, capsys, gpu):
    if gpu:
        library("cupy")
    assert run(example("fft"), monkeypatch, "--points", 16, "--repeat", 2, *(["--gpu"] if gpu else [])) == 0
    if comm.Get_rank() == 0:
        assert f"16 x 16 x 16 points, {comm.Get_size()} processes: error " in capsys.readouterr().out


def test_the_program_knows_when_it_is_wrong(comm, monkeypatch):
    fft = example("fft")
    monkeypatch.setattr(fft.Transform, "forward", lambda box: box.to_waves())
    assert run(fft, monkeypatch, "--points", 8) == 1


@pytest.mark.parametrize("points", [4, 17])
def test_a_wrong_number_of_points(comm, monkeypatch, points):
    if points == 17 and comm.Get_size() == 1:
        pytest.skip("one process takes any number")
    assert run(example("fft"), monkeypatch, "--points", points).startswith(f"--points {points}: must be")
