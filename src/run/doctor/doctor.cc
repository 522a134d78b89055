#include "run/doctor/doctor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

#include "align/align_placed.h"
#include "align/crop_search.h"
#include "align/lossy_codecs.h"
#include "align/placed_parts.h"
#include "base/shell_word.h"
#include "run/doctor/colors.h"
#include "run/doctor/commands.h"
#include "run/doctor/find_crop.h"
#include "run/doctor/match.h"
#include "run/doctor/video_probe.h"

namespace acutance {
namespace {

constexpr int kMostThumbs = 400;
constexpr int64_t kMostFrames = 4000;
constexpr double kLeastSupport = 0.5;  // of a path that is to be believed
constexpr int kLeastClear = 8;

double ShapeOf(const VideoProbe& video, const Rectangle& part) {
  return part.width * video.facts.pixel_aspect / part.height;
}

bool Differ(double a, double b, double tolerance) { return std::abs(a - b) > tolerance * std::max(a, b); }

class Doctor {
 public:
  Doctor(const DoctorRequest& request, VideoProbe reference, VideoProbe distorted)
      : request_(request), ref_(std::move(reference)), dis_(std::move(distorted)) {}

  std::vector<Finding> Findings() && {
    const int most_offset = static_cast<int>(5.5 * ref_.frame_rate.value_or(dis_.frame_rate.value_or(25)));
    match_ = FindMatch(ref_.thumbs, dis_.thumbs, std::min(most_offset, static_cast<int>(ref_.thumbs.size())));
    AlignFrames();
    CheckDamage();
    if (CheckLengths() || CheckTurned()) return std::move(findings_);
    CheckTransfer();
    CheckColors();
    CheckInterlacing();
    CheckCrop();
    CheckTime();
    CheckEnds();
    CheckRange();
    CheckSwapped();
    CheckModel();
    CheckSize();
    std::ranges::stable_sort(findings_, std::greater(), &Finding::confidence);
    if (findings_.empty())
      findings_.push_back({"none", is_matched() ? 0.95 : 0.5,
                           is_matched()
                               ? "Nothing stands between the two videos and a score."
                               : "Nothing was found, though the frames show too little to be sure of their order.",
                           Score()});
    return std::move(findings_);
  }

 private:
  /// Which frames belong together, where frames of both are counted alike. Another rate under the same name is not
  /// found so, but by the places.
  void AlignFrames() {
    if (ref_.track.size() < 2 || dis_.track.size() < 2) return;
    auto [alignment, placement] = AlignPlaced(ref_.track, dis_.track);
    placement_ = std::move(placement);
    const auto has_value = [&] {
      return alignment->doubt == Alignment::Doubt::kNone || alignment->doubt == Alignment::Doubt::kLost;
    };
    if (alignment.ok() && has_value() && !alignment->pairs.empty()) alignment_ = std::move(alignment).value();
  }

  /// One line explains the places, or pieces of lines do.
  bool is_matched() const { return alignment_ || are_places_clear(); }
  bool are_places_clear() const {
    return match_.clear >= kLeastClear && (match_.support >= kLeastSupport || is_in_order());
  }
  bool is_in_order() const { return match_.clear >= kLeastClear && match_.steps <= match_.clear / 4; }

  std::string Score(const std::string& options = "") const {
    return fmt::format("acutance score {} {}{}", ShellWord(request_.reference), ShellWord(request_.distorted), options);
  }

  void Add(std::string cause, double confidence, std::string sentence, std::string command) {
    findings_.push_back({std::move(cause), confidence, std::move(sentence), std::move(command)});
  }

  /// A picture is no video, and nothing else can be told of it.
  bool CheckLengths() {
    if (ref_.frames > 1 && dis_.frames > 1) return false;
    if (ref_.frames == dis_.frames) return false;
    const VideoProbe& one = ref_.frames == 1 ? ref_ : dis_;
    const VideoProbe& other = ref_.frames == 1 ? dis_ : ref_;
    Add("drops", 0.95, fmt::format("{} has one frame, and {} has {} or more.", one.name, other.name, other.frames),
        Score(" --align index"));
    return true;
  }

