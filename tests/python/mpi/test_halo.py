# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Halos against the one global array that all processes have parts of."""
import gc
import weakref

import numpy as np
import pytest
from arrays import library

import typewarp as tw


def numbers(grid, shape, below, above, dtype, staggered=()):
    """(before, expected) of a field: owned elements have their global number, halos -1; afterwards halos that a neighbour fills have the
    number of the element there."""
    shape = np.array(shape)
    cells = shape - below - above
    total = cells * grid.dims
    begin = cells * grid.coordinates - below
    indices = np.indices(shape).reshape(len(shape), -1) + begin[:, None]
    number, filled = np.zeros(indices.shape[1]), np.ones(indices.shape[1], bool)
    owned = np.ones(indices.shape[1], bool)
    for d, index in enumerate(indices):
        own = (index >= begin[d] + below[d]) & (index < begin[d] + below[d] + cells[d])
        owned &= own
        if grid.periodic[d]:
            index = index % total[d]
        else:
            filled &= (index >= 0) & (index < total[d])
        number = number * total[d] + index
    before = np.where(owned, number + 1, -1).astype(dtype).reshape(shape)
    expected = np.where(filled, number + 1, before.reshape(-1)).astype(dtype).reshape(shape)
    return before, expected


def dims(comm, n):
    return comm.Get_size() if n == 1 else [0] * n


@pytest.fixture(params=[(False, False), (True, False), (True, True)], ids=str)
def grid(comm, request):
    with tw.halo.Grid(comm, 2, request.param) as made:
        yield made


@pytest.mark.parametrize("dtype", ["f8", "i2", "c16", "V24"])
@pytest.mark.parametrize("width, below, above", [(1, (1, 1), (1, 1)), ((2, 1), (2, 1), (2, 1)), ([(1, 0), (0, 2)], (1, 0), (0, 2))])
@pytest.mark.parametrize("packing", ["manual", "datatype"])
def test_halos(grid, dtype, width, below, above, packing):
    shape = np.array([5, 7]) + below + above
    typed = "f8" if dtype == "V24" else dtype
    before, expected = numbers(grid, shape, np.array(below), np.array(above), typed)
    field = before.copy()
    if dtype == "V24":
        field = np.stack([before, before, before], axis=-1).view("V24")[..., 0]
    with grid.exchange([field], width, packing=packing) as exchange:
        assert exchange.packing == packing
        for _ in range(2):
            exchange()
    got = np.ascontiguousarray(field).view("f8").reshape(*shape, 3) if dtype == "V24" else field
    assert (got == (expected[..., None] if dtype == "V24" else expected)).all()


def test_several_fields_of_any_strides(grid):
    below = above = np.array([1, 1])
    before, expected = numbers(grid, (6, 8), below, above, "f8")
    fields = [np.zeros((6, 8)), np.zeros((6, 8), order="F"), np.zeros((6, 8))[::-1], np.zeros((12, 24))[::2, ::3], np.zeros((8, 6)).T]
    for field in fields:
        field[...] = before
    with grid.exchange(fields) as exchange:
        exchange.start()
        while not exchange.done():
            pass
        exchange.wait()
        assert "5 fields" in repr(exchange)
    for field in fields:
        assert (field == expected).all()


def test_three_dimensions(comm):
    with tw.halo.Grid(comm, 3, True) as grid:
        before, expected = numbers(grid, (5, 6, 4), np.array([1] * 3), np.array([1] * 3), "f4")
        with grid.exchange([before]) as exchange:
            exchange()
        assert (before == expected).all()


def test_staggered(comm):
    """One element more than cells: the last is the neighbour's first."""
    with tw.halo.Grid(comm, 1, True) as grid:
        u, p = np.full(4 + 1 + 2, -1.0), np.full(4 + 2, -1.0)
        at = grid.coordinates[0] * 4
        u[1:5] = p[1:5] = np.arange(at, at + 4)
        with grid.exchange([p, tw.halo.Field(u, staggered=0)]) as exchange:
            exchange()
        total = 4 * grid.dims[0]
        assert (p == np.arange(at - 1, at + 5) % total).all()
        assert (u == np.arange(at - 1, at + 6) % total).all()


