// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "explain/svg.hpp"

namespace typewarp::explanation {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '<') {
      result += "&lt;";
    } else if (c == '&') {
      result += "&amp;";
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

void Svg::rectangle(double x, double y, double width, double height, std::string_view fill) {
  body_ << "<rect x=\"" << x << "\" y=\"" << y << "\" width=\"" << width << "\" height=\"" << height
        << "\" fill=\"" << fill << "\"/>\n";
}

void Svg::words(double x, double y, std::string_view text, bool end_there) {
  body_ << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << (end_there ? "end" : "start")
        << "\">" << escaped(text) << "</text>\n";
}

std::string Svg::file(double width, double height) const {
  std::ostringstream out;
  out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << width << "\" height=\"" << height
      << "\" font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" "
         "fill=\"white\"/>\n"
      << body_.str() << "</svg>\n";
  return out.str();
}

}  // namespace typewarp::explanation
