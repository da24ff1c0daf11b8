// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/error.hpp>

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace typewarp::python {

/// What ranks make together and must end together: no garbage collector may do it, which runs when it likes.
/// It is ended by close(), or before the MPI is, the last one made first. Until then it lives, with the
/// memory it works on.
class Living {
 public:
  Living() = default;
  Living(const Living&) = delete;
  Living& operator=(const Living&) = delete;
  virtual ~Living() = default;
  virtual void close() = 0;
};

/// Of memory that others may still use after a wait that gave up: it is never freed, and Python is not told
/// that it leaks.
inline void keep_for_ever(nanobind::object view) {
  view.release();
  nanobind::set_leak_warnings(false);
}

/// From now on known to end_living().
void add_living(std::shared_ptr<Living> object);
void remove_living(const Living* object);
/// Ends everything of this module, the last one first.
void end_living();
/// For the end of a program whose ranks need not come there together: what is left is never ended nor freed,
/// and Python is not told that it leaks.
void keep_living();

/// Whether close() waits for what such an object has started: its destructor does not tell if that has ended.
template <typename T>
inline constexpr bool waits_at_the_end = false;

/// An object of C++, and the views whose memory it works on.
template <typename T>
class Lives final : public Living {
 public:
  /// Calls `make` while other threads of Python run; it makes the object, and may wait for other ranks.
  template <typename Make>
  static std::shared_ptr<Lives> made(const char* name, std::vector<nanobind::object> views, Make&& make) {
    auto lives = std::make_shared<Lives>();
    lives->name_ = name;
    lives->views_ = std::move(views);
    {
      const nanobind::gil_scoped_release release;
      lives->object_.reset(new T(make()));  // of what cannot be moved, either
    }
    add_living(lives);
    return lives;
  }

  T& object() {
    if (!object_) throw Error(std::string(name_) + " was closed");
    return *object_;
  }
  bool closed() const noexcept { return !object_; }
  void keep(std::vector<nanobind::object> views) { views_.swap(views); }
  void keep_too(nanobind::object view) { views_.push_back(std::move(view)); }
  /// Those for which `is_gone(view)`.
  template <typename IsGone>
  void keep_no_more(IsGone&& is_gone) {
    std::vector<nanobind::object> gone;  // last, as what Python does then may come back here
    for (auto& view : std::exchange(views_, {})) (is_gone(view) ? gone : views_).push_back(std::move(view));
  }

  /// Calls `work` with the object while other threads of Python run. What others may still use after a wait
  /// that gave up is never freed.
  template <typename Work>
  auto with(Work&& work) {
    T& own = object();
    try {
      const nanobind::gil_scoped_release release;
      return work(own);
    } catch (const TimeLimitExceeded&) {
      given_up_ = true;
      throw;
    }
  }

  void close() override {
    if (object_) {
      const nanobind::gil_scoped_release release;
      if (!views_.empty()) given_up_ = given_up_ || !ends();
      object_.reset();
    }
    // Gone last: what Python does then may come back here.
    const std::vector<nanobind::object> views = std::exchange(views_, {});
    if (given_up_) {
      for (const nanobind::object& view : views) keep_for_ever(view);
    }
    remove_living(this);
  }

 private:
  /// Whether what was started ends, which the destructor does not tell.
  bool ends() noexcept {
    if constexpr (waits_at_the_end<T>) {
      try {
        object_->wait();
      } catch (const std::exception&) {
        return false;
      }
    }
    return true;
  }

  const char* name_ = "";
  std::unique_ptr<T> object_;
  std::vector<nanobind::object> views_;
  bool given_up_ = false;
};

}  // namespace typewarp::python
