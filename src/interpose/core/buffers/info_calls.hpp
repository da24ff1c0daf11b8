// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "interpose/core/buffers/info_keys.hpp"
#include "interpose/core/buffers/kept_hints.hpp"
#include "interpose/core/buffers/streams.hpp"
#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"

#include <mpi.h>

#include <type_traits>

/// What calls do that give an object hints by an info, or that tell them. `Object` is one of kept_hints.hpp.
namespace typewarp::interpose {

template <class Object>
inline constexpr KeySet keys_of = std::is_same_v<Object, OfComm> ? KeySet::hints_and_stream : KeySet::hints;

template <class Object>
void keep(typename Object::Handle object, const InfoKeys& keys) {
  if (!keys.any) return;
  Object::set(object, keys.hints);
  if constexpr (std::is_same_v<Object, OfComm>) {
    if (keys.stream) name_stream(object, *keys.stream);
  }
}

/// Makes an object by `make()`, the MPI's call, which gives it to `made`; one of another kind than what it is
/// made of, `From`, whose error handler hears of an info that is refused. Nothing is made then.
template <class Object, class From, class Make>
int make_with_info(int number, typename From::Handle from, MPI_Info info, typename Object::Handle* made,
                   Make make) noexcept {
  InfoKeys keys;
  const auto tell = [&](const std::exception_ptr& error) { return From::raise(from, error); };
  const int refused = guarded_by([&] { keys = keys_in(info, {}, keys_of<Object>, name_of(number)); }, tell);
  if (refused != MPI_SUCCESS) return refused;
  const auto nothing = Object::nothing();
  preset(made, nothing);
  const int code = make();
  if (code != MPI_SUCCESS || result(made, nothing) == nothing) return code;
  return guarded_by([&] { keep<Object>(*made, keys); }, tell);
}

/// Changes the hints of an object by `change()`, the MPI's call. What the info does not say stays as it was.
template <class Object, class Change>
int change_by_info(int number, typename Object::Handle object, MPI_Info info, Change change) noexcept {
  InfoKeys keys;
  const auto tell = [&](const std::exception_ptr& error) { return Object::raise(object, error); };
  const int refused =
      guarded_by([&] { keys = keys_in(info, Object::get(object), keys_of<Object>, name_of(number)); }, tell);
  if (refused != MPI_SUCCESS) return refused;
  const int code = change();
  return code != MPI_SUCCESS || object == Object::nothing()
             ? code
             : guarded_by([&] { keep<Object>(object, keys); }, tell);
}

template <class Object, int number>
int set_info(typename Object::Handle object, MPI_Info info) noexcept {
  return change_by_info<Object>(number, object, info, [&] { return hand_on(number, object, info); });
}

/// MPI says that it tells the hints in use.
template <class Object, int number>
int get_info(typename Object::Handle object, MPI_Info* used) noexcept {
  preset(used, MPI_INFO_NULL);
  const int code = hand_on(number, object, used);
  if (code != MPI_SUCCESS || result(used, MPI_INFO_NULL) == MPI_INFO_NULL) return code;
  const auto tell = [&](const std::exception_ptr& error) { return Object::raise(object, error); };
  return guarded_by(
      [&] {
        std::optional<Stream> stream;
        if constexpr (std::is_same_v<Object, OfComm>) stream = stream_named(object);
        tell_in(*used, Object::get(object), stream);
      },
      tell);
}

}  // namespace typewarp::interpose
