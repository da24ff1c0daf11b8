# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""typewarp.torch.copy_items and gather_items against PyTorch's own indexing."""
import importlib.util
import shutil
import weakref
from concurrent.futures import ThreadPoolExecutor
from unittest import mock

import numpy as np
import pytest
from arrays import Owner
from hypothesis import given, settings
from hypothesis import strategies as st

if importlib.util.find_spec("torch") is None:
    pytest.skip("no torch", allow_module_level=True)
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import typewarp as tw
from typewarp import _torch_items
from typewarp.torch import check_items, clear_items, copy_items, gather_items

ON_GPU = tw.gpu_present() and torch.cuda.is_available()
needs_gpu = pytest.mark.skipif(not ON_GPU, reason="needs a GPU")
# Before, compilers refuse operators that write tensors of a list.
compiles_lists = pytest.mark.skipif(tuple(map(int, torch.__version__.split(".")[:2])) < (2, 5), reason="needs PyTorch 2.5")
DEVICES = ["cpu", pytest.param("cuda", marks=needs_gpu)]
DTYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.bool,
          torch.complex64, torch.complex128, torch.float8_e4m3fn, torch.float8_e5m2]
BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}


@pytest.fixture(autouse=True)
def nothing_kept():
    clear_items()
    yield
    clear_items()


def filled(shape, dtype, device, seed=0):
    if dtype == torch.complex128:
        return torch.randn(shape, dtype=dtype, generator=torch.Generator().manual_seed(seed)).to(device)
    numbers = torch.randint(0, 2 if dtype == torch.bool else 100, shape, generator=torch.Generator().manual_seed(seed))
    return numbers.to(BITS[dtype.itemsize]).view(dtype).to(device)


def bits(x):
    """Elements that PyTorch indexes and compares, of the same memory."""
    return x if x.dtype == torch.complex128 else x.view(BITS[x.dtype.itemsize])


def numbers(values, dtype=torch.int64, device="cpu"):
    return torch.tensor(values, dtype=dtype, device=device)


def same(x, y):
    assert x.shape == y.shape and x.dtype == y.dtype and torch.equal(bits(x), bits(y))


@st.composite
def cases(draw):
    """Tensors with gaps and in other orders, a dimension, and lists."""
    pairs, rank = draw(st.integers(1, 3)), draw(st.integers(1, 4))
    dim, step = draw(st.integers(-rank, rank - 1)), draw(st.sampled_from([1, 2]))
    order = draw(st.permutations(range(rank)))
    shape = [draw(st.integers(1, 4)) for _ in range(rank)]
    dtype = draw(st.sampled_from(DTYPES))

    def made(items, seed):
        own = list(shape)
        own[dim] = items
        wide = [step * own[d] for d in order]
        return [filled(wide, dtype, "cpu", seed + i).permute(*np.argsort(order).tolist())[(slice(None, None, step),) * rank] for i in range(pairs)]
    items, others = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    count = draw(st.integers(0, min(items, others)))
    read = draw(st.none() | st.lists(st.integers(0, items - 1), min_size=count, max_size=count))
    written = draw(st.permutations(range(others)))[:count] if read is None else draw(st.none() | st.just(draw(st.permutations(range(others)))[:count]))
    kinds = [draw(st.sampled_from([torch.int32, torch.int64])) for _ in range(2)]
    return made(items, 0), made(others, 100), dim, read, written, kinds


@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=60)
@given(cases())
def test_equals_the_indexing_of_pytorch(device, case):
    source, destination, dim, read, written, kinds = case
    source, destination = ([x.to(device) for x in side] for side in (source, destination))
    count = len(read if read is not None else written)
    wanted = [y.clone() for y in destination]
    for x, y in zip(source, wanted):
        items = bits(x).movedim(dim, 0)[read if read is not None else slice(count)]
        bits(y).movedim(dim, 0)[written if written is not None else slice(count)] = items
    given_lists = [None if each is None else numbers(each, kind, device) for each, kind in zip((read, written), kinds)]
    copy_items(source, destination, *given_lists, dim)
    check_items()
    for x, y in zip(destination, wanted):
        same(x, y)
    if read is not None:
        wanted = torch.stack([bits(x).index_select(dim, given_lists[0]) for x in source]).view(source[0].dtype)
        got = gather_items(source, given_lists[0], dim)
        same(got, wanted)
        assert got.is_contiguous()
        same(gather_items(source[0], given_lists[0], dim), wanted[0])


