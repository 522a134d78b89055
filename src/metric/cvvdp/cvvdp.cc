#include "metric/cvvdp/cvvdp.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include "base/large_pages.h"
#include "base/number.h"
#include "metric/blocks/words.h"

namespace acutance {
namespace {

constexpr double kMostFramesPerSecond = 300;

const std::vector<OptionSpec> kOptions = WithRgbOptions({
    {"display", "",
     "the display, by name; auto: standard_4k, of videos in PQ and HLG standard_hdr_pq and standard_hdr_hlg",
     std::string("auto"), 0, 0, true},
    {"display_file", "", "a JSON file of displays, in addition to those that are built in; or the JSON itself",
     std::string(), 0, 0, false},
    {"ppd", "", "pixels per degree, instead of the display's size and distance", std::string(), 0, 0, true},
    {"distance", "", "from the display in metres, instead of the display's own", std::string(), 0, 0, true},
    {"fps", "", "frames a second: a number, or two such as 24000/1001; the video's, or 25", std::string(), 0, 0, false},
    {"temporal", "", "false: each frame is an image of its own", true, 0, 1, true},
    {"conversion", "",
     "reader: red, green and blue as ColorVideoVDP's own reader makes them; common: by range, chroma_location and "
     "clip_rgb",
     std::string("reader"), 0, 0, true},
    {"resize", "",
     "to the display's size before it is shown: nearest, bilinear, bicubic, area; none: pixels are shown one to one",
     std::string("none"), 0, 0, true},
    {"keep_aspect", "", "resize to the largest size of the video's own aspect; false: each axis to the display's",
     false, 0, 1, true},
    {"transfer", "", "how the video is encoded, for display=auto: sdr, pq, hlg", std::string("sdr"), 0, 0, false},
    {"primaries", "",
     "the primaries of the video's red, green and blue: bt709, bt601, bt2020, p3, other; refused where the display has "
     "others; auto: the display's",
     std::string("auto"), 0, 0, false},
});

const OutputSpec kOutputs[] = {  // by CvvdpOutput
    {.name = "cvvdp", .phase = OutputPhase::kSequence},
    {.name = "cvvdp_frame", .phase = OutputPhase::kSequence, .rank = 95, .clip = "cvvdp_clip"}};

/// 0 where the option is empty.
Result<double> PositiveNumber(const OptionValues& options, std::string_view option) {
  const std::string& text = options.String(option);
  if (text.empty()) return 0.0;
  const std::optional<double> number = ParseFiniteDouble(text);
  if (number && *number > 0) return *number;
  return Error(StatusCode::kInvalidArgument, "{}={} is not a number above 0", option, text);
}

Result<double> FramesPerSecond(const std::string& text) {
  constexpr double kUntold = 25;
  if (text.empty()) return kUntold;
  const size_t slash = text.find('/');
  std::optional<double> rate = ParseFiniteDouble(std::string_view(text).substr(0, slash));
  if (rate && slash != std::string::npos) {
    const std::optional<double> divisor = ParseFiniteDouble(std::string_view(text).substr(slash + 1));
    rate = divisor && *divisor > 0 ? std::optional(*rate / *divisor) : std::nullopt;
  }
  if (rate && *rate > 0 && *rate <= kMostFramesPerSecond) return *rate;
  return Error(StatusCode::kInvalidArgument, "fps={} is not a number of frames a second above 0 and up to {}", text,
               kMostFramesPerSecond);
}

Result<std::string> DisplayName(const OptionValues& options) {
  const std::string &name = options.String("display"), &transfer = options.String("transfer");
  if (transfer != "sdr" && transfer != "pq" && transfer != "hlg")
    return Error(StatusCode::kInvalidArgument, "transfer={} is none of sdr, pq, hlg", transfer);
  if (name != "auto") return name;
  if (!options.String("display_file").empty()) return std::string();
  return std::string(transfer == "sdr" ? "standard_4k" : transfer == "pq" ? "standard_hdr_pq" : "standard_hdr_hlg");
}

/// A display shows red, green and blue as its own. Those of BT.709 and BT.601 are shown by any display of SDR, as
/// ColorVideoVDP does.
Status CheckPrimaries(const OptionValues& options, const Display& display) {
  constexpr std::string_view kPrimaries[] = {"auto", "bt709", "bt601", "bt2020", "p3", "other"};
  const std::string &primaries = options.String("primaries"), &transfer = options.String("transfer");
  if (std::ranges::find(kPrimaries, primaries) == std::end(kPrimaries))
    return Error(StatusCode::kInvalidArgument, "primaries={} is none of {}", primaries, fmt::join(kPrimaries, ", "));
  const bool is_usual = primaries == "bt709" || primaries == "bt601";
  if (primaries == "auto" || primaries == display.primaries || (is_usual && transfer == "sdr")) return {};
  // HDR's samples mean nothing on a display of SDR of any primaries.
  const std::string way_out = transfer == "sdr"
                                  ? fmt::format(
                                        ", choose a display that has them, or set primaries={} to take them as the "
                                        "display's",
                                        display.primaries)
                                  : " or choose a display that has them";
  return Error(StatusCode::kInvalidArgument,
               "the primaries of the video are {}, and those of the display {} are {}: convert both videos first{}",
               primaries, display.name, display.primaries, way_out);
}

Result<CvvdpConversion> ReadConversion(const OptionValues& options, const Display& display) {
  using Matrix = LinearRgbSettings::Matrix;
  const std::string& name = options.String("conversion");
  if (name != "reader" && name != "common")
    return Error(StatusCode::kInvalidArgument, "conversion={} is none of reader, common", name);
  ACU_ASSIGN_OR_RETURN(LinearRgbSettings settings, ReadRgb(options));
  const bool is_bt2020 = settings.matrix == Matrix::kBt2020;
  if (name == "common" && settings.matrix == Matrix::kAuto && display.is_bt2020) settings.matrix = Matrix::kBt2020;
  // The reference's reader takes the samples of such pictures as they are, too.
  const bool is_common = name == "common" || settings.matrix == Matrix::kRgb;
  CvvdpResizing resizing = {.display = {display.resolution[0], display.resolution[1]},
                            .keeps_aspect = options.Bool("keep_aspect")};
  ACU_ASSIGN_OR_RETURN(resizing.filter, ReadCvvdpFilter(options.String("resize")));
  if (resizing.filter != CvvdpResizing::Filter::kNone && std::min(display.resolution[0], display.resolution[1]) < 2)
    return Error(StatusCode::kInvalidArgument, "resize={}: the display '{}' has no resolution",
                 options.String("resize"), display.name);
  return CvvdpConversion{.is_common = is_common, .reads_bt2020 = is_bt2020, .common = settings, .resizing = resizing};
}

/// The planes of all scales, and of their heat.
struct Pyramid : Workspace {
  explicit Pyramid(const CvvdpScales& scales) {
    for (const PictureSize& size : scales.sizes) {
      const ptrdiff_t stride = (size.width + 2 * kCvvdpPadding - 1) / kCvvdpPadding * kCvvdpPadding;
      const size_t samples = static_cast<size_t>(stride) * size.height;
      const size_t count = samples * (2 * kCvvdpChannels + 1);
      float* next = memory.emplace_back(AllocateVectors<float>(count)).get();
      PreferLargePages(next, count * sizeof(float));
      const auto plane = [&] {
        const CvvdpPlane made = {next, stride, size.width, size.height};
        for (int y = 0; y < size.height; ++y) std::fill(made.Row(y) + size.width, made.Row(y) + stride, 0.0f);
        next += samples;
        return made;
      };
      for (auto& video : planes.emplace_back())
        for (CvvdpPlane& channel : video) channel = plane();
      heat.push_back(plane());
    }
    if (scales.sizes.size() > 1) reduced.resize(scales.sizes[1].height);
  }

