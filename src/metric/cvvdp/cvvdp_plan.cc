// cvvdp on devices: channels over time, smaller scales, differences of all scales together, and the base.
#include <bit>
#include <utility>

#include "base/int_math.h"
#include "metric/blocks/linear_rgb_args.h"
#include "metric/blocks/reference_of.h"
#include "metric/cvvdp/cvvdp.h"
#include "metric/cvvdp/cvvdp_args.h"
#include "metric/cvvdp/cvvdp_channels_args.h"

namespace acutance {
namespace {

constexpr int kRowMultiple = 32;  // floats: rows begin at 128 bytes

constexpr TuningEntry kTuning[] = {{"cvvdp_channels", "", "64x4r8", WorkloadClass::kSmall},
                                   {"cvvdp_channels", "", "64x4r4"},
                                   {"cvvdp_stream", "", "64x2"},
                                   {"cvvdp_reduce", "", "64x4"},
                                   {"cvvdp_differences", "", "128x1"},
                                   {"cvvdp_base", "", "64x1"},
                                   {"cvvdp_sums", "", "256x1"},
                                   {"cvvdp_heat", "", "64x4"}};

/// CvvdpChannelsArgs::table
class ColorTable {
 public:
  ColorTable() : words_(CVVDP_TAPS) {}

  /// Sets consecutive numbers.
  template <class... Values>
  void Set(int first, Values... values) {
    ((words_[first++] = Word(values)), ...);
  }
  void Add(float value) { words_.push_back(Word(value)); }
  const std::vector<uint32_t>& words() const { return words_; }

 private:
  static uint32_t Word(int value) { return static_cast<uint32_t>(value); }
  static uint32_t Word(float value) { return std::bit_cast<uint32_t>(value); }
  static uint32_t Word(bool value) { return value ? 1 : 0; }

  std::vector<uint32_t> words_;
};

void SetReader(const ReaderRgb& reader, ColorTable& table) {
  table.Set(CVVDP_IS_COMMON, false, reader.across, reader.down);
  table.Set(CVVDP_LUMA_OFFSET, reader.luma_offset, 0, reader.most_luma);
  table.Set(CVVDP_CHROMA_OFFSET, reader.chroma_offset, reader.most_chroma);
  table.Set(CVVDP_LUMA_SCALE, reader.luma_scale, reader.chroma_scale);
  table.Set(CVVDP_CR_RED, reader.cr_red, reader.cb_green, reader.cr_green, reader.cb_blue);
  table.Set(CVVDP_CLIPS, true);
}

void SetCommon(const LinearRgbConversion& common, ColorTable& table) {
  constexpr int kNoLimit = 1 << 24;
  const light::LinearRgbFactors& factors = common.factors;
  table.Set(CVVDP_IS_COMMON, true, common.across.kind(), common.down.kind());
  table.Set(CVVDP_LUMA_OFFSET, factors.luma_offset, -kNoLimit, kNoLimit);
  table.Set(CVVDP_CHROMA_OFFSET, factors.chroma_offset);
  table.Set(CVVDP_LUMA_SCALE, factors.luma_scale, factors.chroma_scale);
  table.Set(CVVDP_CR_RED, factors.cr_red, factors.cb_green, factors.cr_green, factors.cb_blue);
  table.Set(CVVDP_CLIPS, factors.clips != 0);
}

void SetLight(const CvvdpLight& light, ColorTable& table) {
  table.Set(CVVDP_INTERVALS, light.intervals, light.curve == Display::Curve::kHlg);
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < 3; ++i) table.Set(CVVDP_TO_CHANNELS + 3 * c + i, light.to_channels[c][i]);
  table.Set(CVVDP_EXPOSURE, light.exposure, light.least, light.most, light.added, light.is_exposed);
  table.Set(CVVDP_GAMMA, light.gamma.value, light.gamma.high, light.gamma.low);
  table.Set(CVVDP_RANGE, light.range, light.black);
}

/// An image's fourth channel is 0.
void AddTaps(const CvvdpFilter& filter, ColorTable& table) {
  for (int k = 0; k < filter.length(); ++k)
    for (int c = 0; c < kCvvdpChannels; ++c) table.Add(c < filter.channels ? filter.taps[c][k] : 0.0f);
}

std::vector<uint32_t> MakeColorTable(const CvvdpSettings& settings, const PictureFormat& format) {
  ColorTable table;
  if (settings.conversion.is_common) SetCommon(LinearRgbConversion(settings.conversion.common, format), table);
  else SetReader(ReaderRgb(format, settings.conversion.reads_bt2020), table);
  const CvvdpLight light(settings.display);
  SetLight(light, table);
  AddTaps(settings.Filter(), table);
  AddTaps(CvvdpImageFilter(), table);
  for (int i = 0; i < light.intervals; ++i) {
    table.Add(light.nodes[i]);
    table.Add(light.nodes[i + 1] - light.nodes[i]);
  }
  return table.words();
}

class PlanMaker {
 public:
  PlanMaker(const CvvdpSettings& settings, const PlanContext& context)
      : context_(context),
        settings_(settings),
        filter_(settings.Filter()),
        scales_(context.format.width, context.format.height, settings.display.pixels_per_degree),
        images_(settings.is_temporal ? context.videos : 0),
        streams_(context.streams && settings.is_temporal && context.pairs() == 1),
        plan_(context, context.pairs(), 0, Words(settings, scales_)) {}

