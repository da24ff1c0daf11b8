// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/tuning/profile.hpp"

#include "support/expect_invalid.hpp"
#include "support/variable.hpp"
#include "transport/handle/internal.hpp"
#include "transport/protocol_fixture.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include <sys/inotify.h>
#include <unistd.h>

namespace typewarp {
namespace {

using test::Variable;
using transport::Profile;

std::vector<double> numbers(const Profile& profile) {
  std::vector<double> all;
  Profile::for_each(profile, [&](std::string_view, auto number, double) { all.push_back(double(number)); });
  return all;
}

std::string text(const Profile& profile) {
  std::ostringstream lines;
  lines << std::setprecision(std::numeric_limits<double>::max_digits10);
  Profile::for_each(profile,
                    [&](auto name, auto number, double) { lines << name << " = " << number << '\n'; });
  return lines.str();
}

/// A folder of this process's, gone at the end.
class Folder {
 public:
  Folder() : path_(testing::TempDir() + "typewarp_profile_" + std::to_string(::getpid())) {
    std::filesystem::create_directories(path_ / "typewarp");
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string write(const std::string& name, std::string_view text) const {
    std::ofstream(path_ / name) << text;
    return path_ / name;
  }
  std::string path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// How often a file is opened from now on.
class Openings {
 public:
  explicit Openings(const std::string& path) : watch_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
    // With what is between them, since equal ones in a row are told as one.
    EXPECT_GE(inotify_add_watch(watch_, path.c_str(), IN_OPEN | IN_CLOSE_NOWRITE), 0);
  }
  Openings(const Openings&) = delete;
  Openings& operator=(const Openings&) = delete;
  ~Openings() { ::close(watch_); }

  int count() const {
    int opened = 0;
    std::array<inotify_event, 64> events{};
    const ssize_t bytes = ::read(watch_, events.data(), sizeof(events));
    for (ssize_t i = 0; i < bytes / static_cast<ssize_t>(sizeof(inotify_event)); ++i) {
      if ((events[static_cast<std::size_t>(i)].mask & IN_OPEN) != 0) ++opened;
    }
    return opened;
  }

 private:
  int watch_;
};

TEST(Profile, HoldsEveryNumber) {
  Profile written;
  double value = 5000.5;
  Profile::for_each(written, [&](std::string_view, auto& number, double) {
    number = static_cast<std::remove_reference_t<decltype(number)>>(value);
    value *= 3;
  });
  const Profile read = Profile::parse(text(written), "text");
  EXPECT_EQ(numbers(read), numbers(written));
  EXPECT_NE(numbers(read), numbers(Profile{}));
  EXPECT_EQ(read.direct.fragments_rate, written.direct.fragments_rate);
  EXPECT_EQ(read.chunk_bytes, written.chunk_bytes);
}

TEST(Profile, KeepsWhatIsNotNamed) {
  const Profile read = Profile::parse("# of a laptop\n\n  chunk_bytes=65536  # found\r\n", "text");
  EXPECT_EQ(read.chunk_bytes, 65536);
  EXPECT_EQ(read.eager_bytes, Profile{}.eager_bytes);
  EXPECT_EQ(numbers(Profile::parse("", "text")), numbers(Profile{}));
}

TEST(Profile, SaysWhereItIsMalformed) {
  for (const char* line : {"chunk_bytes", "chunk_bytes =", "chunk_bytes = x", "chunk_bytes = 63",
                           "chunk_bytes = 64.5", "chunk_bytes = 99999999999999999999",
                           "chunk_bytes = 100 200", "chunk_byte = 100", "= 100", "direct.pieces_rate = nan",
                           "direct.pieces_rate = inf", "direct.piece_cost = -1", "direct_bytes = 600"}) {
    const auto parse = [&] {
      (void)Profile::parse("direct_bytes = 512\n\n" + std::string(line) + "\n", "some/file");
    };
    EXPECT_EQ(test::invalid_argument(parse), "some/file:3") << line;
  }
}

TEST(Profile, IsThatOfTheMachine) {
  const Folder folder;
  const std::string file = folder.write("typewarp/profile", "eager_bytes = 1000\n");
  const auto eager = [] { return Profile::of_this_machine().eager_bytes; };
  const Variable nowhere("HOME", "/nowhere");
  {
    const Variable named("TYPEWARP_PROFILE", file.c_str());
    EXPECT_EQ(eager(), 1000);
  }
  const std::int64_t built_in = Profile{}.eager_bytes;
  const Variable config("XDG_CONFIG_HOME", folder.path().c_str());
  EXPECT_EQ(eager(), built_in) << "TYPEWARP_PROFILE is empty";
  unsetenv("TYPEWARP_PROFILE");
  EXPECT_EQ(eager(), 1000);
  {
    const Variable no_config("XDG_CONFIG_HOME", "");
    EXPECT_EQ(eager(), built_in);
    std::filesystem::create_directories(folder.path() + "/.config/typewarp");
    folder.write(".config/typewarp/profile", "eager_bytes = 2000\n");
    const Variable home("HOME", folder.path().c_str());
    EXPECT_EQ(eager(), 2000);
  }
  setenv("TYPEWARP_PROFILE", "", 1);
}

TEST(Profile, ThatIsAskedForMustBeReadable) {
  const Folder folder;
  for (const std::string& name : {folder.path() + "/no_such_file", folder.path()}) {
    const Variable named("TYPEWARP_PROFILE", name.c_str());
    EXPECT_EQ(test::invalid_argument([] { (void)Profile::of_this_machine(); }), "TYPEWARP_PROFILE") << name;
  }
}

class ProfileInUse : public test::ProtocolTest {};

TEST_F(ProfileInUse, IsTakenByATransport) {
  const Folder folder;
  const std::string file =
      folder.write("numbers", "chunk_bytes = 4096\ndirect.piece_cost = 3.5\nlink.piece_scale = 8192\n");
  const Variable named("TYPEWARP_PROFILE", file.c_str());
  EXPECT_EQ(SessionOptions::from_environment().chunk_bytes, 4096);
  {
    const Variable chunk("TYPEWARP_CHUNK_BYTES", "8000");
    EXPECT_EQ(SessionOptions::from_environment().chunk_bytes, 8000);
  }
  start(small_fragments);
  EXPECT_EQ(state_->options.chunk_bytes, small_fragments.chunk_bytes);
  EXPECT_EQ(state_->profile.direct.fragment_cost, 3.5);
  EXPECT_EQ(state_->profile.link.fragment_scale, 8192);
}

TEST_F(ProfileInUse, IsReadOnceByATransportWithoutOptions) {
  const Folder folder;
  const std::string file = folder.write("numbers", "chunk_bytes = 4096\ndirect.piece_cost = 3.5\n");
  const Variable named("TYPEWARP_PROFILE", file.c_str());
  const Openings openings(file);
  const typewarp::Session session(comm_);
  EXPECT_EQ(openings.count(), 1);
  EXPECT_EQ(session.options().chunk_bytes, 4096);
  EXPECT_EQ(transport::current()->profile.direct.fragment_cost, 3.5);
}

TEST_F(ProfileInUse, SaysInHowManyFragmentsAMessageGoes) {
  constexpr std::int64_t scale = 1 << 20;
  const Folder folder;
  const std::string file = folder.write("numbers", "direct.piece_scale = 1048576\n");
  const Variable named("TYPEWARP_PROFILE", file.c_str());
  start(small_fragments);
  EXPECT_EQ(transport::direct_fragments(*session_, 0), 1);
  EXPECT_EQ(transport::direct_fragments(*session_, scale), 1);
  EXPECT_EQ(transport::direct_fragments(*session_, 16 * scale), 4);
  EXPECT_EQ(transport::direct_fragments(*session_, 5 * scale / 2),
            state_->profile.direct.fragments(5 * scale / 2));
  EXPECT_EQ(transport::direct_fragments(*session_, 1024 * state_->profile.direct.fragment_bytes), 1024);
  EXPECT_THROW(static_cast<void>(transport::direct_fragments(*session_, -1)), InvalidArgument);
}

TEST_F(ProfileInUse, ThatIsMalformedInOneRankIsRefusedInAll) {
  const Folder folder;
  const std::string file = folder.write("numbers", rank_ == ranks_ - 1 ? "chunk_bytes = none\n" : "");
  const Variable named("TYPEWARP_PROFILE", file.c_str());
  EXPECT_THROW(typewarp::Session(comm_, small_fragments), Error);
  EXPECT_THROW(typewarp::Session{comm_}, Error);
  EXPECT_EQ(transport::current(), nullptr);
}

}  // namespace
}  // namespace typewarp
