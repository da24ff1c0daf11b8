# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Exchanges of parts of JAX arrays between processes, as operations of compiled programs: an all-to-all, and neighbours' halos.

An exchange is prepared once, outside of jax.jit, and called within: each GPU writes its parts into memory of its peers, on XLA's stream. The
host neither waits nor is called. A rank that is nobody's peer takes no part. On the platform "cpu" ranks send the parts by the function by
which they meet, for tests without GPUs.
"""
from __future__ import annotations

from numbers import Integral
from typing import Any

try:
    import jax
    import jax.ffi
    import jax.numpy as jnp
except ImportError as error:
    raise ImportError("typewarp.jax needs JAX 0.6 or later") from error
import numpy as np

try:
    from . import _jax as _built  # noqa: F401
except ImportError as error:
    raise ImportError("typewarp.jax was not built: that needs jaxlib (tools/setup.sh --with-jax), or its headers by TYPEWARP_JAX_INCLUDE") from error
from . import _core
from ._boxes import Box, Side, are_all, box_of, dimension, in_a_row, overlapping, sides_of_all_to_all
from ._jax_moves import Move
from ._ranks import Ranks
from ._together import MadeTogether, check_seconds, together

__all__ = ["Exchange", "all_to_all"]


class Exchange(MadeTogether):
    """Parts of arrays that go to peers, and parts that come from them, the same in each call.

    Collective over `comm`: an mpi4py communicator (None: MPI.COMM_WORLD), Ranks, or a process group of torch.distributed; one process for
    each GPU. `x` is an array like those of the calls, or a jax.ShapeDtypeStruct.

    `parts` is a list of (peer, source, destination): x[source] goes to rank `peer`, and a part of that rank's array becomes
    result[destination]. Both are slices with a step of 1 or integers, or a tuple of them; None means that nothing goes that way. Nothing is
    moved, and no peer takes part, where the peer is None or -1, or a part is empty. The peer may be this rank. What goes from one rank
    to another matches in the order of the lists, by equally many bytes. Destinations must not overlap.

    The result is `x` with what was received, in the same memory if `x` is donated or not used otherwise. With `shape`, it is a new array of
    this shape, which the destinations must make up.

    `device` is a jax.Device (None: that of `x`, or JAX's default). A call fails if its stream has waited for `time_limit` seconds; 0 means no
    limit. `gradient` prepares the reverse exchange, too, which needs as much memory again. With `pure`, JAX drops a call whose result is not
    used, and jax.checkpoint, which otherwise refuses calls in some releases, repeats it: all ranks must use results alike.

    Raises TypeError and ValueError that name the argument, and RuntimeError in ranks without an error of their own; RuntimeError in all
    ranks if sender and receiver disagree, or if GPUs do not reach each other.
    """

    def __init__(self, x: Any, parts: Any, shape: Any = None, comm: Any = None, device: Any = None, time_limit: float = 0, gradient: bool = True,
                 pure: bool = False):
        ranks = _ranks_of(comm)

        def checked():
            check_seconds(time_limit)
            _core.ExchangeParts([], [], time_limit)
            given, dtype = _array(x)
            made = given if shape is None else _shape(shape)
            sends, receives = _boxes(parts, given, made, ranks.size)
            if pair := overlapping(receives):
                raise ValueError(f"parts: what comes from ranks {pair[0].peer} and {pair[1].peer} overlaps")
            if shape is not None and not are_all(receives, made):
                raise ValueError(f"shape: the destinations do not make up an array of {list(made)}")
            return dtype, Side(given, sends), Side(made, receives), _device(device, x)

        self._dtype, source, result, chosen = together(ranks.agree, checked)
        self._source, self._result, self._in_place = source, result, shape is None
        self._moves = [Move(ranks, chosen, self._dtype, source, result, self._in_place, time_limit, pure)]
        self._call = _linear(self._moves[0], self._transposed if gradient else None)
        if gradient:
            # Of what was sent, the gradients come back to where it was, or else in a row, to be added there.
            self._straight = not self._in_place and are_all(source.boxes, source.shape)
            row = in_a_row(source.boxes)
            back = source if self._straight else Side((sum(box.count for box in row),), row)
            try:
                self._moves.append(Move(ranks, chosen, self._dtype, result, back, False, time_limit, pure))
            except Exception:  # as in all ranks
                self.close()
                raise
            self._back = _linear(self._moves[1], (lambda gradient: self._call(gradient, ())) if self._straight else None)

    def __call__(self, x: Any, after: Any = ()) -> Any:
        """The result. Collective, also within jax.jit, loops and gradients: all ranks make the same calls in the same order. `after` is any
        array, or several: the call runs when they are there. Where one call does not depend on another, that orders them.

        Differentiable in reverse mode; any number of times if `shape` was given and the sources make up `x`.

        Raises TypeError and ValueError that name "x". A call that has failed, or waits for a rank that died, raises in the next call on a
        GPU, and in done(); on the host the result raises.
        """
        x = jnp.asarray(x)
        if x.shape != self._source.shape or x.dtype != self._dtype:
            raise ValueError(f"x: is {x.dtype} of {list(x.shape)}, must be {self._dtype} of {list(self._source.shape)} as prepared")
        return self._call(x, after)

    def done(self) -> bool:
        """Whether all calls that XLA has made have ended. Raises TimeLimitExceeded and GpuError; after that it can only be closed."""
        return all([move.done() for move in self._moves])

    def close(self) -> None:
        """Collective: waits for all calls and all ranks; block on the results of calls before. Programs that hold a call raise from then on. A
        second call does nothing."""
        while self._moves:
            self._moves.pop().close()

    def _transposed(self, gradient: Any) -> Any:
        if self._straight:
            return self._back(gradient, ())
        row = self._back(gradient, ())
        if self._in_place:
            for box in self._result.boxes:  # what was overwritten
                gradient = gradient.at[box.index].set(0)
        else:
            gradient = jnp.zeros(self._source.shape, self._dtype)
        for box, came in zip(self._source.boxes, in_a_row(self._source.boxes)):
            gradient = gradient.at[box.index].add(row[came.index].reshape(box.sizes))
        return gradient


def all_to_all(x: Any, scatter_dim: int, gather_dim: int, comm: Any = None, device: Any = None, time_limit: float = 0,
               gradient: bool = True, pure: bool = False) -> Exchange:
    """An exchange that splits an array along `scatter_dim` into a slice for each rank, and joins those of all ranks along `gather_dim`. With
    P ranks, [B, S/P, H, D] becomes [B, S, H/P, D] by scatter_dim=2, gather_dim=1; 1, 2 is the reverse. Arguments and errors are those of
    Exchange."""
    ranks = _ranks_of(comm)

    def checked():
        shape = _array(x)[0]
        dims = [dimension(name, value, shape) for name, value in (("scatter_dim", scatter_dim), ("gather_dim", gather_dim))]
        source, result = sides_of_all_to_all(shape, *dims, ranks.size)
        return [(there.peer, there.index, here.index) for there, here in zip(source.boxes, result.boxes)], result.shape

    parts, shape = together(ranks.agree, checked)
    return Exchange(x, parts, shape, ranks, device, time_limit, gradient, pure)


def _linear(move: Move, transposed: Any) -> Any:
    """`move` with its gradient."""
    if transposed is None:
        return move
    call = jax.custom_vjp(move)
    call.defvjp(lambda x, after: (call(x, after), None), lambda _, gradient: (transposed(gradient), None))
    return call


def _ranks_of(comm: Any) -> Ranks:
    ranks = Ranks.of(comm)
    if ranks is None:
        from mpi4py import MPI
        comm = MPI.COMM_WORLD if comm is None else comm
        if not isinstance(comm, MPI.Comm):
            raise TypeError(f"comm: {type(comm).__name__} is neither a communicator, nor Ranks, nor a process group")
        ranks = Ranks(comm.Get_rank(), comm.Get_size(), comm.allgather)
    return ranks


def _array(x: Any) -> tuple[tuple[int, ...], np.dtype]:
    if not hasattr(x, "shape") or not hasattr(x, "dtype"):
        raise TypeError(f"x: {type(x).__name__} has no shape and no dtype")
    if jax.dtypes.issubdtype(x.dtype, jax.dtypes.extended):
        raise TypeError(f"x: {x.dtype} is no type of numbers; give what jax.random.key_data tells")
    dtype = np.dtype(jax.dtypes.canonicalize_dtype(x.dtype))
    if dtype.name.endswith(("int2", "int4")) or dtype.name.startswith("float4"):
        raise ValueError(f"x: elements of {dtype} are smaller than a byte")
    return tuple(x.shape), dtype


def _shape(shape: Any) -> tuple[int, ...]:
    if not isinstance(shape, (tuple, list)) or not all(isinstance(size, Integral) and size >= 0 for size in shape):
        raise TypeError("shape: must be a tuple of integers that are not negative")
    return tuple(int(size) for size in shape)


def _boxes(parts: Any, given: tuple, made: tuple, ranks: int) -> tuple[list[Box], list[Box]]:
    """What goes, and what comes, without what is empty or nobody's."""
    sends, receives = [], []
    for i, part in enumerate(parts):
        if not isinstance(part, (tuple, list)) or len(part) != 3:
            raise TypeError(f"parts[{i}]: must be a peer, a source and a destination")
        peer, *indices = part
        if peer is not None and not isinstance(peer, Integral):
            raise TypeError(f"parts[{i}]: {type(peer).__name__} is not a rank")
        if peer is None or peer == -1:
            continue
        if not 0 <= peer < ranks:
            raise ValueError(f"parts[{i}]: {peer} is none of {ranks} ranks")
        for boxes, index, shape in zip((sends, receives), indices, (given, made)):
            if index is not None:
                box = box_of(f"parts[{i}]", int(peer), index, shape)
                boxes.extend([box] if box.count else [])
    return sends, receives


def _device(device: Any, x: Any) -> Any:
    """That of `x`, or else where JAX makes arrays."""
    if device is None:
        given = x if isinstance(x, jax.Array) else jnp.zeros(())
        device, *others = given.sharding.addressable_devices
        if others:
            raise ValueError("device: must be given, since x is on several")
    if not isinstance(device, jax.Device):
        raise TypeError(f"device: {type(device).__name__} is not a jax.Device")
    return device