  std::vector<hwy::AlignedFreeUniquePtr<float[]>> memory;
  std::vector<CvvdpScale> planes;
  std::vector<CvvdpPlane> heat;
  std::vector<char> reduced;  // not 0 for rows of the second scale that are there before their stage
};

/// A frame's channels as a video has them, and those of an image: the first frame may be the only one.
struct Form {
  CvvdpFilter filter;
  bool is_image;
};

/// One distorted video's share of a band.
struct Job {
  const Form& form;
  Pyramid& pyramid;
  const Pyramid& reference;  // whose planes are the reference's
  int first_video;           // 0: the reference's planes are its to make
  bool draws;
  std::span<int64_t> words;
  CvvdpBuffers& buffers;
};

enum class Step { kFilter, kReduce, kReduceOn, kPool, kHeat };

struct Stage {
  int form;
  Step step;
};

class CvvdpExtractor : public Extractor {
 public:
  CvvdpExtractor(const CvvdpSettings& settings, const PictureSize& size)
      : CvvdpExtractor(settings, size, CvvdpScales(size.width, size.height, settings.display.pixels_per_degree)) {}

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override { return std::make_unique<Pyramid>(scales_); }
  std::unique_ptr<Workspace> MakeThreadWorkspace() const override {
    return std::make_unique<CvvdpBuffers>(scales_.sizes[0].width);
  }

