// The parts of a page, from its head down.
#pragma once

#include <string>

#include "report/page.h"

namespace acutance {

/// The name of a video's file; the whole path where another's file has that name.
std::string VideoName(const Summary& summary, size_t video);

std::string PageTitle(const Page& page);

/// What it comes to, in sentences; warnings.
std::string VerdictPart(const Page& page);

/// The videos, how they were brought together, and by what they were judged.
std::string ComparedPart(const Page& page);

/// Where page.js draws.
std::string CurvesPart(const Page& page);

/// Which kinds of damage cost how many points.
std::string LossPart(const Page& page);

std::string WorstSecondsPart(const Page& page);

/// Reference, encode, difference and the spot that differs most.
std::string WorstFramesPart(const Page& page);

}  // namespace acutance
