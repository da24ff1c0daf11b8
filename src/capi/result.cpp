// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "capi/result.hpp"

#include <typewarp/halo.hpp>
#include <typewarp/transport.hpp>

#include <new>
#include <string>

namespace typewarp::capi {
namespace {

struct Failure {
  std::string text;
  const char* said = "";
};

thread_local Failure last;

tw_result keep(tw_result result, const char* text) noexcept {
  try {
    last.text = text;
    last.said = last.text.c_str();
  } catch (const std::bad_alloc&) {
    last.said = "typewarp: out of memory";
  }
  return result;
}

}  // namespace

tw_result result_of_exception() noexcept {
  try {
    throw;
  } catch (const InvalidArgument& error) {
    return keep(TW_ERR_ARGUMENT, error.what());
  } catch (const halo::Disagreement& error) {
    return keep(TW_ERR_DISAGREEMENT, error.what());
  } catch (const TimeLimitExceeded& error) {
    return keep(TW_ERR_TIME_LIMIT, error.what());
  } catch (const CudaError& error) {
    return keep(TW_ERR_CUDA, error.what());
  } catch (const MpiError& error) {
    return keep(TW_ERR_MPI, error.what());
  } catch (const std::bad_alloc&) {
    return keep(TW_ERR_MEMORY, "typewarp: out of memory");
  } catch (const std::exception& error) {
    return keep(TW_ERR_OTHER, error.what());
  } catch (...) {
    return keep(TW_ERR_OTHER, "typewarp: an unknown exception");
  }
}

void require(const void* pointer, const char* call, const char* argument) {
  if (pointer == nullptr) throw InvalidArgument(call, argument, "null", "must not be null");
}

}  // namespace typewarp::capi

const char* tw_error_text() { return typewarp::capi::last.said; }