  /// Pictures that were turned while the stream still tells players to, or lie as they were stored since it no longer
  /// does.
  bool CheckTurned() {
    if (ref_.facts.orientation == dis_.facts.orientation || is_matched() || !are_unlike()) return false;
    const bool is_reference = ref_.facts.orientation != Orientation();
    const VideoProbe &turned = is_reference ? ref_ : dis_, &other = is_reference ? dis_ : ref_;
    Add("turned", 0.9,
        fmt::format("{} is turned as its stream tells, and {} is {}: in one of them this was lost, or done already.",
                    turned.name, other.name, other.facts.orientation == Orientation() ? "not" : "turned otherwise"),
        fmt::format("ffmpeg -noautorotate -i {} -strict -1 untold.y4m", ShellWord(turned.name)));
    return true;
  }

  void CheckDamage() {
    for (const VideoProbe* video : {&dis_, &ref_})
      if (!video->damage.ok())
        Add("damage", 0.97, fmt::format("{} breaks off or is damaged: {}.", video->name, video->damage.message()),
            Score(fmt::format(" --frames 0:{}", video->frames)));
  }

  void CheckTransfer() {
    const VideoColor &a = ref_.color, &b = dis_.color;
    if (!a.is_hdr() && !b.is_hdr()) return CheckUntoldTransfer();
    if (a.transfer == b.transfer) return;
    const VideoProbe &hdr = a.is_hdr() ? ref_ : dis_, &other = a.is_hdr() ? dis_ : ref_;
    const BrightnessCurve curve = Curve();
    const BrightnessFit line = Brightness();
    constexpr double kStraight = 0.02, kAlike = 0.06;
    const bool is_alike = is_matched() && std::abs(curve.bend) < kStraight && std::abs(line.slope - 1) < kAlike;
    if (other.color.transfer == Transfer::kUnknown && is_alike) {
      Add("transfer", 0.96,
          fmt::format("{} is {} and {} has the same brightness, though its stream does not tell a transfer.", hdr.name,
                      NameOf(hdr.color.transfer), other.name),
          TellTransfer(other, hdr.color.transfer));
      return;
    }
    Add("transfer", 0.96,
        fmt::format("{} is {} and {} {}: one of them was tone-mapped.", ref_.name, NameOf(a.transfer), dis_.name,
                    NameOf(b.transfer)),
        ToneMap(hdr.name, hdr.color.transfer));
  }

  /// PQ and HLG spread dark tones, so that brightness lies on a curve of that of the same video as SDR. What tone
  /// mapping leaves of a curve is less.
  void CheckUntoldTransfer() {
    constexpr double kBent = 0.03, kExplained = 0.35, kMostOfPq = 0.68;
    if (!is_matched()) return;
    const BrightnessCurve curve = Curve();
    if (std::abs(curve.bend) < kBent || curve.explained < kExplained) return;
    is_bent_ = true;
    const VideoProbe &hdr = curve.bend > 0 ? dis_ : ref_, &other = curve.bend > 0 ? ref_ : dis_;
    const double slope = curve.bend > 0 ? Brightness().slope : 1 / Brightness().slope;
    if (hdr.color.transfer == Transfer::kSdr) return;  // such as what was tone-mapped
    Add("transfer", 0.85,
        fmt::format("The brightness of {} lies on a curve of that of {}, as that of PQ or HLG does, though no stream "
                    "tells it.",
                    hdr.name, other.name),
        ToneMap(hdr.name, slope < kMostOfPq ? Transfer::kPq : Transfer::kHlg));
  }

  /// What maps the tones of HDR converts its colors, too.
  void CheckColors() {
    if (!findings_.empty() && findings_.back().cause == "transfer") return;
    if (std::optional<Finding> finding = DifferentColors(ref_, dis_, Score(" --force")))
      have_other_colors_ = true, findings_.push_back(*std::move(finding));
  }

  /// Fields of two moments comb where the picture has edges, and lie apart in time even where it is smooth.
  static bool HoldsFields(const VideoProbe& video, const VideoProbe& other) {
    constexpr double kCombed = 0.15, kMore = 1.8, kEven = 0.1;
    if (video.combing > kCombed && video.combing > kMore * other.combing) return true;
    return IsUneven(video) && other.unevenness < kEven;
  }
  static bool IsUneven(const VideoProbe& video) { return video.unevenness > 0.35; }

