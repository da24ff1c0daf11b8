# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Processes that call functions together, such as those with a group of torch.distributed."""
import contextlib
import datetime
import functools
import multiprocessing
import traceback


def _serve(rank, size, file, pipe, backend="gloo"):
    import torch
    import torch.distributed as dist

    import typewarp.torch  # noqa: F401: the back end of its name
    torch.set_num_threads(1)
    if torch.cuda.is_available():
        torch.cuda.set_device(rank % torch.cuda.device_count())
    dist.init_process_group(backend, init_method=f"file://{file}", rank=rank, world_size=size, timeout=datetime.timedelta(seconds=100))
    answer(pipe)
    dist.destroy_process_group()


def by_backend(name):
    """What serves with a group of that back end."""
    return functools.partial(_serve, backend=name)


def answer(pipe):
    """Calls what is asked for, until nothing is."""
    while (asked := pipe.recv()) is not None:
        function, arguments = asked
        try:
            pipe.send((function(*arguments), None))
        except BaseException:  # noqa: BLE001: shown by the test
            pipe.send((None, traceback.format_exc()))


@contextlib.contextmanager
def raises(kind, text):
    """As pytest's, which programs that use this may lack. `text` is a part of the error's."""
    try:
        yield
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"did not raise {kind}")


def of_several(function):
    function.of_several = True
    return function


def named(cases):
    """Arguments of pytest's parametrize()."""
    return {"argvalues": cases, "ids": [case.__name__ for case in cases]}


class Processes:
    """`size` of them. They meet by a file, or as `serve` says."""

    def __init__(self, size, file, serve=_serve):
        self.size = size
        context = multiprocessing.get_context("spawn")
        pipes = [context.Pipe() for _ in range(size)]
        self._pipes = [own for own, _ in pipes]
        self._processes = [context.Process(target=serve, args=(rank, size, str(file), theirs), daemon=True)
                           for rank, (_, theirs) in enumerate(pipes)]
        for process in self._processes:
            process.start()

    def __call__(self, function, *arguments):
        """What function(*arguments), of a module, returns in each. Skips what one process has nothing to do in."""
        if self.size == 1 and getattr(function, "of_several", False):
            import pytest  # which programs that use this may lack
            pytest.skip("needs two processes")
        for pipe in self._pipes:
            pipe.send((function, arguments))
        results = []
        for rank, pipe in enumerate(self._pipes):
            assert pipe.poll(120), f"rank {rank} does not answer"
            results.append(pipe.recv())
        failures = [f"rank {rank}: {failure}" for rank, (_, failure) in enumerate(results) if failure]
        assert not failures, "\n".join(failures)
        return [result for result, _ in results]

    def close(self):
        for pipe in self._pipes:
            try:
                pipe.send(None)
            except OSError:
                pass
        for process in self._processes:
            process.join(20)
            if process.is_alive():
                process.kill()