@pytest.mark.parametrize("device", DEVICES)
def test_one_tensor_and_lists_with_gaps(device):
    cache = filled((9, 4), torch.float32, device)
    wanted = cache.clone()
    read, written = numbers([1, 7, 0, 7, 3, 7], device=device)[::2], numbers([8, 0, 5, 0, 6, 0], torch.int32)[::2]
    wanted[[8, 5, 6]] = wanted[[1, 0, 3]]
    copy_items(cache, cache, read, written)
    same(cache, wanted)


@pytest.mark.parametrize("device", DEVICES)
def test_gradients(device):
    """Items that are gathered twice get both."""
    x, y = (torch.randn(5, 3, dtype=torch.float64, device=device, requires_grad=True) for _ in range(2))
    read = numbers([4, 1, 4], torch.int32, device)
    for dim, source in (0, [x, y]), (1, [x.mT, y.mT]):
        torch.autograd.gradcheck(lambda *source: gather_items(source, read, dim), source)
        torch.autograd.gradgradcheck(lambda *source: gather_items(source, read, dim), source)


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("backend", ["eager", pytest.param("aot_eager", marks=compiles_lists)])
@pytest.mark.parametrize("dynamic", [False, True])
def test_compiles(device, backend, dynamic):
    def step(caches, new, read, written):
        copy_items([new + 1, new * 2], caches, read, written)
        copy_items(caches[0], caches[0], written[:1], read[:1])
        return gather_items(caches, written) + 1
    torch._dynamo.reset()
    compiled = torch.compile(step, fullgraph=True, backend=backend, dynamic=dynamic)
    for count in (2, 3, 4):
        new = filled((count, 3), torch.float32, device, count).round()
        read, written = numbers(range(count), device=device), numbers(range(8, 8 - count, -1), torch.int32, device)
        caches, wanted = ([torch.zeros(9, 3, device=device) for _ in range(2)] for _ in range(2))
        same(compiled(caches, new, read, written), step(wanted, new, read, written))
        for x, y in zip(caches, wanted):
            same(x, y)


@compiles_lists
@pytest.mark.parametrize("device", DEVICES)
def test_are_proper_operators(device):
    x, y = filled((5, 3), torch.float32, device), torch.zeros(4, 3, device=device)
    read = numbers([4, 0], device=device)
    torch.library.opcheck(torch.ops.typewarp.copy_items.default, ([x, x], [y, y.clone()], read, None, 0))
    torch.library.opcheck(torch.ops.typewarp.gather_items.default, ([x.clone().requires_grad_(), x.clone().requires_grad_()], read, 0))


def test_tensors_without_memory():
    with FakeTensorMode():
        x, y, read = torch.zeros(5, 3), torch.zeros(5, 3), torch.zeros(2, dtype=torch.int64)
        copy_items(x, y, read)
        assert gather_items([x, y], read, -1).shape == (2, 5, 2)
    x, read = torch.zeros(5, 3, device="meta"), torch.zeros(2, dtype=torch.int64, device="meta")
    copy_items(x, x, read)
    assert gather_items(x, read).is_meta


def test_autograd_is_told_of_what_is_written():
    cache, weight = torch.ones(3, 2), torch.ones(3, 2, requires_grad=True)
    product = (cache * weight).sum()
    copy_items(torch.zeros(3, 2), cache, numbers([0]))
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()
    with torch.no_grad():
        copy_items(cache, weight, numbers([0]))
    with torch.inference_mode():
        copy_items(torch.ones(3, 2), cache, numbers([0]))
        assert gather_items(cache, numbers([0, 1])).tolist() == [[1, 1], [1, 1]]


x, y = torch.zeros(4, 3), torch.zeros(5, 3)
one = numbers([0])