  void CheckInterlacing() {
    const bool ref = HoldsFields(ref_, dis_), dis = HoldsFields(dis_, ref_);
    const bool told = ref_.facts.is_interlaced != dis_.facts.is_interlaced;
    if (ref == dis && !told) return;
    const VideoProbe& video = ref || (!dis && ref_.facts.is_interlaced) ? ref_ : dis_;
    // Fine lines that were scaled look like some combs.
    const double combing = std::max(ref_.combing, dis_.combing);
    const bool is_scaled = ref_.format.height != dis_.format.height;
    const double seen = is_scaled && combing < 0.3 ? 0.5 : 0.83 + 0.3 * std::min(combing, 0.4);
    const double confidence = ref == dis ? 0.7 : IsUneven(video) ? std::max(seen, 0.92) : seen;
    Add("interlaced", confidence,
        fmt::format("{} is interlaced and the other video is not{}.", video.name,
                    ref != dis ? "" : ", as its stream says, though few moving frames show it"),
        Deinterlace(video.name));
  }

  /// Bars on one side, or a picture of another shape.
  void CheckCrop() {
    const Rectangle a = ContentOf(ref_), b = ContentOf(dis_);
    const double shape = ShapeOf(ref_, WholeOf(ref_)), other = ShapeOf(dis_, WholeOf(dis_));
    constexpr double kSame = 0.015;
    const bool parts_differ = [&] {
      const auto relative = [](const Rectangle& part, const VideoProbe& video) {
        return std::array{static_cast<double>(part.width) / video.format.width,
                          static_cast<double>(part.height) / video.format.height,
                          static_cast<double>(part.x) / video.format.width,
                          static_cast<double>(part.y) / video.format.height};
      };
      const auto one = relative(a, ref_), two = relative(b, dis_);
      for (size_t i = 0; i < one.size(); ++i)
        if (std::abs(one[i] - two[i]) > kSame) return true;
      return false;
    }();
    if (parts_differ && ref_.content && dis_.content) {
      const bool fits = !Differ(ShapeOf(ref_, a), ShapeOf(dis_, b), 0.03);
      Add("crop", 0.93,
          fmt::format("The picture of {} is {} within {}x{}, that of {} {} within {}x{}: black bars differ.", ref_.name,
                      ToText(a), ref_.format.width, ref_.format.height, dis_.name, ToText(b), dis_.format.width,
                      dis_.format.height),
          Score(fits ? " --crop auto" : CropsOfBars(a, b)));
      return;
    }
    if (CheckShape()) return;
    if (placement_) return AddPlacement();
    if (std::optional<Cut> cut = FindCrop(ref_, dis_, match_)) {
      cut_fits_ = std::move(cut->fits);
      const std::string crop = cut->is_of_reference
                                   ? fmt::format(" --crop {},{}", ToText(cut->part), ToText(WholeOf(dis_)))
                                   : fmt::format(" --crop {},{}", ToText(WholeOf(ref_)), ToText(cut->part));
      const auto& [whole, part] = cut->is_of_reference ? std::tie(ref_, dis_) : std::tie(dis_, ref_);
      Add("crop", 0.92, fmt::format("{} shows only the part {} of {}.", part.name, ToText(cut->part), whole.name),
          Score(crop));
      return;
    }
    if (Differ(shape, other, 0.03))
      Add("crop", 0.9,
          fmt::format("{} is shown {:.3f} times as wide as high and {} {:.3f} times: one was {}.", ref_.name, shape,
                      dis_.name, other,
                      alignment_ ? "squashed, or tells a wrong shape of its pixels" : "cropped or squashed"),
          Score(alignment_ ? " --force" : " --crop auto"));
  }

  static ShapedVideo ShapedOf(const VideoProbe& video) {
    return {video.format, ContentOf(video), video.facts.pixel_aspect};
  }