def test_dimensions_that_are_not_divided(comm):
    with tw.halo.Grid(comm, 1, True) as grid:
        rank, size = grid.coordinates[0], grid.dims[0]
        x = np.full((3, 8, 2), -1.0)  # components, cells, levels
        x[:, 2:6] = np.arange(3)[:, None, None] + 10 * rank
        y = np.full(8, -1.0)
        y[1:7] = rank
        with grid.exchange([tw.halo.Field(x, along=[None, 0, None]), tw.halo.Field(y, width=1, along=[0])], 2) as exchange:
            exchange()
        assert (x[:, :2] == np.arange(3)[:, None, None] + 10 * ((rank - 1) % size)).all()
        assert (x[:, 6:] == np.arange(3)[:, None, None] + 10 * ((rank + 1) % size)).all()
        assert (y[0], y[7]) == ((rank - 1) % size, (rank + 1) % size)


def test_arrays_that_take_turns(grid):
    one, two = np.ones(2, int), np.ones(2, int)
    before, expected = numbers(grid, (6, 6), one, two, "f8")
    now, after = before.copy(), before.copy()
    with grid.exchange([now]) as exchange:
        for turn in range(4):
            now[...], after[...] = before, -5
            exchange()
            assert (now == expected).all() and (after == -5).all()
            now, after = after, now
            exchange.bind([now])
        with pytest.raises(ValueError, match=r"^fields\[0\]: has shape"):
            exchange.bind([np.zeros((6, 7))])
        with pytest.raises(ValueError, match="^fields: has 0 arrays"):
            exchange.bind([])


def test_a_width_that_changes(comm):
    with tw.halo.Grid(comm, 1, True) as grid:
        x = np.full(8, -1.0)
        x[2:6] = grid.coordinates[0]
        with grid.exchange([x], 2) as exchange:
            exchange.set_width(1)
            exchange()
            assert x[0] == x[7] == -1 and x[1] == (grid.coordinates[0] - 1) % grid.dims[0]
            with pytest.raises(ValueError, match="^width: -1"):
                exchange.set_width(-1)
            with pytest.raises(ValueError, match="^width: 1180591620717411303424 must fit 64 bits"):
                exchange.set_width(2**70)
            exchange.tune()
            exchange.set_width(2)
            exchange()
            assert x[0] == x[1] and x[6] == x[7] == (grid.coordinates[0] + 1) % grid.dims[0]


def test_accumulate(comm):
    with tw.halo.Grid(comm, 1, True) as grid:
        x = np.ones(6)
        with grid.exchange([x]) as exchange:
            exchange.accumulate()
            assert (x == [1, 2, 1, 1, 2, 1]).all()
            exchange.accumulate("max")
            with pytest.raises(ValueError, match="^operation: 'average' must be sum, min, max, .* or maxloc"):
                exchange.accumulate("average")
            with pytest.raises(ValueError, match="element"):
                exchange.accumulate("bxor")


def test_sides(comm):
    with tw.halo.Grid(comm, 1, True) as grid, grid.exchange([x := np.full(4, -1.0)], sides=[[-1]]) as exchange:
        x[1:3] = 5
        exchange()
        assert (x == [5, 5, 5, -1]).all()


def test_a_grid(comm):
    with tw.halo.Grid(comm, [comm.Get_size(), 1], [False, True]) as grid:
        assert grid.dims == (comm.Get_size(), 1) and grid.periodic == (False, True) and grid.coordinates == (grid.rank, 0)
        assert grid.neighbour([0, 1]) == grid.rank
        assert grid.neighbour([-1, 0]) == (None if grid.rank == 0 else grid.rank - 1)
        with pytest.raises(ValueError, match=r"^direction\[0\]: 2"):
            grid.neighbour([2, 0])
    assert repr(grid) == "<typewarp.halo.Grid, closed>"
    cart = comm.Create_cart([comm.Get_size()], [True])
    with tw.halo.Grid(cart) as grid:
        assert grid.dims == (comm.Get_size(),) and grid.periodic == (True,)
    cart.Free()


@pytest.mark.parametrize("other", [None, 2])
def test_processes_that_give_different_dims(comm, other):
    if comm.Get_size() == 1:
        pytest.skip("needs two ranks")
    cart = comm.Create_cart([comm.Get_size()], [True])
    with pytest.raises(tw.Disagreement, match="dims"):
        tw.halo.Grid(cart, other if cart.Get_rank() == 1 else 1)
    cart.Free()


