// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/common/files.hpp"

#include "cli/common/words.hpp"

#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace typewarp::cli {
namespace {

namespace fs = std::filesystem;

class WholeFileTest : public testing::Test {
 protected:
  WholeFileTest() { fs::create_directories(folder_); }
  ~WholeFileTest() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

 private:
  std::string folder_ = testing::TempDir() + "typewarp_files_test";
};

TEST_F(WholeFileTest, ReplacesWhatWasThere) {
  for (const char* const text : {"old, and longer", "new"}) {
    WholeFile(path("a"), "--output").write(text);
    EXPECT_EQ(content_of(path("a")), text);
    EXPECT_EQ(files(), 1);
  }
}

TEST_F(WholeFileTest, LeavesWhatWasThereUntilItIsWritten) {
  WholeFile(path("a"), "--output").write("old");
  {
    const WholeFile never(path("a"), "--output");
    EXPECT_EQ(content_of(path("a")), "old");
  }
  EXPECT_EQ(content_of(path("a")), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(WholeFileTest, FollowsALink) {
  WholeFile(path("a"), "--output").write("old");
  fs::create_symlink("a", path("link"));
  WholeFile(path("link"), "--output").write("new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(content_of(path("a")), "new");
}

// Nobody can foretell where it is written before it has its name, nor put something else there.
TEST_F(WholeFileTest, IsWrittenUnderAFreshName) {
  const std::string foretold = path("a") + "." + std::to_string(getpid());
  WholeFile(path("victim"), "--output").write("precious");
  fs::create_symlink("victim", foretold);
  WholeFile(path("a"), "--output").write("new");
  EXPECT_EQ(content_of(path("a")), "new");
  EXPECT_EQ(content_of(path("victim")), "precious");
  EXPECT_TRUE(fs::is_symlink(foretold));
}

TEST_F(WholeFileTest, MayBeReadByWhomTheUserLets) {
  const mode_t before = umask(0027);
  WholeFile(path("a"), "--output").write("text");
  umask(before);
  struct stat about{};
  ASSERT_EQ(stat(path("a").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0640U);
}

TEST_F(WholeFileTest, KeepsWhoMayReadIt) {
  WholeFile(path("a"), "--output").write("old");
  fs::permissions(path("a"), fs::perms::owner_read | fs::perms::owner_write);
  WholeFile(path("a"), "--output").write("new");
  struct stat about{};
  ASSERT_EQ(stat(path("a").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
}

TEST_F(WholeFileTest, OpensNoPipeOfAnother) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a user who may give pipes away";
  constexpr uid_t another = 12345;
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0666), 0);
  ASSERT_EQ(chown(path("pipe").c_str(), another, another), 0);
  const std::fstream reader(path("pipe"), std::ios::in | std::ios::out);  // else opening waits for one
  EXPECT_THROW(WholeFile(path("pipe"), "--output"), UsageError);
}

TEST_F(WholeFileTest, FollowsNoLinkOfAnother) {
  if (geteuid() != 0) GTEST_SKIP() << "needs a user who may give links away";
  WholeFile(path("victim"), "--output").write("precious");
  fs::create_symlink("victim", path("link"));
  constexpr uid_t another = 12345;
  ASSERT_EQ(lchown(path("link").c_str(), another, another), 0);
  EXPECT_THROW(WholeFile(path("link"), "--output"), UsageError);
  EXPECT_EQ(content_of(path("victim")), "precious");
}

TEST_F(WholeFileTest, WritesIntoWhatIsNoRegularFile) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::fstream reader(path("pipe"), std::ios::in | std::ios::out);  // else opening waits for one
  WholeFile(path("pipe"), "--output").write("text\n");
  std::string line;
  std::getline(reader, line);
  EXPECT_EQ(line, "text");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_F(WholeFileTest, RefusesAtOnceWhatCannotBeWritten) {
  fs::create_directories(path("folder"));
  WholeFile(path("a"), "--output").write("old");
  for (const std::string& name : {path("folder"), path("a/below"), path("none/a")}) {
    try {
      WholeFile(name, "--output");
      FAIL() << name;
    } catch (const UsageError& refused) {
      EXPECT_EQ(refused.what(), "--output: '" + name + "' cannot be written");
    }
  }
  EXPECT_EQ(files(), 2);
  EXPECT_FALSE(WholeFile("", "--output")) << "no name, no file";
}

}  // namespace
}  // namespace typewarp::cli