  /// Rows or columns that were cut off, as few as the rounding of sizes to whole blocks, told by whole pictures.
  bool CheckShape() {
    const ShapedVideo one = ShapedOf(ref_), other = ShapedOf(dis_);
    if (!ShapesDiffer(one, other)) return false;
    CropSearch finder(one, other);
    for (size_t i = 0; i < dis_.pictures.size(); ++i) {
      const auto wanted = static_cast<int>(std::lround(match_.rate * dis_.picture_frames[i] + match_.offset));
      const auto found = std::ranges::find(ref_.picture_frames, wanted);
      if (found != ref_.picture_frames.end())
        finder.Add(ref_.pictures[found - ref_.picture_frames.begin()], dis_.pictures[i]);
    }
    const std::optional<ShapeParts> parts = finder.Find();
    if (!parts) return false;
    const bool is_of_reference = parts->reference != ContentOf(ref_);
    const auto& [whole, part] = is_of_reference ? std::tie(ref_, dis_) : std::tie(dis_, ref_);
    cut_fits_ = FitsOfParts(ref_, parts->reference, dis_, parts->distorted, match_);
    Add("crop", 0.93,
        fmt::format("{} shows only the part {} of {}.", part.name,
                    ToText(is_of_reference ? parts->reference : parts->distorted), whole.name),
        Score(fmt::format(" --crop {},{}", ToText(parts->reference), ToText(parts->distorted))));
    return true;
  }

  /// Where contents within bars have other shapes, one shows a part of the other, or is squashed.
  std::string CropsOfBars(const Rectangle& a, const Rectangle& b) const {
    if (const auto cut = FindCrop(ref_, dis_, match_))
      return cut->is_of_reference ? fmt::format(" --crop {},{}", ToText(cut->part), ToText(b))
                                  : fmt::format(" --crop {},{}", ToText(a), ToText(cut->part));
    return fmt::format(" --crop {},{} --force", ToText(a), ToText(b));
  }

  static ShownPicture ShownBy(const VideoProbe& video) {
    return {video.name, ContentOf(video), video.format.pixel_format, video.facts.pixel_aspect};
  }

  /// What the fingerprints tell of a cut that was scaled back.
  void AddPlacement() {
    const PlacedParts parts = PartsOf(placement_->placement, ShownBy(ref_), ShownBy(dis_));
    cut_fits_ = FitsOfParts(ref_, parts.reference, dis_, parts.distorted, match_);
    const char* const doubt = placement_->is_sure ? "." : ", or nearly that: others fit as well at other times.";
    Add("crop", placement_->is_sure ? 0.92 : 0.6, parts.sentence + doubt, Score(" " + parts.options));
  }

  void CheckTime() {
    const std::optional<double> a = ref_.frame_rate, b = dis_.frame_rate;
    const bool rates_differ = a && b && Differ(*a, *b, 0.01);
    const bool drifts = are_places_clear() && match_.rate != 1 && !PathLeavesLine();
    if (rates_differ || drifts) {
      const std::string rates =
          rates_differ ? fmt::format("{} has {:.6g} frames/s and {} {:.6g}", ref_.name, *a, dis_.name, *b)
                       : fmt::format("A frame of {} lasts {:.4g} frames of {}", dis_.name, match_.rate, ref_.name);
      Add("frame-rate", rates_differ ? 0.94 : 0.9, rates + ", so that equal numbers show different moments.",
          rates_differ ? Score(" --align time") : Retime(dis_.name, match_.rate, ref_.name));
      return;
    }
    if (!is_matched()) {
      if (!CheckShift()) CheckWhetherSame();
      return;
    }
    if (alignment_) return CheckPath();
    const bool drops = match_.steps > 0 && match_.support < 0.93;
    if (drops || match_.repeats > 1)
      AddDrops(0.9,
               fmt::format("their order jumps {} times, and {} repeat the one before", match_.steps, match_.repeats));
    else if (match_.offset != 0)  // distorted frame j shows reference frame j + offset
      AddOffset(0.5 + match_.support * 0.45, -match_.offset);
  }

  /// Dropped frames leave steps in a path, where another rate has a line that is rounded to whole frames.
  bool PathLeavesLine() const {
    constexpr double kSure = 0.9, kRounded = 1.6;
    if (!alignment_ || alignment_->by != Alignment::By::kFingerprints || alignment_->confidence < kSure) return false;
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (const auto& [reference, distorted] : alignment_->pairs) {
      const double at = static_cast<double>(reference) - match_.rate * static_cast<double>(distorted);
      least = std::min(least, at), most = std::max(most, at);
    }
    return most - least > kRounded;
  }

