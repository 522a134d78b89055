// The row pipeline of a scale: filter vertically, make band a, decouple and weigh into a ring of three rows, mask the
// row before.
#include "metric/adm/adm.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

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
void RunBandsForTarget(std::span<const AdmSetup* const> setups, std::span<const FrameView> views, int scale,
                       RowBand band, std::span<const Workspaces>, std::span<const BandResults> results,
                       const BlockGrid* grid) {
  if (scale > 0 || band.begin > 0) return;
  for (size_t i = 0; i < results.size(); ++i) {
    const FrameView& view = views[i % views.size()];
    AddAdmReferenceSums(*setups[i / views.size()], *view.at(0), *view.at(1), grid, results[i].sums);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#else  // HWY_TARGET == HWY_SCALAR

#include "metric/adm/adm_decouple-inl.h"
#include "metric/adm/adm_detail-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance {
namespace HWY_NAMESPACE {
namespace {

void ReferenceRow(int scale, const AdmScale& s, const DetailRow& row) {
  switch (scale) {
    case 0:
      return ReferenceRow0(row);
    case 1:
      return ReferenceRow32<1>(s, row);
    case 2:
      return ReferenceRow32<2>(s, row);
    default:
      return ReferenceRow32<3>(s, row);
  }
}

void DecoupleRow(int scale, const DetailRow& row, bool wants_flags) {
  switch (scale) {
    case 0:
      return DecoupleRow0(row, wants_flags);
    case 1:
      return DecoupleRow32<1>(row);
    case 2:
      return DecoupleRow32<2>(row);
    default:
      return DecoupleRow32<3>(row);
  }
}

template <bool kWide>
void WeighRow(int scale, const AdmScale& s, double limit, const DetailRow& row) {
  const bool integer = limit == std::floor(limit);
  if (scale > 0) {
    if (integer) return WeighRow32<kWide, Gain::kInteger>(s, limit, row);
    return WeighRow32<kWide, Gain::kReal>(s, limit, row);
  }
  if (limit == 1) return WeighRow0<kWide, Gain::kOne>(s, limit, row);
  if (integer) return WeighRow0<kWide, Gain::kInteger>(s, limit, row);
  return WeighRow0<kWide, Gain::kReal>(s, limit, row);
}

/// What a video of a band reads and writes; of the reference, its band a alone.
struct BandVideo {
  Plane in;
  AdmFrameWorkspace& frame;
};

/// One band of one scale of one frame of a reference and its distorted videos, by several sets of options: set-ups that
/// differ in limits and weights alone.
class BandRun {
 public:
  BandRun(std::span<const AdmSetup* const> setups, std::span<const FrameView> views, int scale, RowBand band,
          std::span<const Workspaces> workspaces, std::span<const BandResults> results, const BlockGrid* grid)
      : setups_(setups),
        s_(setups[0]->scales[scale]),
        results_(results),
        scale_(scale),
        band_(band),
        grid_(grid),
        parts_(AdmBlockColumns(s_, scale, grid)),
        thread_(static_cast<AdmThreadWorkspace&>(*workspaces[0].thread)),
        wants_flags_(
            std::ranges::any_of(setups, [](const AdmSetup* setup) { return setup->settings.gain_limit != 1; })),
        reference_(MakeVideo(views[0], 0, workspaces[0])) {
    thread_.Reserve(*setups[0], results.size());
    for (const AdmRange& part : parts_)
      part_blocks_.push_back(grid ? AdmBlock(*grid, s_.columns.begin + part.begin, 0, scale) : 0);
    for (size_t i = 0; i < views.size(); ++i) distorted_.push_back(MakeVideo(views[i], 1, workspaces[i]));
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
      Filter(y, 0, reference_, wants_a, wants_detail);
      if (wants_detail) FindReference(y, y >= scored.begin && y < scored.end);
      for (int video = 0; video < std::ssize(distorted_); ++video) {
        Filter(y, 1, distorted_[video], wants_a, wants_detail);
        if (!wants_detail) continue;
        DecoupleRow(scale_, MakeDetailRow(), wants_flags_);
        for (int set = 0; set < std::ssize(setups_); ++set) {
          Weigh(set, video, y);
          if (y - 1 >= scored.begin) Mask(set, video, y - 1);
        }
      }
    }
    if (!any || scored.end < s_.height) return;
    // The last row's lower neighbour is itself.
    for (int video = 0; video < std::ssize(distorted_); ++video)
      for (int set = 0; set < std::ssize(setups_); ++set) Mask(set, video, s_.height - 1);
  }

 private:
  BandVideo MakeVideo(const FrameView& view, int picture, const Workspaces& workspaces) const {
    auto& frame = static_cast<AdmFrameWorkspace&>(*workspaces.frame);
    return {scale_ == 0 ? view.plane(picture) : frame.a(scale_ - 1, picture), frame};
  }

  /// Filters a picture: its low row whole for band a, low and high rows in the work region for the
  /// rest.
  void Filter(int y, int picture, const BandVideo& video, bool whole, bool detail) {
    if (scale_ > 0) FilterRows<int16_t>(y, picture, video.in, whole, detail);
    else if (setups_[0]->bit_depth > 8) FilterRows<uint16_t>(y, picture, video.in, whole, detail);
    else FilterRows<uint8_t>(y, picture, video.in, whole, detail);
    if (whole) WriteLowPass(thread_.Filtered(0, picture), video.frame.Row(scale_, picture, y));
  }

  template <class T>
  void FilterRows(int y, int picture, const Plane& plane, bool whole, bool detail) {
    // Input columns that the detail bands read, in whole vectors.
    const AdmRange work = AdmWorkRange(s_.width);
    const int begin = std::max(2 * work.begin - 1, 0) / kLanes16 * kLanes16;
    const int end = std::min(CeilDiv(2 * work.end + 1 - begin, kLanes16) * kLanes16 + begin, s_.in_width);
    const InputRows<T> in(plane, y);
    const ptrdiff_t rest = AdmFrameWorkspace::RestOffset(plane);
    if (!detail) {
      FilterSpan(in, rest, {0, s_.in_width, s_.in_width}, picture, false);
    } else {
      if (whole) FilterSpan(in, rest, {0, begin, s_.in_width}, picture, false);
      FilterSpan(in, rest, {begin, end, s_.in_width}, picture, true);
      if (whole) FilterSpan(in, rest, {end, s_.in_width, s_.in_width}, picture, false);
    }
    for (int high = 0; high < 2; ++high) {
      PadRow(thread_.Filtered(high, picture).top, s_.in_width);
      if (scale_ > 0) PadRow(thread_.Filtered(high, picture).rest, s_.in_width);
    }
  }

  template <class T>
  void FilterSpan(const InputRows<T>& in, ptrdiff_t rest, Span span, int picture, bool with_high) {
    const AdmSplitRow& low = thread_.Filtered(0, picture);
    const AdmSplitRow* high = with_high ? &thread_.Filtered(1, picture) : nullptr;
    if constexpr (std::is_unsigned_v<T>) {
      VerticalPixels(in, span, setups_[0]->bit_depth, low.top, high ? high->top : nullptr);
    } else if (scale_ == 1) {
      VerticalWhole(in, span.begin, span.end, low, high);
    } else {
      VerticalSplit(in, rest, span.begin, span.end, low, high);
    }
  }

  void WriteLowPass(const AdmSplitRow& low, const AdmSplitRow& out) const {
    if (scale_ == 0) LowPassRow(low.top, s_.width, out.top);
    else if (scale_ == 1) LowPassRow<1>(low, s_.width, out);
    else LowPassRow<2>(low, s_.width, out);
  }

  /// Element 0 of a signal row is the column left of the scored ones, which may lie outside the picture.
  AdmSignalRow SignalFrom(AdmSignalRow row, int element) const {
    row.share += element;
    row.less_centre += element;
    const size_t bytes = element * (scale_ == 0 ? sizeof(int16_t) : sizeof(int32_t));
    for (std::byte*& magnitude : row.magnitudes.bytes) magnitude += bytes;
    return row;
  }

  DetailRow MakeDetailRow() const {
    const AdmRange work = AdmWorkRange(s_.width);
    DetailRow row{};
    for (int picture = 0; picture < 2; ++picture) {
      row.low[picture] = thread_.Filtered(0, picture);
      row.high[picture] = thread_.Filtered(1, picture);
    }
    row.reference = thread_.Reference();
    row.decoupled = thread_.Decoupled();
    row.column = work.begin;
    row.count = work.size();
    row.scored = {s_.columns.begin - work.begin, s_.columns.end - work.begin};
    return row;
  }

  /// Detail bands of the reference, and the denominators of all results where the row is scored.
  void FindReference(int y, bool scored) {
    DetailRow row = MakeDetailRow();
    if (!scored || parts_.size() > 1) ReferenceRow(scale_, s_, row);
    if (!scored) return;
    std::array<RowSum, kAdmBands> sums;
    const int first_block = FirstBlock(y);
    for (size_t part = 0; part < parts_.size(); ++part) {
      int64_t den[kAdmBands];
      DetailRow of_part = parts_.size() > 1 ? PartOf(row, parts_[part]) : row;
      of_part.den = den;
      ReferenceRow(scale_, s_, of_part);
      for (int band = 0; band < kAdmBands; ++band) {
        const int64_t rounded = sums[band].Grow(den[band], s_.den_row_shift);
        for (const BandResults& result : results_)
          Sum(result, first_block + part_blocks_[part], kAdmDen, band) += rounded;
      }
    }
  }

  /// The vectors of a row that have scored columns of `part`, which are its scored ones.
  DetailRow PartOf(DetailRow row, const AdmRange& part) const {
    const int lanes = scale_ == 0 ? kLanes16 : kLanes32;
    const int begin = (row.scored.begin + part.begin) / lanes * lanes;
    const int end = row.scored.begin + part.end;
    row.scored = {row.scored.begin + part.begin - begin, end - begin};
    row.column += begin;
    row.count = end - begin;
    const size_t bytes = begin * (scale_ == 0 ? sizeof(int16_t) : sizeof(int32_t));
    for (std::byte*& reference : row.reference.bytes) reference += bytes;
    return row;
  }

  int ResultOf(int set, int video) const { return set * static_cast<int>(std::ssize(distorted_)) + video; }

  /// The signals of the decoupled row by a set of options.
  void Weigh(int set, int video, int y) {
    const AdmSignals& signals = thread_.Signals(ResultOf(set, video));
    const int element = AdmWorkRange(s_.width).begin - (s_.columns.begin - 1);
    DetailRow row = MakeDetailRow();
    row.restored = SignalFrom(signals.Row(0, y), element);
    row.additive = SignalFrom(signals.Row(1, y), element);
    const AdmSettings& settings = setups_[set]->settings;
    const auto weigh = settings.wide ? WeighRow<true> : WeighRow<false>;
    weigh(scale_, setups_[set]->scales[scale_], settings.gain_limit, row);
    for (int additive = 0; additive < 2; ++additive) PadShare(signals.Row(additive, y).share);
  }

  /// Neighbours outside the picture, where the scored range reaches its edge.
  void PadShare(int32_t* share) const {
    const int count = s_.columns.size();
    if (s_.columns.begin == 0) share[0] = share[2];
    if (s_.columns.end == s_.width) share[count + 1] = share[count];
  }

  void Mask(int set, int video, int y) {
    MaskSignal(set, video, y, 0, kAdmNum);
    if (setups_[set]->settings.aim) MaskSignal(set, video, y, 1, kAdmAim);
  }

  /// Adds what of the restored (0) or additive (1) signal the other does not hide.
  void MaskSignal(int set, int video, int y, int additive, AdmSum kind) {
    const AdmScale& s = setups_[set]->scales[scale_];
    const AdmSignals& signals = thread_.Signals(ResultOf(set, video));
    const AdmSignalRow& signal = signals.Row(additive, y);
    const auto share = [&](int neighbour) {
      return signals.Row(1 - additive, adm::wavelet_index(neighbour, s_.height)).share;
    };
    const Masker masker = {{share(y - 1), share(y), share(y + 1)}, signals.Row(1 - additive, y).less_centre};
    const bool wide = setups_[set]->settings.wide;
    const auto mask = scale_ == 0 ? (wide ? MaskRow<true, true> : MaskRow<true, false>)
                                  : (wide ? MaskRow<false, true> : MaskRow<false, false>);
    std::array<RowSum, kAdmBands> sums;
    const int first_block = FirstBlock(y);
    for (size_t part = 0; part < parts_.size(); ++part) {
      int64_t row_sums[kAdmBands];
      mask(s, parts_[part], signal, masker, thread_.Excess(), row_sums);
      for (int band = 0; band < kAdmBands; ++band)
        Sum(results_[ResultOf(set, video)], first_block + part_blocks_[part], kind, band) +=
            sums[band].Grow(row_sums[band], s.row_shift);
    }
  }

  /// The sum of a row, and what it grows by, rounded, as its parts come.
  struct RowSum {
    int64_t Grow(int64_t part, int shift) {
      sum += static_cast<uint64_t>(part);
      const int64_t before = rounded;
      rounded = adm::rounded_row(sum, shift);
      return rounded - before;
    }
    uint64_t sum = 0;
    int64_t rounded = 0;
  };

  /// The first block of the blocks that row y lies in.
  int FirstBlock(int y) const { return grid_ ? AdmBlock(*grid_, 0, y, scale_) : 0; }

  int64_t& Sum(const BandResults& result, int block, AdmSum kind, int band) const {
    return result.sums[size_t{1} * block * kAdmSumCount + AdmSumIndex(scale_, kind, band)];
  }

  const std::span<const AdmSetup* const> setups_;
  const AdmScale& s_;  // the first set-up's: of others, the factors alone differ
  const std::span<const BandResults> results_;
  const int scale_;
  const RowBand band_;
  const BlockGrid* const grid_;        // null: one block
  const std::vector<AdmRange> parts_;  // of the scored columns, a block each
  std::vector<int> part_blocks_;       // counted from the first of a row of blocks
  AdmThreadWorkspace& thread_;
  const bool wants_flags_;
  const BandVideo reference_;
  std::vector<BandVideo> distorted_;
};

void RunBandsForTarget(std::span<const AdmSetup* const> setups, std::span<const FrameView> views, int scale,
                       RowBand band, std::span<const Workspaces> workspaces, std::span<const BandResults> results,
                       const BlockGrid* grid) {
  BandRun(setups, views, scale, band, workspaces, results, grid).Run();
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace acutance
HWY_AFTER_NAMESPACE();

#endif  // HWY_TARGET == HWY_SCALAR

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(RunBandsForTarget);

std::unique_ptr<Workspace> MakeAdmFrameWorkspace(const AdmSetup& setup) {
  return std::make_unique<AdmFrameWorkspace>(setup);
}

std::unique_ptr<Workspace> MakeAdmThreadWorkspace(const AdmSetup& setup) {
  return std::make_unique<AdmThreadWorkspace>(setup);
}

void RunAdmBands(std::span<const AdmSetup* const> setups, std::span<const FrameView> views, int scale, RowBand band,
                 std::span<const Workspaces> workspaces, std::span<const BandResults> results, const BlockGrid* grid) {
  HWY_DYNAMIC_DISPATCH(RunBandsForTarget)(setups, views, scale, band, workspaces, results, grid);
}

}  // namespace acutance
#endif  // HWY_ONCE
