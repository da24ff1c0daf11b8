// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/doctor/doctor_record.hpp"
#include "cli/doctor/doctor_prediction.hpp"
#include "cli/doctor/doctor_report.hpp"
#include "explain/markup.hpp"

#include <algorithm>

namespace typewarp::cli {
namespace {

using explanation::escaped;

constexpr auto head = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>typewarp doctor</title><style>
body{font:15px/1.45 system-ui,sans-serif;margin:2em auto;max-width:76em;padding:0 1em;color:#222;background:#fff}
h1{font-size:1.4em}code,td.n{font-family:ui-monospace,monospace;font-size:.92em}
table{border-collapse:collapse;width:100%}th{text-align:left;border-bottom:2px solid #888;padding:.3em .6em}
td{vertical-align:top;border-bottom:1px solid #ddd;padding:.4em .6em}td.n,th.n{text-align:right;white-space:nowrap}
.bar{display:flex;height:.7em;margin:.35em 0;background:#eee}.bar i{display:block}.lost{background:#c0392b}.kept{background:#5b8db8}
.cure{color:#8a2a1e;font-weight:600}.dim{color:#777}details{margin-top:.3em}summary{cursor:pointer;color:#555}
ul.head{padding-left:1.2em}.key i{display:inline-block;width:.9em;height:.7em;margin:0 .3em 0 1em}
@media(prefers-color-scheme:dark){body{background:#181a1b;color:#ddd}.bar{background:#333}td{border-color:#3a3a3a}
.cure{color:#f0907f}summary,.dim{color:#aaa}}
</style></head><body>
)";

std::string number(const std::string& text) { return "<td class=\"n\">" + text + "</td>"; }

std::string bar(const Diagnosis& of, double longest) {
  const auto percent = [&](double seconds) {
    return std::to_string(longest > 0 ? 100 * seconds / longest : 0) + "%";
  };
  return "<div class=\"bar\"><i class=\"lost\" style=\"width:" + percent(of.lost) +
         "\"></i><i class=\"kept\" style=\"width:" + percent(of.predicted) + "\"></i></div>";
}

std::string side(const char* what, const SiteSide& of) {
  if (of.pieces == 0) return {};
  return std::string("<br>") + what + ": " + std::to_string(of.count) + " x <code>" + escaped(of.type) +
         "</code>, " + std::to_string(of.pieces) + (of.pieces == 1 ? " piece" : " pieces");
}

std::string row(const Diagnosis& of, double longest) {
  const CallSite& site = of.site;
  std::string text = "<tr><td><code>" + escaped(site.call) + "</code> at <code>" +
                     escaped(site.stack.empty() ? "?" : place(site.stack.front())) + "</code>";
  if (site.device) text += ", GPU memory";
  text += bar(of, longest);
  if (!of.cure.empty()) text += "<span class=\"cure\">" + escaped(of.cure) + "</span>";
  text += "<details><summary>where and what</summary>";
  if (site.comm_ranks > 0)
    text += (site.comm.empty() ? "a communicator" : escaped(site.comm)) + " of " +
            std::to_string(site.comm_ranks) + " ranks";
  text += side("sent", site.sent) + side("received", site.received) + side("file view", site.view);
  for (const Frame& frame : site.stack) text += "<br>from <code>" + escaped(place(frame)) + "</code>";
  text += "</details></td>";
  const double waits = site.totals.seconds() > 0 ? 100 * site.totals.waiting / site.totals.seconds() : 0;
  return text + number(seconds_text(of.lost)) + number(seconds_text(site.totals.seconds())) +
         number(seconds_text(of.predicted)) + number(std::to_string(static_cast<int>(waits + 0.5)) + " %") +
         number(std::to_string(site.totals.calls)) +
         number(std::to_string(std::max(site.sent.pieces, site.received.pieces))) +
         number(bytes_text(static_cast<double>(site.totals.bytes_of_a_call()))) + "</tr>\n";
}

}  // namespace

std::string as_html(const DoctorReport& report) {
  double longest = 0;
  for (const Diagnosis& of : report.sites) longest = std::max(longest, of.site.totals.seconds());
  std::string text = head;
  text += "<h1>typewarp doctor</h1><p><code>" + escaped(report.command) + "</code>, exit status " +
          std::to_string(report.exit_status) + "</p><ul class=\"head\">";
  for (const std::string& line : headlines(report)) text += "<li>" + escaped(line) + "</li>";
  text +=
      "</ul><table><thead><tr><th>call <span class=\"key dim\"><i class=\"lost\"></i>lost<i "
      "class=\"kept\"></i>predicted"
      "</span></th><th class=\"n\">lost</th><th class=\"n\">now</th><th class=\"n\">predicted</th><th "
      "class=\"n\">waits</th>"
      "<th class=\"n\">calls</th><th class=\"n\">pieces</th><th class=\"n\">bytes</th></tr></thead><tbody>\n";
  for (const Diagnosis& of : report.sites) text += row(of, longest);
  text +=
      "</tbody></table><p class=\"dim\">Times are sums over ranks; pieces and bytes are of a call. Waits: "
      "the share of the time "
      "now that was spent in calls that wait for these messages. Predicted: ";
  return text + escaped(how_it_is_predicted) + "</p></body></html>\n";
}

}  // namespace typewarp::cli
