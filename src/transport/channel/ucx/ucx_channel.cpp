// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/ucx/ucx_channel.hpp"

#include "engine/runtime/vendor.hpp"
#include "mpi/agree.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace typewarp::transport {
namespace {

using ucx::UcsStatus;
using ucx::UcxApi;

void check(const UcxApi& api, UcsStatus status, const char* call) {
  if (!ucx::is_error(status)) return;
  throw Error("typewarp: UCX: " + std::string(call) + ": " + api.ucs_status_string(status));
}

/// A context and its only worker.
class UcxWorker {
 public:
  /// Throws Error.
  UcxWorker(const UcxApi& api, std::size_t peers) : api_(api) {
    using ucx::Params;
    const Params params{.field_mask = Params::has_features | Params::has_estimated_endpoints,
                        .features = Params::tag_matching,
                        .request_size = 0,
                        .request_init = nullptr,
                        .request_cleanup = nullptr,
                        .tag_sender_mask = 0,
                        .mt_workers_shared = 0,
                        .estimated_num_eps = peers};
    check(api,
          api.ucp_init_version(ucx::major_version, ucx::least_minor_version, &params, nullptr, &context_),
          "ucp_init");
    // UcxLink's lock admits one thread at a time. For several, UCX would lock at each call, and some builds
    // cannot.
    const ucx::WorkerParams of_worker{ucx::WorkerParams::has_thread_mode, ucx::WorkerParams::serialized};
    const UcsStatus made = api.ucp_worker_create(context_, &of_worker, &worker_);
    if (ucx::is_error(made)) api.ucp_cleanup(context_);
    check(api, made, "ucp_worker_create");
  }
  UcxWorker& operator=(UcxWorker&&) = delete;
  ~UcxWorker() {
    api_.ucp_worker_destroy(worker_);
    api_.ucp_cleanup(context_);
  }

  ucx::Worker get() const noexcept { return worker_; }
  bool takes_device_memory() const {
    using Attributes = ucx::ContextAttributes;
    Attributes attributes{
        .field_mask = Attributes::has_memory_types, .request_size = 0, .thread_mode = 0, .memory_types = 0};
    return !ucx::is_error(api_.ucp_context_query(context_, &attributes)) &&
           (attributes.memory_types >> gpu::vendor().ucx_memory_type & 1) != 0;
  }
  std::vector<std::byte> address() const {
    ucx::WorkerAttributes attributes{.field_mask = ucx::WorkerAttributes::has_address,
                                     .thread_mode = 0,
                                     .address_flags = 0,
                                     .address = nullptr,
                                     .address_length = 0};
    check(api_, api_.ucp_worker_query(worker_, &attributes), "ucp_worker_query");
    const auto* const first = static_cast<const std::byte*>(attributes.address);
    std::vector<std::byte> copy(first, first + attributes.address_length);
    api_.ucp_worker_release_address(worker_, attributes.address);
    return copy;
  }

 private:
  const UcxApi& api_;
  ucx::Context context_ = nullptr;
  ucx::Worker worker_ = nullptr;
};

using Address = std::vector<std::byte>;

class UcxLink final : public GpuChannel, private Transfers {
 public:
  UcxLink(const UcxApi& api, std::unique_ptr<UcxWorker> worker, std::vector<Address> peers, int rank)
      : api_(api),
        worker_(std::move(worker)),
        peers_(std::move(peers)),
        endpoints_(peers_.size(), nullptr),
        rank_(rank) {}

  Protocol protocol() const noexcept override { return Protocol::ucx; }

  Transfer start_send(const std::byte* data, std::int64_t bytes, int rank, int tag) override {
    const std::lock_guard lock(mutex_);
    const ucx::RequestParams params{};
    return started(api_.ucp_tag_send_nbx(endpoint(rank), data, static_cast<std::size_t>(bytes),
                                         wire_tag(rank_, tag), &params),
                   "ucp_tag_send_nbx");
  }

  Transfer start_receive(std::byte* data, std::int64_t bytes, int rank, int tag) override {
    const std::lock_guard lock(mutex_);
    ucx::RequestParams params{};
    params.op_attr_mask = ucx::RequestParams::never_at_once;  // a request tells of the length
    return started(api_.ucp_tag_recv_nbx(worker_->get(), data, static_cast<std::size_t>(bytes),
                                         wire_tag(rank, tag), whole_tag, &params),
                   "ucp_tag_recv_nbx");
  }

  // If another thread has the lock, it makes progress anyway.
  void progress() noexcept override {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock) api_.ucp_worker_progress(worker_->get());
  }

  bool leave() noexcept override {
    const std::lock_guard lock(mutex_);
    for (ucx::Endpoint& endpoint : endpoints_) {
      if (endpoint == nullptr) continue;
      const ucx::RequestParams params{};
      void* const closing = api_.ucp_ep_close_nbx(std::exchange(endpoint, nullptr), &params);
      if (ucx::status_of(closing) == UcsStatus::in_progress) closing_.push_back(closing);
    }
    std::erase_if(closing_, [&](void* one) {
      if (api_.ucp_request_check_status(one) == UcsStatus::in_progress) return false;
      api_.ucp_request_free(one);
      return true;
    });
    return closing_.empty();
  }