  Result<Plan> Make() {
    ACU_RETURN_IF_ERROR(AddBuffers());
    for (const Video video : {Video::kReference, Video::kDistorted}) ACU_RETURN_IF_ERROR(AddChannels(video));
    for (int s = 0; s + 1 < std::ssize(scales_.sizes); ++s) ACU_RETURN_IF_ERROR(AddReducing(s));
    ACU_RETURN_IF_ERROR(AddDifferences());
    ACU_RETURN_IF_ERROR(AddSums());
    if (context_.artifacts) ACU_RETURN_IF_ERROR(AddHeat());
    return std::move(plan_);
  }

 private:
  static int RowOf(int width) { return CeilDiv(width, kRowMultiple) * kRowMultiple; }
  static int64_t PlaneOf(const PictureSize& size) { return int64_t{RowOf(size.width)} * size.height; }

  static int Strips(const CvvdpScales& scales) {
    int strips = 0;
    for (int b = 0; b < scales.bands(); ++b) strips += scales.Strips(b);
    return strips;
  }
  static int Words(const CvvdpSettings& settings, const CvvdpScales& scales) {
    return (settings.is_temporal ? 2 : 1) * (Strips(scales) + 1) * kCvvdpChannels;
  }

  /// The reference's pictures; an image's is one more.
  int References() const { return context_.frames + (images_ > 0 ? 1 : 0); }
  /// Pairs, and images.
  int Items() const { return context_.pairs() + images_; }
  int History() const { return context_.history[0]; }

  Status AddBuffers() {
    for (const PictureSize& size : scales_.sizes) {
      firsts_.push_back(picture_);
      heats_.push_back(heat_picture_);
      picture_ += kCvvdpChannels * PlaneOf(size);
      heat_picture_ += PlaneOf(size);
    }
    strips_ = Strips(scales_);
    channels_ = plan_.AddScratch("channels", sizeof(float) * picture_ * (References() + Items()));
    if (context_.artifacts) heat_ = plan_.AddScratch("heat", sizeof(float) * heat_picture_ * context_.pairs());
    colors_ = plan_.AddTable("colors", MakeColorTable(settings_, context_.format));
    nodes_ = plan_.AddTable("sensitivities", MakeNodes());
    ACU_ASSIGN_OR_RETURN(const KernelImage* differences, ChooseVariant(kTuning, "cvvdp_differences", context_));
    table_ = plan_.AddTable("scales", MakeScaleTable(static_cast<int>(differences->group_x)));
    columns_ = plan_.AddScratch("sums of columns", sizeof(double) * item_columns_ * Items());
    return {};
  }

  std::vector<int32_t> MakeScaleTable(int group) {
    const int columns = group - 2 * CVVDP_BLUR_RADIUS;
    std::vector<int32_t> words;
    int strip = 0;
    for (size_t s = 0; s < scales_.sizes.size(); ++s) {
      const PictureSize& size = scales_.sizes[s];
      const int across = CeilDiv(size.width, columns);
      const int strips = CeilDiv(size.height, kCvvdpStrip);
      words.insert(words.end(),
                   {size.width, size.height, RowOf(size.width), static_cast<int32_t>(firsts_[s] / kRowMultiple), strip,
                    groups_, across, static_cast<int32_t>(heats_[s] / kRowMultiple), item_columns_});
      item_columns_ += kCvvdpChannels * (s + 1 == scales_.sizes.size() ? 1 : strips * size.width);
      if (s + 1 == scales_.sizes.size()) break;
      strip += strips;
      groups_ += strips * across;
    }
    return words;
  }

