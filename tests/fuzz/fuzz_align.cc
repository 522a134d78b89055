// Fuzz target: the pairing of two videos by signatures and by times, which containers may tell as they like.
#include "align/align_tracks.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

namespace {

/// A byte a frame says what it shows. Times and the rate are even, or any numbers.
FrameTrack ReadTrack(fuzz::Input& input) {
  constexpr int kMostFrames = 48;
  FrameTrack track;
  const int count = input.Byte() % (kMostFrames + 1), how = input.Byte();
  if (how & 1) track.rate = PlausibleRate(how & 2 ? input.Real() : input.Byte());
  track.is_whole = (how & 4) == 0;
  for (int k = 0; k < count; ++k) {
    const int shown = input.Byte();
    FrameSignature& signature = track.signatures.emplace_back();
    for (int c = 0; c < FrameSignature::kCells; ++c)
      signature.cells[static_cast<size_t>(c)] = static_cast<uint16_t>((c * shown * 97 + shown * shown * 31) & 0xffff);
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  const FrameTrack reference = ReadTrack(input), distorted = ReadTrack(input);
  if (const Result<Alignment> alignment = AlignTracks(reference, distorted); alignment.ok())
    Check(*alignment, reference, distorted);
  if (reference.size() > 0 && distorted.size() > 0) Check(AlignByTimes(reference, distorted), reference, distorted);
  return 0;
}
