// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "element.hpp"

#include "members.hpp"

#include <algorithm>
#include <array>

namespace nb = nanobind;

namespace typewarp::python {
namespace {

using Code = nb::dlpack::dtype_code;
constexpr int opaque = 3;  // what DLPack calls an opaque handle
constexpr int bcomplex = 18;

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
  return is_one_of(character[0], "FD") ? value(Code::Complex) : opaque;
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

/// From 7 on, the codes of floating-point numbers of 8 bits and fewer.
constexpr std::array<std::string_view, 11> small_floats{
    "float8_e3m4",     "float8_e4m3",   "float8_e4m3b11fnuz", "float8_e4m3fn",
    "float8_e4m3fnuz", "float8_e5m2",   "float8_e5m2fnuz",    "float8_e8m0fnu",
    "float6_e2m3fn",   "float6_e3m2fn", "float4_e2m1fn"};

/// Of a number of so many bits; empty for what is none.
std::string name_of(int code, int bits) {
  constexpr int first = value(Code::Float8_E3M4);
  const std::string size = std::to_string(bits);
  if (code == value(Code::Int)) return "int" + size;
  if (code == value(Code::UInt)) return "uint" + size;
  if (code == value(Code::Float)) return "float" + size;
  if (code == value(Code::Complex)) return "complex" + size;
  if (code == value(Code::Bfloat)) return "bfloat" + size;
  if (code == bcomplex) return "bcomplex" + size;
  if (code == value(Code::Bool)) return bits == 8 ? "bool" : "bool" + size;
  const auto i = static_cast<std::size_t>(code - first);
  return code >= first && i < small_floats.size() ? std::string(small_floats[i]) : "";
}

/// Of strings and times: "S3", "U2", "datetime64[ns]".
std::string words_of_typestr(std::string_view typestr) {
  if (typestr[1] != 'M' && typestr[1] != 'm') return std::string(typestr.substr(typestr[0] == '>' ? 0 : 1));
  const std::size_t unit = std::min(typestr.find('['), typestr.size());
  std::string words;
  if (typestr[0] == '>') words += '>';
  return words.append(typestr[1] == 'M' ? "datetime64" : "timedelta64").append(typestr.substr(unit));
}

/// Whether a format is one of plain bytes, as "7x" or "x": they may be anything.
bool is_padding(std::string_view format) {
  return format.ends_with('x') && format.find_first_not_of("0123456789") == format.size() - 1;
}

}  // namespace

nb::builtin_exception objects_refused() {
  return nb::value_error("x: its elements are Python objects, which must not be moved byte by byte");
}

Element Element::of_dlpack(nb::dlpack::dtype type, bool padded) {
  if (type.code != opaque && name_of(type.code, type.bits).empty()) {
    throw nb::value_error(
        ("x: has elements of a type that is not known (DLPack's " + std::to_string(type.code) + ")").c_str());
  }
  constexpr int byte = 8;
  const int each = padded ? (type.bits + byte - 1) / byte * byte : type.bits, bits = each * type.lanes;
  if (bits == 0 || bits % byte != 0) throw nb::value_error("x: its elements are not whole bytes");
  const bool whole = type.bits >= byte;
  Element element(whole && type.lanes > 1 ? opaque : type.code, bits / byte);
  if (type.code == opaque || (whole && type.lanes == 1)) return element;
  element.words_ = name_of(type.code, type.bits);
  if (type.lanes > 1) element.words_.append("_x").append(std::to_string(type.lanes));
  return element;
}

Element Element::of_format(const char* format, std::int64_t bytes) {
  std::string_view text = format == nullptr ? "B" : format;
  if (has_objects(text)) throw objects_refused();
  const bool swapped = text.starts_with('>') || text.starts_with('!');
  if (!text.empty() && is_one_of(text[0], "@=<>!^")) text.remove_prefix(1);
  Element element(code_of_format(text), bytes, swapped);
  if (element.code_ == opaque && !is_padding(text)) element.words_ = words_of_format(format, bytes);
  return element;
}

Element Element::of_typestr(std::string_view typestr, std::string members) {
  std::int64_t bytes = 0;
  for (const char c : typestr.substr(std::min<std::size_t>(2, typestr.size()))) {
    if (c < '0' || c > '9') break;  // the unit of a time
    bytes = 10 * bytes + (c - '0');
  }
  if (typestr.size() < 3) throw nb::value_error("x: the typestr of its array interface is too short");
  if (typestr[1] == 'O') throw objects_refused();
  if (typestr[1] == 'U') bytes *= 4;  // counted in characters
  Element element(code_of_typestr(typestr[1]), bytes, typestr[0] == '>');
  if (element.code_ == opaque)
    element.words_ = typestr[1] == 'V' ? std::move(members) : words_of_typestr(typestr);
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
  if (code_ != opaque && !words_.empty()) return words_;
  const std::string name = name_of(code_, static_cast<int>(8 * bytes_));
  return name.empty() ? std::string("V").append(std::to_string(bytes_)) : name;
}

std::string Element::meaning() const { return words_.empty() ? name() : words_; }

bool Element::matches(const Element& other) const noexcept {
  if (bytes_ != other.bytes_) return false;
  if (code_ == opaque && other.code_ == opaque) {
    return words_.empty() || other.words_.empty() || words_ == other.words_;
  }
  if (code_ == opaque) return words_.empty();
  if (other.code_ == opaque) return other.words_.empty();
  return code_ == other.code_ && swapped_ == other.swapped_ && words_ == other.words_;
}

}  // namespace typewarp::python
