// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/gpu.hpp"
#include "halo/fields.hpp"
#include "halo/patch.hpp"
#include "transport/fake_device.hpp"
#include "transport/fake_moves.hpp"
#include "transport/fixture.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace typewarp::test {

/// Three fields of different elements on a periodic grid of three dimensions, of which one has one process.
class HaloFakeDevice : public Session {
 protected:
  void SetUp() override {
    Session::SetUp();
    grid_ = std::make_unique<halo::ProcessGrid>(comm_, std::vector{0, 0, 1}, std::vector{true, true, true});
    patches_ = patches(0);
    for (const Patch& patch : patches_) fields_.push_back(patch.field());
  }
  void TearDown() override {
    fields_.clear();
    patches_.clear();
    grid_.reset();
    Session::TearDown();
  }

  /// Three, in memory of their own, with numbers from `first` on.
  std::vector<Patch> patches(std::uint64_t first) const {
    std::vector<Patch> made;
    for (const Datatype& element :
         {Datatype(Named::int_), Datatype(Named::double_), contiguous(3, Named::double_)}) {
      Whole whole{element, {}, {}};
      for (int d = 0; d < 3; ++d) {
        const auto processes = static_cast<std::size_t>(grid_->sizes()[static_cast<std::size_t>(d)]);
        whole.axes.push_back({std::vector<std::int64_t>(processes, 5 + d), 2, 1, 0, 1, d});
      }
      made.emplace_back(*grid_, whole, first + made.size());
    }
    return made;
  }
  static void expect_right(std::vector<Patch>& patches) {
    for (Patch& patch : patches) EXPECT_EQ(patch.difference().value_or("none"), "none");
  }
  void expect_right() { expect_right(patches_); }

  std::unique_ptr<halo::ProcessGrid> grid_;
  std::vector<Patch> patches_;
  std::vector<halo::Field> fields_;
};

/// What `pack` or `unpack` gives a stream that is captured.
class FakeGraph {
 public:
  template <typename Enqueue>
  explicit FakeGraph(Enqueue enqueue) {
    const CapturedStreams captured;
    Recording recording;
    enqueue();
    moves_ = recording.moves;
  }
  void replay() const { enqueue(moves_, field_stream()); }

 private:
  Moves moves_;
};

/// Fields like those of patches, in page-locked memory of zeros.
class PinnedFields {
 public:
  PinnedFields(std::vector<Patch>& patches, const std::vector<halo::Field>& fields)
      : patches_(patches), fields_(fields) {
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const Bytes& contents = patches[f].initial();
      std::byte* const memory = memory_.emplace_back(std::ssize(contents)).data();
      std::fill_n(memory, contents.size(), std::byte{0});
      fields_[f].rebind(memory + (static_cast<std::byte*>(fields[f].data()) - patches[f].memory()));
    }
  }

  const std::vector<halo::Field>& fields() const { return fields_; }
  /// Enqueues what writes them.
  void fill_late() {
    enqueue_work(
        [this] {
          for (std::size_t f = 0; f < memory_.size(); ++f) {
            std::ranges::copy(patches_[f].initial(), memory_[f].data());
          }
        },
        field_stream());
  }
  /// Copies them to the patches.
  void give() {
    for (std::size_t f = 0; f < memory_.size(); ++f) {
      std::copy_n(memory_[f].data(), patches_[f].initial().size(), patches_[f].memory());
    }
  }

 private:
  std::vector<Patch>& patches_;
  std::vector<halo::Field> fields_;
  std::vector<gpu::PinnedBuffer> memory_;
};

/// Those of patches, but for the second, which lies in page-locked memory, and the third, which lies in
/// pageable memory.
class MixedFields {
 public:
  MixedFields(std::vector<Patch>& patches, const std::vector<halo::Field>& fields)
      : patches_(patches), pinned_(patches, fields), pageable_(patches[2].initial()), fields_(fields) {
    fields_[1].rebind(pinned_.fields()[1].data());
    fields_[2].rebind(pageable_.data() + (static_cast<std::byte*>(fields[2].data()) - patches[2].memory()));
    patches[0].fill();
  }

  const std::vector<halo::Field>& fields() const { return fields_; }
  /// Enqueues what writes the page-locked one.
  void fill_late() { pinned_.fill_late(); }
  /// Copies them to the patches, when the stream is done.
  void give() {
    const Bytes on_device = patches_[0].contents();
    pinned_.give();
    std::ranges::copy(on_device, patches_[0].memory());
    std::ranges::copy(pageable_, patches_[2].memory());
  }

 private:
  std::vector<Patch>& patches_;
  PinnedFields pinned_;
  Bytes pageable_;
  std::vector<halo::Field> fields_;
};

}  // namespace typewarp::test
