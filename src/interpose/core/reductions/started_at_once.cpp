// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/reductions/started_at_once.hpp"

namespace typewarp::interpose {

StartedAtOnce::StartedAtOnce(DirectReductions& reductions, const std::optional<DirectNumbers>& own,
                             ChannelMessages& messages)
    : reductions_(reductions),
      own_(own),
      messages_(messages),
      offers_(static_cast<std::size_t>(messages.ranks().all)) {}

bool StartedAtOnce::advance(Stream stream, FirstFailure& failure) {
  while (phase_ != Phase::made && phase_ != Phase::refused) {
    if (!has_ended(failure)) return false;
    phase_ = following();
    failure.attempt([&] { begin(stream, failure); });
  }
  return true;
}

bool StartedAtOnce::give_up() noexcept {
  is_given_up_ = true;
  if (phase_ == Phase::launches) reductions_.abandon();
  return phase_ == Phase::launches;
}

bool StartedAtOnce::has_ended(FirstFailure& failure) {
  if (phase_ == Phase::begins) return true;
  if (!messages_.over(failure)) return false;
  if (phase_ != Phase::launches) return true;
  // Kernels wait for a rank that could not launch its own.
  if (!is_given_up_ && messages_.some_told()) give_up();
  std::optional<bool> is_done;
  failure.attempt([&] { is_done = reductions_.done(); });
  if (!is_done) give_up();
  return is_done.value_or(true);
}

StartedAtOnce::Phase StartedAtOnce::following() noexcept {
  switch (phase_) {
    case Phase::begins:
      return reductions_.asks_next() ? Phase::asks : Phase::refused;
    case Phase::asks:
      if (!reductions_.choose(messages_.bits_of_all())) return Phase::refused;
      return reductions_.is_prepared() ? Phase::launches : Phase::offers;
    case Phase::offers:
      return Phase::maps;
    case Phase::maps:
      if (messages_.bits_of_all() == ChannelMessages::all_bits) return Phase::launches;
      reductions_.refuse();
      return Phase::refused;
    default:
      return Phase::made;
  }
}

void StartedAtOnce::begin(Stream stream, FirstFailure& failure) {
  constexpr auto none = ChannelMessages::none, all_bits = ChannelMessages::all_bits;
  switch (phase_) {
    case Phase::asks:
      // A rank that has failed already tells why in the other way.
      return messages_.tell(
          failure || is_given_up_ ? none : found([&] { return own_ ? reductions_.bits_of(*own_) : none; }),
          stream);
    case Phase::offers:
      return offer(stream);
    case Phase::maps:
      return messages_.tell(found([&] {
                              const int rank = messages_.ranks().own;
                              return reductions_.map(*own_, rank, offers_) ? all_bits : none;
                            }),
                            stream);
    case Phase::launches:
      return tell_how_launched(stream, failure);
    default:
      break;
  }
}

void StartedAtOnce::tell_how_launched(Stream stream, FirstFailure& failure) {
  if (!is_given_up_) failure.attempt([&] { reductions_.start(*own_, stream); });
  messages_.tell(failure || is_given_up_ ? ChannelMessages::all_bits : ChannelMessages::none, stream);
}

void StartedAtOnce::offer(Stream stream) {
  const auto rank = static_cast<std::size_t>(messages_.ranks().own);
  try {
    offers_[rank] = reductions_.offer(*own_, messages_.ranks().all);
  } catch (...) {  // this rank has nothing to offer
    offers_[rank] = {};
  }
  messages_.begin([&] { return messages_.to_all(&offers_[rank], offers_.data(), sizeof(Offer)); }, stream);
}

/// Nothing where it throws: others must hear of any.
template <class Find>
std::uint64_t StartedAtOnce::found(Find find) const noexcept {
  try {
    return find();
  } catch (...) {
    return ChannelMessages::none;
  }
}

}  // namespace typewarp::interpose
