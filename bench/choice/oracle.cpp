// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "oracle.hpp"

#include "measure.hpp"

#include <typewarp/hints.hpp>

#include <algorithm>
#include <chrono>

namespace typewarp::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// A method, and what it took.
struct Candidate {
  std::string name;
  Plan plan;
  std::vector<double> samples = {};

  double median() {
    const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
    std::nth_element(samples.begin(), middle, samples.end());
    return *middle;
  }
};

/// In rounds, so that what disturbs the machine disturbs all.
struct Rounds {
  int rounds = 5;
  double us = 1500;  ///< for each method and round
  int most = 25;     ///< samples of a method and round
};
/// Where the choice seems to be wrong: noise must not look like a miss.
constexpr Rounds careful{15, 2000, 40};
constexpr double doubtful = 1.04;
/// A method that takes so many times the best in the first samples is not measured on.
constexpr double hopeless = 1.5;
constexpr int first_samples = 3;
constexpr double first_us = 20'000;  ///< of all of them

void run(const Transfer& transfer, const Plan& plan, Direction direction, cudaStream_t stream) {
  const Placed& placed = transfer.placed;
  if (direction == Direction::pack) {
    pack(placed.buffer, placed.count, plan, transfer.packed, stream);
  } else {
    unpack(transfer.packed, placed.buffer, placed.count, plan, stream);
  }
}

class Duel {
 public:
  Duel(const Bench& bench, const Transfer& transfer, Direction direction)
      : bench_(bench), transfer_(transfer), direction_(direction) {}

  void sample(Candidate& candidate, int most, double us) const {
    double total = 0;
    for (int i = 0; i < most && (i == 0 || total < us); ++i) {
      const auto begin = Clock::now();
      run(transfer_, candidate.plan, direction_, bench_.queue.get());
      bench_.queue.wait();
      candidate.samples.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
      total += candidate.samples.back();
    }
  }

  /// Medians over all rounds. Those that lose by far are left with the samples that show it.
  void all(std::vector<Candidate>& candidates, const Rounds& rounds) const {
    double best = 0;
    for (Candidate& candidate : candidates) {
      candidate.samples.clear();
      sample(candidate, first_samples, first_us);
      if (best == 0 || candidate.median() < best) best = candidate.median();
    }
    const auto close = [&](Candidate& candidate) { return candidate.median() <= hopeless * best; };
    std::vector<Candidate*> kept;
    for (Candidate& candidate : candidates) {
      if (close(candidate)) kept.push_back(&candidate);
    }
    for (Candidate* const candidate : kept) candidate->samples.clear();  // the first ones warm up
    for (int round = 0; round < rounds.rounds; ++round) {
      for (Candidate* const candidate : kept) sample(*candidate, rounds.most, rounds.us);
    }
  }

 private:
  const Bench& bench_;
  const Transfer& transfer_;
  Direction direction_;
};

std::vector<Candidate> candidates_of(const Transfer& transfer, const ExplainedMove& explained) {
  const Plan& plan = transfer.placed.plan;
  std::vector<Candidate> candidates{{explained.chosen, plan}};
  for (const ConsideredMethod& method : explained.methods) {
    if (!method.can) continue;
    Hints hints;
    hints.set("method", method.name);
    candidates.push_back({method.name, plan.with(hints)});
  }
  return candidates;
}

void verify_all(Bench& bench, const Transfer& transfer, Direction direction,
                const std::vector<Candidate>& candidates) {
  std::vector<Mover> movers;
  for (const Candidate& candidate : candidates) {
    movers.push_back({candidate.name, [&, direction](cudaStream_t stream) {
                        run(transfer, candidate.plan, direction, stream);
                      }});
  }
  verify(bench, transfer, direction, movers);
}

/// The engine's own choice and the same by force are one method: the faster of both counts.
Verdict verdict_of(std::vector<Candidate>& candidates, const ExplainedMove& explained) {
  Verdict verdict{explained.chosen, {}};
  for (Candidate& candidate : candidates) {
    const auto [place, first] = verdict.us.emplace(candidate.name, candidate.median());
    if (!first) place->second = std::min(place->second, candidate.median());
  }
  return verdict;
}

}  // namespace

const std::string& Verdict::best() const {
  return std::ranges::min_element(us, {}, [](const auto& entry) { return entry.second; })->first;
}

Verdict judge(Bench& bench, const Transfer& transfer, Direction direction, const ExplainedMove& explained) {
  std::vector<Candidate> candidates = candidates_of(transfer, explained);
  verify_all(bench, transfer, direction, candidates);
  const Duel duel(bench, transfer, direction);
  duel.all(candidates, {});
  Verdict verdict = verdict_of(candidates, explained);
  if (verdict.ratio() > doubtful) {
    duel.all(candidates, careful);
    verdict = verdict_of(candidates, explained);
  }
  return verdict;
}

}  // namespace typewarp::bench
