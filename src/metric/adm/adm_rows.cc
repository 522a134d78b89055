#include "metric/adm/adm_rows.h"

#include <cstring>

#include "simd/aligned_memory.h"

namespace acutance {

AdmArena::AdmArena(size_t bytes) : memory_(AllocateVectors<std::byte>(bytes)) { std::memset(memory_.get(), 0, bytes); }

std::byte* AdmArena::Take(size_t bytes) {
  std::byte* piece = memory_.get() + used_;
  used_ += Rounded(bytes);
  return piece;
}

size_t AdmFrameWorkspace::RowBytes(const AdmSetup& setup, int scale) {
  const size_t half = AdmArena::Rounded((setup.scales[scale].width + AdmThreadWorkspace::kMargin) * sizeof(int16_t));
  return scale == 0 ? half : 2 * half;
}

size_t AdmFrameWorkspace::Bytes(const AdmSetup& setup) {
  size_t bytes = 0;
  for (int scale = 0; scale + 1 < kAdmScales; ++scale)
    bytes += 2 * AdmArena::Rounded(RowBytes(setup, scale) * setup.scales[scale].height);
  return bytes;
}

AdmFrameWorkspace::AdmFrameWorkspace(const AdmSetup& setup) : arena_(Bytes(setup)) {
  for (int scale = 0; scale + 1 < kAdmScales; ++scale) {
    const AdmScale& s = setup.scales[scale];
    const size_t stride = RowBytes(setup, scale);
    for (Plane& plane : planes_[scale])
      plane = {arena_.Take(stride * s.height), static_cast<ptrdiff_t>(stride), s.width, s.height};
  }
}

namespace {

/// A row of 32-bit elements with its margins.
size_t ElementBytes(const AdmSetup& setup) {
  return AdmArena::Rounded((setup.scales[0].width + 2 * AdmThreadWorkspace::kMargin) * sizeof(int32_t));
}

std::byte* TakeElements(AdmArena& arena, const AdmSetup& setup) {
  return arena.Take(ElementBytes(setup)) + AdmThreadWorkspace::kMargin * sizeof(int32_t);
}

}  // namespace

AdmSignals::AdmSignals(const AdmSetup& setup) : arena_(2 * 3 * (2 + kAdmBands) * ElementBytes(setup)) {
  for (auto& slots : rows_)
    for (AdmSignalRow& row : slots) {
      row.share = reinterpret_cast<int32_t*>(TakeElements(arena_, setup));
      row.centre = reinterpret_cast<int32_t*>(TakeElements(arena_, setup));
      for (std::byte*& magnitude : row.magnitudes.bytes) magnitude = TakeElements(arena_, setup);
    }
}

size_t AdmThreadWorkspace::FilteredBytes(const AdmSetup& setup) {
  return AdmArena::Rounded((setup.scales[0].in_width + 2 * kMargin) * sizeof(int16_t));
}

size_t AdmThreadWorkspace::Bytes(const AdmSetup& setup) {
  return 8 * FilteredBytes(setup) + (kAdmBands + 1) * ElementBytes(setup);
}

AdmThreadWorkspace::AdmThreadWorkspace(const AdmSetup& setup) : arena_(Bytes(setup)) {
  const auto take_filtered = [&] { return reinterpret_cast<int16_t*>(arena_.Take(FilteredBytes(setup))) + kMargin; };
  for (auto& pictures : filtered_)
    for (AdmSplitRow& row : pictures) row = {take_filtered(), take_filtered()};
  for (std::byte*& band : reference_.bytes) band = TakeElements(arena_, setup);
  column_sums_ = reinterpret_cast<int32_t*>(TakeElements(arena_, setup));
}

void AdmThreadWorkspace::Reserve(const AdmSetup& setup, size_t videos) {
  while (signals_.size() < videos) signals_.emplace_back(setup);
}

}  // namespace acutance
