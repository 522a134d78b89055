// HTML report of a run in a single file that needs no network.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "image/picture.h"
#include "model/lost_points.h"
#include "report/summary.h"
#include "stats/score_table.h"

namespace acutance {

/// A worst frame with its pictures.
struct PageFrame {
  int64_t frame = 0;
  double score = 0;
  std::optional<LostPoints> lost;  // of the first model
  Picture reference, distorted;
  /// Losses by the kind of damage that cost most, in squares of `map_block` luma samples; empty: unknown.
  std::vector<double> map = {};
  int map_block = 1, map_columns = 1;
  std::string map_words = "";
  /// The kind of damage: "banding"; empty: none or unknown.
  std::string cause = "";
};

/// A frame of all videos.
struct PageCommonFrame {
  int64_t frame = 0;
  Picture reference;
  std::vector<Picture> distorted;  // by video
};

struct PageVideo {
  std::vector<PageFrame> worst;    // the worst first
  std::optional<LostPoints> lost;  // the mean over frames, of the first model
  int64_t lost_frames = 0;         // the number of those frames
  std::function<std::optional<LostPoints>(int64_t frame)> lost_at = nullptr;
};

/// A feature that shows damage which viewers object to.
struct PageAnnoyance {
  std::string feature;  // its stored name
  Damage kind;
  double from;  // the value from which on they do
};

struct Page {
  const Summary* summary = nullptr;
  std::vector<std::string> model_columns;   // of the scores that stand for the models; the first one ranks frames
  std::vector<std::string> model_features;  // stored names of what the first model reads
  std::vector<PageAnnoyance> annoyances;    // of those features
  int quality_column = -1;                  // by which frames are ranked; -1: none is
  std::string clip_score;                   // the aggregate that stands for that column's mean; empty: none does
  std::optional<double> frame_rate;         // frames a second
  bool full_range = false;                  // samples use all values
  std::vector<PageVideo> videos;            // like the summary's
  std::vector<PageCommonFrame> together;    // of several videos
  std::vector<std::string> receipt;         // lines for the foot: the command, the time
  int64_t first_frame = 0;                  // number of the first frame in the videos, by which frames are shown
  bool pictures_first = false;              // the frames' pictures in front of the curves
  std::string encodes_part;                 // HTML of the encodes side by side; empty: nothing compares them
  int64_t most_points = 600'000;            // of all curves together
};

/// The page's HTML. Below 5 MB for any number of frames: curves are thinned and pictures compressed.
std::string MakePage(const Page& page);

}  // namespace acutance
