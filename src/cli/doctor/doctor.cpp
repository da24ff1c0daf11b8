// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/doctor/doctor.hpp"

#include "cli/common/files.hpp"
#include "cli/doctor/doctor_record.hpp"
#include "cli/doctor/doctor_report.hpp"
#include "cli/launch/process.hpp"
#include "cli/launch/run.hpp"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

namespace typewarp::cli {
namespace {

constexpr auto usage =
    R"(usage: typewarp doctor [--json FILE] [--html FILE] [--top N] [--explain N] -- COMMAND...

Runs COMMAND, an unmodified MPI program. At its end, stderr shows where the MPI loses time on noncontiguous data and on GPU memory:
for each call site what it sends, how long that takes, how long it would take with Typewarp, and what to do about it.
COMMAND begins with a launcher (mpirun, mpiexec, srun, flux run, jsrun, aprun, ...) or is the program itself.

%s
The exit status is that of the command.
)";

/// A temporary folder in TMPDIR or /tmp, removed with the object.
class Folder {
 public:
  Folder() {
    const char* const root = std::getenv("TMPDIR");
    // Ranks may have another working directory.
    path_ = std::filesystem::absolute(root != nullptr && *root != '\0' ? root : "/tmp").string() +
            "/typewarp-doctor-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr)
      throw UsageError("TMPDIR: '" + path_ + "': " + std::strerror(errno));
  }
  Folder& operator=(Folder&&) = delete;
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

void write(WholeFile& file, const std::string& text) {
  try {
    if (file) file.write(text);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "typewarp doctor: %s\n", error.what());
  }
}

}  // namespace

std::vector<Option> doctor_options() {
  return {{"--json", "FILE", "writes all call sites as JSON"},
          {"--html", "FILE", "writes them as a single HTML page"},
          {"--top", "N", "prints at most N findings (10)"},
          {"--explain", "N", "also explains the layouts of at most N call sites, as 'typewarp explain'"}};
}

DoctorOptions parse_doctor(const Words& words) {
  DoctorOptions options;
  const auto number = [](const std::string& option, const std::string& value) {
    return static_cast<std::size_t>(whole_number(option, value, 1));
  };
  options.command = command_behind(words, "doctor", doctor_options(), options.help,
                                   [&](const std::string& option, const std::string& value) {
                                     if (option == "--json") options.json = value;
                                     if (option == "--html") options.html = value;
                                     if (option == "--top") options.top = number(option, value);
                                     if (option == "--explain") options.explain = number(option, value);
                                   });
  return options;
}

int doctor(const Words& words) {
  const DoctorOptions options = parse_doctor(words);
  if (options.help) {
    std::printf(usage, described(doctor_options()).c_str());
    return 0;
  }
  if (const int status = check_program(options.command.front(), "doctor"); status != 0) return status;
  // Opened before the program runs, so that no run is wasted on a report that cannot be written.
  WholeFile json(options.json, "--json");
  WholeFile html(options.html, "--html");
  std::optional<Folder> folder(std::in_place);
  const Words command = with_variables(
      options.command, variables_for_ranks(options.command, {{"TYPEWARP_DOCTOR", folder->path()}}),
      this_system());
  const auto begin = std::chrono::steady_clock::now();
  DoctorReport report{shell_line(options.command), run_and_wait(command), {}, {}};
  const std::chrono::duration<double> lasted = std::chrono::steady_clock::now() - begin;
  try {
    report.job = read_records(folder->path(), lasted.count());
    folder.reset();  // so that nothing is left behind if the user interrupts what follows
    find_places(report.job.sites);
    unite(report.job.sites);
    report.sites = diagnose(report.job);
    const bool none = report.job.recorded.empty();
    std::fputs(none ? "typewarp doctor: no rank has noted anything: is it an MPI program, dynamically "
                      "linked, that calls MPI_Init? TYPEWARP_VERBOSE=1 tells which MPI was found. Calls that "
                      "a program looks up in the MPI's own library (Python's ctypes, Julia) are not seen\n"
                    : as_text(report, options.top).c_str(),
               stderr);
    if (options.explain > 0 && !none) std::fputs(explained(report, options.explain).c_str(), stderr);
    write(json, as_json(report));
    write(html, as_html(report));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "typewarp doctor: no report: %s\n", error.what());
  }
  return report.exit_status;
}

}  // namespace typewarp::cli
