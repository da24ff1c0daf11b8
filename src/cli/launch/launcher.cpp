// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/launch/launcher.hpp"

#include "cli/common/words.hpp"
#include "cli/launch/program.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace typewarp::cli {
namespace {

/// Launchers that go by their name.
constexpr std::array<std::pair<std::string_view, Family>, 12> names{{
    {"prterun", Family::open_mpi},
    {"prun", Family::open_mpi},
    {"orterun", Family::open_mpi},
    {"oshrun", Family::open_mpi},
    {"mpiexec.hydra", Family::hydra},
    {"srun", Family::slurm},
    {"flux", Family::flux},
    {"jsrun", Family::jsrun},
    {"aprun", Family::aprun},
    {"ibrun", Family::unknown},
    {"lrun", Family::unknown},
    {"poe", Family::unknown},
}};

/// What `mpiexec --version` says.
constexpr std::array<std::pair<std::string_view, Family>, 8> versions{{
    {"Open MPI", Family::open_mpi},
    {"OpenRTE", Family::open_mpi},
    {"PRRTE", Family::open_mpi},
    {"PALS", Family::pals},
    {"HYDRA", Family::hydra},
    {"Hydra", Family::hydra},
    {"Intel(R) MPI", Family::hydra},
    {"MVAPICH", Family::hydra},
}};

constexpr std::string_view preload = "LD_PRELOAD";

/// A part of the command between colons: what is told of one program.
using Part = Words;

std::vector<Part> parts_of(const Words& words) {
  std::vector<Part> parts(1);
  for (const std::string& word : words) {
    if (word == ":") {
      parts.emplace_back();
    } else {
      parts.back().push_back(word);
    }
  }
  return parts;
}

Words joined(const std::vector<Part>& parts) {
  Words words;
  for (const Part& part : parts) {
    if (&part != &parts.front()) words.push_back(":");
    words.insert(words.end(), part.begin(), part.end());
  }
  return words;
}

std::string assignment(const std::pair<std::string, std::string>& variable) {
  return variable.first + "=" + variable.second;
}

/// How many words of a part are the launcher's own. A program that follows an option may be that option's
/// value, and is passed over.
std::size_t options_in(const Part& part, const System& system) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    const bool may_be_value =
        i > 0 && part[i - 1].starts_with('-') && part[i - 1].find('=') == std::string::npos;
    if (!may_be_value && system.is_program(part[i])) return i;
  }
  return part.size();
}

/// Takes "<option> LD_PRELOAD=value", or of Hydra's options "<option> LD_PRELOAD value", out of a part's
/// options; the value, or nothing.
std::string take_preload(Part& part, const std::vector<std::string_view>& options, bool in_two_words,
                         const System& system) {
  std::string value;
  const std::string prefix = std::string(preload) + "=";
  for (std::size_t i = 0; i + 1 < options_in(part, system);) {
    const auto at = part.begin() + static_cast<std::ptrdiff_t>(i);
    const bool found = std::find(options.begin(), options.end(), part[i]) != options.end();
    if (found && in_two_words && i + 2 < part.size() && part[i + 1] == preload) {
      value = part[i + 2];
      part.erase(at, at + 3);
    } else if (found && !in_two_words && part[i + 1].starts_with(prefix)) {
      value = part[i + 1].substr(prefix.size());
      part.erase(at, at + 2);
    } else if (found && !in_two_words && part[i + 1] == preload) {
      part.erase(at, at + 2);  // that of the environment, which is in ours
    } else {
      ++i;
    }
  }
  return value;
}

/// Each variable as an option in front of a part, with what the part itself preloads.
void insert_options(Part& part, const std::string& option, const Variables& variables, const System& system) {
  const std::string own = take_preload(part, {"-x", "-E", "-e", "--env"}, false, system);
  Words options;
  for (auto variable : variables) {
    if (variable.first == preload) variable.second = joined_preload(variable.second, own);
    options.insert(options.end(), {option, assignment(variable)});
  }
  part.insert(part.begin(), options.begin(), options.end());
}

/// Hydra tells all programs what stands in front, and what a program is told wins.
void insert_for_hydra(std::vector<Part>& parts, const Variables& variables, const System& system) {
  Words options;
  const std::string global = take_preload(parts.front(), {"-genv", "--genv"}, true, system);
  for (Part& part : parts) {
    const std::string own = take_preload(part, {"-env", "--env"}, true, system);
    if (!own.empty()) {
      for (const auto& [name, value] : variables) {
        if (name == preload) part.insert(part.begin(), {"-env", name, joined_preload(value, own)});
      }
    }
  }
  for (const auto& [name, value] : variables) {
    options.insert(options.end(), {"-genv", name, name == preload ? joined_preload(value, global) : value});
  }
  parts.front().insert(parts.front().begin(), options.begin(), options.end());
}

/// Slurm's list, with a value in quotes if it holds a comma.
std::string exported(const Variables& variables) {
  std::string text;
  for (const auto& [name, value] : variables) {
    const bool comma = value.find(',') != std::string::npos;
    text += "," + name + "=" + (comma ? "'" + value + "'" : value);
  }
  return text;
}