  /// An encode may hide a frame or two of a video that starts elsewhere.
  void CheckPath() {
    const Alignment& path = *alignment_;
    const int64_t late = path.late(), changed = path.dropped() + path.repeated();
    constexpr int64_t kFew = 2;
    const bool few = changed <= kFew && late != 0;
    if (late == 0 && changed == 0 && match_.repeats > 1)  // too few for a pairing to leave the order of frames
      AddDrops(0.8, fmt::format("{} repeat the one before where the reference moves", match_.repeats));
    if (late != 0) AddOffset((few ? 0.95 : 0.85) * path.confidence, late);
    if (changed > 0)
      AddDrops((changed == 1 ? 0.5
                : few        ? 0.6
                             : 0.9) *
                   path.confidence,
               fmt::format("{} were dropped, and {} come twice or more", path.dropped(), path.repeated()));
  }

  /// One video may end long before the other does.
  void CheckEnds() {
    const auto is_found = [&](const char* cause) {
      return std::ranges::any_of(findings_, [&](const Finding& finding) { return finding.cause == cause; });
    };
    if (!ref_.track.is_whole || !dis_.track.is_whole || is_found("damage") || is_found("frame-rate")) return;
    int64_t late = 0;  // by how many frames more of the reference than of the distorted video come after the last pair
    if (alignment_) late = alignment_->pairs.back().second - alignment_->pairs.back().first;
    else if (is_matched()) late = -match_.offset;
    const int64_t missing = ref_.frames - (dis_.frames - late), longer = std::max(ref_.frames, dis_.frames);
    constexpr int64_t kFew = 8;
    constexpr double kShare = 0.05;
    const double share = static_cast<double>(std::abs(missing)) / static_cast<double>(longer);
    if (std::abs(missing) <= kFew || share < (is_matched() ? kShare : 0.5)) return;
    const VideoProbe &cut = missing > 0 ? dis_ : ref_, &whole = missing > 0 ? ref_ : dis_;
    // Where a stream breaks off, the frames before that come without those that they need.
    constexpr int64_t kFewLost = 4;
    const int64_t lost = alignment_ && alignment_->late() == 0 ? alignment_->dropped() + alignment_->repeated() : 0;
    const double alone = findings_.empty() ? std::min(0.6 + share / 2, 0.9) : std::min(0.4 + share / 2, 0.7);
    Add("damage", lost > 0 && lost <= kFewLost ? 0.91 : alone,
        fmt::format("{} ends {} frames before {} does: its end is missing, or was trimmed.", cut.name,
                    std::abs(missing), whole.name),
        Score());
  }

  void AddDrops(double confidence, const std::string& what) {
    Add("drops", ConfidenceOfPath(confidence),
        fmt::format("Frames of {} are missing or repeated: {}.", dis_.name, what), Score(" --align auto"));
  }

  /// The paths of pictures of which one is a part of the other's are not sure.
  double ConfidenceOfPath(double confidence) const { return cut_fits_.empty() ? confidence : 0.9 * confidence; }

  void AddOffset(double confidence, int64_t late) {
    const int64_t frames = std::abs(late);
    const auto& [behind, ahead] = late > 0 ? std::tie(dis_.name, ref_.name) : std::tie(ref_.name, dis_.name);
    Add("offset", ConfidenceOfPath(confidence),
        fmt::format("{} is {} frame{} {}: what the first frame of {} shows, frame {} of {} does.", dis_.name, frames,
                    frames == 1 ? "" : "s", late > 0 ? "late" : "early", ahead, frames, behind),
        Score(fmt::format(" --align {:+}", late)));
  }

  /// In slow zooms and the like no single frame has a clear place; all of them together may have one.
  bool CheckShift() {
    constexpr double kFits = 0.1, kBetter = 2.5;
    if (!findings_.empty()) return false;
    const Shift shift = BestShift(ref_.thumbs, dis_.thumbs);
    if (shift.error > kFits || !shift.is_unique || ErrorOfShift(ref_.thumbs, dis_.thumbs, 0) < kBetter * shift.error)
      return false;
    AddOffset(0.7, -shift.offset);
    return true;
  }

  bool are_unlike() const {
    double error = 0;
    const size_t count = std::min(ref_.thumbs.size(), dis_.thumbs.size());
    for (size_t i = 0; i < count; ++i) error += FitBrightness(ref_.thumbs[i], dis_.thumbs[i]).error;
    constexpr double kUnlike = 0.6;
    return error > kUnlike * static_cast<double>(count);
  }

