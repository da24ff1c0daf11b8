// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/accumulate_lock.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace typewarp::interpose {
namespace {

/// One byte for each rank.
struct flock place_of(int rank, short type) {
  struct flock place{};
  place.l_type = type;
  place.l_whence = SEEK_SET;
  place.l_start = rank;
  place.l_len = 1;
  return place;
}

}  // namespace

AccumulateLock::Held::Held(int file, int rank) : file_(file), rank_(rank) {
  struct flock place = place_of(rank, F_WRLCK);
  while (fcntl(file, F_OFD_SETLKW, &place) != 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "the lock of a window");
  }
}

AccumulateLock::Held::~Held() {
  struct flock place = place_of(rank_, F_UNLCK);
  fcntl(file_, F_OFD_SETLK, &place);
}

}  // namespace typewarp::interpose
