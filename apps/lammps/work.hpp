// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "common/gpu/host_device.hpp"
#include "lammps/domain.hpp"

#include <cstdint>

/// What is done for each atom, or each row of an array, by the CPU or by a thread of the GPU. The order of
/// operations is fixed here, and both are compiled without contraction to fused multiply-adds: so their
/// results agree to the last bit. Vectors are three numbers an atom.
namespace lammps {

/// Force and potential energy of an atom from the partners in its list; the potential is shifted to be 0 at
/// the cutoff. No two threads write to the same atom.
struct Force {
  const double* x;
  const Image* image;
  const std::int64_t* first;  ///< of atom i: partners first[i] to first[i + 1]
  const std::int32_t* partner;
  double length[3];
  double* f;
  double* energy;  ///< of all pairs of the atom, so that each pair counts twice

  APPS_HOST_DEVICE void operator()(std::int64_t i) const {
    double here[3];
    place(i, here);
    double sum[4] = {0, 0, 0, 0};
    for (std::int64_t k = first[i]; k < first[i + 1]; ++k) {
      add(here, partner[k], sum);
    }
    for (int axis = 0; axis < 3; ++axis) {
      f[3 * i + axis] = sum[axis];
    }
    energy[i] = sum[3];
  }

  APPS_HOST_DEVICE void place(std::int64_t i, double* at) const {
    const int code = image[i];
    const int steps[3] = {code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1};
    for (int axis = 0; axis < 3; ++axis) {
      at[axis] = x[3 * i + axis] + steps[axis] * length[axis];
    }
  }

  APPS_HOST_DEVICE void add(const double* here, std::int64_t other, double* sum) const {
    constexpr double cut = cutoff * cutoff;
    constexpr double cut6 = 1 / (cut * cut * cut);
    constexpr double at_cutoff = 4 * cut6 * (cut6 - 1);
    double there[3];
    place(other, there);
    const double apart[3] = {here[0] - there[0], here[1] - there[1], here[2] - there[2]};
    const double square = apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
    if (square >= cut) return;
    const double inverse = 1 / square;
    const double sixth = inverse * inverse * inverse;
    const double strength = 48 * sixth * (sixth - 0.5) * inverse;
    for (int axis = 0; axis < 3; ++axis) {
      sum[axis] += apart[axis] * strength;
    }
    sum[3] += 4 * sixth * (sixth - 1) - at_cutoff;
  }
};

/// The first half of a velocity Verlet step, of one number.
struct KickAndDrift {
  double* x;
  double* v;
  const double* f;
  double step;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const {
    v[i] += 0.5 * step * f[i];
    x[i] += step * v[i];
  }
};

/// The second half.
struct Kick {
  double* v;
  const double* f;
  double step;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const { v[i] += 0.5 * step * f[i]; }
};

/// Brings an atom that has left the periodic box along an axis back into it.
struct Wrap {
  double* x;
  int axis;
  double length;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const {
    double& at = x[3 * i + axis];
    if (at < 0) {
      at += length;
    } else if (at >= length) {
      at -= length;
    }
  }
};

/// Rows of `words` numbers of 64 bits, those of a list one after the other.
struct GatherRows {
  const std::uint64_t* from;
  const std::int32_t* list;
  std::int64_t words;
  std::uint64_t* to;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const {
    for (std::int64_t word = 0; word < words; ++word) {
      copy_word(i, word);
    }
  }
  APPS_HOST_DEVICE void copy_word(std::int64_t i, std::int64_t word) const {
    to[i * words + word] = from[list[i] * words + word];
  }
};

/// The same, word i of what is written.
struct GatherWords {
  GatherRows rows;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const { rows.copy_word(i / rows.words, i % rows.words); }
};

/// Adds vectors, one after the other, to those of a list, which names none twice.
struct AddVectors {
  const double* from;
  const std::int32_t* list;
  double* to;
  APPS_HOST_DEVICE void operator()(std::int64_t i) const {
    for (int axis = 0; axis < 3; ++axis) {
      to[3 * std::int64_t{list[i]} + axis] += from[3 * i + axis];
    }
  }
};

}  // namespace lammps
