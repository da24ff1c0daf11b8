// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "ddtbench.hpp"

/// The codes on regular grids whose messages are vectors: MILC, NAS LU, NAS MG, FFT2.
namespace typewarp::bench {
namespace {

Workload at(const Allocate& allocate, std::int64_t bytes, const Datatype& send, std::int64_t send_offset,
            const Datatype& receive, std::int64_t receive_offset, std::int64_t count = 1) {
  Workload workload;
  workload.memory.emplace_back(bytes, allocate);
  std::byte* const data = workload.memory[0].data();
  workload.send = {send, count, data + send_offset};
  workload.receive = {receive, count, data + receive_offset};
  return workload;
}

/// Even and odd sites lie in two halves; a site holds three complex floats.
Workload milc(const Allocate& allocate, std::int64_t x, std::int64_t y, std::int64_t z, std::int64_t t) {
  const Datatype su3 = contiguous(6, Named::float_);
  const std::int64_t half = 24 * x * y * z * t / 2;
  const Datatype type = hvector(2, 1, half, vector(t, x * y / 2, x * y * z / 2, su3));
  return at(allocate, 2 * half, type, 0, type, 0);
}

constexpr std::int64_t components = 5;

/// Bytes of element (0, y, z) of an array of 5 doubles a point, y before z, n + 2 points an axis.
std::int64_t lu_offset(std::int64_t n, std::int64_t y, std::int64_t z) {
  return 8 * components * (y + (n + 2) * z);
}

Workload lu_x(const Allocate& allocate, std::int64_t n) {
  const Datatype row = contiguous(components * n, Named::double_);
  return at(allocate, lu_offset(n, 0, n + 2), row, lu_offset(n, 1, n), row, lu_offset(n, 1, 0));
}

Workload lu_y(const Allocate& allocate, std::int64_t n) {
  const Datatype column = vector(n, 1, n + 2, contiguous(components, Named::double_));
  return at(allocate, lu_offset(n, 0, n + 2), column, lu_offset(n, n, 1), column, lu_offset(n, 0, 1));
}

/// The face of the interior of an n1 x n2 x n3 array of doubles, n1 fastest, normal to `axis`.
Workload mg(const Allocate& allocate, char axis, std::int64_t n1, std::int64_t n2, std::int64_t n3) {
  const auto offset = [=](std::int64_t x, std::int64_t y, std::int64_t z) {
    return 8 * (x + n1 * (y + n2 * z));
  };
  const std::int64_t bytes = offset(0, 0, n3);
  if (axis == 'x') {
    const Datatype face = hvector(n3 - 2, 1, 8 * n1 * n2, vector(n2 - 2, 1, n1, Named::double_));
    return at(allocate, bytes, face, offset(n1 - 2, 1, 1), face, offset(n1 - 1, 1, 1));
  }
  if (axis == 'y') {
    const Datatype face = vector(n3 - 2, n1 - 2, n1 * n2, Named::double_);
    return at(allocate, bytes, face, offset(1, n2 - 2, 1), face, offset(1, n2 - 1, 1));
  }
  const Datatype face = vector(n2 - 2, n1 - 2, n1, Named::double_);
  return at(allocate, bytes, face, offset(1, 1, 1), face, offset(1, 1, 0));
}

/// A rank's rows of an N x N matrix of complex doubles on two ranks: sent by blocks of columns, received
/// transposed.
Workload fft(const Allocate& allocate, std::int64_t n) {
  constexpr std::int64_t ranks = 2;
  const std::int64_t rows = n / ranks;
  const Datatype send = resized(vector(rows, rows, n, Named::complex_double), 0, 16 * rows);
  const Datatype receive = contiguous(rows, resized(vector(rows, 1, n, Named::complex_double), 0, 16));
  return at(allocate, 16 * n * rows, send, 0, receive, 0, ranks);
}

}  // namespace

void append_milc(std::vector<NamedWorkload>& cases) {
  cases.push_back({"MILC_su3_zd/16x16x16x16", [](const Allocate& a) { return milc(a, 16, 16, 16, 16); }});
  cases.push_back({"MILC_su3_zd/8x16x16x16", [](const Allocate& a) { return milc(a, 8, 16, 16, 16); }});
  cases.push_back({"MILC_su3_zd/8x8x8x16", [](const Allocate& a) { return milc(a, 8, 8, 8, 16); }});
  cases.push_back({"MILC_su3_zd/8x8x8x8", [](const Allocate& a) { return milc(a, 8, 8, 8, 8); }});
}

void append_nas(std::vector<NamedWorkload>& cases) {
  for (const std::int64_t n : {12, 33, 64, 102, 162, 408, 1020}) {
    cases.push_back({"NAS_LU_x/" + std::to_string(n), [=](const Allocate& a) { return lu_x(a, n); }});
    cases.push_back({"NAS_LU_y/" + std::to_string(n), [=](const Allocate& a) { return lu_y(a, n); }});
  }
  struct Grid {
    std::int64_t n1, n2, n3;
  };
  for (const Grid& g : {Grid{34, 18, 18}, Grid{130, 66, 66}, Grid{258, 130, 130}, Grid{514, 258, 258}}) {
    for (const char axis : {'x', 'y', 'z'}) {
      cases.push_back({std::string("NAS_MG_") + axis + "/" + std::to_string(g.n1),
                       [=](const Allocate& a) { return mg(a, axis, g.n1, g.n2, g.n3); }});
    }
  }
}

void append_fft(std::vector<NamedWorkload>& cases) {
  for (const std::int64_t n : {256, 512, 768, 1024, 1536}) {
    cases.push_back({"FFT2/" + std::to_string(n), [=](const Allocate& a) { return fft(a, n); }});
  }
}

}  // namespace typewarp::bench
