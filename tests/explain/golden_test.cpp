// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/explain.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace typewarp {
namespace {

struct GoldenType {
  std::string name, expression;
  std::int64_t count = 1;
  std::string machine = "h200";
};

const std::vector<GoldenType> golden_types{
    {"named", "double"},
    {"contiguous", "contiguous(1Mi, double)"},
    {"contiguous_large", "contiguous(4Mi, double)"},
    {"vector_8_of_64", "vector(131072, 1, 8, double)"},
    {"vector_8_of_512", "vector(131072, 1, 64, double)"},
    {"vector_rows", "vector(1000, 512, 1024, double)"},
    {"vector_few_rows", "vector(64, 4, 8, double)"},
    {"vector_negative", "vector(16, 2, -4, int)"},
    {"vector_on_h100", "vector(131072, 1, 8, double)", 1, "h100"},
    {"hvector_unaligned", "hvector(65536, 24, 33, byte)"},
    {"hvector_small_words", "hvector(262144, 1, 6, short)"},
    {"indexed_regular", "indexed([2] * 256, range(0, 1024, 4), double)"},
    {"indexed_equal", "indexed_block(1, [0, 3, 4, 9, 17, 19, 30, 31] * 1, double)", 1000},
    {"indexed_varying", "indexed([1, 2, 3, 4], [0, 3, 8, 16], double)", 4096},
    {"indexed_scattered", "indexed_block(1, [9, 3, 40, 1, 28, 17], double)", 4096},
    {"hindexed", "hindexed([3, 1], [0, 13], short)"},
    {"hindexed_block", "hindexed_block(2, [0, 12, 40], float)"},
    {"struct_packed", "struct([1, 1], [0, 8], [double, double])"},
    {"struct_particles", "struct([1, 1, 1, 1], [0, 8, 12, 16], [double, int, int, char])", 65536},
    {"struct_holes", "struct([1, 1, 1, 1], [0, 8, 16, 20], [char, double, int, short])", 65536},
    {"struct_arrays", "struct([1, 1], [0, 1Mi], [vector(64, 1, 8, double), contiguous(100, float)])"},
    {"subarray_box", "subarray([64, 64, 64], [16, 16, 16], [8, 8, 8], c, double)"},
    {"subarray_face", "subarray([128, 128, 128], [128, 128, 1], [0, 0, 1], double)"},
    {"subarray_fortran", "subarray([64, 32], [8, 4], [2, 3], fortran, int)"},
    {"darray_cyclic", "darray(4, 1, [64, 64], [cyclic, block], [default, default], [2, 2], c, double)"},
    {"resized_column", "resized(vector(512, 1, 512, double), 0, 8)", 512},
    {"transpose_of_int", "contiguous(1024, resized(vector(1024, 1, 1024, int), 0, 4))"},
    {"dup", "dup(vector(4, 1, 2, int))"},
    {"empty", "contiguous(0, double)"},
    {"overlapping", "hvector(8, 1, 4, double)"},
    {"seven_levels",
     "hvector(2, 1, 4096, hvector(2, 1, 1500, hvector(2, 1, 700, hvector(2, 1, 300, hvector(2, 1, 140, "
     "hvector(2, 1, 60, hvector(2, 1, 24, double)))))))",
     64},
};

std::string path_of(const GoldenType& type) {
  return std::string(TYPEWARP_GOLDEN_FOLDER) + "/" + type.name + ".txt";
}

class Golden : public testing::TestWithParam<GoldenType> {};

/// The methods that are not taken, and the rules of all, stand in the text of one type: another method
/// changes no other file.
std::string without_methods(const std::string& text) {
  std::istringstream lines(text);
  std::string kept;
  bool rules = false;
  for (std::string line; std::getline(lines, line);) {
    rules = line.starts_with("methods, of which") || (rules && !line.empty());
    if (!rules && line.find("possible: ") == std::string::npos) kept += line + "\n";
  }
  return kept;
}

/// Of the GPU engine only: how many threads the host engine takes is the machine's.
TEST_P(Golden, TextIsAsReviewed) {
  const GoldenType& type = GetParam();
  ExplainOptions options;
  options.count = type.count;
  options.host = false;
  options.machine = type.machine;
  const std::string whole = explain(commit(datatype_of(type.expression)), options).to_string();
  const std::string text =
      type.expression + "\n\n" + (type.name == "vector_8_of_512" ? whole : without_methods(whole));
  const char* const wish = std::getenv("TYPEWARP_GOLDEN");
  if (wish != nullptr && std::string_view(wish) == "write") std::ofstream(path_of(type)) << text;
  std::ifstream in(path_of(type));
  const std::string golden{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text, golden) << "TYPEWARP_GOLDEN=write test_explain writes it anew";
}

INSTANTIATE_TEST_SUITE_P(Types, Golden, testing::ValuesIn(golden_types),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace typewarp