  void RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    RunBands({&frame, 1}, stage, band, {&workspaces, 1}, {&results, 1});
  }

  /// The first video's pyramid has the reference of all.
  void RunBands(std::span<const FrameView> frames, int index, RowBand band, std::span<const Workspaces> workspaces,
                std::span<const BandResults> results) const override {
    const Stage& stage = stages_[index];
    if (stage.form > 0 && frames[0].at(0, 1)) return;
    const auto pyramid_of = [&](size_t i) -> Pyramid& { return static_cast<Pyramid&>(*workspaces[i].frame); };
    std::vector<Job> jobs;
    for (size_t i = 0; i < frames.size(); ++i)
      jobs.push_back({.form = forms_[stage.form],
                      .pyramid = pyramid_of(i),
                      .reference = pyramid_of(0),
                      .first_video = i == 0 ? 0 : 1,
                      .draws = stage.form == 0 && !results[i].artifacts.empty(),
                      .words = results[i].words.subspan(FirstWord(stage.form)),
                      .buffers = static_cast<CvvdpBuffers&>(*workspaces[i].thread)});
    for (size_t i = 0; i < frames.size(); ++i) {
      const Job& job = jobs[i];
      if (stage.step == Step::kFilter) Filter(frames[i], job, band);
      if (stage.step == Step::kReduce) Reduce(job, band);
      if (stage.step == Step::kReduceOn) ReduceOn(job, band);
      if (stage.step == Step::kHeat && job.draws) DrawHeat(job.pyramid, results[i].artifacts[0]);
    }
    if (stage.step == Step::kPool) Pool(jobs, band);
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    for (size_t f = 0; f < forms_.size(); ++f) {
      double distance = std::numeric_limits<double>::quiet_NaN();
      if (f == 0 || totals.history == 0)
        distance = CvvdpFrameDistance(scales_, forms_[f].filter.channels, totals.words.subspan(FirstWord(f)));
      outputs.kept[f] = WordFromDouble(distance);
    }
    return {};
  }

  std::unique_ptr<Sequence> MakeSequence() const override { return MakeCvvdpSequence(forms_[0].is_image, aggregate_); }

