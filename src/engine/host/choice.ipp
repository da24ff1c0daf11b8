// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Which kernel a step runs. Included by kernels.ipp.

/// Calls `chosen.operator()<Move>()` with the move for runs of `length` bytes.
template <typename Chosen>
void with_move(std::int64_t length, Chosen chosen) {
  if (length == 1) return chosen.template operator()<Cover<1, 1>>();
  if (length == 2) return chosen.template operator()<Cover<2, 1>>();
  if (length < 4) return chosen.template operator()<Cover<2, 2>>();
  if (length == 4) return chosen.template operator()<Cover<4, 1>>();
  if (length < 8) return chosen.template operator()<Cover<4, 2>>();
  if (length == 8) return chosen.template operator()<Cover<8, 1>>();
  if (length == 12) return chosen.template operator()<Fixed<12>>();
  if (length < 16) return chosen.template operator()<Cover<8, 2>>();
  if (length == 16) return chosen.template operator()<Cover<16, 1>>();
  if (length == 17) return chosen.template operator()<Fixed<17>>();
  if (length == 20) return chosen.template operator()<Fixed<20>>();
  if (length == 24) return chosen.template operator()<Fixed<24>>();
  if (length == 32) return chosen.template operator()<Fixed<32>>();
  if (length <= 32) return chosen.template operator()<Cover<16, 2>>();
  if (length == 40) return chosen.template operator()<Fixed<40>>();
  if (length == 48) return chosen.template operator()<Fixed<48>>();
  if (length == 64) return chosen.template operator()<Fixed<64>>();
  if (length == 128) return chosen.template operator()<Fixed<128>>();
#ifdef TYPEWARP_HOST_AVX2
  if (length <= 64) return chosen.template operator()<Cover<32, 2>>();
  if (length <= 96) return chosen.template operator()<Cover<32, 3>>();
  if (length <= 128) return chosen.template operator()<Cover<32, 4>>();
  if (length <= 160) return chosen.template operator()<Cover<32, 5>>();
  if (length <= 192) return chosen.template operator()<Cover<32, 6>>();
  if (length <= 224) return chosen.template operator()<Cover<32, 7>>();
  if (length <= 256) return chosen.template operator()<Cover<32, 8>>();
#else
  if (length <= 48) return chosen.template operator()<Cover<16, 3>>();
  if (length <= 64) return chosen.template operator()<Cover<16, 4>>();
  if (length <= 80) return chosen.template operator()<Cover<16, 5>>();
  if (length <= 96) return chosen.template operator()<Cover<16, 6>>();
  if (length <= 112) return chosen.template operator()<Cover<16, 7>>();
  if (length <= 128) return chosen.template operator()<Cover<16, 8>>();
#endif
  return chosen.template operator()<Long>();
}

/// Whether a cache line of user memory holds runs of several outer children, but of one inner child.
inline bool is_transposed(const Step& step) {
  const std::int64_t near = step.stride < 0 ? -step.stride : step.stride;
  const std::int64_t far = step.child->stride < 0 ? -step.child->stride : step.child->stride;
  return near <= 32 && far >= 64;
}

inline void choose_for_repeat(Step& step) {
  const Step& child = *step.child;
  step.pack = repeat<Pack>;
  step.unpack = repeat<Unpack>;
  if (child.kind == plan::Kind::run) {
    with_move(child.size, [&]<typename Move>() {
      step.pack = repeat_run<Pack, Move>;
      step.unpack = repeat_run<Unpack, Move>;
    });
  } else if (child.kind == plan::Kind::repeat && child.child->kind == plan::Kind::run) {
    with_move(child.child_size, [&]<typename Move>() {
      const bool near = is_transposed(step);
      step.pack = near ? transposed<Pack, Move> : repeat_repeat_run<Pack, Move>;
      step.unpack = near ? transposed<Unpack, Move> : repeat_repeat_run<Unpack, Move>;
    });
  }
}

inline void choose_for_blocks(Step& step) {
  step.pack = blocks<Pack>;
  step.unpack = blocks<Unpack>;
  if (step.child->kind != plan::Kind::run) return;
  with_move(step.child_size, [&]<typename Move>() {
    const bool narrow = step.width == 4;
    step.pack = narrow ? blocks_run<Pack, Move, std::int32_t> : blocks_run<Pack, Move, std::int64_t>;
    step.unpack = narrow ? blocks_run<Unpack, Move, std::int32_t> : blocks_run<Unpack, Move, std::int64_t>;
  });
}

inline void choose_for_varying(Step& step) {
  const bool narrow = step.width == 4;
  if (step.child->kind == plan::Kind::run) {
    step.pack = narrow ? varying_bytes<Pack, std::int32_t> : varying_bytes<Pack, std::int64_t>;
    step.unpack = narrow ? varying_bytes<Unpack, std::int32_t> : varying_bytes<Unpack, std::int64_t>;
  } else {
    step.pack = narrow ? varying<Pack, std::int32_t> : varying<Pack, std::int64_t>;
    step.unpack = narrow ? varying<Unpack, std::int32_t> : varying<Unpack, std::int64_t>;
  }
}

inline void choose(Step& step) {
  switch (step.kind) {
    case plan::Kind::run:
      step.pack = run<Pack>;
      step.unpack = run<Unpack>;
      break;
    case plan::Kind::repeat:
      choose_for_repeat(step);
      break;
    case plan::Kind::blocks:
      choose_for_blocks(step);
      break;
    case plan::Kind::varying:
      choose_for_varying(step);
      break;
    case plan::Kind::sequence:
      step.pack = sequence<Pack>;
      step.unpack = sequence<Unpack>;
      break;
  }
}
