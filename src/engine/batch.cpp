// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/batch.hpp>

#include "engine/arguments.hpp"
#include "engine/device/gpu.hpp"
#include "engine/dispatch.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace typewarp {
namespace {

/// A piece that holds bytes.
struct FilledPiece {
  const Piece* piece;
  std::int64_t bytes;

  gpu::Side user() const { return {&piece->plan, piece->count, piece->buffer}; }
  gpu::Side packed(std::byte* base) const { return {nullptr, bytes, base + piece->place}; }
};

[[noreturn]] void refuse(std::string_view call, std::size_t index, std::string_view member,
                         std::int64_t value, std::string_view rule) {
  throw InvalidArgument(call, "pieces[" + std::to_string(index) + "]." + std::string(member), value, rule);
}

std::vector<FilledPiece> parts_of(std::string_view call, std::span<const Piece> pieces) {
  std::vector<FilledPiece> parts;
  parts.reserve(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    std::int64_t bytes = 0;
    std::int64_t end = 0;
    if (piece.count < 0) refuse(call, i, "count", piece.count, "must not be negative");
    if (piece.place < 0) refuse(call, i, "place", piece.place, "must not be negative");
    if (__builtin_mul_overflow(piece.count, piece.plan.size(), &bytes) ||
        __builtin_add_overflow(piece.place, bytes, &end)) {
      refuse(call, i, "count", piece.count,
             "times the size of the plan's datatype, after place, must fit 64 bits");
    }
    if (bytes > 0) parts.push_back({&piece, bytes});
  }
  return parts;
}

/// Between each part and the packed bytes.
std::vector<engine::Route> routes_of(const std::vector<FilledPiece>& parts, std::byte* packed) {
  const engine::SideLocation bytes = engine::place_of(parts.front().packed(packed));
  std::vector<engine::Route> routes;
  routes.reserve(parts.size());
  for (const FilledPiece& part : parts) routes.emplace_back(bytes, engine::place_of(part.user()));
  return routes;
}

/// The device that reaches all; -1 if there is none.
int common_device(const std::vector<engine::Route>& routes) {
  int device = -1;
  for (const engine::Route& route : routes) {
    if (route.on_host()) return -1;
    if (device < 0) device = route.device(-1);
    if (!route.direct(device)) return -1;
  }
  return device;
}

}  // namespace

struct Batch::State {
  std::vector<Piece> kept;  ///< for calls to come
  std::vector<FilledPiece> parts;
  std::byte* packed;
  bool on_host = true;                        ///< whether no device is involved: none need be asked each time
  std::optional<gpu::BatchKernels> together;  ///< if one device reaches everything
  int device = -1;
  Priority priority = Priority::automatic;  ///< the highest of all pieces
  std::unique_ptr<gpu::Replay> packing, unpacking;

  State(std::string_view call, std::span<const Piece> pieces, void* to, gpu::BatchKernels::Use use)
      : kept(use == gpu::BatchKernels::Use::often ? std::vector(pieces.begin(), pieces.end())
                                                  : std::vector<Piece>()),
        parts(parts_of(call, use == gpu::BatchKernels::Use::often ? kept : pieces)),
        packed(static_cast<std::byte*>(to)) {
    if (parts.empty()) return;
    engine::check_packed(call, packed);
    if (!gpu::present()) return;
    const std::vector<engine::Route> routes = routes_of(parts, packed);
    on_host = std::ranges::all_of(routes, &engine::Route::on_host);
    device = common_device(routes);
    if (device < 0) return;
    std::vector<gpu::BatchMember> members;
    members.reserve(parts.size());
    for (const FilledPiece& part : parts) {
      members.push_back({part.user(), packed + part.piece->place, part.bytes});
      priority = std::max(priority, gpu::hints_of(&part.piece->plan, nullptr).priority);
    }
    together.emplace(members, device, use);
  }

  /// Enqueues on the caller's stream as it is.
  void move(std::string_view call, bool packs, Stream stream) const {
    const int other = on_host ? -1 : gpu::stream_device(stream);
    if (together && (other < 0 || other == device)) {
      const gpu::LaunchContext context{device, stream};
      return packs ? together->pack(context) : together->unpack(context);
    }
    for (const FilledPiece& part : parts) {
      const gpu::Side user = part.user();
      const gpu::Side bytes = part.packed(packed);
      const gpu::Side& to = packs ? bytes : user;
      const gpu::Side& from = packs ? user : bytes;
      if (on_host) {
        engine::move_on_host(to, from, {0, part.bytes});
      } else {
        engine::move(call, to, from, {0, part.bytes}, {-1, stream});
      }
    }
  }

  void start(std::string_view call, bool packs, Stream stream) {
    const int other = together ? gpu::stream_device(stream) : -1;
    if (!together || (other >= 0 && other != device) || gpu::capturing(stream))
      return move(call, packs, stream);
    std::unique_ptr<gpu::Replay>& replay = packs ? packing : unpacking;
    if (!replay) {
      replay = std::make_unique<gpu::Replay>(
          device,
          [&](const gpu::LaunchContext& context) {
            packs ? together->pack(context) : together->unpack(context);
          },
          gpu::Replay::Follow::nobody);
    }
    replay->launch(stream, priority);
  }
};

Batch::Batch(std::span<const Piece> pieces, void* packed)
    : state_(std::make_unique<State>("typewarp::Batch", pieces, packed, gpu::BatchKernels::Use::often)) {}
Batch::Batch(Batch&&) noexcept = default;
Batch& Batch::operator=(Batch&&) noexcept = default;
Batch::~Batch() = default;

void Batch::pack(Stream stream) { state_->start("typewarp::Batch::pack", true, stream); }

void Batch::unpack(Stream stream) { state_->start("typewarp::Batch::unpack", false, stream); }

void pack(std::span<const Piece> pieces, void* packed, Stream stream) {
  constexpr std::string_view call = "typewarp::pack";
  Batch::State(call, pieces, packed, gpu::BatchKernels::Use::once).move(call, true, stream);
}

void unpack(const void* packed, std::span<const Piece> pieces, Stream stream) {
  constexpr std::string_view call = "typewarp::unpack";
  Batch::State(call, pieces, const_cast<void*>(packed), gpu::BatchKernels::Use::once)
      .move(call, false, stream);
}

}  // namespace typewarp