 private:
  CvvdpExtractor(const CvvdpSettings& settings, const PictureSize& size, CvvdpScales scales)
      : CvvdpExtractor(settings, size, std::move(scales), MakeForms(settings)) {}
  CvvdpExtractor(const CvvdpSettings& settings, const PictureSize& size, CvvdpScales scales, std::vector<Form> forms)
      : Extractor({.stages = StageSpecs(scales, forms),
                   .words = static_cast<int>(forms.size()) * Units(scales) * kCvvdpChannels,
                   .kept = static_cast<int>(forms.size()),
                   .artifacts = {{"cvvdp_heatmap", {size.width, size.height, kFloatDepth, PixelFormat::k400}}}}),
        aggregate_("cvvdp_clip" + settings.key_suffix),
        scales_(std::move(scales)),
        forms_(std::move(forms)) {
    for (int b = 0; b <= scales_.bands(); ++b) sensitivities_.push_back(MakeCvvdpSensitivity(scales_, b));
    stages_ = Stages(scales_, forms_);
  }

  static std::vector<Form> MakeForms(const CvvdpSettings& settings) {
    const Form image = {CvvdpImageFilter(), true};
    if (!settings.is_temporal) return {image};
    return {{CvvdpVideoFilter(settings.frames_per_second), false}, image};
  }

  static std::vector<Stage> Stages(const CvvdpScales& scales, const std::vector<Form>& forms) {
    std::vector<Stage> stages;
    for (int f = 0; f < std::ssize(forms); ++f) {
      stages.push_back({f, Step::kFilter});
      if (scales.bands() > 0) stages.push_back({f, Step::kReduce});
      if (scales.bands() > 1) stages.push_back({f, Step::kReduceOn});
      stages.push_back({f, Step::kPool});
      if (f == 0) stages.push_back({f, Step::kHeat});
    }
    return stages;
  }

  static std::vector<StageSpec> StageSpecs(const CvvdpScales& scales, const std::vector<Form>& forms) {
    std::vector<StageSpec> specs;
    for (const auto& [form, step] : Stages(scales, forms)) {
      if (step == Step::kFilter) specs.push_back({scales.sizes[0].height});
      if (step == Step::kReduce) specs.push_back({scales.sizes[1].height});
      if (step == Step::kReduceOn) specs.push_back({2 * kCvvdpChannels});
      if (step == Step::kPool) specs.push_back({Units(scales)});
      if (step == Step::kHeat) specs.push_back({1});
    }
    return specs;
  }

  /// Strips of all bands, and the base.
  static int Units(const CvvdpScales& scales) {
    int units = 1;
    for (int b = 0; b < scales.bands(); ++b) units += scales.Strips(b);
    return units;
  }

  size_t FirstWord(size_t form) const { return form * Units(scales_) * kCvvdpChannels; }

  /// The rows of half the size that are made of these rows of a plane of `height` alone.
  static RowBand Reducible(RowBand rows, int height) {
    return {rows.begin == 0 ? 0 : (rows.begin + 3) / 2, rows.end == height ? (height + 1) / 2 : (rows.end - 1) / 2};
  }

  /// Before the clip stands its first frame. Rows of the second scale follow while those that they are made of are in a
  /// cache.
  static void Filter(const FrameView& frame, const Job& job, RowBand band) {
    const int length = job.form.filter.length();
    int frames = 1;
    while (frames < length && frame.at(0, frames)) ++frames;
    std::vector<std::array<const float*, 3>> rows(length);
    const int height = job.pyramid.planes[0][0][0].height;
    const RowBand reducible = Reducible(band, height);
    for (int y = (band.begin + 1) / 2; 2 * y < band.end && y < std::ssize(job.pyramid.reduced); ++y)
      job.pyramid.reduced[y] = y >= reducible.begin && y < reducible.end;
    for (int v = job.first_video; v < 2; ++v) {
      int reduced = reducible.begin;
      for (int y = band.begin; y < band.end; ++y) {
        for (int i = 0; i < length; ++i)
          for (int p = 0; p < 3; ++p)
            rows[i][p] = frame.plane(v, p, std::min(length - 1 - i, frames - 1)).Row<float>(y);
        const auto& to = job.pyramid.planes[0][v];
        CvvdpFilterRow(job.form.filter, rows, to[0].width, {to[0].Row(y), to[1].Row(y), to[2].Row(y), to[3].Row(y)});
        if (job.pyramid.reduced.empty()) continue;
        for (; reduced < Reducible({band.begin, y + 1}, height).end; ++reduced) ReduceRow(job, v, reduced);
      }
    }
  }

