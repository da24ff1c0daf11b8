// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// A wave meets a wall with two slits; the picture shows four moments. Each rank computes a part of the pond,
// on a GPU if nvcc has compiled this and there is one:
//
//     mpiexec -n 4 wave wave.ppm
#include <typewarp/halo_domain.hpp>
#include <typewarp/session.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>

#ifndef __CUDACC__
#define __host__
#define __device__
#endif

using namespace typewarp;

constexpr std::int64_t side = 240, moments = 4, steps = 105;  // cells each way; steps to a moment

struct Wave {
  double *now, *other, at_edge;
  std::int64_t pitch, row, column;  // from row to row of the arrays; where they begin in the pond

  /// The wave equation: the height of a cell after `now` takes the place of that before.
  __host__ __device__ void operator()(std::int64_t i, std::int64_t j) const {
    const double* u = now + i * pitch + j;
    double& next = other[i * pitch + j];
    const std::int64_t x = column + j, y = row + i - 92;
    const bool wall = x >= 60 && x < 64 && (y < 0 || y >= 56 || y % 42 >= 14);
    next = wall ? 0 : 2 * u[0] - next + 0.3 * (u[-pitch] + u[pitch] + u[-1] + u[1] - 4 * u[0]);
    if (x == 0) next = at_edge;
  }
};

#ifdef __CUDACC__
__global__ void kernel(halo::Range rows, halo::Range columns, Wave wave) {
  const std::int64_t i = rows.begin + blockIdx.x, end = columns.end;
  for (std::int64_t j = columns.begin + threadIdx.x; j < end; j += blockDim.x) wave(i, j);
}
#endif

void compute(const halo::Box& box, const Wave& wave) {
#ifdef __CUDACC__
  if (gpu_present()) return kernel<<<static_cast<unsigned>(box[0].length()), 128>>>(box[0], box[1], wave);
#endif
  for (auto i = box[0].begin; i < box[0].end; ++i)
    for (auto j = box[1].begin; j < box[1].end; ++j) wave(i, j);
}

void simulate(const char* picture) {
  const std::vector<int> ranks = halo::ProcessGrid(MPI_COMM_WORLD, {0, 0}).sizes();  // each way
  if (side % ranks[0] + side % ranks[1] != 0) throw Error("wave: the ranks each way must divide 240 cells");
  const halo::Domain pond(MPI_COMM_WORLD, {side / ranks[0], side / ranks[1]}, {ranks, {true, false}});
  const auto cells = pond.cells(), origin = pond.origin(), shape = pond.shape();
  std::vector<double> zeros(static_cast<std::size_t>(2 * pond.elements())), strip(side * moments * side);
  double* memory = zeros.data();
#ifdef __CUDACC__
  if (int gpus = 0; cudaGetDeviceCount(&gpus) == cudaSuccess) {
    cudaSetDevice(pond.grid().rank() % gpus);
    cudaMalloc(&memory, zeros.size() * sizeof(double));  // until the process ends
    cudaMemset(memory, 0, zeros.size() * sizeof(double));
  }
#endif
  const Session session(MPI_COMM_WORLD);  // messages from GPU to GPU
  double* const u[] = {memory, memory + pond.elements()};
  halo::Exchange halos[] = {pond.exchange_init(u[0]), pond.exchange_init(u[1])};

  for (int t = 0; t < moments * steps; ++t) {
    const Wave wave{u[t % 2], u[1 - t % 2], std::sin(0.2 * t), shape[1], origin[0] - 1, origin[1] - 1};
    halos[t % 2].overlap([&] { compute(pond.interior(), wave); });
    for (const halo::Box& box : pond.boundary()) compute(box, wave);
    if (t % steps != steps - 1) continue;
    const Plan owned = commit(subarray(shape, cells, {1, 1}, Order::c, Named::double_));
    const Plan drawn = commit(subarray({side, moments, side}, {cells[0], 1, cells[1]},
                                       {origin[0], t / steps, origin[1]}, Order::c, Named::double_));
    copy(wave.other, 1, owned, strip.data(), 1, drawn, nullptr);  // also out of a GPU
  }
  MPI_Allreduce(MPI_IN_PLACE, strip.data(), int(strip.size()), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  std::ofstream file(pond.grid().rank() == 0 ? picture : "/dev/null");
  file << "P6\n" << moments * side << ' ' << side << "\n255\n";
  for (const double h : strip)  // from white to orange or blue
    for (const double faded : h > 0 ? std::array{0.0, 0.6, 1.0} : std::array{0.9, 0.6, 0.2})
      file.put(static_cast<char>(std::lround(255 * (1 - faded * std::min(std::abs(h), 1.0)))));
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  simulate(argc > 1 ? argv[1] : "wave.ppm");
  MPI_Finalize();
}
