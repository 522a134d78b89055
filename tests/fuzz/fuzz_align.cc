// Fuzz target: the alignment of two videos by fingerprints, of which one may be cropped, and by arbitrary times.
#include "align/align_tracks.h"

#include <cmath>

#include "align/placement.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

namespace {

FrameFingerprint Numbers(int shown) {
  FrameFingerprint fingerprint;
  for (int c = 0; c < FrameFingerprint::kCells; ++c)
    fingerprint.cells[static_cast<size_t>(c)] = static_cast<uint16_t>((c * shown * 97 + shown * shown * 31) & 0xffff);
  return fingerprint;
}

/// A part of a smooth picture.
FrameFingerprint Waves(const Placement& part, int shown) {
  FrameFingerprint fingerprint;
  for (int c = 0; c < FrameFingerprint::kCells; ++c) {
    const double u = (c % FrameFingerprint::kColumns + 0.5) / FrameFingerprint::kColumns;
    const double v = (c / FrameFingerprint::kColumns + 0.5) / FrameFingerprint::kRows;
    const double x = part.left + part.width * u, y = part.top + part.height * v;
    const double luma = 128 + 60 * std::sin(23 * x + 0.1 * shown) + 60 * std::sin(31 * y - 0.2 * shown);
    fingerprint.cells[static_cast<size_t>(c)] = static_cast<uint16_t>(256 * luma);
  }
  return fingerprint;
}

Placement ReadPart(fuzz::Input& input) {
  constexpr double kStep = 1.0 / 512;
  const int left = input.Byte(), top = input.Byte();
  return {left * kStep, top * kStep, 1 - input.Byte() * kStep, 1 - input.Byte() * kStep};
}

/// A byte per frame selects its picture. Times and the rate are even, or any numbers.
FrameTrack ReadTrack(fuzz::Input& input) {
  constexpr int kMostFrames = 48;
  FrameTrack track;
  const int count = input.Byte() % (kMostFrames + 1), how = input.Byte();
  if (how & 1) track.rate = PlausibleRate(how & 2 ? input.Real() : input.Byte());
  track.is_whole = (how & 4) == 0;
  const Placement part = how & 32 ? ReadPart(input) : Placement();
  for (int k = 0; k < count; ++k) {
    track.fingerprints.push_back(how & 64 ? Waves(part, input.Byte()) : Numbers(input.Byte()));
    const double time = how & 16 ? input.Real() : k * (1 + input.Byte() % 3) / 25.0;
    if ((how & 8) && PlausibleTime(time)) track.times.push_back(time);
  }
  return track;
}

void Check(const Alignment& alignment, const FrameTrack& reference, const FrameTrack& distorted) {
  std::pair<int64_t, int64_t> last{-1, -1};
  for (const auto& [i, j] : alignment.pairs) {
    if (i <= last.first || j <= last.second || i >= reference.size() || j >= distorted.size()) std::abort();
    last = {i, j};
  }
  const size_t paired = 2 * alignment.pairs.size();
  const size_t rest = alignment.unmatched_reference.size() + alignment.unmatched_distorted.size();
  if (paired + rest != static_cast<size_t>(reference.size() + distorted.size())) std::abort();
  if (!(alignment.confidence >= 0 && alignment.confidence <= 1)) std::abort();
}

void Check(const Placement& placement) {
  constexpr Rectangle kAll{64, 36};
  const PlacedParts parts = PartsOf(placement, {"a", kAll, PixelFormat::k420, 1}, {"b", kAll, PixelFormat::k444, 1});
  for (const Rectangle& part : {parts.reference, parts.distorted})
    if (part.x < 0 || part.y < 0 || part.width < 1 || part.height < 1 || part.x + part.width > kAll.width ||
        part.y + part.height > kAll.height)
      std::abort();
}

}  // namespace

ACU_FUZZ_TARGET(input) {
  const FrameTrack reference = ReadTrack(input), distorted = ReadTrack(input);
  const PlacedAlignment placed = AlignPlaced(reference, distorted);
  if (placed.alignment.ok()) Check(*placed.alignment, reference, distorted);
  if (placed.placement) Check(placed.placement->placement);
  if (reference.size() > 0 && distorted.size() > 0) Check(AlignByTimes(reference, distorted), reference, distorted);
}
