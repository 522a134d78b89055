// The parts of a page, from its head down, and the numbers that they show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/page.h"

namespace acutance {

/// page.css, page.js, page_look.js and table_sort.js, embedded by embed_text.py.
extern const std::string_view kPageStyle, kPageScript, kPageLookScript, kSortScript;

/// The name of a video's file, with as many of its folders as tell all videos apart.
std::string VideoName(const Summary& summary, size_t video);

/// A section of the page: its heading and body. id: of the heading, "h-" before it.
std::string Section(const std::string& id, const std::string& heading, const std::string& body);

/// A wide table: its head's cells and its rows; caption: "" for none.
std::string WideTable(const std::string& caption, const std::vector<std::string>& head, const std::string& rows);

/// A wide table whose rows a click on a head sorts (kSortScript), by numbers where cells have one: `data-value`, or
/// else the text.
std::string SortableTable(const std::vector<std::string>& head, const std::string& rows);

/// A page up to its body, which loads nothing.
std::string PageHead(const std::string& title);

std::string PageTitle(const Page& page);

/// The verdict in sentences.
std::string VerdictPart(const Page& page);

std::string WarningsPart(const Page& page);

/// The videos, their conversions and alignment, and the models.
std::string ComparedPart(const Page& page);

/// Where page.js draws.
std::string CurvesPart(const Page& page);

/// Points that each kind of damage costs.
std::string LossPart(const Page& page);

std::string WorstSecondsPart(const Page& page);

/// The shots with their information and scores.
std::string ShotsPart(const Page& page);

/// Frames with all encodes in one view.
std::string TogetherPart(const Page& page);

/// Reference, encode, difference and the spot that differs most.
std::string FramesPart(const Page& page);

/// A curve of whole steps from `low` to `high`: 0 is low, 65534 is high, 65535 is a frame without a score.
/// Little-endian 16-bit values, in base64.
struct PackedCurve {
  double low = 0;
  double high = 0;
  int64_t step = 1;     // frames per value
  std::string minimum;  // of the frames of a step
  std::string maximum;  // likewise; empty where a step is one frame
};

/// scores: by frame, perhaps fewer than `frames`. Steps cover all frames.
PackedCurve PackCurve(const std::vector<std::optional<double>>& scores, int64_t frames, int64_t step);

/// The frames per value with which `curves` curves of `frames` frames have at most `most` values.
int64_t StepOf(int64_t frames, int64_t curves, int64_t most);

struct WorstSecond {
  int64_t first = 0;   // frame
  int64_t frames = 0;  // a second's; 24 where the rate is unknown
  double score = 0;    // the mean of the page's quality column
  int64_t worst = 0;   // its worst frame
};

/// The worst first: of all seconds, wherever they begin, as the pooling worst_second; then those that do not overlap
/// the ones before.
std::vector<WorstSecond> FindWorstSeconds(const Page& page, size_t video, int count);

/// The score that ranks frames, as logs show it.
std::string QualityName(const Page& page);

/// "93.41, excellent"; without the word where the score is no model's.
std::string Graded(const Page& page, double score);

/// Why a second is bad: what is wrong with the worst of its frames that are shown, else what cost its worst frame most
/// of the model's points; "": nothing did, or it is not known.
std::string CauseOf(const Page& page, size_t video, const WorstSecond& second);

/// "0:12.48"; "frame 312" where the rate is unknown.
std::string Clock(const Page& page, int64_t frame);
/// The same of seconds.
std::string ClockOf(double time);

}  // namespace acutance
