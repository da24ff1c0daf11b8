// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/engine.hpp>
#include <typewarp/operation.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// The CUDA engine as the rest of the library sees it: no CUDA header needed. A build without CUDA links
/// engine/without_cuda.cpp instead, in which nothing is present.
namespace typewarp::cuda {

bool built() noexcept;
/// Whether the driver answers and at least one device is usable. Asked once; never throws.
bool present() noexcept;

PointerInfo pointer_info(const void* pointer);

/// Whether this process has initialised CUDA's driver, be it through this library or not. Initialises nothing
/// itself: a program that uses no GPU stays without. Takes some 40 ns until it has.
bool in_use() noexcept;
/// Whether this is managed memory or a device's, as far as the driver knows. Unlike pointer_info() it makes
/// no context, so it may be asked before the program has chosen its device. False while CUDA is not in use.
bool on_device(const void* pointer) noexcept;
/// Whether the calling thread has a device's context: whether it has chosen a device, or used one.
bool has_context() noexcept;

/// The calling thread's device. Throws CudaError where there is none.
int current_device();
/// Makes it the calling thread's.
void make_current(int device);
/// The device of a stream; -1 for the default streams, which exist on every device. While a stream is
/// captured CUDA does not tell, and the current device is taken, as for a kernel that the caller would launch
/// there.
int stream_device(Stream stream);
/// Whether `stream` has done all that it holds. False for streams of which that is not asked: the default
/// streams, and those that wait for the legacy one.
/// Throws CudaError for what failed there.
bool idle(Stream stream);
/// Whether `stream` is being captured into a graph, when nothing may wait for it.
bool capturing(Stream stream);
/// Whether kernels on device `from` may touch memory of device `to`, of the kind that peers_may_touch().
/// Enables peer access on first use.
bool can_reach(int from, int to);
/// Whether peer access opens this device memory to other devices: that of cudaMalloc. Access to memory pools
/// (cudaMallocAsync) and to virtual memory is granted one by one, which is not asked here.
bool peers_may_touch(const void* pointer);
/// Whether kernels of `device` can touch memory, of which pointer_info(pointer) tells.
inline bool reachable(const void* pointer, const PointerInfo& memory, int device) {
  if (memory.kind != MemoryKind::device) return memory.kind != MemoryKind::host;
  return memory.device == device || (peers_may_touch(pointer) && can_reach(device, memory.device));
}
/// What a stream of the library's own is for. Packing and unpacking use a link in opposite directions at
/// once, and pieces that follow each other take turns between two streams: one begins while the one before it
/// ends.
enum class Lane : std::uint8_t { preparation, packing, unpacking, packing_odd, unpacking_odd };
inline constexpr std::size_t lanes = 5;
/// Those of piece `number`.
constexpr Lane packing_lane(std::int64_t number) {
  return number % 2 == 0 ? Lane::packing : Lane::packing_odd;
}
constexpr Lane unpacking_lane(std::int64_t number) {
  return number % 2 == 0 ? Lane::unpacking : Lane::unpacking_odd;
}
/// A stream of the library's own on `device`, which orders with no other. But for preparation it has the
/// highest priority: other ranks wait for what is moved there, and where one long kernel fills the device,
/// the thread blocks of usual priority begin when all of that one's have. It is shared: nothing enqueued
/// there may wait for another stream.
Stream private_stream(int device, Lane lane = Lane::preparation);

/// One side of a copy. A null plan means `count` contiguous bytes, and `address` then is byte range.begin.
struct Side {
  const Plan* plan;
  std::int64_t count;
  void* address;
  /// What the caller knows of it; decides only by which way bytes go. The device that has it, or -1.
  MemoryKind memory = MemoryKind::device;
  int device = -1;
};

/// How many thread blocks of a move a device runs at a time.
enum class OccupancyLimit : std::uint8_t {
  none,
  /// About what a link between devices takes. To pack faster than that, while others read over the link what
  /// was packed before, keeps them from the memory, and other kernels from the multiprocessors, for nothing.
  link,
};

/// Who follows what is launched: the engine's own.
class Completion;

/// Where work goes, and who follows it.
struct LaunchContext {
  int device;               ///< that executes
  Stream stream = nullptr;  ///< one of its streams or a default stream
  OccupancyLimit occupancy = OccupancyLimit::none;
  Completion* completion = nullptr;  ///< null if nobody follows it
};
/// What enqueues work, all of it under the context that it is given.
using Enqueue = std::function<void(const LaunchContext&)>;

/// Enqueues the move of bytes `range` of the packed stream, by kernels or DMA. Both sides must be addressable
/// by the context's device. Waits for nothing, except that the first call for a device loads the kernels, for
/// which CUDA may wait for that device. Allocates where something is new: a plan on this device, a kernel on
/// this stream, or a count of items that needs a plan's lists in another form. Plans and sides need not
/// outlive the call.
void copy(const Side& destination, const Side& source, ByteRange range, const LaunchContext& context);

/// Enqueues inout[i] = in[i] op inout[i] for `count` numbers of a type that is reducible(), not necessarily
/// aligned. The context's device must address both.
void reduce(const std::byte* in, std::byte* inout, std::int64_t count, Named type, Operation operation,
            const LaunchContext& context);

/// Does what the first use of the side's plan on `device` needs: finds its shape, allocates and uploads its
/// lists. What copy() and CopyBatch::add() do of that then is little. Complete on return. Throws CudaError.
void prepare(const Side& side, int device);

/// One user side whose packed bytes, all of them, lie at `packed`.
struct BatchMember {
  Side user;
  std::byte* packed;
  std::int64_t bytes;  ///< more than 0
};

/// Many packs or unpacks in one kernel, or a few. What was given must live as long as what is enqueued runs,
/// and be addressable by `device`.
class Batch {
 public:
  /// Whether what the kernels need is put into the device's memory, or travels with every launch.
  enum class Use { often, once };

