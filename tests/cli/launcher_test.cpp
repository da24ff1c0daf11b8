// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/launch/launcher.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

namespace typewarp::cli {
namespace {

const Variables ours{{"LD_PRELOAD", "/t/lib.so"}, {"TYPEWARP_STATS", "1"}};

Words split(const std::string& line) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// A system on which --version prints `version`, and programs are what begins with "./".
System system_with(const std::string& version) {
  return {[version](const std::string&) { return version; },
          [](const std::string& word) { return word.starts_with("./"); }};
}

std::string told(const std::string& command, const std::string& version = "") {
  return shell_line(with_variables(split(command), ours, system_with(version)));
}

TEST(Launcher, IsToldApartByWhatItSaysOfItself) {
  EXPECT_EQ(Family::open_mpi, family_of("/opt/bin/mpirun", system_with("mpirun (Open MPI) 4.1.6")));
  EXPECT_EQ(Family::open_mpi, family_of("mpiexec", system_with("mpiexec (OpenRTE) 2.1.1")));
  EXPECT_EQ(Family::hydra, family_of("mpiexec", system_with("HYDRA build details:\n Version: 4.0")));
  EXPECT_EQ(Family::hydra,
            family_of("mpirun", system_with("Intel(R) MPI Library for Linux* OS, Version 2021.9")));
  EXPECT_EQ(Family::pals, family_of("mpiexec", system_with("mpiexec version PALS 1.2")));
  EXPECT_EQ(Family::unknown, family_of("mpiexec", system_with("")));
  EXPECT_EQ(Family::unknown, family_of("mpirun_rsh", system_with("Version: mvapich2-2.3")));
  EXPECT_EQ(Family::open_mpi, family_of("/usr/bin/prterun", system_with("")));
  EXPECT_EQ(Family::none, family_of("./mpi_program", system_with("")));
  EXPECT_EQ(Family::none, family_of("python3", system_with("Python 3")));
}

TEST(Launcher, OpenMpiIsToldForEachProgram) {
  EXPECT_EQ(
      "mpirun -x LD_PRELOAD=/t/lib.so -x TYPEWARP_STATS=1 -n 1 ./a : -x LD_PRELOAD=/t/lib.so -x "
      "TYPEWARP_STATS=1 -n 2 ./b",
      told("mpirun -n 1 ./a : -n 2 ./b", "Open MPI"));
}

TEST(Launcher, OwnPreloadOfACommandIsKeptBehindOurs) {
  EXPECT_EQ("prun -x LD_PRELOAD=/t/lib.so:/u.so -x TYPEWARP_STATS=1 -n 2 ./a",
            told("prun -x LD_PRELOAD=/u.so -n 2 ./a"));
  EXPECT_EQ("prun -x LD_PRELOAD=/t/lib.so -x TYPEWARP_STATS=1 -n 2 ./a", told("prun -x LD_PRELOAD -n 2 ./a"));
  EXPECT_EQ("mpiexec -genv LD_PRELOAD /t/lib.so:/u.so -genv TYPEWARP_STATS 1 -n 2 ./a",
            told("mpiexec -genv LD_PRELOAD /u.so -n 2 ./a", "HYDRA"));
  EXPECT_EQ(
      "mpiexec -genv LD_PRELOAD /t/lib.so -genv TYPEWARP_STATS 1 -n 1 ./a : -env LD_PRELOAD /t/lib.so:/u.so "
      "-n 1 ./b",
      told("mpiexec -n 1 ./a : -env LD_PRELOAD /u.so -n 1 ./b", "HYDRA"));
  EXPECT_EQ("srun --export=ALL,LD_PRELOAD=/t/lib.so:/u.so,TYPEWARP_STATS=1 ./a",
            told("srun --export=ALL,LD_PRELOAD=/u.so ./a"));
  EXPECT_EQ("flux run --env=LD_PRELOAD=/u.so --env=LD_PRELOAD=/t/lib.so:/u.so --env=TYPEWARP_STATS=1 ./a",
            told("flux run --env=LD_PRELOAD=/u.so ./a"));
}

TEST(Launcher, ASanitizersRuntimeOfACommandIsKeptInFrontOfOurs) {
  EXPECT_EQ("prun -x LD_PRELOAD=libasan.so.8:/t/lib.so:/u.so -x TYPEWARP_STATS=1 -n 2 ./a",
            told("prun -x LD_PRELOAD=/u.so:libasan.so.8 -n 2 ./a"));
  EXPECT_EQ("mpiexec -genv LD_PRELOAD /l/libtsan.so.2:/t/lib.so -genv TYPEWARP_STATS 1 -n 2 ./a",
            told("mpiexec -genv LD_PRELOAD /l/libtsan.so.2 -n 2 ./a", "HYDRA"));
  EXPECT_EQ("srun --export=ALL,LD_PRELOAD=libasan.so.8:/t/lib.so,TYPEWARP_STATS=1 ./a",
            told("srun --export=ALL,LD_PRELOAD=libasan.so.8 ./a"));
}

TEST(Launcher, ArgumentsOfTheProgramStayAsTheyAre) {
  EXPECT_EQ("srun --export=ALL,LD_PRELOAD=/t/lib.so,TYPEWARP_STATS=1 -n 2 ./a --export=x.csv",
            told("srun -n 2 ./a --export=x.csv"));
  EXPECT_EQ("prun -x LD_PRELOAD=/t/lib.so -x TYPEWARP_STATS=1 ./a -x LD_PRELOAD=/u.so",
            told("prun ./a -x LD_PRELOAD=/u.so"));
  EXPECT_EQ("flux run --env=LD_PRELOAD=/t/lib.so --env=TYPEWARP_STATS=1 -n 2 ./a --env=x",
            told("flux run -n 2 ./a --env=x"));
}

TEST(Launcher, ListOfSlurmIsKept) {
  EXPECT_EQ("srun --export=PATH,A=1,LD_PRELOAD=/t/lib.so,TYPEWARP_STATS=1 -n 2 ./a",
            told("srun -n 2 --export PATH,A=1 ./a"));
  EXPECT_EQ("srun --export=LD_PRELOAD=/t/lib.so,TYPEWARP_STATS=1 ./a", told("srun --export=NONE ./a"));
  EXPECT_EQ("srun '--export=ALL,LD_PRELOAD=/t/lib.so,TYPEWARP_TRACE='\\''a,b'\\''' ./a",
            shell_line(with_variables(
                {"srun", "./a"}, {{"LD_PRELOAD", "/t/lib.so"}, {"TYPEWARP_TRACE", "a,b"}}, system_with(""))));
}

TEST(Launcher, OthersAreToldInTheirWays) {
  EXPECT_EQ("flux run '--env=-*' --env=LD_PRELOAD=/t/lib.so --env=TYPEWARP_STATS=1 -N 2 ./a",
            told("flux run --env=-* -N 2 ./a"));
  EXPECT_EQ("jsrun -E LD_PRELOAD=/t/lib.so -E TYPEWARP_STATS=1 -n 2 ./a", told("jsrun -n 2 ./a"));
  EXPECT_EQ("aprun -e LD_PRELOAD=/t/lib.so -e TYPEWARP_STATS=1 -n 2 ./a", told("aprun -n 2 ./a"));
  EXPECT_EQ("mpiexec --env LD_PRELOAD=/t/lib.so --env TYPEWARP_STATS=1 -n 2 ./a",
            told("mpiexec -n 2 ./a", "PALS"));
  EXPECT_EQ("env LD_PRELOAD=/t/lib.so TYPEWARP_STATS=1 ./a b", told("./a b"));
  EXPECT_THROW(told("flux alloc -N 2"), UsageError);
}

TEST(Launcher, UnknownOneGetsEnvInFrontOfTheProgram) {
  EXPECT_EQ("mpirun_rsh -np 2 env LD_PRELOAD=/t/lib.so TYPEWARP_STATS=1 ./a b",
            told("mpirun_rsh -np 2 ./a b"));
  EXPECT_EQ(
      "ibrun env LD_PRELOAD=/t/lib.so TYPEWARP_STATS=1 ./a : env LD_PRELOAD=/t/lib.so TYPEWARP_STATS=1 ./b",
      told("ibrun ./a : ./b"));
  try {
    told("ibrun -n 2 nothing");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(nullptr, std::strstr(error.what(), "env LD_PRELOAD=/t/lib.so TYPEWARP_STATS=1"))
        << error.what();
    EXPECT_NE(nullptr, std::strstr(error.what(), "'ibrun'")) << error.what();
  }
}

TEST(Words, AreQuotedForAShell) {
  EXPECT_EQ("a 'b c' 'd'\\''e' '' '$f'", shell_line({"a", "b c", "d'e", "", "$f"}));
}

}  // namespace
}  // namespace typewarp::cli
