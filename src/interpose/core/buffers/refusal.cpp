// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/refusal.hpp"

#include "engine/runtime/memory.hpp"
#include "interpose/core/errors.hpp"
#include "mpi/library.hpp"
#include "transport/channel/gpu/gpu_channel.hpp"

#include <algorithm>
#include <exception>
#include <string>

namespace typewarp::interpose {
namespace {

/// Why we do not help where the MPI does not.
const char* reason(int number) noexcept {
  // Open MPI takes 256 characters in all.
  if (number == call::Win_attach)
    return "other ranks cannot map, unless all are on one host with a GPU each, and one used it when the "
           "window was made";
  if (mpi::is_open_mpi() && (number == call::Psend_init || number == call::Precv_init))
    return "it loses partitions where two threads call it, of which one is ours unless TYPEWARP_TRANSPORT=0";
  return "Typewarp cannot copy";
}

int code_or_memory(int number) noexcept {
  try {
    DeviceMemorySupport* const support = JobMember<DeviceMemorySupport>::current();
    return support != nullptr ? support->code_for(number) : MPI_ERR_BUFFER;
  } catch (const std::bad_alloc&) {
    return MPI_ERR_NO_MEM;
  }
}

}  // namespace

DeviceMemorySupport::DeviceMemorySupport(MPI_Comm self) noexcept {
  try {
    // That UCX takes consecutive bytes says nothing of reductions, or of files.
    constexpr auto not_by_ucx = [] { return false; };
    takes_device_memory_ = transport::mpi_declares_gpu_awareness(self, not_by_ucx);
  } catch (const std::exception&) {  // as if nobody had asked
    takes_device_memory_ = true;
  }
}

int DeviceMemorySupport::code_for(int number) {
  const std::lock_guard lock(mutex_);
  int& code = codes_[static_cast<std::size_t>(number)];
  if (code != 0) return code;
  const std::string text = std::string("Typewarp: ") + names[static_cast<std::size_t>(number)] +
                           " was given memory of a GPU, which this MPI does not take, and " + reason(number) +
                           ": TYPEWARP_GPU_AWARE=1 lets the MPI try";
  int made = MPI_SUCCESS;
  if (PMPI_Add_error_code(MPI_ERR_BUFFER, &made) != MPI_SUCCESS) return MPI_ERR_BUFFER;
  if (PMPI_Add_error_string(made, text.c_str()) != MPI_SUCCESS) return MPI_ERR_BUFFER;
  return code = made;
}

int refuse(int number, MPI_Comm comm) noexcept { return raise(comm, code_or_memory(number)); }

int refuse(int number, MPI_File file) noexcept {
  const int code = code_or_memory(number);
  PMPI_File_call_errhandler(file, code);
  return code;
}

int refuse_in_window(int number, MPI_Win window) noexcept {
  const int code = code_or_memory(number);
  PMPI_Win_call_errhandler(window, code);
  return code;
}

bool are_refused(std::initializer_list<RefusedMemory> memories) noexcept {
  return !mpi_takes_device_memory() && std::ranges::any_of(memories, [](const RefusedMemory& memory) {
    return memory.count > 0 && gpu::out_of_reach(memory.address);
  });
}

}  // namespace typewarp::interpose