  /// Allocates, and uploads what members that were never used on the device need; launches nothing.
  Batch(const std::vector<BatchMember>& members, int device, Use use);
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;
  ~Batch();

  /// Enqueues under a context of the device; waits for nothing.
  void pack(const LaunchContext& context) const;
  void unpack(const LaunchContext& context) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Copies that one kernel makes, from any layout to any other.
class CopyBatch {
 public:
  /// Longer ones had better be launched by themselves: they take longer than a launch, and may have kernels
  /// that suit them better.
  static constexpr std::int64_t longest = std::int64_t{512} << 10;

  explicit CopyBatch(int device);
  CopyBatch(const CopyBatch&) = delete;
  CopyBatch& operator=(const CopyBatch&) = delete;
  ~CopyBatch();

  /// Takes in the move of the first `bytes` bytes of the packed stream of both sides: 1 to `longest`. False,
  /// with nothing changed, if there is no room for more. Uploads what a plan that was never used on the
  /// device needs, and launches nothing; changes nothing if it throws. What the sides point to, plans too,
  /// must live as long as what is enqueued runs, and be addressable by the device.
  bool add(const Side& destination, const Side& source, std::int64_t bytes);
  /// Leaves out the copy that was the `number`th (0, 1, ...) to be taken in.
  void remove(int number) noexcept;
  /// Copies that were taken in.
  int size() const noexcept;
  void clear() noexcept;

