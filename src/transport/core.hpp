// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/arena.hpp"
#include "transport/chunks.hpp"
#include "transport/departures.hpp"
#include "transport/descriptor.hpp"
#include "transport/gather.hpp"
#include "transport/layouts.hpp"
#include "transport/link.hpp"
#include "transport/profile.hpp"
#include "transport/progress.hpp"
#include "transport/ranks.hpp"
#include "transport/rings.hpp"
#include "transport/sharing.hpp"
#include "transport/tags.hpp"

#include <typewarp/transport.hpp>

#include <map>
#include <mutex>

namespace typewarp::transport {

/// Chunks of memory that other ranks can map.
struct SharedChunks {
  SharedChunks(const ChunkMemory& of, const DirectPolicy& policy)
      : memory(of),
        chunks(of.data, policy.pool_bytes, policy.piece_bytes),
        piece_bytes(chunks.chunk_bytes()) {}

  ChunkMemory memory;
  Chunks chunks;
  std::int64_t piece_bytes;  ///< of the longest piece: less than the policy's where the pool is shorter

  std::int64_t place(const std::byte* chunk) const noexcept { return chunk - memory.data; }
};

/// Memory that other ranks can map, in rooms for whole messages.
struct SharedArena {
  SharedArena(const ChunkMemory& of, std::int64_t bytes) : memory(of), arena(of.data, bytes) {}

  ChunkMemory memory;
  Arena arena;

  /// Of that room.
  cuda::SharedMemory name(const Room& room) const noexcept {
    cuda::SharedMemory named = memory.name;
    named.offset += room.place();
    return named;
  }
};

/// What the messages of a Transport share. Lives until the Transport and the last of its operations are gone.
class Core {
 public:
  /// Whether a rank takes announcements: 1 if so.
  using ListeningFlag = std::atomic<std::uint8_t>;
  static_assert(ListeningFlag::is_always_lock_free);

  /// Collective over `comm`. Throws MpiError.
  Core(MPI_Comm comm, const TransportOptions& options, const Profile& profile, bool mixed);
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  ~Core();

  /// How a message of `bytes` bytes goes to a rank of the Transport.
  bool is_plain(std::int64_t bytes) const noexcept;
  /// The longest message that comes as it is.
  std::int64_t longest_plain() const noexcept { return options_.eager_bytes; }

  /// Collective: from now on memory is shared in this way, between ranks that can. Throws MpiError.
  void share_by(const Sharing& sharing);
  const Sharing& sharing() const noexcept { return *sharing_; }
  /// Whether this rank may read memory of that one, and the other way round, if both can name it.
  bool shares_with(int rank) const noexcept { return sharing_ranks_[static_cast<std::size_t>(rank)]; }

  /// Whether that rank seems to use another device than the one that has `memory`: as its last answer said,
  /// or before there is one, as its current device was when all ranks called share_by().
  bool seems_elsewhere(int rank, const cuda::SharedMemory& memory) const noexcept;
  /// It answered like a rank that uses another device, or the same.
  void heard(int rank, bool elsewhere) noexcept {
    heard_[static_cast<std::size_t>(rank)].store(elsewhere ? Heard::elsewhere : Heard::here,
                                                 std::memory_order_relaxed);
  }

  /// From now on, before any message, what is announced goes to ranks only whose flag is set, as it may be at
  /// any time; others are sent whole messages of the MPI. Their flags stay set.
  void announce_to(std::shared_ptr<const ListeningFlag[]> flags) noexcept { listening_ = std::move(flags); }
  /// The rank of the Transport that takes announcements there; nothing if none does.
  std::optional<int> receiver(const CommState& comm, int rank) const noexcept;