  void CheckWhetherSame() {
    if (findings_.empty() && are_unlike()) Add("different", 0.8, "The two videos do not seem to show the same.", "");
  }

  /// The brightness that fits best over all matched frames.
  BrightnessFit Brightness() const {
    std::vector<double> slopes, shifts;
    const auto add = [&](const BrightnessFit& fit) {
      if (fit.error > 0.3) return;
      slopes.push_back(fit.slope / std::sqrt(1 - fit.error * fit.error)), shifts.push_back(fit.shift);
    };
    for (int j = 0; j < std::ssize(dis_.thumbs) && cut_fits_.empty(); ++j) {
      const auto i = static_cast<int64_t>(std::lround(match_.rate * j + match_.offset));
      if (i >= 0 && i < std::ssize(ref_.thumbs)) add(FitBrightness(ref_.thumbs[i], dis_.thumbs[j]));
    }
    for (const BrightnessFit& fit : cut_fits_) add(fit);
    if (slopes.empty()) return {};
    std::ranges::nth_element(slopes, slopes.begin() + std::ssize(slopes) / 2);
    std::ranges::nth_element(shifts, shifts.begin() + std::ssize(shifts) / 2);
    return {slopes[slopes.size() / 2], shifts[shifts.size() / 2], 0};
  }

  BrightnessCurve Curve() const {
    constexpr int kStep = 4;
    std::vector<std::pair<const Thumbnail*, const Thumbnail*>> pairs;
    for (int j = 0; j < std::ssize(dis_.thumbs); j += kStep) {
      const auto i = static_cast<int64_t>(std::lround(match_.rate * j + match_.offset));
      if (i >= 0 && i < std::ssize(ref_.thumbs)) pairs.emplace_back(&ref_.thumbs[i], &dis_.thumbs[j]);
    }
    return FitCurve(pairs);
  }

  void AddToldRanges(bool is_reference_full) {
    const auto& [full, limited] = is_reference_full ? std::tie(ref_.name, dis_.name) : std::tie(dis_.name, ref_.name);
    Add("range", 0.4, fmt::format("{} has full range and {} limited; acutance score converts that.", full, limited),
        Score());
  }

  void CheckRange() {
    const bool a = ref_.color.full_range.value_or(false), b = dis_.color.full_range.value_or(false);
    // Other mixtures of colors have another brightness: there, only what is told can be said.
    if (have_other_colors_ && a != b) AddToldRanges(a);
    if (is_bent_ || have_other_colors_) return;
    const BrightnessFit fit = Brightness();
    constexpr double kNarrow = 219.0 / 255, kTolerance = 0.045, kShift = 7;
    const bool narrowed = std::abs(fit.slope - kNarrow) < kTolerance && std::abs(fit.shift - 16) < kShift;
    const bool widened = std::abs(fit.slope * kNarrow - 1) < kTolerance && std::abs(fit.shift + 16 / kNarrow) < kShift;
    const bool told = a != b;
    // What the streams tell is converted; what their samples show may be something else.
    const bool is_mended = told && ((a && narrowed) || (b && widened));
    if (is_mended) {
      AddToldRanges(a);
    } else if (narrowed || widened || told) {
      const VideoProbe& full = narrowed || (!widened && a) ? ref_ : dis_;
      const VideoProbe& limited = &full == &ref_ ? dis_ : ref_;
      Add("range", 0.91,
          fmt::format(
              "{} uses the full range of samples and {} the limited one (brightness fits with {:.2f} x {:+.0f}){}.",
              full.name, limited.name, fit.slope, fit.shift,
              told ? ", and their streams tell it wrongly" : ", which no stream tells"),
          LimitRange(full.name));
    }
  }

