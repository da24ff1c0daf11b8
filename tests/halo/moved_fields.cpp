// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/moved_fields.hpp"

#include "engine/device/gpu.hpp"
#include "halo/device.hpp"
#include "support/host_memory.hpp"

namespace typewarp::test {

MovedFields::MovedFields(std::vector<Patch>& patches, const std::vector<Place>& places) : patches_(patches) {
  for (std::size_t f = 0; f < patches.size(); ++f) {
    fields_.push_back(patches[f].field());
    const std::int64_t bytes = std::ssize(patches[f].initial());
    Moved& moved = moved_.emplace_back(places[f], nullptr, nullptr);
    if (moved.place == Place::patch) continue;
    if (moved.place == Place::pageable) {
      moved.memory = std::make_unique<HostMemory>(bytes);
    } else {
      moved.memory = allocate_pinned(bytes);
      moved.source = allocate_pinned(bytes);
      moved.source->write(patches[f].initial());
    }
    fields_[f].rebind(moved.memory->data() +
                      (static_cast<std::byte*>(fields_[f].data()) - patches[f].memory()));
  }
}

void MovedFields::fill() {
  for (std::size_t f = 0; f < moved_.size(); ++f) {
    const Bytes& initial = patches_[f].initial();
    if (moved_[f].place == Place::patch) patches_[f].fill();
    if (moved_[f].place == Place::pageable) moved_[f].memory->write(initial);
    if (moved_[f].place == Place::pinned) moved_[f].memory->write(Bytes(initial.size()));
  }
  for (std::size_t f = 0; f < moved_.size(); ++f) {
    if (moved_[f].place != Place::pinned) continue;
    enqueue_copy(moved_[f].memory->data(), moved_[f].source->data(), patches_[f].initial().size());
  }
}

void MovedFields::give() {
  gpu::Event(gpu::stream_device(field_stream()), field_stream()).wait();
  for (std::size_t f = 0; f < moved_.size(); ++f) {
    if (moved_[f].place == Place::patch) continue;
    Bytes bytes(patches_[f].initial().size());
    moved_[f].memory->read(bytes);
    patches_[f].write(bytes);
  }
}

}  // namespace typewarp::test
