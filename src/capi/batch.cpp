// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/batch.h>

#include "capi/arguments.hpp"

#include <typewarp/batch.hpp>

using namespace typewarp;
using namespace typewarp::capi;

struct tw_batch {
  static constexpr const char* name = "batch";
  Batch value;
};

namespace {

std::vector<Piece> pieces_of(const char* call, int64_t count, const tw_piece* pieces) {
  return each_of(call, "count", count, pieces, "pieces", [&](const tw_piece& piece, std::size_t i) {
    return Piece{piece.buffer, piece.count, plan_of(call, "pieces", i, piece.plan), piece.place};
  });
}

}  // namespace

tw_result tw_batch_create(int64_t count, const tw_piece* pieces, void* packed, tw_batch** batch) {
  return create(__func__, batch,
                [&](const char* call) { return Batch(pieces_of(call, count, pieces), packed); });
}

tw_result tw_batch_pack(tw_batch* batch, tw_stream stream) {
  return on(__func__, batch, &Batch::pack, Stream(stream));
}

tw_result tw_batch_unpack(tw_batch* batch, tw_stream stream) {
  return on(__func__, batch, &Batch::unpack, Stream(stream));
}

void tw_batch_free(tw_batch* batch) { delete batch; }

tw_result tw_pack_pieces(int64_t count, const tw_piece* pieces, void* packed, tw_stream stream) {
  return guarded(__func__,
                 [&](const char* call) { pack(pieces_of(call, count, pieces), packed, Stream(stream)); });
}

tw_result tw_unpack_pieces(const void* packed, int64_t count, const tw_piece* pieces, tw_stream stream) {
  return guarded(__func__,
                 [&](const char* call) { unpack(packed, pieces_of(call, count, pieces), Stream(stream)); });
}
