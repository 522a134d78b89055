#include "engine/frame_maps.h"

#include <cmath>
#include <utility>

#include "metric/block_sums.h"
#include "metric/offline_frames.h"

namespace acutance {
namespace {

FrameMap MakeMap(std::string name, const BlockGrid& grid, std::optional<Damage> damage) {
  return {std::move(name), grid.size, grid.columns, grid.rows, {}, damage};
}

/// A map of the first output, by the metric's name.
FrameMap MakeMap(const Metric& metric, const BlockGrid& grid) {
  return MakeMap(std::string(metric.name), grid, metric.outputs[0].damage.kind);
}

/// The samples of a picture's block, and `margin` more on each side where there are any.
Picture PartOf(const Picture& picture, const BlockGrid& grid, int block, int margin) {
  const int x0 = std::max(0, block % grid.columns * grid.size - margin);
  const int y0 = std::max(0, block / grid.columns * grid.size - margin);
  const int x1 = std::min(picture.format.width, (block % grid.columns + 1) * grid.size + margin);
  const int y1 = std::min(picture.format.height, (block / grid.columns + 1) * grid.size + margin);
  Picture part = picture;
  part.format.width = x1 - x0;
  part.format.height = y1 - y0;
  for (int p = 0; p < picture.format.PlaneCount(); ++p) {
    Plane& plane = part.planes[p];
    const int across = p == 0 || picture.format.pixel_format == PixelFormat::k444 ? 1 : 2;
    const int down = p == 0 || picture.format.pixel_format != PixelFormat::k420 ? 1 : 2;
    plane.data += y0 / down * plane.stride + x0 / across * picture.format.BytesPerSample();
    plane.width = part.format.PlaneWidth(p);
    plane.height = part.format.PlaneHeight(p);
    plane.more_columns = plane.more_rows = 0;
  }
  return part;
}

/// The metric's first output for two pictures alone.
Result<double> ScoreOf(const Metric& metric, const OptionValues& options, const Picture& reference,
                       const Picture& distorted) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Extractor> extractor, MakeExtractor(metric, options, reference.format));
  const OfflineFrames clip(metric, options, {&reference, 1}, {&distorted, 1});
  ACU_ASSIGN_OR_RETURN(const ComputedFrame frame, ComputeFrame(metric, *extractor, clip, 0, 1, WantedArtifacts::kNone));
  return frame.values[0];
}

/// A map of scores of parts, where those are large enough; 0 where they are not.
FrameMap MapOfParts(const MetricRun& run, const Picture& reference, const Picture& distorted) {
  const auto [source, margin, loss] = run.metric->map;
  const BlockGrid grid(reference.format, kMapBlock);
  FrameMap map = MakeMap(*run.metric, grid);
  for (int block = 0; block < grid.count(); ++block) {
    const Result<double> score = ScoreOf(*run.metric, run.options, PartOf(reference, grid, block, margin),
                                         PartOf(distorted, grid, block, margin));
    map.losses.push_back(score.ok() && std::isfinite(*score) ? loss(*score) : 0);
  }
  return map;
}

template <class Sample>
FrameMap MapOfHeat(const Metric& metric, const MutablePicture& heat, const PictureFormat& format) {
  const BlockGrid grid(format, kMapBlock);
  FrameMap map = MakeMap(metric, grid);
  std::vector<double> sums(grid.count()), counts(grid.count());
  for (int y = 0; y < heat.format.height; ++y)
    for (int x = 0; x < heat.format.width; ++x) {
      const int block = grid.at(static_cast<int>(int64_t{1} * x * format.width / heat.format.width),
                                static_cast<int>(int64_t{1} * y * format.height / heat.format.height));
      sums[block] += heat.Row<Sample>(0, y)[x];
      ++counts[block];
    }
  for (int block = 0; block < grid.count(); ++block)
    map.losses.push_back(counts[block] > 0 ? sums[block] / counts[block] : 0);
  return map;
}

std::vector<FrameMap> MapsOfSums(const BlockSums& metric, const FrameView& frame, size_t sums) {
  const BlockGrid grid(frame.at(0)->format, kMapBlock);
  std::vector<int64_t> blocks(sums * grid.count());
  metric.AddBlocks(frame, grid, blocks);
  std::vector<FrameMap> maps;
  for (LossMap& losses : metric.Losses(grid, blocks)) {
    maps.push_back(MakeMap(std::move(losses.feature), grid, losses.damage));
    maps.back().losses = std::move(losses.losses);
  }
  return maps;
}

}  // namespace

Result<std::vector<FrameMap>> MakeFrameMaps(const MetricRun& run, const Picture& reference, const Picture& distorted) {
  const Metric& metric = *run.metric;
  if (metric.map.source == MapSource::kNone) return std::vector<FrameMap>();
  if (metric.map.source == MapSource::kPartScores) return std::vector{MapOfParts(run, reference, distorted)};
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Extractor> extractor,
                       MakeExtractor(metric, run.options, reference.format));
  const OfflineFrames clip(metric, run.options, {&reference, 1}, {&distorted, 1});
  if (metric.map.source == MapSource::kBlockSums) {
    const FrameView frame = clip.at(0);
    ACU_RETURN_IF_ERROR(frame.Prepare());
    return MapsOfSums(dynamic_cast<const BlockSums&>(*extractor), frame, extractor->spec().sums);
  }
  ACU_ASSIGN_OR_RETURN(const ComputedFrame frame, ComputeFrame(metric, *extractor, clip, 0));
  const MutablePicture& heat = frame.artifacts[0];
  return std::vector{heat.format.bit_depth == kFloatDepth ? MapOfHeat<float>(metric, heat, reference.format)
                                                          : MapOfHeat<uint16_t>(metric, heat, reference.format)};
}

}  // namespace acutance