  static void ReduceRow(const Job& job, int video, int y) {
    const auto& planes = job.pyramid.planes;
    for (int c = 0; c < job.form.filter.channels; ++c)
      CvvdpReduceRow(planes[0][video][c], y, planes[1][video][c], job.buffers);
  }

  static void Reduce(const Job& job, RowBand band) {
    for (int v = job.first_video; v < 2; ++v)
      for (int y = band.begin; y < band.end; ++y)
        if (!job.pyramid.reduced[y]) ReduceRow(job, v, y);
  }

  /// A row of this stage is a channel of a video.
  static void ReduceOn(const Job& job, RowBand band) {
    const auto& planes = job.pyramid.planes;
    for (int i = std::max(band.begin, job.first_video * kCvvdpChannels); i < band.end; ++i)
      for (size_t s = 2; s < planes.size(); ++s) {
        const int v = i / kCvvdpChannels, c = i % kCvvdpChannels;
        for (int y = 0; y < planes[s][v][c].height; ++y)
          CvvdpReduceRow(planes[s - 1][v][c], y, planes[s][v][c], job.buffers);
      }
  }

  /// A row of this stage is a strip, those of the largest scale first; the last one is the base.
  void Pool(std::span<const Job> jobs, RowBand units) const {
    int first = 0;
    for (int b = 0; b <= scales_.bands(); ++b) {
      const int count = b == scales_.bands() ? 1 : scales_.Strips(b);
      const int begin = std::max(units.begin, first), end = std::min(units.end, first + count);
      if (begin < end) PoolBand(jobs, b, begin - first, end - first, size_t{kCvvdpChannels} * begin);
      first += count;
    }
  }

  void PoolBand(std::span<const Job> jobs, int b, int begin, int end, size_t first_word) const {
    const bool is_base = b == scales_.bands();
    std::vector<CvvdpBand> bands;
    std::vector<std::span<int64_t>> words;
    for (const Job& job : jobs) {
      const auto planes_of = [&](int scale) -> CvvdpScale {
        return {job.reference.planes[scale][0], job.pyramid.planes[scale][1]};
      };
      bands.push_back({.scale = planes_of(b),
                       .next = is_base ? CvvdpScale() : planes_of(b + 1),
                       .channels = job.form.filter.channels,
                       .sensitivity = &sensitivities_[b],
                       .heat_weights = CvvdpHeatWeights(job.form.is_image, is_base),
                       .heat = job.draws ? &job.pyramid.heat[b] : nullptr});
      words.push_back(job.words.subspan(first_word));
      if (is_base) CvvdpBase(bands.back(), words.back());
    }
    if (!is_base) CvvdpStrips(bands, begin, end, words, jobs[0].buffers);
  }

  void DrawHeat(const Pyramid& pyramid, const MutablePicture& map) const {
    for (int b = scales_.bands() - 1; b >= 0; --b)
      CvvdpExpandOnto(pyramid.heat[b + 1], pyramid.heat[b], b == 0 ? 1.0f : 0.5f);
    const CvvdpPlane& heat = pyramid.heat[0];
    for (int y = 0; y < heat.height; ++y)
      for (int x = 0; x < heat.width; ++x) map.Row<float>(0, y)[x] = CvvdpHeat(heat.Row(y)[x]);
  }