 private:
  // Only the tag says which process sends.
  static std::uint64_t wire_tag(int sender, int tag) noexcept {
    constexpr int tag_bits = 32;
    return (static_cast<std::uint64_t>(sender) << tag_bits) | static_cast<std::uint32_t>(tag);
  }
  static constexpr std::uint64_t whole_tag = ~std::uint64_t{0};

  // Connects at the first use, as most ranks talk to few others.
  ucx::Endpoint endpoint(int rank) {
    ucx::Endpoint& place = endpoints_[static_cast<std::size_t>(rank)];
    if (place != nullptr) return place;
    const ucx::EndpointParams params{ucx::EndpointParams::has_address,
                                     peers_[static_cast<std::size_t>(rank)].data()};
    check(api_, api_.ucp_ep_create(worker_->get(), &params, &place), "ucp_ep_create");
    return place;
  }

  Transfer started(void* request, const char* call) {
    const UcsStatus status = ucx::status_of(request);
    check(api_, status, call);
    return {*this, request};
  }

  bool test(void* handle, std::int64_t* bytes) override {
    const std::lock_guard lock(mutex_);
    ucx::ReceiveInfo info{};
    const UcsStatus status = bytes == nullptr ? api_.ucp_request_check_status(handle)
                                              : api_.ucp_tag_recv_request_test(handle, &info);
    if (status == UcsStatus::in_progress) return false;
    api_.ucp_request_free(handle);
    if (bytes != nullptr) *bytes = status == UcsStatus::ok ? static_cast<std::int64_t>(info.length) : 0;
    if (status != UcsStatus::cancelled) check(api_, status, "a message");
    return true;
  }

  void cancel(void* handle) override {
    const std::lock_guard lock(mutex_);
    api_.ucp_request_cancel(worker_->get(), handle);
  }

  void drop(void* handle) noexcept override {
    const std::lock_guard lock(mutex_);
    api_.ucp_request_free(handle);
  }

  const UcxApi& api_;
  std::mutex mutex_;
  std::unique_ptr<UcxWorker> worker_;
  std::vector<Address> peers_;
  std::vector<ucx::Endpoint> endpoints_;
  std::vector<void*> closing_;
  int rank_;
};

std::unique_ptr<UcxWorker> make_worker(const UcxApi& api, UcxMemory memory, int peers) {
  try {
    // Some versions of UCX find a device only if a context is current: an event creates one.
    std::optional<gpu::Event> in_context;
    if (memory == UcxMemory::device) in_context.emplace(gpu::current_device());
    auto made = std::make_unique<UcxWorker>(api, static_cast<std::size_t>(peers));
    return memory == UcxMemory::host || made->takes_device_memory() ? std::move(made) : nullptr;
  } catch (const std::exception&) {
    return nullptr;
  }
}

Address address_of(const UcxWorker* worker) {
  try {
    return worker != nullptr ? worker->address() : Address();
  } catch (const std::exception&) {
    return {};
  }
}

/// The addresses of all ranks, each in room for the longest.
struct Addresses {
  std::vector<int> lengths;
  Address all;

  std::vector<Address> apart() const {
    const std::size_t room = all.size() / lengths.size();
    std::vector<Address> apart;
    for (std::size_t rank = 0; rank < lengths.size(); ++rank) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(rank * room);
      apart.emplace_back(begin, begin + lengths[rank]);
    }
    return apart;
  }
};

// Nothing if some rank has no address or no memory, or reports a length that cannot be.
std::optional<Addresses> exchanged(Address own, int ranks, MPI_Comm comm) {
  const auto length = static_cast<int>(own.size());
  int longest = length;
  mpi::check(MPI_Allreduce(MPI_IN_PLACE, &longest, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
  Addresses told;
  bool has_room = length != 0;
  try {
    own.resize(static_cast<std::size_t>(longest));
    told.lengths.resize(static_cast<std::size_t>(ranks));
    told.all.resize(told.lengths.size() * own.size());
  } catch (const std::exception&) {
    has_room = false;
  }
  if (!mpi::in_all(comm, has_room)) return std::nullopt;
  mpi::check(MPI_Allgather(&length, 1, MPI_INT, told.lengths.data(), 1, MPI_INT, comm), "MPI_Allgather");
  mpi::check(MPI_Allgather(own.data(), longest, MPI_BYTE, told.all.data(), longest, MPI_BYTE, comm),
             "MPI_Allgather");
  const bool fit = std::ranges::all_of(told.lengths, [&](int one) { return one > 0 && one <= longest; });
  return fit ? std::optional(std::move(told)) : std::nullopt;
}

}  // namespace

bool ucx_takes_device_memory(const UcxApi& api) { return make_worker(api, UcxMemory::device, 1) != nullptr; }

std::unique_ptr<GpuChannel> make_ucx_link(const UcxApi& api, UcxMemory memory, MPI_Comm comm) {
  int rank = 0;
  int ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  std::unique_ptr<UcxWorker> worker = make_worker(api, memory, ranks);
  const std::optional<Addresses> addresses = exchanged(address_of(worker.get()), ranks, comm);
  if (!addresses) return nullptr;
  try {
    return std::make_unique<UcxLink>(api, std::move(worker), addresses->apart(), rank);
  } catch (const std::exception&) {
    return nullptr;
  }
}

}  // namespace typewarp::transport