@pytest.mark.parametrize("make, error, text", [
    (lambda comm: tw.halo.Grid(comm), TypeError, "dims: must be given"),
    (lambda comm: tw.halo.Grid(comm, 0), ValueError, "dims: 0 must be"),
    (lambda comm: tw.halo.Grid(comm, 1.5), TypeError, "dims: float"),
    (lambda comm: tw.halo.Grid(comm, ["a"]), TypeError, "dims: ['a'] must hold integers"),
    (lambda comm: tw.halo.Grid(comm, [7, 9]), ValueError, "dims[0]: 7"),
    (lambda comm: tw.halo.Grid(comm, 2, [True]), ValueError, "periodic"),
])
def test_wrong_grids_are_named(comm, make, error, text):
    with pytest.raises(error) as caught:
        make(comm)
    assert str(caught.value).startswith(text)


@pytest.mark.parametrize("fields, options, error, text", [
    ([None], {}, TypeError, "fields[0]: NoneType"),
    ([np.zeros((4, 4)), np.zeros(4)], {}, ValueError, "fields[1]: has 1 dimensions"),
    ([np.zeros((4, 2))], {}, ValueError, "fields[0]: has 2 indices in dimension 1"),
    ([np.broadcast_to(np.zeros(4), (4, 4))], {}, ValueError, "fields[0]: "),
    ([np.zeros((4, 4))], {"width": -1}, ValueError, "width: -1"),
    ([np.zeros((4, 4))], {"width": (1, 2, 3)}, ValueError, "width: (1, 2, 3)"),
    ([np.zeros((4, 4))], {"packing": "best"}, ValueError, "packing: 'best' must be automatic, manual or datatype"),
    ([np.zeros((4, 4))], {"packing": 3}, TypeError, "packing: int"),
    ([np.zeros((4, 4))], {"width": 1.5}, TypeError, "width: float"),
    ([np.zeros((4, 4))], {"sides": [3]}, TypeError, "sides[0]: int"),
    (None, {}, TypeError, "fields: NoneType"),
    ([], {}, ValueError, "fields: has no arrays"),
    ([np.zeros((4, 4))], {"sides": [[0, 0]]}, ValueError, "sides"),
])
def test_wrong_fields_are_named_and_all_raise(comm, fields, options, error, text):
    with tw.halo.Grid(comm, 2) as grid:
        wrong = grid.rank == grid.dims[0] * grid.dims[1] - 1
        with pytest.raises(error if wrong else (RuntimeError, tw.Disagreement)) as caught:
            grid.exchange(fields if wrong else [np.zeros((4, 4))], **(options if wrong else {}))
        if wrong:
            assert str(caught.value).startswith(text), caught.value


def test_fields_that_are_not_the_same_everywhere(comm):
    if comm.Get_size() == 1:
        pytest.skip("needs two ranks")
    with tw.halo.Grid(comm, [comm.Get_size(), 1]) as grid, pytest.raises((tw.Disagreement, ValueError)):
        grid.exchange([np.zeros((4, 4 + grid.rank % 2))])


def test_what_is_closed_lets_go_and_refuses(comm):
    with tw.halo.Grid(comm, 1, True) as grid:
        x = np.zeros(4)
        alive = weakref.ref(x)
        exchange = grid.exchange([x])
        del x
        gc.collect()
        assert alive() is not None
        exchange.close()
        gc.collect()
        assert alive() is None
        with pytest.raises(RuntimeError, match="was closed"):
            exchange()


@pytest.mark.parametrize("name", ["cupy", "torch"])
def test_halos_of_gpus(grid, name):
    module = library(name)
    before, expected = numbers(grid, (300, 200), np.array([2, 2]), np.array([2, 2]), "f8")
    fields = [module.asarray(before) if name == "cupy" else module.from_numpy(before).cuda() for _ in range(2)]
    with grid.exchange(fields, 2) as exchange:
        for field in fields:
            field *= 2
        exchange.start()  # on the current stream
        exchange.wait()
        for field in fields:
            got = field.get() if name == "cupy" else field.cpu().numpy()
            assert (got == np.where((expected == -1), -2, expected * 2)).all()
