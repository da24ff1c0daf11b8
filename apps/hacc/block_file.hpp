// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "hacc/block.hpp"
#include "hacc/carrier/carrier.hpp"

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hacc {

/// A file of the packed blocks of all ranks. It begins with their number, and the places where they begin and
/// where the last one ends, all as 64-bit integers.
class BlockFile {
 public:
  /// Collective: a new file, into which each rank writes one block of `bytes`, in place of one that may be
  /// there. Throws apps::Refusal, which names the option --file, if it cannot be opened.
  BlockFile(const std::string& path, std::int64_t bytes, MPI_Comm comm);
  /// Collective: an existing file.
  BlockFile(const std::string& path, MPI_Comm comm);
  ~BlockFile();
  BlockFile(const BlockFile&) = delete;
  BlockFile& operator=(const BlockFile&) = delete;

  std::int64_t blocks() const noexcept { return std::ssize(places_) - 1; }
  /// Collective: the counts of a block, which say how much memory it needs.
  Header read_header(std::int64_t index) const;
  /// Collective; each rank its own block.
  void write(std::int64_t index, Carrier& carrier) const { carrier.write(file_, place(index)); }
  void read(std::int64_t index, Carrier& carrier) const { carrier.read(file_, place(index)); }

 private:
  MPI_Offset place(std::int64_t index) const { return places_[static_cast<std::size_t>(index)]; }

  MPI_File file_;
  std::vector<std::int64_t> places_;
};

}  // namespace hacc
