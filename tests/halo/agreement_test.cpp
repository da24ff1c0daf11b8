// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/patch.hpp"
#include "transport/fixture.hpp"

#include <typewarp/halo_domain.hpp>

#include <atomic>

namespace typewarp::halo {
namespace {

/// Whether a neighbour tells of a dimension that no field has as the first to travel.
std::atomic<bool> tells_nonsense = false;

/// Fields of 4 x 5 owned numbers in a row of processes.
class HaloAgreement : public test::Session {
 protected:
  template <typename Call>
  static std::string error_of(Call call) {
    try {
      call();
      return "none";
    } catch (const Disagreement& error) {
      return std::string("disagreement: ") + error.what();
    } catch (const InvalidArgument& error) {
      return "argument: " + error.argument();
    }
  }
  std::string error_of(std::vector<Field> fields, const Options& options = {}) {
    const ProcessGrid grid(comm_, {ranks_, 1});
    return error_of([&] { const Exchange exchange(grid, std::move(fields), options); });
  }
  /// `other` on the last rank, `usual` on the others.
  template <typename T>
  T unless_last(T usual, T other) const {
    return rank_ + 1 < ranks_ ? usual : other;
  }
  static Descriptor halo(std::int64_t width) { return with_halo(4, width); }

  double memory_[400] = {};
  float floats_[400] = {};
};

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

TEST_F(HaloAgreement, IsTheUsualCase) {
  EXPECT_EQ(error_of({Field(memory_, {halo(1), without_halo(5)})}), "none");
}

// Nobody waits for a process that has given something wrong, or something else.
TEST_F(HaloAgreement, IsAskedForWhenGridsAndDomainsAreMade) {
  TYPEWARP_NEEDS_RANKS(2);
  const std::string last = "disagreement: rank " + std::to_string(ranks_ - 1) + ": ";
  const std::string wrong = error_of([&] { ProcessGrid(comm_, {unless_last(0, -1)}); });
  EXPECT_EQ(wrong.starts_with(unless_last(last + "typewarp::halo::ProcessGrid: sizes[0] = -1",
                                          std::string("argument: sizes[0]"))),
            true)
      << wrong;
  const std::string one = error_of([&] { ProcessGrid(comm_, std::vector<int>(unless_last(1UL, 2UL), 0)); });
  EXPECT_EQ(one, last + "sizes.size() is not that of rank 0");
  const std::string line = error_of([&] { ProcessGrid(comm_, {0, 0}, {false, unless_last(false, true)}); });
  EXPECT_EQ(line, last + "periodic[1] is not that of rank 0");

  const std::string width = error_of([&] { Domain(comm_, {4, 4}, {.width = unless_last(1, -1)}); });
  EXPECT_EQ(width.starts_with(unless_last(last + "typewarp::halo::Domain: options.width = -1",
                                          std::string("argument: options.width"))),
            true)
      << width;
  const std::string cells = error_of([&] { Domain(comm_, {4, unless_last(4, 5)}); });
  EXPECT_EQ(cells, last + "cells[1] is not that of rank 0");
  const std::string ends =
      error_of([&] { Domain(comm_, {4, 4}, {.periodic = {false, unless_last(false, true)}}); });
  EXPECT_EQ(ends, last + "options.periodic[1] is not that of rank 0");
  const std::string processes = error_of([&] {
    Domain(comm_, {4, 4}, {.processes = unless_last(std::vector{ranks_, 1}, std::vector{1, ranks_})});
  });
  EXPECT_EQ(processes, last + "options.processes[0] is not that of rank 0");
}

TEST_F(HaloAgreement, NamesRankAndDimensionWhereSizesDiffer) {
  TYPEWARP_NEEDS_RANKS(2);
  const std::string widths = error_of({Field(memory_, {unless_last(halo(1), halo(2)), without_halo(5)})});
  EXPECT_HAS(widths, "disagreement: rank " + std::to_string(ranks_ - 2) + ": fields[0] and that of rank " +
                         std::to_string(ranks_ - 1) + ", at side (1, 0)");
  EXPECT_HAS(widths, "dimension 0: 1 elements are expected, 2 would be sent");

  const std::string lengths = error_of({Field(memory_, {halo(1), without_halo(unless_last(5, 6))})});
  EXPECT_HAS(lengths, "dimension 1: 5 elements are expected, 6 would be sent");
}

// Neither without a halo towards the neighbour, nor where the field does not lie along that dimension.
TEST_F(HaloAgreement, LeavesOpenWhatDoesNotTravel) {
  EXPECT_EQ(error_of({Field(memory_, {halo(0), without_halo(unless_last(5, 6))})}), "none");
  EXPECT_EQ(error_of({Field(memory_, {without_halo(unless_last(5, 6))}, {}, {Field::undivided})}), "none");
  TYPEWARP_NEEDS_RANKS(2);
  EXPECT_HAS(error_of({Field(memory_, {unless_last(halo(0), halo(1)), without_halo(5)})}),
             "dimension 0: 0 elements are expected, 1 would be sent");
}

TEST_F(HaloAgreement, RefusesAnOrderThatCannotBe) {
  tells_nonsense = true;
  const std::string error = error_of({Field(memory_, {halo(1), without_halo(5)})});
  tells_nonsense = false;
  if (ranks_ > 1) {
    EXPECT_HAS(error, "an order of dimensions that cannot be");
  }
}

TEST_F(HaloAgreement, NamesTheFieldWhoseElementsDiffer) {
  TYPEWARP_NEEDS_RANKS(2);
  const Field numbers(memory_, {halo(1), without_halo(5)});
  const Field shorter(floats_, {halo(1), without_halo(5)});
  const Field other(memory_, Named::int64, {halo(1), without_halo(5)});
  const Field flat(memory_, {halo(1)});
  EXPECT_HAS(error_of({numbers, unless_last(numbers, shorter)}), "fields[1] and that of rank");
  EXPECT_HAS(error_of({unless_last(numbers, shorter)}), "bytes of an element: 8 here, 4 there");
  EXPECT_HAS(error_of({unless_last(numbers, other)}), "elements of other types");
  EXPECT_HAS(error_of({unless_last(numbers, flat)}), "dimensions: 2 here, 1 there");
}

TEST_F(HaloAgreement, IsAskedOfOptionsToo) {
  TYPEWARP_NEEDS_RANKS(2);
  const Field field(memory_, {halo(1), without_halo(5)});
  const auto last = "disagreement: rank " + std::to_string(ranks_ - 1) + ": ";
  EXPECT_EQ(error_of(unless_last<std::vector<Field>>({field}, {field, field})),
            last + "fields.size() is not that of rank 0");
  EXPECT_EQ(error_of({field}, {.sides = unless_last<std::vector<Direction>>({{1, 0}}, {{-1, 0}})}),
            last + "options.sides is not that of rank 0");
}

// The others are told, and do not wait for ever.
TEST_F(HaloAgreement, TellsAllWhatOneHasDoneWrong) {
  const Field right(memory_, {halo(1), without_halo(5)});
  const Field wrong(nullptr, Named::double_, {halo(1), without_halo(5)});
  const std::string error = error_of({unless_last(right, wrong)});
  if (rank_ + 1 == ranks_) {
    EXPECT_EQ(error, "argument: fields[0].data");
  } else {
    EXPECT_HAS(error, "disagreement: rank " + std::to_string(ranks_ - 1));
    EXPECT_HAS(error, "fields[0].data = null");
  }
}

TEST_F(HaloAgreement, NamesWhatCannotBeExchanged) {
  EXPECT_EQ(error_of({}), "argument: fields.size()");
  EXPECT_EQ(error_of({Field(memory_, {halo(1), without_halo(5)}, {}, {0, 2})}),
            "argument: fields[0].along[1]");
  const Field field(memory_, {halo(1), without_halo(5)});
  EXPECT_EQ(error_of({field}, {.sides = {{1}}}), "argument: options.sides[0]");
  EXPECT_EQ(error_of({field}, {.sides = {{1, 0}, {0, 0}}}), "argument: options.sides[1]");
  EXPECT_EQ(error_of({field}, {.sides = {{1, 0}, {0, 2}}}), "argument: options.sides[1]");
  EXPECT_EQ(error_of({field}, {.sides = {{1, 0}, {1, 0}}}), "argument: options.sides[1]");
}

// Where there is nobody to send to, a halo may be of any width.
TEST_F(HaloAgreement, RefusesToSendMoreThanIsOwned) {
  const Field wide(memory_, {Descriptor{3, 3, 3, 4, 7}, Descriptor{0, 9, 0, 1, 10}});
  const std::string error = error_of({wide});
  if (ranks_ == 1) {
    EXPECT_EQ(error, "none");
  } else {
    EXPECT_TRUE(error == "argument: fields[0].descriptors[0].plus" ||
                error == "argument: fields[0].descriptors[0].minus")
        << error;
  }
}

}  // namespace
}  // namespace typewarp::halo

extern "C" int MPI_Sendrecv(const void* sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                            void* received, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                            MPI_Status* status) {
  const int code = PMPI_Sendrecv(sent, sent_count, sent_type, to, sent_tag, received, count, type, from, tag,
                                 comm, status);
  constexpr std::size_t order = 4 + typewarp::halo::max_dimensions;  // behind four numbers and the lengths
  if (typewarp::halo::tells_nonsense) static_cast<std::int64_t*>(received)[order] = 1'000'000;
  return code;
}
