// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/errors.hpp"

#include "base/environment.hpp"
#include "interpose/core/job_member.hpp"

#include <array>
#include <cstdio>
#include <new>
#include <string_view>

namespace typewarp::interpose {
namespace {

/// Those of the job, or of the MPI where none is open.
ErrorCodes codes() noexcept {
  const ErrorCodes* const added = JobMember<ErrorCodes>::current();
  return added != nullptr ? *added : ErrorCodes();
}

void add(int& code, const char* text, int error_class = MPI_ERR_OTHER) noexcept {
  int added = MPI_SUCCESS;
  if (PMPI_Add_error_code(error_class, &added) != MPI_SUCCESS) return;
  if (PMPI_Add_error_string(added, text) == MPI_SUCCESS) code = added;
}

int class_for(const InvalidArgument& error) noexcept {
  const std::string_view argument = error.argument();
  if (argument.find("count") != std::string_view::npos) return MPI_ERR_COUNT;
  if (argument.find("buf") != std::string_view::npos) return MPI_ERR_BUFFER;
  if (argument == "info key" || argument == "key") return codes().bad_info_key;
  if (argument.starts_with("typewarp_")) return codes().bad_info_value;  // a key of ours
  if (argument == "datatype") return codes().bad_datatype;
  return argument == "comm" ? MPI_ERR_COMM : MPI_ERR_ARG;
}

/// Gives the code of an info that was refused, or of a datatype, the text of this one: no program knows our
/// keys, or which datatypes we cannot read.
int described(int code, const char* text) noexcept {
  const ErrorCodes added = codes();
  const bool is_ours =
      code == added.bad_info_key || code == added.bad_info_value || code == added.bad_datatype;
  if (!is_ours || code == MPI_ERR_INFO_KEY || code == MPI_ERR_INFO_VALUE || code == MPI_ERR_TYPE) return code;
  std::array<char, MPI_MAX_ERROR_STRING> cut{};
  const char* const who = std::string_view(text).starts_with("typewarp") ? "" : "typewarp: ";
  std::snprintf(cut.data(), cut.size(), "%s%s", who, text);
  PMPI_Add_error_string(code, cut.data());
  return code;
}

int tell(const std::exception& error, int code) noexcept {
  if (environment::is_set("TYPEWARP_VERBOSE")) std::fprintf(stderr, "typewarp: %s\n", error.what());
  return code;
}

bool is_the_programs(MPI_Errhandler handler) noexcept {
  if (handler == MPI_ERRHANDLER_NULL || handler == MPI_ERRORS_RETURN || handler == MPI_ERRORS_ARE_FATAL)
    return false;
#if MPI_VERSION >= 4
  if (handler == MPI_ERRORS_ABORT) return false;
#endif
  PMPI_Errhandler_free(&handler);  // what was looked up, not the object
  return true;
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

ErrorCodes::ErrorCodes(MPI_Comm self) noexcept : fallback(self) {
  add(bad_info_value, "Typewarp: a key of the info has a value that it does not take", MPI_ERR_INFO_VALUE);
  add(bad_info_key, "Typewarp: the info has a key that is unknown", MPI_ERR_INFO_KEY);
  add(bad_datatype, "Typewarp: the datatype cannot be read", MPI_ERR_TYPE);
  add(gpu_failed, "Typewarp: the GPU failed in a call with GPU memory; TYPEWARP_VERBOSE=1 tells how");
  add(nccl_failed, "Typewarp: NCCL failed in a collective call; TYPEWARP_VERBOSE=1 tells how");
  add(limit_exceeded, "Typewarp: the message made no progress for as long as TYPEWARP_TIME_LIMIT_MS allows");
}

MPI_Comm fallback_comm() noexcept { return codes().fallback; }

int code_of(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const MpiError& failed) {
    return tell(failed, failed.code());
  } catch (const GpuError& failed) {
    return tell(failed, codes().gpu_failed);
  } catch (const NcclError& failed) {
    return tell(failed, codes().nccl_failed);
  } catch (const InvalidArgument& refused) {
    return tell(refused, described(class_for(refused), refused.what()));
  } catch (const TimeLimitExceeded& late) {
    return tell(late, codes().limit_exceeded);
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

bool may_hide_errors(MPI_Comm comm) noexcept {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (comm == MPI_COMM_NULL) return false;
  return PMPI_Comm_get_errhandler(comm, &handler) == MPI_SUCCESS && is_the_programs(handler);
}

bool window_may_hide_errors(MPI_Win window) noexcept {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (window == MPI_WIN_NULL) return false;
  return PMPI_Win_get_errhandler(window, &handler) == MPI_SUCCESS && is_the_programs(handler);
}

int raise_in_window(MPI_Win window, const std::exception_ptr& error) noexcept {
  const int code = code_of(error);
  if (!was_raised(error)) PMPI_Win_call_errhandler(window, code);
  return code;
}

int raise(MPI_File file, const std::exception_ptr& error) noexcept {
  const int code = code_of(error);
  if (file != MPI_FILE_NULL && !was_raised(error)) PMPI_File_call_errhandler(file, code);
  return code;
}

}  // namespace typewarp::interpose
