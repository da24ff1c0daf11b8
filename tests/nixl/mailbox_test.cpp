// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nixl/mailbox.hpp"

#include <gtest/gtest.h>

#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <string>

namespace typewarp::nixl {
namespace {

NixlMessages taken(Mailbox& mailbox) {
  NixlMessages messages;
  mailbox.take(messages);
  return messages;
}

struct Two {
  Mailbox one{"one"}, other{"other"};

  Two() {
    EXPECT_TRUE(one.connect("other", other.address()));
    EXPECT_TRUE(other.connect("one", one.address()));
  }
};

TEST(Mailbox, GivesMessagesInOrderWithTheirSender) {
  Two two;
  two.one.send("other", "first");
  two.one.send("other", "");
  two.one.send("other", std::string("a\0b", 3));
  two.other.send("one", "back");
  EXPECT_EQ(taken(two.other), (NixlMessages{{"one", "first"}, {"one", ""}, {"one", std::string("a\0b", 3)}}));
  EXPECT_EQ(taken(two.one), (NixlMessages{{"other", "back"}}));
  EXPECT_EQ(taken(two.one), NixlMessages{});
}

TEST(Mailbox, SendsToItself) {
  Mailbox mailbox("self");
  mailbox.send("self", "hello");
  EXPECT_EQ(taken(mailbox), (NixlMessages{{"self", "hello"}}));
}

TEST(Mailbox, KeepsWhatThePeerHasNoRoomFor) {
  Two two;
  constexpr int count = 3000;
  const std::string tail(1000, 'x');
  for (int i = 0; i < count; ++i) two.one.send("other", std::to_string(i) + tail);
  NixlMessages all;
  for (int i = 0; i < 10000 && all.size() < count; ++i) {
    two.one.flush();
    two.other.take(all);
  }
  ASSERT_EQ(all.size(), static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    ASSERT_EQ(all[static_cast<std::size_t>(i)].second, std::to_string(i) + tail);
}

TEST(Mailbox, TakesMessagesUpToTheLongest) {
  Two two;
  const std::string longest(Mailbox::most_bytes, 'y');
  two.one.send("other", longest);
  EXPECT_EQ(taken(two.other), (NixlMessages{{"one", longest}}));
  EXPECT_THROW(two.one.send("other", longest + "y"), InvalidArgument);
}

TEST(Mailbox, SaysThatAPeerIsGone) {
  Mailbox one("one");
  auto other = std::make_unique<Mailbox>("other");
  const std::string address = other->address();
  ASSERT_TRUE(one.connect("other", address));
  other.reset();
  EXPECT_THROW(one.send("other", "lost"), Disconnected);
  EXPECT_FALSE(one.knows("other"));
  EXPECT_FALSE(one.connect("other", address));
  EXPECT_THROW(one.send("nobody", ""), Disconnected);
}

TEST(Mailbox, RefusesAddressesThatAreNone) {
  Mailbox mailbox("one");
  EXPECT_FALSE(mailbox.connect("x", ""));
  EXPECT_FALSE(mailbox.connect("x", "typewarp-nixl-" + std::string(200, 'a')));
  EXPECT_FALSE(mailbox.connect("x", "org.freedesktop.something"));
  EXPECT_FALSE(mailbox.connect("x", "typewarp-nixl-00000000000000000000000000000000"));
}

/// Connects to a mailbox with nothing of ours, and sends what no mailbox would.
int stranger(const std::string& address) {
  const int made = socket(AF_UNIX, SOCK_SEQPACKET, 0);
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  std::memcpy(to.sun_path + 1, address.data(), address.size());
  const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + address.size());
  if (connect(made, reinterpret_cast<sockaddr*>(&to), bytes) != 0) return -1;
  return made;
}

TEST(Mailbox, IgnoresMessagesThatNoMailboxSends) {
  Mailbox mailbox("one");
  const int made = stranger(mailbox.address());
  ASSERT_GE(made, 0);
  const std::string huge(Mailbox::most_bytes + 2, 'z');
  ASSERT_EQ(send(made, huge.data(), huge.size(), 0), static_cast<ssize_t>(huge.size()));
  EXPECT_EQ(taken(mailbox), NixlMessages{});
  EXPECT_EQ(send(made, "x", 1, MSG_NOSIGNAL), -1);  // it was hung up
  close(made);
}

TEST(Mailbox, IsClosedToOtherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  Mailbox mailbox("one");
  const pid_t child = fork();
  if (child == 0) {
    if (setuid(12345) != 0) _exit(1);
    const int made = stranger(mailbox.address());
    const bool sent = made >= 0 && send(made, ".intruder", 9, MSG_NOSIGNAL) == 9 &&
                      send(made, ".message", 8, MSG_NOSIGNAL) == 8;
    _exit(sent ? 0 : 2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(taken(mailbox), NixlMessages{});
}

}  // namespace
}  // namespace typewarp::nixl
