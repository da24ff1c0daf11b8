// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

/// The environment variables of the library, and what they may be. docs/reference/environment.md tells what
/// they mean.
namespace typewarp::environment {

enum class VariableForm : std::uint8_t {
  text,     ///< anything, or what its reader checks
  flag,     ///< 0 or 1
  words,    ///< one of `words`
  number,   ///< from `least` to `most`
  library,  ///< the name of one: with a slash, a file that can be read
};

struct Variable {
  std::string_view name;
  VariableForm form = VariableForm::text;
  std::string_view words = "";  ///< with ", " between them
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

constexpr std::int64_t most_bytes_of_int = std::int64_t{2} << 30;
/// Some 292 years, which nanoseconds still count.
constexpr std::int64_t most_ms_of_clock = std::numeric_limits<std::int64_t>::max() / 1'000'000;

inline constexpr std::array<Variable, 43> variables{{
    {"TYPEWARP_HOST_THREADS", VariableForm::number, "", 1, 1024},
    {"TYPEWARP_AVOID"},
    {"TYPEWARP_PRIORITY"},
    {"TYPEWARP_MAX_BLOCKS"},
    {"TYPEWARP_METHOD"},
    {"TYPEWARP_NO_GRAPHS"},
    {"TYPEWARP_HALO_POISON", VariableForm::flag},
    {"TYPEWARP_PROTOCOL", VariableForm::words, "automatic, eager, pipelined, direct, gpu_aware, ucx"},
    {"TYPEWARP_EAGER_BYTES", VariableForm::number, "", 509},
    {"TYPEWARP_DIRECT_BYTES", VariableForm::number, "", 509},
    {"TYPEWARP_CHUNK_BYTES", VariableForm::number, "", 64},
    {"TYPEWARP_POOL_BYTES", VariableForm::number, "", 128},
    {"TYPEWARP_DEVICE_POOL_BYTES", VariableForm::number},
    {"TYPEWARP_TIME_LIMIT_MS", VariableForm::number, "", 0, most_ms_of_clock},
    {"TYPEWARP_PROGRESS_THREAD", VariableForm::flag},
    {"TYPEWARP_PROFILE"},
    {"TYPEWARP_GPU_AWARE", VariableForm::flag},
    {"TYPEWARP_UCX_LIBRARY", VariableForm::library},
    {"TYPEWARP_DISABLE", VariableForm::flag},
    {"TYPEWARP_VERBOSE", VariableForm::flag},
    {"TYPEWARP_STATS", VariableForm::words, "0, 1, merged"},
    {"TYPEWARP_TRACE"},
    {"TYPEWARP_DOCTOR"},
    {"TYPEWARP_NVTX", VariableForm::flag},
    {"TYPEWARP_EVERYWHERE", VariableForm::flag},
    {"TYPEWARP_TRANSPORT", VariableForm::flag},
    {"TYPEWARP_NCCL", VariableForm::library},
    {"TYPEWARP_NCCL_BYTES", VariableForm::number, "", 1},
    {"TYPEWARP_FILE_BYTES", VariableForm::number, "", 2, most_bytes_of_int},
    {"TYPEWARP_TAKE", VariableForm::words, "gpu, derived, all, stretches"},
    // Those of scripts, and of programs that are built with the library.
    {"TYPEWARP_CUDA_ARCHS"},
    {"TYPEWARP_MPI"},
    {"TYPEWARP_WERROR"},
    {"TYPEWARP_MPIFORT_openmpi"},
    {"TYPEWARP_GOLDEN"},
    {"TYPEWARP_WHEEL_MPIS"},
    {"TYPEWARP_MPIFORT_mpich"},
    // Those of module files and package managers.
    {"TYPEWARP_ROOT"},
    {"TYPEWARP_HOME"},
    {"TYPEWARP_DIR"},
    {"TYPEWARP_PREFIX"},
    {"TYPEWARP_VERSION"},
}};
/// The least value of a variable that is there.
consteval std::int64_t least_of(std::string_view name) {
  return std::ranges::find(variables, name, &Variable::name)->least;
}
/// Whatever begins so is for tests.
inline constexpr std::string_view of_tests = "TYPEWARP_TEST_";

/// The value of a variable, null where it is not set. Nothing else in the library reads the environment.
const char* value(const char* name) noexcept;
/// The same, empty where it is not set.
std::string_view text(const char* name) noexcept;
/// Whether it is 1.
bool is_set(const char* name) noexcept;
/// The value of a number of the table, and the place of a flag or word among those that the table names;
/// nothing where it is not set or empty. Throws InvalidArgument, which names `call`, for any other value.
std::optional<std::int64_t> number(std::string_view call, std::string_view name);
std::optional<std::size_t> word(std::string_view call, std::string_view name);

/// What is wrong with NAME=value: a name that no variable has, with the one that is nearest, or a value that
/// it does not take, with those that it does. An empty value is none.
std::optional<std::string> fault(std::string_view name, std::string_view value);

/// The first call says on stderr what is wrong with the variables of this process, a line each, if it
/// `speaks`. One rank of a job does: others mostly have the same variables.
void tell_faults(bool speaks) noexcept;

}  // namespace typewarp::environment
