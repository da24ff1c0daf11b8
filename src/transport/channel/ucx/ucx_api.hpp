// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

/// What is called of UCX, as its library has it: so that none is needed to build. Names, values and layouts
/// are those of ucp/api/ucp.h, ucp_def.h and ucs/type/status.h, version 1.x, whose structures grow at their
/// ends only and are read as far as their masks say. A test compares them with the headers where there are
/// any.
namespace typewarp::transport::ucx {

using Context = struct ContextOfUcx*;    ///< ucp_context_h
using Worker = struct WorkerOfUcx*;      ///< ucp_worker_h
using Endpoint = struct EndpointOfUcx*;  ///< ucp_ep_h

/// ucs_status_t, which is packed. Negative: an error.
enum class UcsStatus : std::int8_t { ok = 0, in_progress = 1, cancelled = -16, last_error = -100 };

inline constexpr unsigned major_version = 1;
inline constexpr unsigned least_minor_version = 12;

/// ucp_params_t
struct Params {
  static constexpr std::uint64_t has_features = 1;
  static constexpr std::uint64_t has_estimated_endpoints = 1 << 6;
  static constexpr std::uint64_t tag_matching = 1;

  std::uint64_t field_mask;
  std::uint64_t features;
  std::size_t request_size;
  void (*request_init)(void*);
  void (*request_cleanup)(void*);
  std::uint64_t tag_sender_mask;
  int mt_workers_shared;
  std::size_t estimated_num_eps;
};

/// ucp_context_attr_t
struct ContextAttributes {
  static constexpr std::uint64_t has_memory_types = 1 << 2;

  std::uint64_t field_mask;
  std::size_t request_size;
  int thread_mode;
  std::uint64_t memory_types;
};

/// ucp_worker_params_t
struct WorkerParams {
  static constexpr std::uint64_t has_thread_mode = 1;
  static constexpr int serialized = 1;

  std::uint64_t field_mask;
  int thread_mode;
};

/// ucp_worker_attr_t
struct WorkerAttributes {
  static constexpr std::uint64_t has_address = 1 << 1;

  std::uint64_t field_mask;
  int thread_mode;
  std::uint32_t address_flags;
  void* address;
  std::size_t address_length;
};

/// ucp_ep_params_t
struct EndpointParams {
  static constexpr std::uint64_t has_address = 1;

  std::uint64_t field_mask;
  const void* address;
};

/// ucp_request_param_t. Without fields: consecutive bytes, of memory that UCX looks at itself.
struct RequestParams {
  static constexpr std::uint32_t never_at_once = 1 << 16;  ///< UCP_OP_ATTR_FLAG_NO_IMM_CMPL

  std::uint32_t op_attr_mask;
  std::uint32_t flags;
  void* request;
  void* callback;
  std::uint64_t datatype;
  void* user_data;
  void* reply_buffer;
  int memory_type;
  void* recv_info;
  void* memh;
};

/// ucp_tag_recv_info_t
struct ReceiveInfo {
  std::uint64_t sender_tag;
  std::size_t length;
};

/// The functions, by their names in the library. What is returned as a pointer is a request; null, where the
/// operation is over at once; or a status (status_of()).
struct UcxApi {
  void (*ucp_get_version)(unsigned* major, unsigned* minor, unsigned* release);
  UcsStatus (*ucp_init_version)(unsigned major, unsigned minor, const Params*, const void* config, Context*);
  void (*ucp_cleanup)(Context);
  UcsStatus (*ucp_context_query)(Context, ContextAttributes*);
  UcsStatus (*ucp_worker_create)(Context, const WorkerParams*, Worker*);
  void (*ucp_worker_destroy)(Worker);
  UcsStatus (*ucp_worker_query)(Worker, WorkerAttributes*);
  void (*ucp_worker_release_address)(Worker, void* address);
  unsigned (*ucp_worker_progress)(Worker);
  UcsStatus (*ucp_ep_create)(Worker, const EndpointParams*, Endpoint*);
  void* (*ucp_ep_close_nbx)(Endpoint, const RequestParams*);
  void* (*ucp_tag_send_nbx)(Endpoint, const void*, std::size_t, std::uint64_t tag, const RequestParams*);
  void* (*ucp_tag_recv_nbx)(Worker, void*, std::size_t, std::uint64_t tag, std::uint64_t mask,
                            const RequestParams*);
  void (*ucp_request_cancel)(Worker, void* request);
  void (*ucp_request_free)(void* request);
  UcsStatus (*ucp_request_check_status)(void* request);
  UcsStatus (*ucp_tag_recv_request_test)(void* request, ReceiveInfo*);
  const char* (*ucs_status_string)(UcsStatus);
};

inline bool is_error(UcsStatus status) noexcept { return static_cast<std::int8_t>(status) < 0; }

/// UCS_PTR_STATUS: errors are the highest addresses.
inline UcsStatus status_of(const void* pointer) noexcept {
  const auto value = reinterpret_cast<std::intptr_t>(pointer);
  if (value == 0) return UcsStatus::ok;
  const bool error = value < 0 && value >= static_cast<std::int8_t>(UcsStatus::last_error);
  return error ? static_cast<UcsStatus>(value) : UcsStatus::in_progress;
}

}  // namespace typewarp::transport::ucx