  std::vector<float> MakeNodes() const {
    std::vector<float> nodes;
    for (int b = 0; b <= scales_.bands(); ++b)
      for (const auto& channel : MakeCvvdpSensitivity(scales_, b).nodes)
        nodes.insert(nodes.end(), channel.begin(), channel.end());
    for (const bool is_base : {false, true})
      for (const float weight : CvvdpHeatWeights(!settings_.is_temporal, is_base)) nodes.push_back(weight);
    return nodes;
  }

  Status AddChannels(Video video) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel,
                         ChooseVariant(kTuning, streams_ ? "cvvdp_stream" : "cvvdp_channels", context_));
    const int back = filter_.length() - 1, copies = context_.copies(video);
    const bool has_chroma = context_.format.PlaneCount() > 1;
    const PlaneView luma = context_.Input(video, 0, back), cb = context_.Input(video, has_chroma ? 1 : 0, back);
    const int64_t first = video == Video::kReference ? 0 : References() * picture_;
    const CvvdpChannelsArgs args = {.luma = luma.data,
                                    .cb = cb.data,
                                    .cr = context_.Input(video, has_chroma ? 2 : 0, back).data,
                                    .table = colors_,
                                    .frames_before_start = plan_.BeforeClip(),
                                    .to = BufferRef{channels_.buffer, sizeof(float) * first},
                                    .stored = streams_ ? AddStored(luma) : channels_,
                                    .to_picture = picture_,
                                    .luma_picture = static_cast<int32_t>(luma.picture_stride / kRowMultiple),
                                    .chroma_picture = static_cast<int32_t>(cb.picture_stride / kRowMultiple),
                                    .luma_row = luma.row_stride,
                                    .chroma_row = cb.row_stride,
                                    .to_row = RowOf(luma.width),
                                    .width = luma.width,
                                    .height = luma.height,
                                    .chroma_width = has_chroma ? cb.width : 0,
                                    .chroma_height = cb.height,
                                    .frames = context_.frames,
                                    .copies = copies,
                                    .reach = filter_.length(),
                                    .video = static_cast<int>(video),
                                    .history = context_.history[static_cast<int>(video)]};
    const int parts = streams_ ? 1 : CeilDiv(context_.frames, kernel->rows) + (images_ > 0 ? 1 : 0);
    const Grid grid = {CeilDiv(luma.width, kernel->group_x), CeilDiv(luma.height, kernel->group_y), parts * copies};
    return plan_.AddLaunch(*kernel, grid, args, "nearest 2");
  }

  /// Three channels of each frame of the filter.
  BufferRef AddStored(const PlaneView& luma) {
    const int64_t plane = PlaneOf({luma.width, luma.height});
    return plan_.AddState("channels of earlier frames", sizeof(float) * 3 * plane * filter_.length());
  }

  BufferRef ChannelsOf(int scale) const {
    return {channels_.buffer, channels_.offset + sizeof(float) * firsts_[scale]};
  }

  Status AddReducing(int scale) {
    const PictureSize &size = scales_.sizes[scale], &half = scales_.sizes[scale + 1];
    const int references = References();
    const CvvdpReduceArgs args = {.from = ChannelsOf(scale),
                                  .to = ChannelsOf(scale + 1),
                                  .frames_before_start = plan_.BeforeClip(),
                                  .picture = picture_,
                                  .row = RowOf(size.width),
                                  .width = size.width,
                                  .height = size.height,
                                  .to_row = RowOf(half.width),
                                  .references = references,
                                  .image = context_.frames,
                                  .of_distorted = references + context_.pairs(),
                                  .history = History()};
    return plan_.AddWork(kTuning, "cvvdp_reduce", {half.width, half.height, kCvvdpChannels * (references + Items())},
                         args, "its own");
  }

  Status AddDifferences() {
    const CvvdpDifferencesArgs args = {.channels = channels_,
                                       .scales = table_,
                                       .nodes = nodes_,
                                       .frames_before_start = plan_.BeforeClip(),
                                       .columns = columns_,
                                       .heat = context_.artifacts ? heat_ : columns_,
                                       .picture = picture_,
                                       .heat_picture = heat_picture_,
                                       .item_columns = item_columns_,
                                       .strips = strips_,
                                       .scale = scales_.bands(),
                                       .references = References(),
                                       .pairs = context_.pairs(),
                                       .history = History(),
                                       .draws = context_.artifacts ? 1 : 0,
                                       .inverse = inverse_of(context_.videos)};
    if (groups_ > 0)
      ACU_RETURN_IF_ERROR(plan_.AddGroups(kTuning, "cvvdp_differences", {groups_, 1, Items()}, args, "mirror 6"));
    return plan_.AddGroups(kTuning, "cvvdp_base", {1, 1, Items()}, args, "none");
  }

  Status AddSums() {
    const CvvdpSumsArgs args = {.columns = columns_,
                                .scales = table_,
                                .frames_before_start = plan_.BeforeClip(),
                                .words = plan_.Words(),
                                .item_columns = item_columns_,
                                .strips = strips_,
                                .scale = scales_.bands(),
                                .pairs = context_.pairs(),
                                .videos = context_.videos,
                                .history = History(),
                                .pair_words = plan_.word_count()};
    const Grid grid = {strips_ + 1, kCvvdpChannels, (images_ > 0 ? 2 : 1) * context_.pairs()};
    return plan_.AddGroups(kTuning, "cvvdp_sums", grid, args, "none");
  }

  /// From the base up; the largest scale becomes the map.
  Status AddHeat() {
    const PictureSize& whole = scales_.sizes[0];
    const PlaneView map =
        plan_.AddArtifact("cvvdp_heatmap", {whole.width, whole.height, kFloatDepth, PixelFormat::k400});
    const CvvdpHeatCurve curve = MakeCvvdpHeatCurve();
    const BufferRef sums = plan_.AddScratch("heat added up", sizeof(float) * heat_picture_ * context_.pairs());
    const auto heat_of = [&](int scale) { return BufferRef{heat_.buffer, sizeof(float) * heats_[scale]}; };
    const auto sum_of = [&](int scale) { return BufferRef{sums.buffer, sizeof(float) * heats_[scale]}; };
    for (int s = scales_.bands() > 0 ? scales_.bands() - 1 : 0; s >= 0; --s) {
      const PictureSize& size = scales_.sizes[s];
      const bool has_smaller = s < scales_.bands(), is_map = s == 0;
      const PictureSize smaller = has_smaller ? scales_.sizes[s + 1] : PictureSize{0, 0};
      const bool is_above_base = s + 1 == scales_.bands();
      const CvvdpHeatArgs args = {.smaller = !has_smaller || is_above_base ? heat_of(scales_.bands()) : sum_of(s + 1),
                                  .larger = heat_of(s),
                                  .to = is_map ? map.data : sum_of(s),
                                  .picture = heat_picture_,
                                  .to_picture = is_map ? map.picture_stride : heat_picture_,
                                  .smaller_row = RowOf(smaller.width),
                                  .smaller_width = smaller.width,
                                  .smaller_height = smaller.height,
                                  .row = RowOf(size.width),
                                  .width = size.width,
                                  .height = size.height,
                                  .to_row = is_map ? map.row_stride : RowOf(size.width),
                                  .share = is_map ? 1.0f : 0.5f,
                                  .is_map = is_map,
                                  .straight = curve.straight,
                                  .factor = curve.factor,
                                  .power = curve.exponent.value,
                                  .power_high = curve.exponent.high,
                                  .power_low = curve.exponent.low};
      ACU_RETURN_IF_ERROR(
          plan_.AddWork(kTuning, "cvvdp_heat", {size.width, size.height, context_.pairs()}, args, "nearest 1"));
    }
    return {};
  }

  const PlanContext& context_;
  const CvvdpSettings& settings_;
  const CvvdpFilter filter_;
  const CvvdpScales scales_;
  const int images_;
  const bool streams_;
  Plan plan_;
  std::vector<int64_t> firsts_, heats_;     // where scales begin in a picture, and in a picture of heat
  int64_t picture_ = 0, heat_picture_ = 0;  // floats
  int strips_ = 0;                          // of all scales but the base
  int item_columns_ = 0;                    // doubles
  int groups_ = 0;                          // workgroups that make differences of a pair
  BufferRef channels_, columns_, heat_, colors_, nodes_, table_;
};

}  // namespace

Result<Plan> MakeCvvdpPlan(const CvvdpSettings& settings, const PlanContext& context) {
  return PlanMaker(settings, context).Make();
}

}  // namespace acutance
