// Spatial and temporal information of a video's pictures, computed in the background while they pass.
#pragma once

#include <memory>
#include <vector>

#include "align/picture_stream.h"
#include "fingerprint/luma_information.h"

namespace acutance {

class InformationStream {
 public:
  /// crew: null for none. full_range: samples use all values.
  InformationStream(std::shared_ptr<ThreadPool> crew, bool full_range);

  /// The next picture, in the host's memory. follows: the last one is the frame before it, so that it has a TI.
  void Add(const Picture& picture, bool follows);
  /// The information of all pictures so far.
  std::vector<LumaInformation> TakeAll();

 private:
  void Append(std::vector<LumaInformation> made);

  PictureStream<LumaInformation> stream_;
  Picture last_;
  std::vector<LumaInformation> made_;
};

}  // namespace acutance
