// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "common/command_line.hpp"

#include "common/picture/picture.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace apps {
namespace {

constexpr int wrong_input = 2;

std::string parse_picture(const std::string& text) {
  if (text.starts_with('-')) {  // the option that follows, if the name was forgotten
    reject("--picture", text, "must not start with '-' (./" + text + " names such a file)");
  }
  if (!can_write_picture(text)) {
    reject("--picture", text, "this build writes " + picture_formats());
  }
  return text;
}

/// "2x3", "2x3x4".
std::string example(char separator, std::size_t parts) {
  std::string text = "2";
  for (std::size_t i = 1; i < parts; ++i) {
    text += separator + std::to_string(2 + i);
  }
  return text;
}

/// None if any part is no such number.
std::vector<std::int64_t> split_numbers(std::string_view text, char separator, std::int64_t least,
                                        std::int64_t most) {
  std::vector<std::int64_t> values;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    const std::optional<std::int64_t> value = parse_number(text.substr(begin, end - begin), least, most);
    if (!value) return {};
    values.push_back(*value);
    begin = end + 1;
  }
  return values;
}

/// Reads "A<separator>B", or a single number for both where `square`.
Shape parse_shape(const std::string& option, const std::string& text, char separator, bool square,
                  std::int64_t most) {
  const std::vector<std::int64_t> sides = parse_numbers(option, text, separator, 2, most, square);
  return {sides[0], sides[1]};
}

}  // namespace

void reject(const std::string& option, const std::string& value, const std::string& rule) {
  throw CLI::ValidationError(option + " = " + value + ": " + rule);
}

std::optional<std::int64_t> parse_number(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

std::vector<std::int64_t> parse_numbers(const std::string& option, const std::string& text, char separator,
                                        std::size_t parts, std::int64_t most, bool one_for_all) {
  std::vector<std::int64_t> values = split_numbers(text, separator, 1, most);
  if (one_for_all && values.size() == 1) {
    values.assign(parts, values.front());
  }
  if (values.size() != parts) {
    reject(option, text,
           "must be " + std::string(parts == 2 ? "two" : "three") + " positive numbers such as " +
               example(separator, parts) + (one_for_all ? ", or one for all" : "") + ", each at most " +
               std::to_string(most));
  }
  return values;
}

void add_shapes(CLI::App& app, std::optional<Shape>& ranks, Shape& size, const std::string& points,
                std::int64_t most) {
  app.add_option_function<std::string>(
         "--grid",
         [&ranks, most](const std::string& text) { ranks = parse_shape("--grid", text, 'x', false, most); },
         "ranks from north to south and from west to east (default: MPI_Dims_create)")
      ->type_name("PxQ");
  app.add_option_function<std::string>(
         "--size",
         [&size, most](const std::string& text) { size = parse_shape("--size", text, ',', true, most); },
         points + " of each rank (default " + std::to_string(size.rows) + ")")
      ->type_name("ROWS,COLUMNS or SIDE");
}

void add_number(CLI::App& app, const std::string& name, std::int64_t& value, std::int64_t least,
                std::int64_t most, const std::string& help) {
  const auto read = [&value, name, least, most](const std::string& text) {
    const std::optional<std::int64_t> number = parse_number(text, least, most);
    if (!number) {
      reject(name, text,
             "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    value = *number;
  };
  app.add_option_function<std::string>(name, read, help + " (default " + std::to_string(value) + ")")
      ->type_name("N");
}

void add_numbers(CLI::App& app, const std::string& name, std::vector<std::int64_t>& values,
                 std::int64_t least, std::int64_t most, const std::string& help) {
  const auto read = [&values, name, least, most](const std::string& text) {
    values = split_numbers(text, ',', least, most);
    if (values.empty()) {
      reject(name, text,
             "must be whole numbers from " + std::to_string(least) + " to " + std::to_string(most) +
                 ", with commas between");
    }
  };
  app.add_option_function<std::string>(name, read, help)->type_name("N,...");
}

void add_memory(CLI::App& app, std::optional<typewarp::MemoryKind>& memory, const std::string& what) {
  using typewarp::MemoryKind;
  add_choice<std::optional<MemoryKind>>(
      app, "--memory", memory,
      {{"auto", std::nullopt},
       {"host", MemoryKind::host},
       {"pinned", MemoryKind::pinned},
       {"managed", MemoryKind::managed},
       {"device", MemoryKind::device}},
      "where " + what +
          "; a GPU computes on managed and device memory, the CPU on the others "
          "(default auto: device if there is a GPU, else host)");
}

void add_picture(CLI::App& app, std::string& picture, const std::string& what) {
  app.add_option_function<std::string>(
         "--picture", [&picture](const std::string& text) { picture = parse_picture(text); },
         "write " + what + " as " + picture_formats())
      ->type_name("FILE");
}

void add_progress(CLI::App& app, ProgressStyle& style) {
  add_choice(app, "--progress", style,
             {{"auto", ProgressStyle::automatic},
              {"update", ProgressStyle::update},
              {"lines", ProgressStyle::lines},
              {"none", ProgressStyle::none}},
             "how to show progress (default auto)");
}

std::optional<Leave> parse(CLI::App& app, int argc, const char* const* argv,
                           const std::function<void()>& check) {
  try {
    app.parse(argc, argv);
    check();
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      std::ostringstream help;
      app.exit(error, help, help);
      return Leave{0, help.str()};
    }
    return Leave{wrong_input, app.get_name() + ": " + error.what() + " (see --help)\n"};
  }
  return std::nullopt;
}

}  // namespace apps
