# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
import sys

import numpy as np
from resident import grown

import typewarp as tw


def test_a_million_views_leave_nothing():
    x = np.zeros((8, 8))
    references = sys.getrefcount(x)
    # One byte for each would show.
    assert grown(lambda: tw.view(x[:, ::2]), 500_000) < 400_000
    assert sys.getrefcount(x) == references


def test_views_and_packs_leave_nothing():
    x, out = np.zeros((8, 8)), np.zeros((8, 4))
    references = sys.getrefcount(x)

    def work():
        tw.pack(x[:, ::2], out)
        tw.copy(tw.view(x.T), x)

    # 10^5 leaks of one reference or of 16 bytes would show.
    assert grown(work, 50_000) < 800_000
    assert sys.getrefcount(x) == references


def test_shapes_that_never_come_again_leave_nothing():
    x = np.zeros((300, 300), "u1")
    out = bytearray(90000)
    shapes = iter([(1 + i % 299, 2 + i // 299) for i in range(80_000)])

    def work():
        n, m = next(shapes)
        tw.pack(x[:n, :m % 299 or 1], memoryview(out)[: n * (m % 299 or 1)])

    assert grown(work, 20_000) < 2_000_000


def test_errors_leave_nothing():
    x = np.zeros(8)

    def work():
        try:
            tw.pack(x, x[::2])
        except ValueError:
            pass

    assert grown(work, 20_000) < 800_000
