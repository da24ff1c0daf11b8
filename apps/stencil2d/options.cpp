// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "stencil2d/options.hpp"

#include "stencil2d/picture/picture.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <sstream>

namespace stencil2d {
namespace {

constexpr std::int64_t largest_side = std::int64_t{1} << 28;     // bytes of any local field then fit 64 bits
constexpr std::int64_t most_iterations = 1'000'000'000'000'000;  // their percentage then fits 64 bits
constexpr int wrong_input = 2;

[[noreturn]] void reject(const std::string& option, const std::string& value, const std::string& rule) {
  throw CLI::ValidationError(option + " = " + value + ": " + rule);
}

/// The whole of `text` as a decimal number from `least` to `most`.
std::optional<std::int64_t> parse_number(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && value >= least && value <= most ? std::optional(value) : std::nullopt;
}

/// Reads "A<separator>B", or a single number for both where `square`.
Shape parse_shape(const std::string& option, const std::string& text, char separator, bool square) {
  const std::string rule = std::string("must be two positive numbers such as 2") + separator + "3" +
                           (square ? ", or one for both" : "") + ", each at most " +
                           std::to_string(largest_side);
  const auto number = [&](std::string_view part) {
    const std::optional<std::int64_t> value = parse_number(part, 1, largest_side);
    if (!value) {
      reject(option, text, rule);
    }
    return *value;
  };
  const std::size_t split = text.find(separator);
  if (split == std::string::npos) {
    if (!square) {
      reject(option, text, rule);
    }
    return {number(text), number(text)};
  }
  return {number(std::string_view(text).substr(0, split)), number(std::string_view(text).substr(split + 1))};
}

/// An option for a number whose default is what `value` holds.
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

template <typename Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& value,
                        const std::vector<std::pair<std::string, Value>>& choices, const std::string& help) {
  std::string listed;
  for (const auto& choice : choices) {
    listed += (listed.empty() ? "" : "|") + choice.first;
  }
  const auto pick = [&value, name, choices, listed](const std::string& text) {
    for (const auto& [key, chosen] : choices) {
      if (key == text) {
        value = chosen;
        return;
      }
    }
    reject(name, text, "must be one of " + listed);
  };
  return app.add_option_function<std::string>(name, pick, help)->type_name(listed);
}

std::string parse_picture(const std::string& text) {
  if (text.starts_with('-')) {  // the option that follows, if the name was forgotten
    reject("--picture", text, "must not start with '-' (./" + text + " names such a file)");
  }
  if (!can_write_picture(text)) {
    reject("--picture", text, "this build writes " + picture_formats());
  }
  return text;
}

void add_options(CLI::App& app, Options& options) {
  using typewarp::MemoryKind;
  app.add_option_function<std::string>(
         "--grid", [&](const std::string& text) { options.grid = parse_shape("--grid", text, 'x', false); },
         "ranks from north to south and from west to east (default: MPI_Dims_create)")
      ->type_name("PxQ");
  app.add_option_function<std::string>(
         "--size", [&](const std::string& text) { options.size = parse_shape("--size", text, ',', true); },
         "points of each rank (default 1024)")
      ->type_name("ROWS,COLUMNS or SIDE");
  add_number(app, "--iterations", options.iterations, 0, most_iterations, "sweeps over the field");
  add_number(app, "--halo", options.halo, 1, largest_side,
             "width of the halo, and iterations from one exchange to the next");
  add_choice(app, "--type", options.precision,
             {{"float", Precision::single_precision}, {"double", Precision::double_precision}},
             "element of the field (default double)");
  add_choice<std::optional<MemoryKind>>(
      app, "--memory", options.memory,
      {{"auto", std::nullopt},
       {"host", MemoryKind::host},
       {"pinned", MemoryKind::pinned},
       {"managed", MemoryKind::managed},
       {"device", MemoryKind::device}},
      "where the field is; a GPU computes on managed and device memory, the CPU on the others "
      "(default auto: device if there is a GPU, else host)");
  add_choice(app, "--exchange", options.exchange,
             {{"typewarp", ExchangeBy::typewarp}, {"hand", ExchangeBy::hand}},
             "what fills the halos: the library, or code written by hand with cudaMemcpy2D and the MPI, for "
             "comparison (default typewarp)");
  app.add_flag_callback(
      "--no-validate", [&] { options.validate = false; }, "do not compare with a serial run on rank 0");
  app.add_flag_callback(
      "--no-table", [&] { options.table = false; }, "do not time pack and unpack against the MPI's own");
  app.add_option_function<std::string>(
         "--picture", [&](const std::string& text) { options.picture = parse_picture(text); },
         "write the final field as " + picture_formats())
      ->type_name("FILE");
  add_choice(app, "--progress", options.progress,
             {{"auto", ProgressStyle::automatic},
              {"update", ProgressStyle::update},
              {"lines", ProgressStyle::lines},
              {"none", ProgressStyle::none}},
             "how to show progress (default auto)");
}

void check(const Options& options) {
  if (options.halo > options.size.rows || options.halo > options.size.columns) {
    reject("--halo", std::to_string(options.halo),
           "must not exceed either side of --size = " + std::to_string(options.size.rows) + "," +
               std::to_string(options.size.columns) + ", since a halo comes from one neighbour");
  }
}

}  // namespace

std::variant<Options, Leave> parse_options(int argc, const char* const* argv) {
  CLI::App app(
      "A nine-point stencil over a field that is divided among ranks, after SHOC's Stencil2D. Typewarp\n"
      "exchanges the halos, in host or GPU memory, over an MPI that need not know about GPUs.",
      "stencil2d");
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
    check(options);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {
      std::ostringstream help;
      app.exit(error, help, help);
      return Leave{0, help.str()};
    }
    return Leave{wrong_input, std::string("stencil2d: ") + error.what() + " (see --help)\n"};
  }
  return options;
}

}  // namespace stencil2d
