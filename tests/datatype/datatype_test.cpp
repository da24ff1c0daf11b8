// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/node.hpp"

#include "support/expect_invalid.hpp"

#include <sstream>

namespace typewarp::test {
namespace {

TEST(Datatype, TheNullDatatypeRefusesEveryUse) {
  const Datatype null;
  EXPECT_TRUE(null.null());
  EXPECT_FALSE(Datatype(Named::int_).null());
  const std::string text = "typewarp::Datatype: *this = null: must not be the null datatype";
  expect_invalid([&] { null.size(); }, "*this", text);
  expect_invalid([&] { null.extent(); }, "*this", text);
  expect_invalid([&] { null.true_extent(); }, "*this", text);
  expect_invalid([&] { null.elements(); }, "*this", text);
  expect_invalid([&] { null.signature(); }, "*this", text);
  expect_invalid([&] { null.elements_in(0); }, "*this", text);
  expect_invalid([&] { null.contiguous(); }, "*this", text);
  expect_invalid([&] { null.to_string(); }, "*this", text);
  expect_invalid([&] { datatype::node_of(null); }, "*this", text);
}

TEST(Datatype, CopiesAndNamedTypesShareTheirNode) {
  const Datatype type = contiguous(3, Named::int_);
  const Datatype copy = type;
  EXPECT_EQ(&datatype::node_of(copy), &datatype::node_of(type));
  EXPECT_EQ(&datatype::node_of(Datatype(Named::int_)), &datatype::node_of(Datatype(Named::int_)));
}

TEST(Datatype, ArgumentsAreKeptAsGiven) {
  const Datatype type = vector(3, 0, -7, Named::int_);
  const auto& node = std::get<datatype::Vector>(datatype::node_of(type).constructor);
  EXPECT_EQ(node.count, 3);
  EXPECT_EQ(node.blocklength, 0);
  EXPECT_EQ(node.stride, -7);
  EXPECT_EQ(std::get<Named>(datatype::node_of(node.child).constructor), Named::int_);
}

}  // namespace
}  // namespace typewarp::test
