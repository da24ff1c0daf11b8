// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace typewarp::transport {

/// The descriptor of an open file, or none.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  explicit operator bool() const noexcept { return number_ >= 0; }
  int get() const noexcept { return number_; }

 private:
  int number_ = -1;
};

/// A file of memory without a name, of so many bytes, all 0; or none. It ends with the last process that has
/// it, however that ends, and nobody can make it shorter.
Descriptor make_memory_file(std::int64_t bytes) noexcept;
/// Whether it is such a file, of this process's user, with at least so many bytes.
bool is_memory_file(const Descriptor& file, std::int64_t bytes) noexcept;
/// The one that another process of this host has open by that number; none if there is no such file there, or
/// the system does not allow that.
Descriptor open_memory_file(std::int64_t process, std::int64_t number, std::int64_t bytes) noexcept;

/// What a system is asked by to take the pages of mapped memory: its madvise(), but in tests.
using Advise = int(void* first, std::size_t bytes, int advice) noexcept;

/// Takes the pages of `bytes` bytes of mapped memory from `first` on, whole pages. False if the system has
/// none: whoever wrote there then would be killed by a signal. Precondition: nothing but zeros is there yet.
bool populate(std::byte* first, std::int64_t bytes, Advise* advise) noexcept;
bool populate(std::byte* first, std::int64_t bytes) noexcept;

}  // namespace typewarp::transport