  /// Enqueues all under a context of the device, as copy() does.
  void launch(const LaunchContext& context) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Kernels that this process has launched, but for those of Replay.
std::uint64_t launches() noexcept;

/// Page-locked host memory that every device can address, from a process-wide pool: returned to it on
/// destruction, when nothing in flight may use it any more. Sizes are rounded up to a power of two; the pool
/// keeps at most 512 MiB idle. Throws CudaError where there is no device or no memory.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::int64_t bytes);
  PinnedBuffer(PinnedBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
  PinnedBuffer& operator=(PinnedBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~PinnedBuffer();

  std::byte* data() const noexcept { return data_; }
  /// Gives the memory up for good: for where something that cannot be waited for may still use it.
  void abandon() noexcept { data_ = nullptr; }

 private:
  std::byte* data_ = nullptr;
  std::int64_t capacity_ = 0;
};

/// Memory of a device from cudaMalloc, uninitialised. Throws CudaError where there is none. Freed on
/// destruction, which waits for the device.
class DeviceBuffer {
 public:
  DeviceBuffer(int device, std::int64_t bytes);
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;
  ~DeviceBuffer();

  std::byte* data() const noexcept { return data_; }

 private:
  std::byte* data_;
};

/// A point in a stream, to be polled or waited for without synchronising the stream's later work. Throws
/// CudaError for whatever failed before that point.
class Event {
 public:
  /// No point yet: record() must come before done() and wait(). -1 is the current device. All that may lack
  /// is had from here on, so this comes before work that is to be followed.
  explicit Event(int device);
  /// Records the point that `stream` has reached now, on `device`; -1 is the current device.
  Event(int device, Stream stream);
  /// Leaves nothing to ask the other one for.
  Event(Event&& other) noexcept
      : event_(std::exchange(other.event_, nullptr)), told_(other.told_), recorded_(other.recorded_) {}
  Event& operator=(Event&&) = delete;
  ~Event();

  /// Follows the point that `stream`, of the device or a default stream, has reached now.
  void record(Stream stream);
  /// Calls `enqueue` with a context of `stream`, and follows the point reached thereby; also what was
  /// enqueued where that throws. The device then tells of that point in host memory, which done() and wait()
  /// look at without a call of CUDA's: a kernel whose thread blocks all run at once by itself (with one block
  /// 2.5 us sooner on an H200), or else the stream.
  void follow(Stream stream, const Enqueue& enqueue);
  bool done() const;
  void wait() const;
  /// Makes what `later` is given from now on wait for the point, which record() has told.
  void hold(Stream later) const;

 private:
  void* event_;
  bool told_ = false;      ///< whether the device tells
  bool recorded_ = false;  ///< whether CUDA's event follows the point
};

/// A stream of the highest priority that orders with no other. Going does not wait for what it holds.
class OwnStream {
 public:
  explicit OwnStream(int device);
  OwnStream(const OwnStream&) = delete;
  OwnStream& operator=(const OwnStream&) = delete;
  ~OwnStream();

  Stream get() const noexcept { return stream_; }

 private:
  Stream stream_ = nullptr;
};

/// Work of one device that is recorded once and launched many times. Launches follow each other on whatever
/// streams they are. May be destroyed while one is in flight, which waits for nothing; what the work uses
/// must live on as for work that was launched without this. Not for several threads at once.
class Replay {
 public:
  /// Whether the host may ask done() and wait(), which costs a kernel or an event in each launch.
  enum class Follow { host, nobody };

  /// Records what `enqueue` gives `device`, which is current meanwhile, to do: it does not run then.
  Replay(int device, const Enqueue& enqueue, Follow follow = Follow::host);
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;
  ~Replay();

  /// Records anew, for later launches; waits for those in flight if the work has another shape, for instance
  /// DMA instead of a kernel. Changes nothing if it throws.
  void replace(const Enqueue& enqueue);

  /// Allocates nothing and waits for nothing. A default stream is that of the device. Throws CudaError.
  void launch(Stream stream);

  /// Whether all launches are done, and the host sees what they wrote. Throws CudaError for what failed.
  /// Precondition, as of wait(): Follow::host.
  bool done();
  /// Returns when done(), having spun on the calling processor.
  void wait();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The UUID of a device, by which it is known beyond this process.
using DeviceName = std::array<std::byte, 16>;
/// That of a device of this process. Throws CudaError.
const DeviceName& device_name(int device);

/// Memory of a device as other processes of the host can map it: plain bytes of a fixed size, to travel in a
/// message. Valid until the memory is freed.
struct SharedMemory {
  /// By what the memory is found. Another kind of handle is another value.
  enum class Kind : std::int64_t { ipc = 1 };

  Kind kind;
  std::array<std::uint64_t, 2> process;  ///< which one exports it: drawn at random, once for each
  std::uint64_t allocation;              ///< of that process; never used again for another one
  std::uint64_t base;                    ///< where the allocation begins in that process
  std::int64_t size;                     ///< bytes of the allocation
  std::int64_t offset;                   ///< from the base to the address that was exported
  DeviceName device;
  std::array<std::byte, 64> handle;
};

/// Says how `bytes` bytes from `address` on can be mapped by others: that is, memory of cudaMalloc.
/// Nothing, with the reason in words, for all other memory and for what is not within one allocation. Waits
/// for nothing. Throws InvalidArgument for negative `bytes`.
std::optional<SharedMemory> export_memory(const void* address, std::int64_t bytes,
                                          std::string* reason = nullptr);

/// Whether it is memory of that device of this process.
bool device_has(int device, const SharedMemory& memory);

/// A hold on memory of this or another process. Whatever uses it must be complete before this is destroyed;
/// the mapping itself is kept for the next import.
class ImportedMemory {
 public:
  ImportedMemory(ImportedMemory&& other) noexcept
      : address_(other.address_), device_(other.device_), mapping_(std::exchange(other.mapping_, nullptr)) {}
  ImportedMemory& operator=(ImportedMemory&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(device_, other.device_);
    std::swap(mapping_, other.mapping_);
    return *this;
  }
  ~ImportedMemory();

  /// What was exported, as the device that it was imported for addresses it.
  std::byte* address() const noexcept { return address_; }
  /// The device that has the memory; -1 if it is none that this process sees.
  int device() const noexcept { return device_; }

 private:
  friend std::optional<ImportedMemory> import_memory(const SharedMemory&, int, std::string*);
  ImportedMemory(std::byte* address, int device, const void* mapping)
      : address_(address), device_(device), mapping_(mapping) {}

  std::byte* address_;
  int device_;
  const void* mapping_;  ///< null for memory of this process
};

/// Makes memory that a process of this host exported addressable by kernels on `device`. An allocation is
/// mapped on first use, for which CUDA may wait for the device; later imports call nothing of CUDA. What the
/// exporter freed and allocated anew is mapped anew. Nothing, with the reason in words, where `device` cannot
/// reach the memory or CUDA does not map it. Throws InvalidArgument for what no process exported.
std::optional<ImportedMemory> import_memory(const SharedMemory& memory, int device,
                                            std::string* reason = nullptr);

/// Mappings of other processes' memory.
struct ImportCount {
  std::int64_t open;  ///< of them
  std::int64_t held;  ///< of those that are open, by at least one ImportedMemory
};
ImportCount imports() noexcept;
/// Unmaps what nobody holds, which may wait for the devices: before the processes that exported it end.
void close_imports() noexcept;

}  // namespace typewarp::cuda
