from collections.abc import Sequence


__version__: str

class GpuError(RuntimeError):
    """
    A call of the GPU's runtime failed. The text holds the call and what the runtime says of it;
    `code` is the runtime's own number.
    """

    code: int

class MpiError(RuntimeError):
    """
    A call of the MPI failed. The text holds the call and what the MPI says of it; `error_class` is one
    of mpi4py's, such as MPI.ERR_TRUNCATE, and `code` is the MPI's own number.
    """

    code: int
    error_class: int

class TimeLimitExceeded(TimeoutError):
    """
    A wait gave up; `peer` is the rank that it waited for. The memory of the message is never freed,
    since the peer may still read or write it.
    """

    peer: int

class Disagreement(ValueError):
    """
    The arguments of the processes do not fit together, or those of another one are wrong. A process
    whose own arguments are wrong raises ValueError or TypeError instead.
    """

class View:
    """
    The memory of an array: what view() makes. Immutable; keeps the array alive.
    """

    def __init__(self, x: object | None) -> None: ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Indices of each dimension."""

    @property
    def strides(self) -> tuple[int, ...] | None:
        """
        Bytes from one index of a dimension to the next. None where there are none: of what
        layout() makes.
        """

    @property
    def ndim(self) -> int:
        """Dimensions."""

    @property
    def size(self) -> int:
        """Elements."""

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""

    @property
    def nbytes(self) -> int:
        """Bytes of all elements, without what lies between them."""

    @property
    def dtype(self) -> str:
        """
        The name of the elements' type; 'V12' for 12 bytes of which nothing is known.
        """

    @property
    def device(self) -> str:
        """
        'cpu', 'cpu (pinned)', 'cuda:0'; 'cuda' where the array does not tell which.
        """

    @property
    def readonly(self) -> bool:
        """Whether it must not be written."""

    @property
    def contiguous(self) -> bool:
        """
        Whether the elements follow each other without gaps, the last dimension fastest.
        """

    @property
    def array(self) -> object:
        """The array; a tuple of those that layout() joined, without empty ones."""

    @property
    def address(self) -> int:
        """Of the element of indices 0."""

    @property
    def layout(self) -> str:
        """What the memory looks like, in words."""

    def with_hints(self, *, avoid: str | None = None, priority: str | None = None, max_blocks: int | None = None, method: str | None = None) -> View:
        """
        The same memory as another view, which is moved as hints say (docs/guide/hints.md): avoid is
        'multiprocessors', 'copy_engines', or both with a comma between; priority 'low',
        'normal' or 'high'; max_blocks thread blocks at a time; method one that explain prints. What is
        not given stays as it is. Raises ValueError for a value that a hint does not take.
        """

    @property
    def hints(self) -> str:
        """What with_hints() said, in words; 'none' where it said nothing."""

    def explain(self, *, machine: str | None = None, json: bool = False, measure: bool = False) -> str:
        """
        What is made of the view, as text or JSON (docs/guide/explain.md): its layout, the method that
        moves it and why, the least time on a machine ('h200' or 'h100'), and advice. measure=True times
        it here, in memory of its own: on the host, and on GPU 0 if there is one, whose rates are
        measured then. Raises ValueError for an unknown machine.
        """

    @property
    def spec(self) -> list:
        """
        [buffer, count, MPI.Datatype] for the calls of mpi4py, as in comm.Send(v.spec, 1). Host memory
        goes through any MPI. Memory of a GPU needs an MPI that takes it, or the preload library; work on
        it must be done before. The datatype is committed and kept; nobody frees it. Needs mpi4py.
        """

    def __repr__(self) -> str: ...

def of_ranges(x: View, starts: View, stream: int, lengths: View | None, lengths_stream: int) -> View:
    """The rows of x in ranges of its first dimension."""

def of_mask(x: View, mask: View, stream: int) -> View:
    """The rows of x for which a mask is true."""

def joined(views: Sequence[View]) -> View:
    """The elements of one view after those of the other."""

def pack(x: View, out: View, stream: int) -> bool:
    """
    Packs a view into one without gaps, on a stream's handle. False if they overlap: nothing is moved then.
    """

def unpack(packed: View, x: View, stream: int) -> bool:
    """The reverse of pack()."""

def copy(source: View, destination: View, stream: int) -> bool:
    """Copies element after element; as pack()."""

def built_with_gpu() -> bool:
    """Whether this build can move memory of GPUs."""

def gpu_present() -> bool:
    """Whether there is a GPU that can be used. Asks the driver."""

class Prepared:
    @staticmethod
    def pack(x: View, out: View) -> Prepared: ...

    @staticmethod
    def unpack(packed: View, x: View) -> Prepared: ...

    @staticmethod
    def copy(source: View, destination: View) -> Prepared: ...

    def start(self, stream: int) -> None: ...

    def done(self) -> bool: ...

    def wait(self) -> None: ...

class Pieces:
    def __init__(self, views: Sequence[View], packed: View) -> None: ...

    def pack(self, stream: int) -> None: ...

    def unpack(self, stream: int) -> None: ...

class Indexed:
    def __init__(self, source: Sequence[View], destination: Sequence[View], axis: int, keep: bool = True) -> None: ...

    def copy(self, from_: View | None, to: View | None, count: int, stream: int) -> None: ...

    def check(self) -> None: ...

class DeviceBuffer:
    """
    Memory of a GPU that other processes of the host can map. Uninitialised.
    """

    def __init__(self, device: int, nbytes: int) -> None: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def __cuda_array_interface__(self) -> dict: ...

def unmap_unused() -> None:
    """
    Unmaps memory of other processes that nothing of this one uses any more.
    """

class Registered:
    def __init__(self, views: Sequence[View], signals: int, time_limit: float) -> None: ...

    @property
    def handle(self) -> bytes: ...

    def signal(self, signal: int) -> int: ...

    def wait(self, signal: int, value: int, stream: int) -> None: ...

    def wait_here(self, signal: int, value: int) -> None: ...

    def end(self) -> None: ...

class Remote:
    def __init__(self, handle: bytes, device: int) -> None: ...

    @property
    def ranges(self) -> list[tuple[int, int]]: ...

    @property
    def device(self) -> int: ...

    @property
    def signals(self) -> int: ...

    def check(self) -> None: ...

    def begin(self, stream: int) -> None: ...

    def finish(self, stream: int, signal: int, value: int) -> None: ...

class ExchangeParts:
    def __init__(self, sends: Sequence[tuple[View, int]], receives: Sequence[tuple[View, int]], time_limit: float, keep: bool = True, unpacks: Sequence[tuple[View, View]] = []) -> None: ...

class Exchange:
    def __init__(self, ranks: object | None, parts: ExchangeParts) -> None: ...

    def start(self, stream: int, sends_displaced: int = 0, own_receives_displaced: int = 0, layout: int = 0) -> None: ...

    def add_layout(self, parts: ExchangeParts) -> int: ...

    def done(self) -> bool: ...

    def wait(self) -> None: ...

    @property
    def ways(self) -> dict: ...

    @property
    def ways_of_sends(self) -> list: ...

    @property
    def ways_of_receives(self) -> list: ...

    @property
    def closed(self) -> bool: ...

    def close(self) -> None: ...

class DeviceGroupOptions:
    def __init__(self, device: int, time_limit: float) -> None: ...

class DeviceGroup:
    def __init__(self, ranks: object | None, options: DeviceGroupOptions) -> None: ...

    def allreduce(self, x: View, out: View, op: str, stream: int) -> None: ...

    def reduce(self, x: View, out: View, root: int, op: str, stream: int) -> None: ...

    def reduce_scatter(self, x: View, out: View, counts: Sequence[int], op: str, stream: int) -> None: ...

    def scan(self, x: View, out: View, op: str, stream: int) -> None: ...

    def exscan(self, x: View, out: View, op: str, stream: int) -> None: ...

    def allgather(self, x: View, out: View, counts: Sequence[int], stream: int) -> None: ...

    def alltoall(self, x: View, out: View, stream: int) -> None: ...

    def broadcast(self, x: View, root: int, stream: int) -> None: ...

    def register_memory(self, x: object) -> None: ...

    @staticmethod
    def check_registrable(x: View) -> None: ...

    def deregister_memory(self, x: View) -> None: ...

    def done(self) -> bool: ...

    def wait(self) -> None: ...

    @property
    def rank(self) -> int: ...

    @property
    def size(self) -> int: ...

    @property
    def device(self) -> int: ...

    @property
    def closed(self) -> bool: ...

    def close(self) -> None: ...
