// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "halo/patch.hpp"

namespace typewarp::test {

enum class Place { patch, pinned, pageable };

/// Fields like those of patches, of which some lie elsewhere.
class MovedFields {
 public:
  /// A place for each.
  MovedFields(std::vector<Patch>& patches, const std::vector<Place>& places);

  const std::vector<halo::Field>& fields() const { return fields_; }
  /// Writes them: page-locked ones behind what the stream holds, zeros until then.
  void fill();
  /// Copies them to the patches, when the stream is done.
  void give();

 private:
  struct Moved {
    Place place;
    std::unique_ptr<Memory> memory, source;  ///< where it lies, and what fills it late
  };

  std::vector<Patch>& patches_;
  std::vector<Moved> moved_;
  std::vector<halo::Field> fields_;
};

}  // namespace typewarp::test