  void CheckSwapped() {
    double signs = 0;
    std::vector<std::string> reasons;
    const auto count = [&](bool swapped, bool right, double weight, const char* reason) {
      signs += swapped ? weight : right ? -weight : 0;
      if (swapped) reasons.emplace_back(reason);
    };
    const int64_t a = int64_t{ref_.format.width} * ref_.format.height,
                  b = int64_t{dis_.format.width} * dis_.format.height;
    count(a<b, a> b, 0.5, "it is smaller");
    const bool ref_coded = IsLossy(ref_.facts), dis_coded = IsLossy(dis_.facts);
    const double coded = IsHighQualitySource(ref_coded ? ref_ : dis_) ? 0.3 : 0.8;
    count(ref_coded && !dis_coded, dis_coded && !ref_coded, coded, "only it is compressed");
    if (ref_.facts.bit_rate && dis_.facts.bit_rate && ref_coded && dis_coded) {
      const auto x = static_cast<double>(*ref_.facts.bit_rate), y = static_cast<double>(*dis_.facts.bit_rate);
      const double ratio = std::max(x, y) / std::min(x, y);
      count(x < 0.6 * y, y < 0.6 * x, std::min(0.7 + 0.12 * (ratio - 1 / 0.6), 1.2), "it has fewer bits a second");
    }
    if (a == b) {  // errors of an encode may add more than it loses
      const double less = std::min(ref_.detail, dis_.detail) / std::max(1e-9, std::max(ref_.detail, dis_.detail));
      const double weight = std::min(0.5, 4 * (1 - less));
      count(ref_.detail < 0.97 * dis_.detail, false, weight, "it has less detail");
      count(false, dis_.detail < 0.97 * ref_.detail, weight * (ref_coded && dis_coded ? 0.5 : 1), "");
    }
    if (signs < 0.45) return;
    Add("swapped", std::min(0.45 + 0.3 * signs, 0.9),
        fmt::format("{} looks like the encode of {}: {}.", ref_.name, dis_.name, fmt::join(reasons, ", ")),
        fmt::format("acutance score {} {}", ShellWord(request_.distorted), ShellWord(request_.reference)));
  }

  void CheckModel() {
    const bool is_hdr = ref_.color.is_hdr() && dis_.color.is_hdr();
    if (is_hdr)
      Add("model", 0.9, fmt::format("{} and {} are HDR, and the models know SDR alone.", ref_.name, dis_.name),
          Score(" --no-model -f psnr"));
    if (!request_.check_model) return;
    const PairFacts facts{ref_.format, ref_.frame_rate ? ref_.frame_rate : dis_.frame_rate, is_hdr};
    if (const auto problem = request_.check_model(facts))
      Add("model", 0.9, problem->first + ".", Score(problem->second));
  }

  void CheckSize() {
    const PictureFormat &a = ref_.format, &b = dis_.format;
    if (a.width == b.width && a.height == b.height) return;
    if (std::ranges::any_of(findings_, [](const Finding& finding) { return finding.cause == "crop"; })) return;
    Add("size", 0.55,
        fmt::format("{} is {}x{} and {} {}x{}; acutance score scales that.", ref_.name, a.width, a.height, dis_.name,
                    b.width, b.height),
        Score());
  }

  const DoctorRequest& request_;
  const VideoProbe ref_, dis_;
  Match match_;
  std::optional<Alignment> alignment_;  // not set: fingerprints cannot tell
  bool is_bent_ = false;                // brightness fits by a curve alone
  bool have_other_colors_ = false;      // the streams tell other matrices or primaries
  std::optional<FoundPlacement> placement_;
  std::vector<BrightnessFit> cut_fits_;  // where one video shows a part of the other: how that fits
  std::vector<Finding> findings_;
};

Finding CannotOpen(const std::string& path, const Status& status) {
  const bool interlaced = status.message().find("interlaced") != std::string::npos;
  return {interlaced ? "interlaced" : "damage", 0.98, fmt::format("{}.", status.message()),
          interlaced ? Deinterlace(path) : ""};
}

}  // namespace

Result<std::vector<Finding>> Diagnose(const DoctorRequest& request) {
  std::vector<VideoProbe> seen;
  for (const std::string& path : {request.reference, request.distorted}) {
    Result<VideoProbe> watched = Watch(path, request.open, kMostThumbs, kMostFrames);
    Status status = watched.ok() ? Status() : watched.status();
    if (watched.ok() && watched->thumbs.empty())
      status = watched->damage.ok() ? Error(StatusCode::kBadData, "{} has no frames", path) : watched->damage;
    if (status.code() == StatusCode::kBadData || status.code() == StatusCode::kUnsupported)
      return std::vector{CannotOpen(path, status)};
    ACU_RETURN_IF_ERROR(status);
    seen.push_back(std::move(watched).value());
  }
  return Doctor(request, std::move(seen[0]), std::move(seen[1])).Findings();
}

}  // namespace acutance
