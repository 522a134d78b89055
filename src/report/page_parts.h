// The parts of a page, from its head down.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/page.h"

namespace acutance {

extern const std::string_view kPageStyle, kPageScript;  // page.css and page.js, embedded by embed_text.py

/// The name of a video's file; the whole path where another's file has that name.
std::string VideoName(const Summary& summary, size_t video);

/// A section of the page: its heading and body. id: of the heading, "h-" before it.
std::string Section(const std::string& id, const std::string& heading, const std::string& body);

/// A wide table: its head's cells and its rows; caption: "" for none.
std::string WideTable(const std::string& caption, const std::vector<std::string>& head, const std::string& rows);

std::string PageTitle(const Page& page);

/// The verdict in sentences, and warnings.
std::string VerdictPart(const Page& page);

/// The videos, their conversions and alignment, and the models.
std::string ComparedPart(const Page& page);

/// Where page.js draws.
std::string CurvesPart(const Page& page);

/// Points that each kind of damage costs.
std::string LossPart(const Page& page);

std::string WorstSecondsPart(const Page& page);

/// Reference, encode, difference and the spot that differs most.
std::string WorstFramesPart(const Page& page);

}  // namespace acutance
