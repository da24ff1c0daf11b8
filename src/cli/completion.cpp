// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/subcommands.hpp"

#include <cstdio>

namespace typewarp::cli {
namespace {

constexpr auto usage =
    "usage: typewarp completion bash|zsh|fish\n\n"
    "Prints a script that completes subcommands and options:\n"
    "  bash   eval \"$(typewarp completion bash)\"      in ~/.bashrc\n"
    "  zsh    eval \"$(typewarp completion zsh)\"       in ~/.zshrc, after compinit\n"
    "  fish   typewarp completion fish | source       in ~/.config/fish/config.fish\n";

/// A command behind "--" is completed like any other.
constexpr auto bash_function = R"(_typewarp() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} options values i
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "$_typewarp_subcommands --help --version" -- "$word"))
    return
  fi
  for ((i = 2; i < COMP_CWORD; ++i)); do
    [ "${COMP_WORDS[i]}" = -- ] || continue
    if declare -F _command_offset >/dev/null; then
      _command_offset $((i + 1))
    elif [ "$COMP_CWORD" -eq $((i + 1)) ]; then
      COMPREPLY=($(compgen -c -- "$word"))
    else
      COMPREPLY=($(compgen -f -- "$word"))
    fi
    return
  done
  _typewarp_options "${COMP_WORDS[1]}"
  case " $values " in
    *" $before "*) COMPREPLY=($(compgen -f -- "$word")) ;;
    *)
      COMPREPLY=($(compgen -W "$options" -- "$word"))
      [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _typewarp typewarp
)";

/// The text for single quotes of a shell, with the special characters of zsh escaped.
std::string quotable(const std::string& text, bool zsh = false) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
    } else {
      if (zsh && (c == '[' || c == ']' || c == ':' || c == '\\')) result += '\\';
      result += c;
    }
  }
  return result;
}

std::string bash(const std::vector<CompletedSubcommand>& subcommands) {
  std::string names, cases;
  for (const CompletedSubcommand& subcommand : subcommands) {
    names += (names.empty() ? "" : " ") + subcommand.name;
    std::string options, values;
    for (const Option& option : subcommand.options) {
      options += option.name + " ";
      if (!option.value.empty()) values += option.name + " ";
    }
    if (subcommand.name == "completion") options = "bash zsh fish ";
    cases += "    " + subcommand.name + ") options='" + options + "--help' values='" + values + "' ;;\n";
  }
  return "_typewarp_subcommands='" + names + "'\n_typewarp_options() {\n  case $1 in\n" + cases +
         "    *) options=--help values= ;;\n  esac\n}\n" + bash_function;
}

std::string zsh(const std::vector<CompletedSubcommand>& subcommands) {
  std::string names, cases;
  for (const CompletedSubcommand& subcommand : subcommands) {
    names += "    '" + subcommand.name + ":" + quotable(subcommand.summary, true) + "'\n";
    cases += "    " + subcommand.name + ") _arguments '--help[prints help]'";
    for (const Option& option : subcommand.options) {
      if (option.name == "--help") continue;
      cases += " '" + option.name + "[" + quotable(option.about, true) + "]";
      if (!option.value.empty()) cases.append(":").append(quotable(option.value, true)).append(":_files");
      cases += "'";
    }
    const bool command = subcommand.name == "run" || subcommand.name == "doctor";
    cases += command                           ? " '*::command:_normal' ;;\n"
             : subcommand.name == "completion" ? " '1:shell:(bash zsh fish)' ;;\n"
                                               : " '*:file:_files' ;;\n";
  }
  return "#compdef typewarp\n_typewarp() {\n  local -a subcommands=(\n" + names +
         "  )\n  if (( CURRENT == 2 )); then\n    _describe subcommand subcommands\n    return\n  fi\n"
         "  shift words\n  (( CURRENT-- ))\n  case $words[1] in\n" +
         cases + "  esac\n}\n(( $+functions[compdef] )) && compdef _typewarp typewarp\n";
}

std::string fish(const std::vector<CompletedSubcommand>& subcommands) {
  std::string text;
  for (const CompletedSubcommand& subcommand : subcommands) {
    text += "complete -c typewarp -n __fish_use_subcommand -f -a " + subcommand.name + " -d '" +
            quotable(subcommand.summary) + "'\n";
    const std::string seen = "complete -c typewarp -n '__fish_seen_subcommand_from " + subcommand.name + "'";
    text += seen + " -l help -d 'prints help'\n";
    for (const Option& option : subcommand.options) {
      if (option.name == "--help") continue;
      text += seen + " -l " + option.name.substr(2) + (option.value.empty() ? "" : " -r") + " -d '" +
              quotable(option.about) + "'\n";
    }
    if (subcommand.name == "completion") text += seen + " -f -a 'bash zsh fish'\n";
  }
  return text;
}

}  // namespace

int completion(const Words& words, const std::vector<CompletedSubcommand>& subcommands) {
  const std::string shell = words.empty() ? "" : words.front();
  if (shell == "--help" || shell == "-h") {
    std::fputs(usage, stdout);
    return 0;
  }
  if (words.size() == 1 && (shell == "bash" || shell == "zsh" || shell == "fish")) {
    const std::string script = shell == "bash"  ? bash(subcommands)
                               : shell == "zsh" ? zsh(subcommands)
                                                : fish(subcommands);
    std::fputs(script.c_str(), stdout);
    return 0;
  }
  throw UsageError("must be told one shell: bash, zsh or fish" +
                   (shell.empty() ? "" : ", not '" + shell_line(words) + "'"));
}

}  // namespace typewarp::cli
