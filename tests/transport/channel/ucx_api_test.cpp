// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What is declared of UCX against its headers, where there are any.

#include "engine/runtime/vendor.hpp"
#include "transport/channel/ucx/ucx_channel.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#if __has_include(<ucp/api/ucp.h>)
#include <ucp/api/ucp.h>
#define TYPEWARP_UCX_HEADERS
#endif

namespace typewarp::transport::ucx {
namespace {

#ifdef TYPEWARP_UCX_HEADERS

#define TYPEWARP_SAME_PLACE(ours, our_field, theirs, their_field)            \
  static_assert(offsetof(ours, our_field) == offsetof(theirs, their_field)); \
  static_assert(sizeof(ours::our_field) == sizeof(theirs::their_field))

TYPEWARP_SAME_PLACE(Params, field_mask, ucp_params_t, field_mask);
TYPEWARP_SAME_PLACE(Params, features, ucp_params_t, features);
TYPEWARP_SAME_PLACE(Params, estimated_num_eps, ucp_params_t, estimated_num_eps);
static_assert(Params::has_features == UCP_PARAM_FIELD_FEATURES);
static_assert(Params::has_estimated_endpoints == UCP_PARAM_FIELD_ESTIMATED_NUM_EPS);
static_assert(Params::tag_matching == UCP_FEATURE_TAG);

TYPEWARP_SAME_PLACE(ContextAttributes, field_mask, ucp_context_attr_t, field_mask);
TYPEWARP_SAME_PLACE(ContextAttributes, memory_types, ucp_context_attr_t, memory_types);
static_assert(ContextAttributes::has_memory_types == UCP_ATTR_FIELD_MEMORY_TYPES);

TYPEWARP_SAME_PLACE(WorkerParams, field_mask, ucp_worker_params_t, field_mask);
TYPEWARP_SAME_PLACE(WorkerParams, thread_mode, ucp_worker_params_t, thread_mode);
static_assert(WorkerParams::has_thread_mode == UCP_WORKER_PARAM_FIELD_THREAD_MODE);
static_assert(WorkerParams::serialized == UCS_THREAD_MODE_SERIALIZED);

TYPEWARP_SAME_PLACE(WorkerAttributes, field_mask, ucp_worker_attr_t, field_mask);
TYPEWARP_SAME_PLACE(WorkerAttributes, address, ucp_worker_attr_t, address);
TYPEWARP_SAME_PLACE(WorkerAttributes, address_length, ucp_worker_attr_t, address_length);
static_assert(WorkerAttributes::has_address == UCP_WORKER_ATTR_FIELD_ADDRESS);

TYPEWARP_SAME_PLACE(EndpointParams, field_mask, ucp_ep_params_t, field_mask);
TYPEWARP_SAME_PLACE(EndpointParams, address, ucp_ep_params_t, address);
static_assert(EndpointParams::has_address == UCP_EP_PARAM_FIELD_REMOTE_ADDRESS);

TYPEWARP_SAME_PLACE(RequestParams, op_attr_mask, ucp_request_param_t, op_attr_mask);
TYPEWARP_SAME_PLACE(RequestParams, request, ucp_request_param_t, request);
TYPEWARP_SAME_PLACE(RequestParams, memory_type, ucp_request_param_t, memory_type);
TYPEWARP_SAME_PLACE(RequestParams, memh, ucp_request_param_t, memh);
static_assert(sizeof(RequestParams) >= offsetof(ucp_request_param_t, memh) + sizeof(void*));
static_assert(RequestParams::never_at_once == UCP_OP_ATTR_FLAG_NO_IMM_CMPL);

TYPEWARP_SAME_PLACE(ReceiveInfo, length, ucp_tag_recv_info_t, length);
static_assert(sizeof(ReceiveInfo) == sizeof(ucp_tag_recv_info_t));

static_assert(sizeof(UcsStatus) == sizeof(ucs_status_t));
static_assert(static_cast<int>(UcsStatus::in_progress) == UCS_INPROGRESS);
static_assert(static_cast<int>(UcsStatus::cancelled) == UCS_ERR_CANCELED);
static_assert(static_cast<int>(UcsStatus::last_error) == UCS_ERR_LAST);
static_assert(UCP_API_MAJOR == major_version && UCP_API_MINOR >= least_minor_version);

TEST(UcxApi, TellsStatusesAsTheHeadersDo) {
  int request = 0;
  const void* const pointers[] = {nullptr, &request, UCS_STATUS_PTR(UCS_ERR_NO_RESOURCE),
                                  UCS_STATUS_PTR(UCS_ERR_CANCELED), UCS_STATUS_PTR(UCS_ERR_LAST)};
  for (const void* const pointer : pointers) {
    EXPECT_EQ(static_cast<int>(status_of(pointer)), int{UCS_PTR_STATUS(const_cast<void*>(pointer))});
    EXPECT_EQ(is_error(status_of(pointer)), UCS_PTR_IS_ERR(pointer));
  }
}

TEST(UcxApi, NamesTheMemoryOfGpusAsTheHeadersDo) {
  const bool is_hip = std::string_view(gpu::vendor().interface) == "HIP";
  EXPECT_EQ(gpu::vendor().ucx_memory_type, is_hip ? UCS_MEMORY_TYPE_ROCM : UCS_MEMORY_TYPE_CUDA);
}

#else

TEST(UcxApi, TellsStatusesAsTheHeadersDo) { GTEST_SKIP() << "needs the headers of UCX"; }

#endif

TEST(UcxLibrary, ThatIsNamedAndCannotBeLoadedIsSaid) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(load_ucx("/nonexistent/libucp.so.0"), nullptr);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("TYPEWARP_UCX_LIBRARY"), std::string::npos) << said;
  EXPECT_NE(said.find("/nonexistent/libucp.so.0"), std::string::npos) << said;
}

}  // namespace
}  // namespace typewarp::transport::ucx
