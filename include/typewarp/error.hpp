// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace typewarp {

/// Base of everything that Typewarp throws.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A caller passed a value that breaks a rule. The text reads
/// "<call>: <argument> = <value>: <rule>", for instance
/// "typewarp::vector: count = -3: must not be negative".
class InvalidArgument : public Error {
 public:
  InvalidArgument(std::string_view call, std::string_view argument, std::string_view value,
                  std::string_view rule);
  InvalidArgument(std::string_view call, std::string_view argument, long long value, std::string_view rule);

  /// The name of the offending argument, as the header spells it; of one entry of an array: "name[i]".
  const std::string& argument() const noexcept { return argument_; }

 private:
  std::string argument_;
};

/// A call of a GPU's runtime failed. The text holds the call and the runtime's own description.
class GpuError : public Error {
 public:
  GpuError(std::string_view call, int code, std::string_view description);

  /// The runtime's, such as a cudaError_t.
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// An MPI call returned something other than MPI_SUCCESS (which is possible only if the communicator's error
/// handler returns). The text holds the call and MPI_Error_string's description.
class MpiError : public Error {
 public:
  MpiError(std::string_view call, int code, int error_class, std::string_view description,
           bool raised = true);

  int code() const noexcept { return code_; }
  /// MPI_Error_class of the code, for instance MPI_ERR_TRUNCATE.
  int error_class() const noexcept { return error_class_; }
  /// Whether the MPI has called an error handler. Not for errors found without its help, such as the
  /// truncation of a message that was announced.
  bool raised() const noexcept { return raised_; }

 private:
  int code_;
  int error_class_;
  bool raised_;
};

/// A wait gave up. The memory of its message must not be freed unless the peer is known to be gone: the MPI
/// may still use it if it is contiguous host memory, and a receiver on this host may still read contiguous
/// host memory and device memory.
class TimeLimitExceeded : public Error {
 public:
  TimeLimitExceeded(const std::string& text, int peer) : Error(text), peer_(peer) {}
  /// The awaited rank, in the message's communicator. It may be MPI_ANY_SOURCE, and is negative if an
  /// Exchange does not know it.
  int peer() const noexcept { return peer_; }

 private:
  int peer_;
};

}  // namespace typewarp
