// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "strided.hpp"

namespace typewarp::collectives_bench {
namespace {

constexpr int block = 32;  // floats
constexpr int stride = 2 * block;

MPI_Win window_over(const Buffer& buffer, std::size_t count) {
  MPI_Win made = MPI_WIN_NULL;
  MPI_Win_create(buffer.data(), static_cast<MPI_Aint>(count * sizeof(float)), sizeof(float), MPI_INFO_NULL,
                 MPI_COMM_WORLD, &made);
  MPI_Win_lock_all(0, made);
  return made;
}

}  // namespace

constexpr std::array<Strided::Case, 4> Strided::cases{
    Case{"strided put", &Strided::put, 1}, Case{"strided get", &Strided::get, 0},
    Case{"strided message", &Strided::message, 0}, Case{"accumulate", &Strided::accumulate, 1}};

Strided::Strided(int rank, std::int64_t bytes)
    : rank_(rank), count_(2 * static_cast<std::size_t>(bytes) / sizeof(float)), from_(count_), to_(count_) {
  const auto blocks = static_cast<int>(count_ / stride);
  MPI_Type_vector(blocks, block, stride, MPI_FLOAT, &type_);
  MPI_Type_commit(&type_);
  puts_ = window_over(to_, count_);
  gets_ = window_over(from_, count_);
}

Strided::~Strided() {
  for (MPI_Win* window : {&puts_, &gets_}) {
    MPI_Win_unlock_all(*window);
    MPI_Win_free(window);
  }
  MPI_Type_free(&type_);
}

void Strided::put() const {
  if (rank_ != 0) return;
  MPI_Put(from_.data(), 1, type_, 1, 0, 1, type_, puts_);
  MPI_Win_flush(1, puts_);
}

void Strided::get() const {
  if (rank_ != 0) return;
  MPI_Get(to_.data(), 1, type_, 1, 0, 1, type_, gets_);
  MPI_Win_flush(1, gets_);
}

void Strided::message() const {
  if (rank_ == 0) MPI_Recv(to_.data(), 1, type_, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank_ == 1) MPI_Send(from_.data(), 1, type_, 0, 0, MPI_COMM_WORLD);
}

void Strided::accumulate() const {
  if (rank_ != 0) return;
  const auto count = static_cast<int>(count_ / 2);
  MPI_Accumulate(from_.data(), count, MPI_FLOAT, 1, 0, count, MPI_FLOAT, MPI_SUM, puts_);
  MPI_Win_flush(1, puts_);
}

bool Strided::is_right(const Case& of) const {
  from_.fill(static_cast<float>(rank_ + 1));
  to_.fill(0);
  MPI_Barrier(MPI_COMM_WORLD);
  (this->*of.call)();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ != of.arrives_at) return true;
  if (of.call == &Strided::accumulate) return to_.holds(1, 0, count_ / 2);
  // Of the last block and its gap.
  return to_.holds(static_cast<float>(2 - rank_), count_ - stride, block) &&
         to_.holds(0, count_ - block, block);
}

}  // namespace typewarp::collectives_bench