  const std::string aggregate_;
  const CvvdpScales scales_;
  const std::vector<Form> forms_;
  std::vector<CvvdpSensitivity> sensitivities_;
  std::vector<Stage> stages_;
};

Result<std::unique_ptr<Extractor>> Make(const CvvdpSettings& settings, const PictureFormat& format) {
  ACU_RETURN_IF_ERROR(CheckLinearRgb("cvvdp", settings.conversion.common, format));
  const PictureSize size = settings.conversion.SizeOf(format);
  if (std::min(size.width, size.height) < 2)
    return Error(StatusCode::kInvalidArgument, "cvvdp: {}x{} pixels on the display are too few", size.width,
                 size.height);
  return std::make_unique<CvvdpExtractor>(settings, size);
}

/// Its kernels read luma and chroma, at their own size.
bool StaysOnCpu(const CvvdpSettings& settings) {
  return settings.conversion.common.matrix == LinearRgbSettings::Matrix::kRgb ||
         settings.conversion.resizing.filter != CvvdpResizing::Filter::kNone;
}

std::vector<InputSpec> Inputs(const CvvdpSettings& settings) {
  const auto derived = std::make_shared<CvvdpInput>(settings.conversion, settings.display);
  const int history = settings.Filter().length() - 1;
  return {{.video = Video::kReference, .planes = kAllPlanes, .history = history, .derived = derived},
          {.video = Video::kDistorted, .planes = kAllPlanes, .history = history, .derived = derived}};
}

Result<CvvdpSettings> ReadUnprefixed(const OptionValues& options) {
  DisplayChoice choice = {.file = options.String("display_file")};
  ACU_ASSIGN_OR_RETURN(choice.name, DisplayName(options));
  ACU_ASSIGN_OR_RETURN(choice.pixels_per_degree, PositiveNumber(options, "ppd"));
  ACU_ASSIGN_OR_RETURN(choice.distance, PositiveNumber(options, "distance"));
  ACU_ASSIGN_OR_RETURN(const Display display, FindDisplay(choice));
  ACU_RETURN_IF_ERROR(CheckPrimaries(options, display));
  ACU_ASSIGN_OR_RETURN(const CvvdpConversion conversion, ReadConversion(options, display));
  ACU_ASSIGN_OR_RETURN(const double frames_per_second, FramesPerSecond(options.String("fps")));
  return CvvdpSettings{display, conversion, frames_per_second, options.Bool("temporal"), options.KeySuffix()};
}

Result<CvvdpSettings> ReadSettings(const OptionValues& options) {
  Result<CvvdpSettings> settings = ReadUnprefixed(options);
  if (!settings.ok()) return Prefixed("cvvdp", settings.status());
  return settings;
}

/// The standard display, as bright as the one that the video was mastered on. HLG is made for displays of any peak.
HdrDefaults ForHdr(const HdrFacts& facts) {
  if (!facts.is_pq) return {.note = "cvvdp: on the display standard_hdr_hlg"};
  if (!facts.mastering_peak)
    return {.note = "cvvdp: on the display standard_hdr_pq, since the reference declares no mastering display"};
  return {.options = {{"display_file",
                       fmt::format("{{\"standard_hdr_pq\": {{\"max_luminance\": {}}}}}", *facts.mastering_peak)}},
          .note = fmt::format("cvvdp: on the display standard_hdr_pq with the mastering display's peak of {:.6g} cd/m2",
                              *facts.mastering_peak)};
}

}  // namespace

const Metric kCvvdpMetric = {
    .name = "cvvdp",
    .summary = "visible differences on a display, in color and over time, in just-objectionable differences; 10: none",
    .options = kOptions,
    .outputs = kOutputs,
    .map = {.source = MapSource::kFirstArtifact},
    .prepare = PrepareBy<ReadSettings>,
    .inputs = OfSettings<Inputs>,
    .every_frame = true,
    .smallest = {2, 2},
    .reads_all_chroma = true,
    .reads_floats = true,
    .for_hdr = ForHdr,
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakeCvvdpPlan>,
    .stays_on_cpu = OfSettings<StaysOnCpu>,
};

}  // namespace acutance
