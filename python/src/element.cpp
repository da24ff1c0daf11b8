// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "element.hpp"

#include <algorithm>
#include <array>

namespace nb = nanobind;

namespace typewarp::python {
namespace {

using Code = nb::dlpack::dtype_code;
constexpr int opaque = 3;  // what DLPack calls an opaque handle

constexpr int value(Code code) { return static_cast<int>(code); }

bool is_one_of(char c, std::string_view characters) { return characters.find(c) != std::string_view::npos; }

/// The DLPack code of a character of the struct module, as NumPy extends it.
int code_of_format(std::string_view character) {
  if (character == "?") return value(Code::Bool);
  if (character.starts_with('Z')) return value(Code::Complex);
  if (character.size() != 1) return opaque;
  if (is_one_of(character[0], "bhilqn")) return value(Code::Int);
  if (is_one_of(character[0], "BHILQN")) return value(Code::UInt);
  if (is_one_of(character[0], "efdg")) return value(Code::Float);
  return opaque;
}

int code_of_typestr(char kind) {
  switch (kind) {
    case 'b':
      return value(Code::Bool);
    case 'i':
      return value(Code::Int);
    case 'u':
      return value(Code::UInt);
    case 'f':
      return value(Code::Float);
    case 'c':
      return value(Code::Complex);
    default:
      return opaque;
  }
}

/// Whether a format has Python objects in it; names of members stand between colons.
bool has_objects(std::string_view format) {
  bool in_name = false;
  for (const char c : format) {
    if (c == ':') in_name = !in_name;
    if (c == 'O' && !in_name) return true;
  }
  return false;
}

/// From 7 to 14, the codes of floating-point numbers of 8 bits.
constexpr std::array<std::string_view, 8> of_8_bits{
    "float8_e3m4",     "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn",
    "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz",    "float8_e8m0fnu"};

/// Whether a format is one of plain bytes, as "7x" or "x": they may be anything.
bool is_padding(std::string_view format) {
  return format.ends_with('x') && format.find_first_not_of("0123456789") == format.size() - 1;
}

bool agree(const std::string& a, const std::string& b) { return a.empty() || b.empty() || a == b; }

}  // namespace

nb::builtin_exception objects_refused() {
  return nb::value_error("x: its elements are Python objects, which must not be moved byte by byte");
}

Element Element::of_dlpack(nb::dlpack::dtype type) {
  const int bits = type.bits * type.lanes;
  if (bits == 0 || bits % 8 != 0 || type.bits % 8 != 0) {
    throw nb::value_error("x: its elements are not whole bytes");
  }
  return {type.lanes == 1 ? type.code : opaque, bits / 8};
}

Element Element::of_format(const char* format, std::int64_t bytes) {
  std::string_view text = format == nullptr ? "B" : format;
  if (has_objects(text)) throw objects_refused();
  const bool swapped = text.starts_with('>') || text.starts_with('!');
  if (!text.empty() && is_one_of(text[0], "@=<>!")) text.remove_prefix(1);
  Element element(code_of_format(text), bytes, swapped);
  if (element.code_ == opaque && !is_padding(text)) element.format_ = format;
  return element;
}

Element Element::of_typestr(std::string_view typestr, std::string_view members) {
  std::int64_t bytes = 0;
  for (const char c : typestr.substr(std::min<std::size_t>(2, typestr.size()))) {
    if (c < '0' || c > '9') break;  // the unit of a time
    bytes = 10 * bytes + (c - '0');
  }
  if (typestr.size() < 3) throw nb::value_error("x: the typestr of its array interface is too short");
  if (typestr[1] == 'O') throw objects_refused();
  if (typestr[1] == 'U') bytes *= 4;  // counted in characters
  Element element(code_of_typestr(typestr[1]), bytes, typestr[0] == '>');
  if (element.code_ == opaque) element.typestr_ = typestr[1] == 'V' ? members : typestr;
  return element;
}

std::string Element::name() const {
  constexpr std::array numbers{value(Code::Int), value(Code::UInt), value(Code::Float), value(Code::Complex)};
  const bool told = swapped_ && std::ranges::find(numbers, code_) != numbers.end();
  std::string name = name_in_order();
  if (told) name.insert(name.begin(), '>');
  return name;
}

std::string Element::name_in_order() const {
  const std::string bits = std::to_string(8 * bytes_);
  if (code_ == value(Code::Int)) return "int" + bits;
  if (code_ == value(Code::UInt)) return "uint" + bits;
  if (code_ == value(Code::Float)) return "float" + bits;
  if (code_ == value(Code::Complex)) return "complex" + bits;
  if (code_ == value(Code::Bfloat)) return "bfloat" + bits;
  if (code_ == value(Code::Bool) && bytes_ == 1) return "bool";
  const int first = value(Code::Float8_E3M4);
  if (bytes_ == 1 && code_ >= first && code_ < first + static_cast<int>(of_8_bits.size())) {
    return std::string(of_8_bits[static_cast<std::size_t>(code_ - first)]);
  }
  return std::string("V").append(std::to_string(bytes_));
}

bool Element::matches(const Element& other) const noexcept {
  if (bytes_ != other.bytes_) return false;
  if (code_ == opaque && other.code_ == opaque) {
    return agree(format_, other.format_) && agree(typestr_, other.typestr_);
  }
  if (code_ == opaque) return plain();
  if (other.code_ == opaque) return other.plain();
  return code_ == other.code_ && swapped_ == other.swapped_;
}

}  // namespace typewarp::python
