# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""examples/heat.py, whose result is the same for any number of processes and any width."""
import numpy as np
import pytest
from arrays import library
from examples import example, run


def reference(cells, steps):
    i = np.arange(cells)
    x = np.zeros((cells + 2, cells + 2))
    x[1:-1, 1:-1] = np.where((i[:, None] - cells / 2) ** 2 + (i - cells / 2) ** 2 < (cells / 8) ** 2, 100.0, 0.0)
    for _ in range(steps):
        middle = x[1:-1, 1:-1]
        x[1:-1, 1:-1] = middle + 0.2 * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * middle)
    return x[1:-1, 1:-1]


@pytest.mark.parametrize("gpu", [False, True], ids=["numpy", "cupy"])
@pytest.mark.parametrize("width", [1, 3])
def test_heat(comm, monkeypatch, tmp_path, capsys, width, gpu):
    if gpu:
        library("cupy")
    picture = tmp_path / "heat.pgm"
    heat = example("heat")
    plates = []
    gathered = heat.gathered
    monkeypatch.setattr(heat, "gathered", lambda *given: plates.append(gathered(*given)) or plates[-1])
    words = ["--cells", 48, "--steps", 40, "--width", width, "--picture", picture, *(["--gpu"] if gpu else [])]
    assert run(heat, monkeypatch, *words) == 0
    if comm.Get_rank() == 0:
        assert (plates[0] == reference(48, 40)).all() if not gpu else np.allclose(plates[0], reference(48, 40))
        assert picture.read_bytes().startswith(b"P5 48 48 255\n")
        assert "48 x 48 cells, 40 steps" in capsys.readouterr().out