@pytest.mark.parametrize("call, error, text", [
    (lambda: copy_items(3, y, one), TypeError, "source: int is neither a tensor nor a list or tuple of tensors"),
    (lambda: copy_items([x, 3], [y, y], one), TypeError, "source[1]: int is not a tensor"),
    (lambda: copy_items(x, y.to_sparse(), one), ValueError, "destination[0]: must be a dense tensor"),
    (lambda: copy_items([x, x], y, one), ValueError, "destination: has 1 tensors, must have 2 as source"),
    (lambda: copy_items(x, y, one, dim=2), ValueError, "dim: 2 is not a dimension of source[0], which has 2"),
    (lambda: copy_items(x, y, one, dim="0"), TypeError, "dim: str is not an integer"),
    (lambda: copy_items(x, y, one, dim=1), ValueError, "destination[0]: has items of 20 bytes, must have 16 as the other array"),
    (lambda: copy_items(x, y.half(), one), ValueError, "destination[0]: has elements of torch.float16, source[0] of torch.float32"),
    (lambda: copy_items(x, y[:1].expand(5, 3), one), ValueError, "destination[0]: has a stride of 0"),
    (lambda: copy_items(torch.zeros(4, 3, dtype=torch.cfloat).conj(), y.cfloat(), one), ValueError, "source[0]: is conjugated"),
    (lambda: copy_items([x, y], [y, y], one), ValueError, "source[1].count: 5: must be that of the first array"),
    (lambda: copy_items(x, y.clone().requires_grad_(), one), ValueError, "destination[0]: requires a gradient"),
    (lambda: copy_items(x, y, numbers([4])), ValueError, "from_[0]: 4: must be at least 0 and less than 4"),
    (lambda: copy_items(x, y, one, numbers([-1])), ValueError, "to[0]: -1: must be at least 0 and less than 5"),
    (lambda: copy_items(x, y, numbers([0, 1]), one), ValueError, "to: has 1 indices, must have 2 as from_"),
    (lambda: copy_items(x, y), ValueError, "from_: must be given where to is not"),
    (lambda: copy_items(x, y, [0]), TypeError, "from_: list is not a tensor"),
    (lambda: copy_items(x, y, one, one.double()), ValueError, "to: must be int32 or int64 of one dimension, is torch.float64 of 1"),
    (lambda: copy_items(x, y, one[:, None]), ValueError, "from_: must be int32 or int64 of one dimension, is torch.int64 of 2"),
    (lambda: gather_items(x, None), TypeError, "from_: must be given"),
    (lambda: gather_items([], one), ValueError, "source: has no tensors"),
    (lambda: gather_items([x, y], one), ValueError, "source[1]: is torch.float32 of [5, 3], must be torch.float32 of [4, 3] as source[0]"),
    (lambda: gather_items(x, one, 2), ValueError, "dim: 2 is none of 2 dimensions"),
    (lambda: gather_items(x, numbers([4])), ValueError, "from_[0]: 4: must be at least 0 and less than 4"),
])
def test_wrong_input_is_named(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert str(caught.value).startswith(text)


class Counted(_torch_items.Indexed):
    made, alive = 0, weakref.WeakSet()

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        Counted.made += 1
        Counted.alive.add(self)


@pytest.fixture
def counted():
    Counted.made = 0
    with mock.patch.object(_torch_items, "Indexed", Counted):
        yield Counted


@pytest.mark.parametrize("device", DEVICES)
def test_few_are_kept_and_prepared_once(counted, device):
    caches = [torch.zeros(5, 3, device=device) for _ in range(100)]
    new, read = torch.ones(5, 3, device=device), numbers([2, 1], device=device)
    for cache in caches:
        for _ in range(3):
            copy_items(new, cache, read)
    assert counted.made == 100 and len(counted.alive) <= 32
    copy_items(new, caches[-1], read[:1])
    copy_items(new, caches[-1], read, read.int())
    assert counted.made == 100
    copy_items(new.T, caches[-1].T, read)
    assert counted.made == 101
    clear_items()
    assert len(counted.alive) == 0


def test_memory_goes_and_comes_again(counted):
    """Nothing keeps a tensor, and whatever lies at its address later is as good."""
    memory = np.zeros(30, np.float32)

    def tensor():
        own = memory.view(Owner)
        return torch.from_numpy(own).view(10, 3), weakref.ref(own)
    first, owner = tensor()
    copy_items(torch.ones(10, 3), first, numbers([0]))
    assert owner() is not None
    del first
    assert owner() is None
    source = torch.full((10, 3), 2.0)
    copy_items(source, tensor()[0], numbers([0]))
    before = counted.made
    copy_items(source, tensor()[0], None, numbers([5]))
    assert counted.made == before and memory[15:18].tolist() == [2, 2, 2]


@pytest.mark.parametrize("device", DEVICES)
def test_threads(device):
    def work(seed):
        source, cache = filled((50, 8), torch.int32, device, seed), torch.zeros(50, 8, dtype=torch.int32, device=device)
        for k in range(40):
            copy_items(source, cache, numbers([k], device=device), numbers([k + 1], device=device))
        same(cache[1:41], source[:40])
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(8)))


@needs_gpu
def test_lists_of_the_host_and_pinned_pages():
    pages, cache = filled((50, 64), torch.int32, "cpu").pin_memory(), torch.zeros(20, 64, dtype=torch.int32, device="cuda")
    read, written = numbers([49, 3, 7], torch.int32), numbers([0, 19, 5])
    copy_items(pages, cache, read, written.cuda())
    same(cache[written].cpu(), pages[read])
    back = torch.zeros_like(pages).pin_memory()
    copy_items(cache, back, written, read.cuda())
    torch.cuda.synchronize()
    same(back[read], pages[read])


