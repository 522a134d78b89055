#include "io/semi_planar.h"

#include <cstdint>
#include <utility>

namespace acutance {
namespace {

template <class Sample>
void UnpackLuma(const Sample* from, size_t count, int shift, Sample* to) {
  for (size_t i = 0; i < count; ++i) to[i] = static_cast<Sample>(from[i] >> shift);
}

template <class Sample>
void UnpackChroma(const Sample* from, size_t count, int shift, Sample* cb, Sample* cr) {
  for (size_t i = 0; i < count; ++i) {
    cb[i] = static_cast<Sample>(from[2 * i] >> shift);
    cr[i] = static_cast<Sample>(from[2 * i + 1] >> shift);
  }
}

template <class Sample>
void UnpackFrame(const FrameLayout& planar, const std::byte* frame, bool luma_only, std::byte* memory) {
  const auto* from = reinterpret_cast<const Sample*>(frame);
  auto* to = reinterpret_cast<Sample*>(memory);
  const int shift = static_cast<int>(8 * sizeof(Sample)) - planar.format.bit_depth;
  const size_t luma = planar.planes[0].bytes() / sizeof(Sample), chroma = planar.planes[1].bytes() / sizeof(Sample);
  UnpackLuma(from, luma, shift, to);
  if (!luma_only) UnpackChroma(from + luma, chroma, shift, to + luma, to + luma + chroma);
}

}  // namespace

SemiPlanarFrames::SemiPlanarFrames(const PictureFormat& format)
    : planar_(MakeFrameLayout(format, ChromaConversion::kNone)), pool_(planar_.bytes) {}

Result<Picture> SemiPlanarFrames::Unpack(const std::byte* frame, bool luma_only) {
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<std::byte> memory, pool_.Get());
  if (planar_.format.bit_depth > 8) UnpackFrame<uint16_t>(planar_, frame, luma_only, memory.get());
  else UnpackFrame<uint8_t>(planar_, frame, luma_only, memory.get());
  return PictureInPlace(planar_, std::move(memory), luma_only);
}

}  // namespace acutance
