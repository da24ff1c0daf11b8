// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/doctor/doctor.hpp"

#include "cli/doctor/doctor_record.hpp"
#include "cli/doctor/doctor_prediction.hpp"
#include "cli/doctor/doctor_report.hpp"
#include "interpose/record/record.hpp"
#include "plan/wire.hpp"

#include <gtest/gtest.h>

namespace typewarp::cli {
namespace {

/// Seconds of a call that are lost on any machine, however slow the packing that is measured there.
constexpr double slow = 4;

/// A column of so many pieces of 8 bytes, with or without what is known of its layout.
SiteSide column(std::int64_t pieces, bool known = true) {
  SiteSide side{"vector of MPI_DOUBLE", {}, 1, pieces, 8 * pieces};
  const Plan plan = commit(vector(pieces, 1, 100, Named::double_));
  if (known) side.wire = *plan::to_wire(plan, 1 << 20);
  return side;
}

/// 100 calls that take `fast` seconds each, and as much again in waits.
CallSite site_of(const std::string& call, const SiteSide& sent, double fast) {
  CallSite site;
  site.call = call;
  site.stack = {{"/home/u/app", 0x1234, "exchange", "/home/u/halo.c", 27}};
  site.comm = "MPI_COMM_WORLD";
  site.comm_ranks = 4;
  site.sent = sent;
  site.totals.calls = 100;
  site.totals.bytes = 100 * sent.bytes;
  site.totals.ranks = {0, 1};
  site.totals.inside = site.totals.waiting = 100 * fast;
  site.totals.fast = fast;
  return site;
}

JobRecord job_of(std::vector<CallSite> sites) {
  JobRecord job;
  job.ranks = 2;
  job.recorded = {0, 1};
  job.seconds = 1;
  job.sites = std::move(sites);
  return job;
}

std::string cure_of(const CallSite& site) { return diagnose(job_of({site})).front().cure; }

std::string message_of(const Words& words) {
  try {
    parse_doctor(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(Doctor, OptionsAreRead) {
  const DoctorOptions options = parse_doctor({"--json", "a.json", "--top", "3", "--explain", "2", "--html",
                                              "b.html", "--", "mpirun", "--top", "./a"});
  EXPECT_EQ("a.json", options.json);
  EXPECT_EQ("b.html", options.html);
  EXPECT_EQ(3U, options.top);
  EXPECT_EQ(2U, options.explain);
  EXPECT_EQ((Words{"mpirun", "--top", "./a"}), options.command);
}

TEST(Doctor, WrongUsageIsNamed) {
  EXPECT_EQ("--json: needs the name of a file", message_of({"--json", "--", "a"}));
  EXPECT_EQ("--top: '0': must be a whole number from 1 to 9223372036854775807",
            message_of({"--top", "0", "a"}));
  EXPECT_EQ("--top: '3x': must be a whole number from 1 to 9223372036854775807",
            message_of({"--top", "3x", "a"}));
  EXPECT_EQ("unknown option '--nonsense' (the command follows '--')", message_of({"--nonsense", "a"}));
  EXPECT_NE("", message_of({"--html", "a", "--"}));
}

TEST(DoctorRecord, ClassesOfDurationsAreAQuarterOfAnOctave) {
  std::int64_t before = -1;
  for (std::size_t i = 0; i < interpose::record::classes; ++i) {
    const std::int64_t shortest = interpose::record::shortest_of(i);
    EXPECT_GT(shortest, before);
    EXPECT_EQ(i, interpose::record::class_of(shortest));
    if (i > 0) {
      EXPECT_EQ(i - 1, interpose::record::class_of(shortest - 1));
    }
    if (i > 4) {
      EXPECT_LE(shortest, before + before / 4 + 1);
    }
    before = shortest;
  }
  EXPECT_EQ(interpose::record::classes - 1, interpose::record::class_of(std::int64_t{1} << 62));
  EXPECT_EQ(0U, interpose::record::class_of(-1));
}

TEST(DoctorPrediction, ContiguousMessagesOfTheRunCount) {
  const std::vector<CallSite> sites{site_of("MPI_Send", {"MPI_DOUBLE", {}, 1000, 1, 8000}, 123e-6),
                                    site_of("MPI_Send", column(1000), 1e-3)};
  Prediction prediction(sites);
  EXPECT_DOUBLE_EQ(123e-6, *prediction.contiguous(sites[1], 8000));
  EXPECT_LT(*prediction.contiguous(sites[1], 80000), 123e-6);  // the stated rate
  EXPECT_FALSE(prediction.call(sites[0]));
  const auto call = prediction.call(sites[1]);
  ASSERT_TRUE(call);
  EXPECT_GT(call->seconds, 123e-6);
  EXPECT_GT(call->most_saved, 0);
}

TEST(DoctorPrediction, LayoutsThatAreNotKnownAreStoodInFor) {
  const std::vector<CallSite> none;
  Prediction prediction(none);
  EXPECT_TRUE(prediction.call(site_of("MPI_Send", column(1000, false), 1e-3)));
}

TEST(DoctorPrediction, DataThatSpansMoreThanMemoryIsStoodInFor) {
  constexpr std::int64_t terabyte = std::int64_t{1} << 40;
  SiteSide wide{"two doubles", *plan::to_wire(commit(hvector(2, 1, terabyte, Named::double_)), 1 << 20), 1, 2,
                16};
  const std::vector<CallSite> none;
  Prediction prediction(none);
  EXPECT_TRUE(prediction.call(site_of("MPI_Send", wide, 1e-3)));
}

TEST(DoctorPrediction, FilesAndWindowsAreNotGuessedAt) {
  const std::vector<CallSite> none;
  Prediction prediction(none);
  EXPECT_FALSE(prediction.call(site_of("MPI_File_write_at", column(1000), 1e-3)));
  EXPECT_FALSE(prediction.call(site_of("MPI_Put", column(1000), 1e-3)));
}

TEST(DoctorPrediction, WhoReceivesWaitsForThePackingToo) {
  CallSite received = site_of("MPI_Recv", {}, 1e-3), posted = site_of("MPI_Irecv", {}, 1e-3);
  received.received = posted.received = column(100000);
  const std::vector<CallSite> none;
  Prediction prediction(none);
  EXPECT_GT(prediction.call(received)->seconds, prediction.call(posted)->seconds);
}

TEST(DoctorDiagnosis, WhatLosesMostComesFirstAndContiguousDataLosesNothing) {
  const auto found =
      diagnose(job_of({site_of("MPI_Send", {"MPI_DOUBLE", {}, 1000, 1, 8000}, 5e-3),
                       site_of("MPI_Isend", column(1000), 1e-3), site_of("MPI_Send", column(100000), slow)}));
  EXPECT_EQ(800000, found[0].site.sent.bytes);
  EXPECT_GE(found[0].lost, found[1].lost);
  EXPECT_EQ(0, found[2].lost);
  EXPECT_DOUBLE_EQ(found[2].site.totals.seconds(), found[2].predicted);
  EXPECT_EQ("", found[2].cure);
  for (const Diagnosis& of : found) EXPECT_DOUBLE_EQ(of.site.totals.seconds(), of.predicted + of.lost);
}

TEST(DoctorDiagnosis, CuresAreNamed) {
  CallSite site = site_of("MPI_Send", column(100000), slow);
  EXPECT_NE(std::string::npos,
            cure_of(site).find("is packing by the MPI, of 100000 pieces of 8 B a call: run under "
                               "'TYPEWARP_TAKE=derived typewarp run --'"));
  site.device = true;
  EXPECT_NE(std::string::npos,
            cure_of(site).find("is the MPI's handling of GPU memory: run under 'typewarp run --'"));
  site = site_of("MPI_Send", column(10), 1e-9);
  EXPECT_EQ("", cure_of(site));
  site.totals.repeats = 90;
  EXPECT_EQ("blocking sends one by one, of 10 pieces of 8 B: send one vector of this datatype",
            cure_of(site));
  site.totals.repeats = 40;
  EXPECT_EQ("", cure_of(site));
  site.totals.datatypes_made = 100;
  EXPECT_EQ("a new datatype for 100 of 100 calls: make and commit it once", cure_of(site));
  site = site_of("MPI_File_read_at", {"MPI_DOUBLE", {}, 80, 1, 640}, 1e-9);
  site.view = column(80);
  EXPECT_EQ("independent access to 80 pieces of 8 B of a file: use the collective call with _all in its name",
            cure_of(site));
  site.call = "MPI_File_read_at_all";
  EXPECT_EQ("", cure_of(site));
}

TEST(DoctorPlaces, SitesOfOneLineAreOne) {
  std::vector<CallSite> sites(3, site_of("MPI_Send", column(10), 1e-3));
  sites[1].stack.front().offset = 0x2345;  // an unrolled loop
  sites[1].totals.ranks = {2};
  sites[1].totals.fast = 1e-4;
  sites[2].stack.front().line = 28;
  unite(sites);
  ASSERT_EQ(2U, sites.size());
  EXPECT_EQ(200, sites[0].totals.calls);
  EXPECT_EQ((std::set<int>{0, 1, 2}), sites[0].totals.ranks);
  EXPECT_DOUBLE_EQ(1e-4, sites[0].totals.fast);
  EXPECT_EQ("exchange (halo.c:27)", place(sites[0].stack.front()));
  EXPECT_EQ("app+0x1234", place({"/home/u/app", 0x1234, {}, {}, 0}));
}

DoctorReport report_of(const std::vector<CallSite>& sites) {
  return {"mpirun ./a", 0, job_of({}), diagnose(job_of(sites))};
}

TEST(DoctorReport, NoFindingIsOneLine) {
  const std::string text = as_text(report_of({site_of("MPI_Send", {"MPI_DOUBLE", {}, 1, 1, 8}, 1e-3)}), 10);
  EXPECT_EQ(
      "typewarp doctor: no finding: 2 ranks, 1.0 s between MPI_Init and MPI_Finalize in all, 200 ms in the "
      "MPI, nothing to gain for noncontiguous data or GPU memory\n",
      text);
}

TEST(DoctorReport, TopBoundsTheTable) {
  const DoctorReport report =
      report_of({site_of("MPI_Send", column(100000), slow), site_of("MPI_Ssend", column(100000), slow / 2)});
  EXPECT_NE(std::string::npos, as_text(report, 1).find("and 1 more: --top 2\n"));
  EXPECT_EQ(std::string::npos, as_text(report, 1).find("MPI_Ssend"));
  EXPECT_NE(std::string::npos, as_text(report, 2).find("MPI_Ssend"));
}

TEST(DoctorReport, WhatIsIncompleteIsSaid) {
  DoctorReport report = report_of({});
  report.job.ranks = 3;
  report.job.unfinished = {1};
  report.job.others = 7;
  const std::string text = as_text(report, 10);
  EXPECT_NE(std::string::npos, text.find("incomplete: 1 of 3 ranks left no record"));
  EXPECT_NE(std::string::npos, text.find("incomplete: ended without MPI_Finalize: rank 1"));
  EXPECT_NE(std::string::npos, text.find("incomplete: 7 calls"));
}

TEST(DoctorReport, PageAndJsonKeepForeignWordsApart) {
  CallSite site = site_of("MPI_Send", column(10), 1e-3);
  site.comm = "<b>\"&\xff";
  DoctorReport report = report_of({site});
  const std::string page = as_html(report), json = as_json(report);
  EXPECT_NE(std::string::npos, page.find("&lt;b&gt;&quot;&amp;"));
  EXPECT_EQ(std::string::npos, page.find("<b>"));
  EXPECT_NE(std::string::npos, json.find(R"("name": "<b>\"&)"));
}

}  // namespace
}  // namespace typewarp::cli
