#include "report/run_maps.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/files.h"
#include "base/threads/parallel_for.h"
#include "engine/frame_maps.h"
#include "image/npy_writer.h"
#include "log/output_file.h"
#include "report/image_files.h"
#include "report/picture_image.h"

namespace acutance {
namespace {

constexpr int kMapWidth = 960;  // maps have a value for 32 samples

Status WriteFrame(const std::string& prefix, const ViewedVideo& video, bool full_range, const WorstFrame& worst) {
  const auto path = [&](const std::string& name, const char* ending) {
    return fmt::format("{}{}_{:06}.{}", prefix, name, worst.frame, ending);
  };
  const auto own_size = [&](const Picture& picture) { return ToImage(picture, full_range, picture.format.width); };
  ACU_RETURN_IF_ERROR(WriteFile(path("reference", "png"), Png(own_size(worst.reference))));
  ACU_RETURN_IF_ERROR(WriteFile(path("distorted", "png"), Png(own_size(worst.distorted))));
  const RgbImage encode = DarkGray(ToImage(worst.distorted, full_range, kMapWidth));
  for (const MetricRun& run : video.metrics) {
    if (!run.Serves(video.number)) continue;
    ACU_ASSIGN_OR_RETURN(const std::vector<FrameMap> maps, MakeFrameMaps(run, worst.reference, worst.distorted));
    for (const FrameMap& map : maps) {
      const std::string name = map.name + run.options.KeySuffix();
      ACU_RETURN_IF_ERROR(WriteFile(path(name, "npy"), NpyFile(map.losses, map.rows, map.columns)));
      ACU_RETURN_IF_ERROR(WriteFile(
          path(name, "png"), Png(MapOverImage(encode, worst.distorted.format, map.losses, map.size, map.columns))));
    }
  }
  return {};
}

}  // namespace

Status WriteWorstMaps(const std::string& folder, int count, int threads, const RunView& view) {
  ACU_RETURN_IF_ERROR(MakeFolder(folder));
  struct Shown {
    std::string prefix;
    const ViewedVideo& video;
    const WorstFrame& frame;
  };
  std::vector<Shown> shown;
  for (size_t d = 0; d < view.run->worst.size(); ++d) {
    const std::string prefix =
        fmt::format("{}/{}", folder, view.run->worst.size() > 1 ? fmt::format("video{}_", d) : "");
    const size_t frames = std::min(view.run->worst[d].size(), static_cast<size_t>(count));
    for (const WorstFrame& frame : std::span(view.run->worst[d]).first(frames))
      shown.push_back({prefix, view.videos[d], frame});
  }
  const bool full_range = view.run->color.full_range.value_or(false);
  return ParallelFor(threads, static_cast<int>(shown.size()),
                     [&](int i) { return WriteFrame(shown[i].prefix, shown[i].video, full_range, shown[i].frame); });
}

}  // namespace acutance
