// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "capi/result.hpp"

#include "datatype/of_thread.hpp"

#include <typewarp/halo_disagreement.hpp>
#include <typewarp/version.h>

#include <new>
#include <string>
#include <string_view>

namespace typewarp::capi {
namespace {

// The last failure of this thread.
constinit thread_local int code_of_last = 0;
constinit thread_local const char* said = "";
constinit thread_local const char* argument_named = "";

/// The text of the last failure, if there was memory for it.
struct Words {
  std::string text;
  std::string argument;

  Words& operator=(Words&&) = delete;
  ~Words() { said = argument_named = ""; }
};

constexpr std::string_view equals = " = ";
constexpr std::string_view colon = ": ";

/// What follows the name of the call.
std::string_view behind_call(const InvalidArgument& error) {
  const std::string_view text = error.what();
  return text.substr(text.find(colon));
}

/// If there is no memory for the text, a fixed one says so.
template <class Write>
tw_result keep(tw_result result, int code, Write write) noexcept {
  code_of_last = code;
  argument_named = "";
  try {
    Words& words = OfThread<Words>::get();
    words.argument.clear();
    write(words);
    said = words.text.c_str();
    argument_named = words.argument.c_str();
  } catch (const std::bad_alloc&) {
    said = "typewarp: out of memory";
  }
  return result;
}

tw_result keep(tw_result result, std::string_view text, int code = 0) noexcept {
  return keep(result, code, [&](Words& words) { words.text = text; });
}

}  // namespace

tw_result result_of_exception(const char* call) noexcept {
  try {
    throw;
  } catch (const InvalidArgument& error) {
    return keep(TW_ERR_ARGUMENT, 0, [&](Words& words) {
      words.text = call;
      words.text += behind_call(error);
      words.argument = error.argument();
    });
  } catch (const halo::Disagreement& error) {
    return keep(TW_ERR_DISAGREEMENT, error.what());
  } catch (const TimeLimitExceeded& error) {
    return keep(TW_ERR_TIME_LIMIT, error.what(), error.peer());
  } catch (const GpuError& error) {
    return keep(TW_ERR_GPU, error.what(), error.code());
  } catch (const MpiError& error) {
    return keep(TW_ERR_MPI, error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return keep(TW_ERR_MEMORY, "typewarp: out of memory");
  } catch (const std::exception& error) {
    return keep(TW_ERR_OTHER, error.what());
  } catch (...) {
    return keep(TW_ERR_OTHER, "typewarp: an unknown exception");
  }
}

void require(const void* pointer, const char* call, std::string_view argument) {
  if (pointer == nullptr) throw InvalidArgument(call, argument, "null", "must not be null");
}

InvalidArgument renamed(const InvalidArgument& error, const char* call, std::string_view argument) {
  const std::string_view text = behind_call(error);
  const std::string_view said = text.substr(colon.size() + error.argument().size() + equals.size());
  const std::size_t value = said.find(colon);
  return {call, argument, said.substr(0, value), said.substr(value + colon.size())};
}

InvalidArgument with_counts(const InvalidArgument& error, const char* call) {
  if (error.argument() == "sends.size()") return renamed(error, call, "send_count");
  if (error.argument() == "receives.size()") return renamed(error, call, "recv_count");
  return error;
}

}  // namespace typewarp::capi

const char* tw_error_text() { return typewarp::capi::said; }
const char* tw_error_argument() { return typewarp::capi::argument_named; }
int tw_error_code() { return typewarp::capi::code_of_last; }

const char* tw_version() { return TYPEWARP_VERSION; }
int tw_abi_version() { return TYPEWARP_ABI_VERSION; }
