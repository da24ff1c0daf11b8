// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/gpu.hpp"
#include "engine/device/indexed_copies.hpp"
#include "engine/device/peer_reduction.hpp"
#include "engine/device/signalled_copies.hpp"
#include "engine/runtime/refuse.hpp"

namespace typewarp::gpu {

void copy(const Side&, const Side&, ByteRange, const LaunchContext&) { refuse("typewarp::gpu::copy"); }

void reduce(const std::byte*, std::byte*, std::int64_t, Named, Operation, const LaunchContext&) {
  refuse("typewarp::gpu::reduce");
}

bool suits_copy_engines(const Side&, std::int64_t, int) { refuse("typewarp::gpu::suits_copy_engines"); }

bool copy_by_engines(const Side&, const Side&, ByteRange, const LaunchContext&) {
  refuse("typewarp::gpu::copy_by_engines");
}

void prepare(const Side&, int) { refuse("typewarp::gpu::prepare"); }

struct BatchKernels::State {};

BatchKernels::BatchKernels(const std::vector<BatchMember>&, int, Use) {
  refuse("typewarp::gpu::BatchKernels");
}

BatchKernels::~BatchKernels() = default;

void BatchKernels::pack(const LaunchContext&) const { refuse("typewarp::gpu::BatchKernels::pack"); }

void BatchKernels::unpack(const LaunchContext&) const { refuse("typewarp::gpu::BatchKernels::unpack"); }

struct CopyBatch::State {};

CopyBatch::CopyBatch(int) { refuse("typewarp::gpu::CopyBatch"); }

CopyBatch::~CopyBatch() = default;

bool CopyBatch::add(const Side&, const Side&, std::int64_t) { refuse("typewarp::gpu::CopyBatch::add"); }

void CopyBatch::remove(int) noexcept {}

int CopyBatch::size() const noexcept { return 0; }

void CopyBatch::clear() noexcept {}

void CopyBatch::launch(const LaunchContext&) const { refuse("typewarp::gpu::CopyBatch::launch"); }

struct IndexedCopies::State {};

struct ResidentLists::State {};

ResidentLists::ResidentLists(int, std::int64_t, Stream, const std::function<void(std::byte*)>&) {
  refuse("typewarp::gpu::ResidentLists");
}

ResidentLists::~ResidentLists() = default;

const std::byte* ResidentLists::data() const noexcept { return nullptr; }

IndexedCopies::IndexedCopies(const std::vector<PairOfItems>&, int) { refuse("typewarp::gpu::IndexedCopies"); }

IndexedCopies::~IndexedCopies() = default;

void IndexedCopies::launch(const Indices&, const Indices&, std::int64_t, Stream) {
  refuse("typewarp::gpu::IndexedCopies::launch");
}

std::optional<WrongIndex> IndexedCopies::take_wrong_index() noexcept { return std::nullopt; }

struct SignalledCopies::State {};

SignalledCopies::SignalledCopies(int, const SignalledSteps&, FlagWait) {
  refuse("typewarp::gpu::SignalledCopies");
}

SignalledCopies::~SignalledCopies() = default;

void SignalledCopies::enqueue(Stream, std::uint64_t, const AddressOffsets&) const {
  refuse("typewarp::gpu::SignalledCopies::enqueue");
}

PeerReduction::PeerReduction(int device, int rank, std::span<std::byte* const>, bool in_a_row)
    : device_(device),
      rank_(rank),
      ranks_(0),
      in_a_row_(in_a_row),
      gate_(device, 1),
      counts_(device, 0),
      news_(0) {
  refuse("typewarp::gpu::PeerReduction");
}

bool PeerReduction::leaves_room(int) { return false; }

void PeerReduction::load(const NumbersOfRanks&) const { refuse("typewarp::gpu::PeerReduction::load"); }

void PeerReduction::enqueue(const NumbersOfRanks&, Stream) {
  refuse("typewarp::gpu::PeerReduction::enqueue");
}

std::uint64_t PeerReduction::ended() const noexcept { return 0; }

bool PeerReduction::waits() const noexcept { return false; }

bool PeerReduction::waits_anew() noexcept { return false; }

void PeerReduction::check_device() const {}

}  // namespace typewarp::gpu
