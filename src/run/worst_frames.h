// The frames of a run that scored worst, with their pictures, kept while the run continues.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "image/picture.h"
#include "stats/score_table.h"

namespace acutance {

struct WorstFrame {
  int64_t frame = 0;
  double score = 0;
  Picture reference, distorted;
  /// The frame of the reference whose picture it is, where that is not its own; set by runs that find shots.
  std::optional<int64_t> shows = std::nullopt;
};

/// Keeps the worst frames of one distorted video by one column: the worst of each `spacing` frames (a second's), and of
/// those the `count` worst. Of bad frames in a row one is enough. Pictures are held by reference, none is copied.
class WorstFrames {
 public:
  WorstFrames(int count, double spacing) : count_(count), spacing_(spacing) {}

  /// Frames in order. The pictures of a frame are held until it is judged.
  void Offer(int64_t frame, const Picture& reference, const Picture& distorted);

  /// Judges the frames below `frames`, whose scores are in the table. A frame that has none when the next one is done
  /// is passed over.
  void Judge(const ScoreTable& table, int column, int64_t frames);

  /// The worst score first.
  std::vector<WorstFrame> Take();

 private:
  void Keep(WorstFrame candidate);

  int count_;
  double spacing_;
  std::deque<WorstFrame> waiting_;
  std::vector<WorstFrame> kept_;
  ScoreDirection better_ = ScoreDirection::kHigher;
};

/// The column by which a run's frames are compared: that of its first model (empty: it has none), else the first of
/// the highest rank among those that say which frames are better; nullopt where there is neither.
std::optional<int> QualityColumn(const ScoreTable& table, std::string_view model_column);

}  // namespace acutance
