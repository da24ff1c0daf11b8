// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "agenda.hpp"

#include <map>
#include <optional>

/// What fragments take in each stage, each stage by itself.
namespace typewarp::fragments {

class Stages {
 public:
  /// For fragments of up to `longest` bytes, of data at `place`, whose buffers hold them.
  Stages(const harness::Peers& peers, Place place, std::int64_t longest);

  /// Collective. Packing and unpacking is rank 0's, whose buffer is `data`; until it is done on `stream`.
  harness::Sample measure(const Item& item, std::byte* data, Stream stream, double seconds);
  /// Microseconds that the model (pipeline_model.hpp) says of a message that is staged: with
  /// the stages as they were measured, and, as 001 has it, each as slow as the slowest. None where a stage
  /// was not measured.
  struct Prediction {
    double us, paper_us;
  };
  std::optional<Prediction> predict(const Item& message) const;

 private:
  harness::Peers peers_;
  std::shared_ptr<std::byte> packed_;  ///< pinned where there is a GPU
  std::map<std::pair<Method, std::int64_t>, double> us_;
};

/// Of a message in device fragments: two stages that take what the built-in numbers say.
Stages::Prediction predict_direct(const Item& message);

}  // namespace typewarp::fragments
