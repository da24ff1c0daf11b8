// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

#include <mpi.h>

#include <exception>

// An MPI may be built without files.
#pragma weak PMPI_File_call_errhandler
#pragma weak PMPI_File_get_view
#pragma weak PMPI_File_get_atomicity

/// What our exceptions are to a program: error codes, told by the error handler of a communicator.
namespace typewarp::interpose {

/// A call of NCCL failed. The text holds the call and NCCL's own description.
class NcclError : public Error {
 public:
  using Error::Error;
};

/// The codes of errors that MPI has none for. A member of the job, which adds them.
struct ErrorCodes {
  ErrorCodes() = default;
  /// `self` tells errors of calls without a communicator.
  explicit ErrorCodes(MPI_Comm self) noexcept;

  int gpu_failed = MPI_ERR_OTHER;
  int limit_exceeded = MPI_ERR_OTHER;
  int nccl_failed = MPI_ERR_OTHER;
  int bad_info_value = MPI_ERR_INFO_VALUE;
  int bad_info_key = MPI_ERR_INFO_KEY;
  int bad_datatype = MPI_ERR_TYPE;
  MPI_Comm fallback = MPI_COMM_SELF;
};
/// That of the job, as a program that opens sessions only has no MPI_COMM_SELF; else MPI_COMM_SELF.
MPI_Comm fallback_comm() noexcept;

/// The code of an error, whose text goes to stderr if TYPEWARP_VERBOSE=1.
int code_of(const std::exception_ptr& error) noexcept;
/// Has the error handler of `comm` called with a code. Returns the code, if the handler returns.
int raise(MPI_Comm comm, int code) noexcept;
/// The same for an error, unless the MPI has done so.
int raise(MPI_Comm comm, const std::exception_ptr& error) noexcept;

/// The same with the error handler of a file. Where there is none yet the code is returned: Open MPI has no
/// MPI_FILE_NULL in this call.
int raise(MPI_File file, const std::exception_ptr& error) noexcept;

/// The same with the error handler of a window, whose handle may be of the same type as a communicator's.
int raise_in_window(MPI_Win window, const std::exception_ptr& error) noexcept;

/// Whether a failed call may return MPI_SUCCESS: where an error handler of the program has returned, MPICH
/// and its kin say no more of it, and others return what it made of the code.
bool may_hide_errors(MPI_Comm comm) noexcept;
bool window_may_hide_errors(MPI_Win window) noexcept;

/// MPI_SUCCESS, or what `told(error)` makes of what `act` throws.
template <class Act, class Told>
int guarded_by(Act act, Told told) noexcept {
  try {
    act();
    return MPI_SUCCESS;
  } catch (...) {
    return told(std::current_exception());
  }
}
/// The same, raised in a communicator or file.
template <class Object, class Act>
int guarded(Object object, Act act) noexcept {
  return guarded_by(act, [&](const std::exception_ptr& error) { return raise(object, error); });
}

/// `act(found)` with what `find()` finds, both guarded; `otherwise()` if that is nothing.
template <class Object, class Find, class Act, class Otherwise>
int guarded_if(Object object, Find find, Act act, Otherwise otherwise) noexcept {
  bool is_found = true;
  const int code = guarded(object, [&] {
    const auto found = find();
    is_found = found.has_value();
    if (is_found) act(*found);
  });
  return is_found ? code : otherwise();
}

/// The same as guarded(), raised in a window.
template <class Act>
int guarded_in_window(MPI_Win window, Act act) noexcept {
  return guarded_by(act, [&](const std::exception_ptr& error) { return raise_in_window(window, error); });
}

}  // namespace typewarp::interpose
