// Common part of two videos of one size of which one has bars painted over the edges of the picture.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/video_source.h"
#include "video/fit_videos.h"

namespace acutance {

/// Compares two videos of one size: whether they show the same in a part at one place, at least as well as where the
/// contents within their bars are scaled to each other. Frames are compared at the offset in time that suits them.
class InPlaceFit {
 public:
  InPlaceFit(const Rectangle& part, const Rectangle& reference, const Rectangle& distorted)
      : part_(part), contents_{reference, distorted} {}

  void AddReference(const Picture& picture) { reference_.push_back(ViewsOf(picture, contents_[0])); }
  void AddDistorted(const Picture& picture) { distorted_.push_back(ViewsOf(picture, contents_[1])); }

  bool IsBetter() const;

 private:
  static constexpr int kColumns = 32, kRows = 18;
  using Cells = std::vector<float>;  // means
  struct Views {
    Cells part, content;
  };
  Views ViewsOf(const Picture& picture, const Rectangle& content) const;
  static Cells CellsOf(const Picture& picture, const Rectangle& part);

  Rectangle part_, contents_[2];
  std::vector<Views> reference_, distorted_;
};

struct NamedShape {
  std::string name;
  ShapedVideo video;  // its content within bars
};

/// The part within the bars of both videos; nullopt: their sizes differ, their bars do not, or the first 256 frames do
/// not show that they were painted.
Result<std::optional<Rectangle>> FindPartInPlace(const NamedShape& reference, const NamedShape& distorted,
                                                 OpenOptions options);

}  // namespace acutance
