// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

namespace typewarp::interpose {

/// A file in memory that the ranks of one host have open. It has no name any more when it is made, so it ends
/// with the last process that has it, however that ends.
class SharedFile {
 public:
  /// Collective over `comm`. Throws MpiError, and Error in all ranks where one of them cannot open the file.
  explicit SharedFile(MPI_Comm comm);
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  ~SharedFile();

  int get() const noexcept { return file_; }

 private:
  int file_ = -1;
};

}  // namespace typewarp::interpose
