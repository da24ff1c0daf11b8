// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/memory/memory_file.hpp"

#include <mpi.h>

namespace typewarp::interpose {

/// A file of memory that the ranks of one host have open. It has no name, so it ends with the last process
/// that has it, however that ends.
class SharedFile {
 public:
  /// Collective over `comm`. Throws MpiError, and Error in all ranks where one of them cannot open the file.
  explicit SharedFile(MPI_Comm comm);
  int get() const noexcept { return file_.get(); }

 private:
  transport::Descriptor file_;
};

}  // namespace typewarp::interpose
