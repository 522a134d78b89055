// The row pipeline of a scale: filter vertically, make band a, decouple into a ring of three rows, mask the row before.
#include "metric/adm/adm.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "metric/adm/adm_rows.h"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/adm/adm_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if HWY_TARGET == HWY_SCALAR

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

// Without vectors (x86 without SSE4.2, AES or CLMUL) the plain loops run the whole frame, in the band that begins it.
void RunBandForTarget(const AdmSetup& setup, const FrameView& view, int scale, RowBand band, AdmFrameWorkspace&,
                      AdmThreadWorkspace&, std::span<int64_t> sums) {
  if (scale > 0 || band.begin > 0) return;
  const auto frame = AdmReferenceSums(setup, *view.at(0), *view.at(1));
  for (int i = 0; i < kAdmSumCount; ++i) sums[i] += frame[i];
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#else  // HWY_TARGET == HWY_SCALAR

#include "metric/adm/adm_detail0-inl.h"
#include "metric/adm/adm_detail32-inl.h"
#include "metric/adm/adm_mask-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

template <bool kWide>
void DecoupleRow(int scale, const AdmScale& s, double limit, const DetailRow& row) {
  const bool integer = limit == std::floor(limit);
  switch (scale) {
    case 0:
      if (limit == 1) return DecoupleRow0<kWide, Gain::kOne>(s, limit, row);
      return integer ? DecoupleRow0<kWide, Gain::kInteger>(s, limit, row)
                     : DecoupleRow0<kWide, Gain::kReal>(s, limit, row);
    case 1:
      return integer ? DecoupleRow32<1, kWide, Gain::kInteger>(s, limit, row)
                     : DecoupleRow32<1, kWide, Gain::kReal>(s, limit, row);
    case 2:
      return integer ? DecoupleRow32<2, kWide, Gain::kInteger>(s, limit, row)
                     : DecoupleRow32<2, kWide, Gain::kReal>(s, limit, row);
    default:
      return integer ? DecoupleRow32<3, kWide, Gain::kInteger>(s, limit, row)
                     : DecoupleRow32<3, kWide, Gain::kReal>(s, limit, row);
  }
}

/// One band of one scale of one frame.
class BandRun {
 public:
  BandRun(const AdmSetup& setup, const FrameView& view, int scale, RowBand band, AdmFrameWorkspace& frame,
          AdmThreadWorkspace& thread, std::span<int64_t> sums)
      : setup_(setup),
        s_(setup.scales[scale]),
        scale_(scale),
        band_(band),
        frame_(frame),
        thread_(thread),
        sums_(sums) {
    const Picture* pictures[2] = {view.at(0), view.at(1)};
    for (int picture = 0; picture < 2; ++picture)
      in_[picture] = scale == 0 ? pictures[picture]->planes[0] : frame.a(scale - 1, picture);
  }

  void Run() {
    const AdmRange scored =
        s_.scored ? AdmRange{std::max(band_.begin, s_.rows.begin), std::min(band_.end, s_.rows.end)} : AdmRange{0, 0};
    const bool any = scored.begin < scored.end;
    const AdmRange detail = any ? AdmRange{std::max(scored.begin - 1, 0), std::min(scored.end + 1, s_.height)}
                                : AdmRange{band_.begin, band_.begin};
    for (int y = std::min(band_.begin, detail.begin); y < std::max(band_.end, detail.end); ++y) {
      const bool wants_a = scale_ + 1 < kAdmScales && y >= band_.begin && y < band_.end;
      const bool wants_detail = y >= detail.begin && y < detail.end;
      if (!wants_a && !wants_detail) continue;
      Filter(y, wants_a, wants_detail);
      if (wants_a) WriteLowPass(y);
      if (!wants_detail) continue;
      Decouple(y, y >= scored.begin && y < scored.end);
      if (y - 1 >= scored.begin) Mask(y - 1);
    }
    if (any && scored.end == s_.height) Mask(s_.height - 1);  // its lower neighbour is itself
  }

 private:
  /// Filters vertically: both pictures' low rows whole for band a, low and high rows in the work region for the rest.
  template <class T>
  void Filter(int y, bool whole, bool detail) {
    // Input columns that the detail bands read, in whole vectors.
    const AdmRange work = AdmWorkRange(s_.width);
    const int begin = std::max(2 * work.begin - 1, 0) / kLanes16 * kLanes16;
    const int end = std::min(CeilDiv(2 * work.end + 1 - begin, kLanes16) * kLanes16 + begin, s_.in_width);
    for (int picture = 0; picture < 2; ++picture) {
      const InputRows<T> in(in_[picture], y);
      if (!detail) {
        FilterSpan(in, {0, s_.in_width, s_.in_width}, picture, false);
      } else {
        if (whole) FilterSpan(in, {0, begin, s_.in_width}, picture, false);
        FilterSpan(in, {begin, end, s_.in_width}, picture, true);
        if (whole) FilterSpan(in, {end, s_.in_width, s_.in_width}, picture, false);
      }
      for (int high = 0; high < 2; ++high) {
        PadRow(thread_.Filtered(high, picture).top, s_.in_width);
        if (scale_ > 0) PadRow(thread_.Filtered(high, picture).rest, s_.in_width);
      }
    }
  }

  void Filter(int y, bool whole, bool detail) {
    if (scale_ > 0) Filter<int16_t>(y, whole, detail);
    else if (setup_.bit_depth > 8) Filter<uint16_t>(y, whole, detail);
    else Filter<uint8_t>(y, whole, detail);
  }

  template <class T>
  void FilterSpan(const InputRows<T>& in, Span span, int picture, bool with_high) {
    const AdmSplitRow& low = thread_.Filtered(0, picture);
    const AdmSplitRow* high = with_high ? &thread_.Filtered(1, picture) : nullptr;
    if constexpr (std::is_unsigned_v<T>) {
      VerticalPixels(in, span, setup_.bit_depth, low.top, high ? high->top : nullptr);
    } else if (scale_ == 1) {
      VerticalWhole(in, span.begin, span.end, low, high);
    } else {
      VerticalSplit(in, AdmFrameWorkspace::RestOffset(in_[picture]), span.begin, span.end, low, high);
    }
  }

  void WriteLowPass(int y) {
    for (int picture = 0; picture < 2; ++picture) {
      const AdmSplitRow& low = thread_.Filtered(0, picture);
      const AdmSplitRow out = frame_.Row(scale_, picture, y);
      if (scale_ == 0) LowPassRow(low.top, s_.width, out.top);
      else if (scale_ == 1) LowPassRow<1>(low, s_.width, out);
      else LowPassRow<2>(low, s_.width, out);
    }
  }

  /// Element 0 of a signal row is the column left of the scored ones, which may lie outside the picture.
  AdmSignalRow SignalFrom(int additive, int y, int element) const {
    AdmSignalRow row = thread_.Signal(additive, y);
    row.share += element;
    row.centre += element;
    const size_t bytes = element * (scale_ == 0 ? sizeof(int16_t) : sizeof(int32_t));
    for (std::byte*& magnitude : row.magnitudes) magnitude += bytes;
    return row;
  }

  void Decouple(int y, bool scored) {
    const AdmRange work = AdmWorkRange(s_.width);
    const int element = work.begin - (s_.columns.begin - 1);
    int64_t den[kAdmBands];
    DetailRow row{};
    for (int picture = 0; picture < 2; ++picture) {
      row.low[picture] = thread_.Filtered(0, picture);
      row.high[picture] = thread_.Filtered(1, picture);
    }
    row.column = work.begin;
    row.count = work.size();
    row.scored = {s_.columns.begin - work.begin, s_.columns.end - work.begin};
    row.restored = SignalFrom(0, y, element);
    row.additive = SignalFrom(1, y, element);
    row.den = scored ? den : nullptr;
    if (setup_.wide) DecoupleRow<true>(scale_, s_, setup_.gain_limit, row);
    else DecoupleRow<false>(scale_, s_, setup_.gain_limit, row);
    for (int additive = 0; additive < 2; ++additive) PadShare(thread_.Signal(additive, y).share);
    if (!scored) return;
    for (int band = 0; band < kAdmBands; ++band)
      Sum(kAdmDen, band) += adm::rounded_row(static_cast<uint64_t>(den[band]), s_.den_row_shift);
  }

  /// Neighbours outside the picture, where the scored range reaches its edge.
  void PadShare(int32_t* share) const {
    const int count = s_.columns.size();
    if (s_.columns.begin == 0) share[0] = share[2];
    if (s_.columns.end == s_.width) share[count + 1] = share[count];
  }

  void Mask(int y) {
    MaskSignal(y, 0, kAdmNum);
    if (setup_.aim) MaskSignal(y, 1, kAdmAim);
  }

  /// Adds what of the restored (0) or additive (1) signal the other does not hide.
  void MaskSignal(int y, int additive, AdmSum kind) {
    const AdmSignalRow& signal = thread_.Signal(additive, y);
    const AdmSignalRow& masker = thread_.Signal(1 - additive, y);
    const auto share = [&](int neighbour) {
      return thread_.Signal(1 - additive, adm::wavelet_index(neighbour, s_.height)).share;
    };
    SumColumns(share(y - 1), masker.share, share(y + 1), s_.columns.size(), thread_.ColumnSums());
    int64_t row_sums[kAdmBands];
    const auto mask = scale_ == 0 ? (setup_.wide ? MaskRow<true, true> : MaskRow<true, false>)
                                  : (setup_.wide ? MaskRow<false, true> : MaskRow<false, false>);
    mask(s_, signal, masker, thread_.ColumnSums(), row_sums);
    for (int band = 0; band < kAdmBands; ++band)
      Sum(kind, band) += adm::rounded_row(static_cast<uint64_t>(row_sums[band]), s_.row_shift);
  }

  int64_t& Sum(AdmSum kind, int band) { return sums_[AdmSumIndex(scale_, kind, band)]; }

  const AdmSetup& setup_;
  const AdmScale& s_;
  const int scale_;
  const RowBand band_;
  AdmFrameWorkspace& frame_;
  AdmThreadWorkspace& thread_;
  const std::span<int64_t> sums_;
  Plane in_[2];
};

void RunBandForTarget(const AdmSetup& setup, const FrameView& view, int scale, RowBand band, AdmFrameWorkspace& frame,
                      AdmThreadWorkspace& thread, std::span<int64_t> sums) {
  BandRun(setup, view, scale, band, frame, thread, sums).Run();
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // HWY_TARGET == HWY_SCALAR

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(RunBandForTarget);

std::unique_ptr<Workspace> MakeAdmFrameWorkspace(const AdmSetup& setup) {
  return std::make_unique<AdmFrameWorkspace>(setup);
}

std::unique_ptr<Workspace> MakeAdmThreadWorkspace(const AdmSetup& setup) {
  return std::make_unique<AdmThreadWorkspace>(setup);
}

void RunAdmBand(const AdmSetup& setup, const FrameView& view, int scale, RowBand band, const Workspaces& workspaces,
                std::span<int64_t> sums) {
  HWY_DYNAMIC_DISPATCH(RunBandForTarget)
  (setup, view, scale, band, static_cast<AdmFrameWorkspace&>(*workspaces.frame),
   static_cast<AdmThreadWorkspace&>(*workspaces.thread), sums);
}

}  // namespace acutance
#endif  // HWY_ONCE