  /// Collective: from now on, before any message, memory of devices goes by `link`, or by none.
  void link_by(std::unique_ptr<Link> link);
  /// How pieces of this side go by the link; nothing if there is none, or it does not carry them. Memory for
  /// them is allocated at the first call.
  std::optional<LinkWay> link_way(const Side& side);
  Link* link() const noexcept { return link_.get(); }
  /// The memory for its pieces stays as long as this.
  void close_link() noexcept;

  /// Whether `share_by` was given a way for host memory, which takes precedence over rings then, and this
  /// rank shares its with that one.
  bool shares_host_memory_with(int rank) const noexcept { return shares_host_memory_ && shares_with(rank); }

  /// Whether a call of the one thread that calls may leave everything to the MPI until it returns.
  bool at_rest() const noexcept { return waits_for_ever_ && link_ == nullptr && progress.idle(); }
  /// Memory for a message that is packed, sent or received, and unpacked within one such call.
  std::byte* scratch() { return scratch_.data() != nullptr ? scratch_.data() : make_scratch(); }
  std::int64_t longest_at_once() const noexcept;
  /// Whether only one thread at a time may call.
  bool one_thread() const noexcept { return one_thread_; }

  /// Whether ranks also send by calls of the MPI's.
  bool mixed() const noexcept { return mixed_; }
  bool possible(Protocol protocol) const noexcept;
  const TransportOptions& options() const noexcept { return options_; }
  const Identity& identity() const noexcept { return identity_; }
  /// The private communicator, and who this is there.
  MPI_Comm comm() const noexcept { return comm_; }
  int rank() const noexcept { return rank_; }

  /// For packed pieces of sides where this one is; null if there are none. Allocated at the first call.
  SharedChunks* shared_chunks(const Side& side);
  /// The same for messages that are packed whole.
  SharedArena* shared_arena(const Side& side);

  /// Chunks and rooms of all of these that messages hold.
  std::size_t shared_taken();

  /// Never frees the private communicator: where other ranks may still be in a call on it.
  void keep_communicator() noexcept { frees_communicator_ = false; }

  const int host;  ///< the same in the ranks of one host only
  /// The shares of the pool: what is to be sent, and what is received (docs/transport.md tells why).
  Chunks outgoing;
  Chunks incoming;
  Tags tags;
  Layouts layouts;
  DirectPolicy policy;
  LinkPolicy link_policy;
  Rings rings;
  RingPolicy ring_policy;
  Ranks ranks;
  Gather gather;
  Departures departures;
  Progress progress{gather};

 private:
  enum class Heard : std::uint8_t { nothing, here, elsewhere };

  std::byte* make_scratch();

  TransportOptions options_;
  Identity identity_;
  MPI_Comm comm_;
  int rank_;
  const Sharing* sharing_ = nullptr;
  std::vector<bool> sharing_ranks_;
  std::vector<cuda::DeviceName> devices_;             ///< that ranks seemed to use in share_by()
  std::unique_ptr<std::atomic<Heard>[]> heard_;       ///< by rank
  std::shared_ptr<const ListeningFlag[]> listening_;  ///< by rank; null if all listen
  bool shares_host_memory_ = false;
  bool waits_for_ever_;
  bool mixed_;
  bool one_thread_;
  HostBuffer scratch_;
  std::mutex chunks_mutex_;
  std::map<int, std::unique_ptr<SharedChunks>> shared_chunks_;  ///< by device
  std::map<int, std::unique_ptr<SharedArena>> shared_arenas_;   ///< by device
  std::map<int, std::unique_ptr<LinkChunks>> link_chunks_;      ///< by device
  std::unique_ptr<Link> link_;                                  ///< goes before the memory that it knows of
  bool frees_communicator_ = true;
};

/// The process's Transport, or null.
std::shared_ptr<Core> current();
/// The same where no other thread may call meanwhile; else null.
Core* sole() noexcept;
/// Throws the Error for that.
[[noreturn]] void refuse_second();
/// `core` must be null where there is one already: Error.
void set_current(std::shared_ptr<Core> core);

}  // namespace typewarp::transport
