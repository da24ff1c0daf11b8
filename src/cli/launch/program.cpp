// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/launch/program.hpp"

#include "cli/launch/process.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <fstream>
#include <string_view>

namespace typewarp::cli {
namespace {

/// "libasan.so.8", "libclang_rt.asan-x86_64.so", "libubsan.so.1": not "libsane.so.1".
bool is_sanitizer(const std::string& library) {
  std::string name = base_name(library);
  for (const std::string_view prefix : {"lib", "clang_rt."}) {
    if (name.starts_with(prefix)) name.erase(0, prefix.size());
  }
  return std::ranges::any_of(std::array{"asan", "hwasan", "lsan", "msan", "rtsan", "tsan", "ubsan"},
                             [&](std::string_view kind) {
                               return name.starts_with(kind) && name.find(".so") != std::string::npos &&
                                      std::isalnum(static_cast<unsigned char>(name[kind.size()])) == 0;
                             });
}

/// A program's file. Offsets come from the file itself, so they may lie outside of it.
class ProgramFile {
 public:
  explicit ProgramFile(const std::string& path) : file_(path, std::ios::binary) {}

  template <typename T>
  bool read(std::uint64_t place, T& value) {
    return static_cast<bool>(seek(place) && file_.read(reinterpret_cast<char*>(&value), sizeof value));
  }
  std::string text(std::uint64_t place, char end) {
    constexpr std::size_t longest = 4096;
    std::string text;
    if (!seek(place)) return text;
    for (char c = end; text.size() < longest && file_.get(c) && c != end;) text += c;
    return text;
  }

 private:
  bool seek(std::uint64_t place) {
    file_.clear();
    return static_cast<bool>(file_.seekg(static_cast<std::streamoff>(place)));
  }

  std::ifstream file_;
};

/// The libraries that a 64-bit ELF program is linked with; none of any other file.
std::vector<std::string> libraries_of(ProgramFile& file) {
  Elf64_Ehdr header{};
  std::vector<std::string> libraries;
  if (!file.read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return libraries;
  }
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!file.read(header.e_phoff + i * sizeof(Elf64_Phdr), segments[i])) return libraries;
  }
  std::vector<std::uint64_t> names;
  std::uint64_t strings = 0;
  for (const Elf64_Phdr& segment : segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz; at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry{};
      if (!file.read(segment.p_offset + at, entry) || entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_NEEDED) names.push_back(entry.d_un.d_val);
      if (entry.d_tag == DT_STRTAB) strings = entry.d_un.d_ptr;
    }
  }
  for (const Elf64_Phdr& segment : segments) {
    const bool has_strings = segment.p_type == PT_LOAD && strings >= segment.p_vaddr &&
                             strings - segment.p_vaddr < segment.p_filesz;
    if (!has_strings) continue;
    for (const std::uint64_t name : names) {
      libraries.push_back(file.text(segment.p_offset + (strings - segment.p_vaddr) + name, '\0'));
    }
    break;
  }
  return libraries;
}

std::vector<std::string> entries_of(const std::string& preload) {
  std::vector<std::string> entries;
  for (std::size_t start = 0; start < preload.size();) {
    const std::size_t end = std::min(preload.find_first_of(" :", start), preload.size());
    if (end > start) entries.push_back(preload.substr(start, end - start));
    start = end + 1;
  }
  return entries;
}

}  // namespace

ProgramNeeds needs_of(const Words& command) {
  ProgramNeeds needs;
  for (const std::string& word : command) {
    const std::string path = word.starts_with('-') ? "" : path_of_program(word);
    if (path.empty()) continue;
    ProgramFile file(path);
    const std::string first_line = file.text(0, '\n').substr(0, 256);
    needs.python = needs.python || base_name(path).starts_with("python") ||
                   (first_line.starts_with("#!") && first_line.find("python") != std::string::npos);
    for (const std::string& library : libraries_of(file)) {
      if (is_sanitizer(library)) needs.sanitizers = joined_preload(needs.sanitizers, library);
    }
  }
  return needs;
}

std::string joined_preload(const std::string& first, const std::string& second) {
  std::vector<std::string> entries = entries_of(first);
  for (const std::string& entry : entries_of(second)) {
    if (std::ranges::find(entries, entry) == entries.end()) entries.push_back(entry);
  }
  std::ranges::stable_partition(entries, is_sanitizer);
  std::string joined;
  for (const std::string& entry : entries) joined += (joined.empty() ? "" : ":") + entry;
  return joined;
}

}  // namespace typewarp::cli