@needs_gpu
def test_is_ordered_by_the_current_stream():
    stream = torch.cuda.Stream()
    for k in range(5):
        new, cache = torch.zeros(4, 1 << 16, device="cuda"), torch.zeros(4, 1 << 16, device="cuda")
        read = numbers([0, 1], device="cuda")
        torch.cuda.synchronize()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(10_000_000)
            new.fill_(k + 1)
            read.add_(2)
            copy_items(new, cache, read, read)
            got = gather_items(cache, read)
        stream.synchronize()
        assert cache.sum(1).tolist() == [0, 0, (k + 1) << 16, (k + 1) << 16] and got.min() == k + 1


@needs_gpu
def test_wrong_indices_on_the_gpu_are_told_later():
    new, cache = torch.ones(4, 3, device="cuda"), torch.zeros(4, 3, device="cuda")
    wrong = numbers([1, 4, 2], device="cuda")
    copy_items(new, cache, None, wrong)
    torch.cuda.synchronize()
    assert cache.sum(1).tolist() == [0, 3, 3, 0]
    with pytest.raises(ValueError, match=r"to\[1\]: 4: must be at least 0 and less than 4"):
        check_items()
    check_items()
    copy_items(new, cache, wrong)
    torch.cuda.synchronize()
    with pytest.raises(ValueError, match=r"from_\[1\]: 4: "):
        copy_items(new, cache, wrong[:1])


@needs_gpu
def test_graphs(counted):
    """Captured with no call before; what they have is not replaced."""
    caches, new = [torch.zeros(9, 64, device="cuda") for _ in range(2)], [torch.zeros(3, 64, device="cuda") for _ in range(2)]
    written, read = numbers([0, 0, 0], device="cuda"), numbers([0, 0, 0], torch.int32, "cuda")
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        copy_items([x * 2 for x in new], caches, None, written)
        got = gather_items(caches, read)
    others = [torch.zeros(9, 64, device="cuda") for _ in range(40)]
    for other in others:
        copy_items(new[0], other, None, numbers([1], device="cuda"))
    assert len(counted.alive) <= 34
    for k in range(4):
        for i, x in enumerate(new):
            x.copy_(filled((3, 64), torch.int32, "cuda", 2 * k + i))
        written.copy_(numbers([k, k + 1, k + 5]))
        read.copy_(numbers([k + 5, k, k + 1]))
        graph.replay()
        same(got, torch.stack([2 * x[[2, 0, 1]] for x in new]))
        for cache, x in zip(caches, new):
            same(cache[written], 2 * x)
    written.fill_(9)
    graph.replay()
    torch.cuda.synchronize()
    with pytest.raises(ValueError, match=r"to\[[012]\]: 9: "):
        check_items()
    with pytest.raises(ValueError, match="from_: "):
        with torch.cuda.graph(torch.cuda.CUDAGraph()):
            copy_items(new, caches, numbers([0]))


@needs_gpu
@compiles_lists
@pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler, which Inductor needs")
def test_compiles_into_graphs():
    cache = torch.zeros(9, 64, device="cuda")
    torch._dynamo.reset()

    def step(new, written):
        copy_items(new * 2, cache, None, written)
        return gather_items(cache, written) + 1
    compiled = torch.compile(step, fullgraph=True, mode="reduce-overhead")
    for k in range(6):
        new, written = filled((2, 64), torch.int32, "cuda", k).float(), numbers([k, k + 3], device="cuda")
        same(compiled(new, written).clone(), 2 * new + 1)
        same(cache[written], 2 * new)
    torch._dynamo.reset()


@needs_gpu
def test_memory_of_the_gpu_goes():
    cache, read = torch.zeros(1 << 20, device="cuda").view(1024, 1024), numbers([0], device="cuda")
    copy_items(cache, torch.zeros_like(cache), read)
    before = torch.cuda.memory_allocated()
    del cache
    assert torch.cuda.memory_allocated() == before - (4 << 20)


@needs_gpu
def test_between_gpus():
    if torch.cuda.device_count() < 2:
        pytest.skip("needs two GPUs")
    source, destination = filled((9, 64), torch.int32, "cuda:1"), torch.zeros(9, 64, dtype=torch.int32, device="cuda:0")
    lists = [numbers(values, device="cuda:1") for values in ([8, 2], [0, 1])]
    torch.cuda.synchronize(0)
    copy_items(source, destination, *lists)
    torch.cuda.synchronize(1)
    same(destination[:2].cpu(), source.cpu()[[8, 2]])