/// The user's list of what is exported is kept; ours is added.
void insert_for_slurm(Part& part, Variables variables, const System& system) {
  constexpr std::string_view option = "--export=";
  std::string list = "ALL";
  for (std::size_t i = 0; i < options_in(part, system); ++i) {
    const auto at = part.begin() + static_cast<std::ptrdiff_t>(i);
    if (part[i].starts_with(option)) {
      list = part[i].substr(option.size());
      part.erase(at);
      break;
    }
    if (part[i] == "--export" && i + 1 < part.size()) {
      list = part[i + 1];
      part.erase(at, at + 2);
      break;
    }
  }
  const std::string mark = std::string(preload) + "=";
  if (const std::size_t found = list.find(mark); found != std::string::npos) {
    const std::size_t start = found + mark.size(), end = std::min(list.find(',', start), list.size());
    for (auto& [name, value] : variables) {
      if (name == preload) value = joined_preload(value, list.substr(start, end - start));
    }
    list.erase(found, std::min(end + 1, list.size()) - found);
    if (list.ends_with(',')) list.pop_back();
  }
  if (list == "NONE" || list == "NIL") list.clear();
  const std::string all = list + exported(variables);
  part.insert(part.begin(), std::string(option) + (list.empty() ? all.substr(1) : all));
}

/// Behind the user's own rules, since later rules may take back what earlier ones set. A dollar stands for
/// itself if it is doubled.
void insert_for_flux(Part& part, const Variables& variables, const System& system) {
  const auto verb = std::find_if(part.begin(), part.end(),
                                 [](const auto& word) { return word == "run" || word == "submit"; });
  if (verb == part.end()) throw UsageError("flux: only 'flux run' and 'flux submit' start ranks");
  auto at = verb + 1;
  const std::size_t first = static_cast<std::size_t>(at - part.begin());
  const std::size_t options = options_in(Part(at, part.end()), system);
  std::string own;
  for (std::size_t i = first; i < first + options; ++i) {
    const bool two_words = part[i] == "--env" && i + 1 < part.size();
    if (!two_words && !part[i].starts_with("--env=")) continue;
    at = part.begin() + static_cast<std::ptrdiff_t>(i + (two_words ? 2 : 1));
    const std::string rule = two_words ? part[i + 1] : part[i].substr(std::string_view("--env=").size());
    if (rule.starts_with("LD_PRELOAD=")) own = rule.substr(std::string_view("LD_PRELOAD=").size());
  }
  Words rules;
  for (const auto& [name, value] : variables) {
    std::string text;
    for (const char c : value) text += c == '$' ? std::string("$$") : std::string(1, c);
    rules.push_back("--env=" + name + "=" + (name == preload ? joined_preload(text, own) : text));
  }
  part.insert(at, rules.begin(), rules.end());
}

void insert_env(Part& part, const Variables& variables, const System& system, const std::string& launcher) {
  const auto program = std::find_if(part.begin(), part.end(), system.is_program);
  if (program == part.end()) {
    Words by_hand{"env"};
    for (const auto& variable : variables) by_hand.push_back(assignment(variable));
    throw UsageError(
        "'" + launcher +
        "' is no launcher that is known here, and which of its words is the program cannot be told: " +
        "start it without 'typewarp run', with this in front of the program: " + shell_line(by_hand));
  }
  Words inserted{"env"};
  for (const auto& variable : variables) inserted.push_back(assignment(variable));
  part.insert(program, inserted.begin(), inserted.end());
}

}  // namespace

Family family_of(const std::string& program, const System& system) {
  const std::string name = base_name(program);
  for (const auto& [known, family] : names) {
    if (name == known) return family;
  }
  // mpirun_rsh, mpiexec_mpt, mpiexec.openmpi, ccc_mprun
  const bool starts_ranks = name.find("mpirun") != std::string::npos ||
                            name.find("mpiexec") != std::string::npos ||
                            name.find("mprun") != std::string::npos;
  if (!starts_ranks) return Family::none;
  const std::string version = system.version_of(program);
  for (const auto& [text, family] : versions) {
    if (version.find(text) != std::string::npos) return family;
  }
  return Family::unknown;
}

Words with_variables(const Words& command, const Variables& variables, const System& system) {
  const std::string& launcher = command.front();
  const Family family = family_of(launcher, system);
  if (family == Family::none) {
    Words words{"env"};
    for (const auto& variable : variables) words.push_back(assignment(variable));
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }
  std::vector<Part> parts = parts_of(Words(command.begin() + 1, command.end()));
  if (family == Family::hydra) insert_for_hydra(parts, variables, system);
  for (Part& part : parts) {
    if (family == Family::open_mpi) insert_options(part, "-x", variables, system);
    if (family == Family::slurm) insert_for_slurm(part, variables, system);
    if (family == Family::flux) insert_for_flux(part, variables, system);
    if (family == Family::jsrun) insert_options(part, "-E", variables, system);
    if (family == Family::aprun) insert_options(part, "-e", variables, system);
    if (family == Family::pals) insert_options(part, "--env", variables, system);
    if (family == Family::unknown) insert_env(part, variables, system, launcher);
  }
  Words words = joined(parts);
  words.insert(words.begin(), launcher);
  return words;
}

}  // namespace typewarp::cli
