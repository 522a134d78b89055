// Crop search between two videos of different aspect ratios: rows or columns that one of them lacks.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "io/video_source.h"
#include "video/fit_videos.h"

namespace acutance {

/// The parts that show the same.
struct ShapeParts {
  Rectangle reference, distorted;

  bool operator==(const ShapeParts&) const = default;
};

/// Looks for parts of one shape that fit: rows of the higher video, or columns of the wider one.
class CropSearch {
 public:
  CropSearch(const ShapedVideo& reference, const ShapedVideo& distorted)
      : reference_(reference), distorted_(distorted) {}

  /// Luma of aligned frames.
  void Add(const Picture& reference, const Picture& distorted);

  /// nullopt: the pictures fit equally well squashed, or no part fits clearly better in most of them.
  std::optional<ShapeParts> Find() const;

 private:
  static constexpr int kCells = 96;
  /// The lines of a picture's content, each as the means of a few cells.
  using Lines = std::vector<std::array<float, kCells>>;
  struct Pair {
    Lines reference, distorted;
  };
  static Lines LinesOf(const Picture& picture, const Rectangle& content, bool are_rows);
  double ErrorOf(const Pair& pair, bool is_higher, const ShapeParts& parts) const;
  double ErrorOf(bool is_higher, const ShapeParts& parts) const;
  /// The place along the cropped side where the error is least, searched from `first` (0 to 1) on.
  ShapeParts Climb(bool is_higher, double first) const;
  ShapeParts At(bool is_higher, int begin) const;
  int Room(bool is_higher) const;
  bool IsBetterInMost(bool is_higher, const ShapeParts& parts) const;

  bool is_reference_higher() const { return reference_.shape() < distorted_.shape(); }
  const ShapedVideo& higher() const { return is_reference_higher() ? reference_ : distorted_; }
  const ShapedVideo& wider() const { return is_reference_higher() ? distorted_ : reference_; }
  Rectangle RowsOfHigher() const;
  Rectangle ColumnsOfWider() const;

  ShapedVideo reference_, distorted_;
  std::array<std::vector<Pair>, 2> pairs_;  // of columns, of rows
};

/// Looks at the first frames of two files that are paired by their numbers.
Result<std::optional<ShapeParts>> FindShapeParts(const std::string& reference, const ShapedVideo& reference_video,
                                                 const std::string& distorted, const ShapedVideo& distorted_video,
                                                 OpenOptions options);

}  // namespace acutance
