// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/errors.hpp"

#include "interpose/core/settings.hpp"

#include <atomic>
#include <cstdio>
#include <new>
#include <string_view>

namespace typewarp::interpose {
namespace {

int gpu_failed = MPI_ERR_OTHER;
int limit_exceeded = MPI_ERR_OTHER;
int nccl_failed = MPI_ERR_OTHER;
std::atomic<MPI_Comm> fallback = MPI_COMM_SELF;

void add(int& code, const char* text) noexcept {
  int added = MPI_SUCCESS;
  if (PMPI_Add_error_code(MPI_ERR_OTHER, &added) != MPI_SUCCESS) return;
  if (PMPI_Add_error_string(added, text) == MPI_SUCCESS) code = added;
}

int class_for(const InvalidArgument& error) noexcept {
  const std::string_view argument = error.argument();
  if (argument.find("count") != std::string_view::npos) return MPI_ERR_COUNT;
  if (argument.find("buf") != std::string_view::npos) return MPI_ERR_BUFFER;
  if (argument.starts_with("typewarp_")) return MPI_ERR_INFO_VALUE;  // a key of ours
  if (argument == "datatype") return MPI_ERR_TYPE;
  return argument == "comm" ? MPI_ERR_COMM : MPI_ERR_ARG;
}

int tell(const std::exception& error, int code) noexcept {
  if (verbose()) std::fprintf(stderr, "typewarp: %s\n", error.what());
  return code;
}

bool was_raised(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const MpiError& failed) {
    return failed.raised();
  } catch (...) {
    return false;
  }
}

}  // namespace

void open_errors(MPI_Comm self) noexcept {
  fallback = self;
  add(gpu_failed, "Typewarp: the GPU failed in a call with GPU memory; TYPEWARP_VERBOSE=1 tells how");
  add(nccl_failed, "Typewarp: NCCL failed in a collective call; TYPEWARP_VERBOSE=1 tells how");
  add(limit_exceeded, "Typewarp: the message made no progress for as long as TYPEWARP_TIME_LIMIT_MS allows");
}

void close_errors() noexcept { fallback = MPI_COMM_SELF; }

MPI_Comm fallback_comm() noexcept { return fallback; }

int code_of(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const MpiError& failed) {
    return tell(failed, failed.code());
  } catch (const GpuError& failed) {
    return tell(failed, gpu_failed);
  } catch (const NcclError& failed) {
    return tell(failed, nccl_failed);
  } catch (const InvalidArgument& refused) {
    return tell(refused, class_for(refused));
  } catch (const TimeLimitExceeded& late) {
    return tell(late, limit_exceeded);
  } catch (const std::bad_alloc& failed) {
    return tell(failed, MPI_ERR_NO_MEM);
  } catch (const std::exception& failed) {
    return tell(failed, MPI_ERR_INTERN);
  } catch (...) {
    return MPI_ERR_UNKNOWN;
  }
}

int raise(MPI_Comm comm, int code) noexcept {
  PMPI_Comm_call_errhandler(comm, code);
  return code;
}

int raise(MPI_Comm comm, const std::exception_ptr& error) noexcept {
  const int code = code_of(error);
  return was_raised(error) ? code : raise(comm, code);
}

int raise_in_window(MPI_Win window, const std::exception_ptr& error) noexcept {
  const int code = code_of(error);
  if (!was_raised(error)) PMPI_Win_call_errhandler(window, code);
  return code;
}

int raise(MPI_File file, const std::exception_ptr& error) noexcept {
  const int code = code_of(error);
  if (!was_raised(error)) PMPI_File_call_errhandler(file, code);
  return code;
}

}  // namespace typewarp::interpose
