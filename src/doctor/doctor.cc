#include "doctor/doctor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include "align/align_tracks.h"
#include "doctor/match.h"
#include "doctor/watch.h"
#include "io/lossy_codecs.h"

namespace acutance {
namespace {

constexpr int kMostThumbs = 400;
constexpr int64_t kMostFrames = 4000;
constexpr double kLeastSupport = 0.5;  // of a path that is to be believed
constexpr int kLeastClear = 8;

double ShapeOf(const Watched& video, const Rectangle& part) {
  return part.width * video.facts.pixel_aspect / part.height;
}

Rectangle WholeOf(const Watched& video) { return {video.format.width, video.format.height}; }
Rectangle ContentOf(const Watched& video) { return video.content.value_or(WholeOf(video)); }

bool Differ(double a, double b, double tolerance) { return std::abs(a - b) > tolerance * std::max(a, b); }

class Doctor {
 public:
  Doctor(const DoctorRequest& request, Watched reference, Watched distorted)
      : request_(request), ref_(std::move(reference)), dis_(std::move(distorted)) {}

  std::vector<Finding> Findings() && {
    const int most_offset = static_cast<int>(5.5 * ref_.frame_rate.value_or(dis_.frame_rate.value_or(25)));
    match_ = FindMatch(ref_.thumbs, dis_.thumbs, std::min(most_offset, static_cast<int>(ref_.thumbs.size())));
    AlignFrames();
    CheckDamage();
    if (CheckLengths() || CheckTurned()) return std::move(findings_);
    CheckTransfer();
    CheckInterlacing();
    CheckCrop();
    CheckTime();
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
    Result<Alignment> alignment = AlignTracks(ref_.track, dis_.track);
    const auto is_told = [&] {
      return alignment->doubt == Alignment::Doubt::kNone || alignment->doubt == Alignment::Doubt::kLost;
    };
    if (alignment.ok() && is_told() && !alignment->pairs.empty()) alignment_ = std::move(alignment).value();
  }

  /// One line explains the places, or pieces of lines do.
  bool is_matched() const { return alignment_ || are_places_clear(); }
  bool are_places_clear() const {
    return match_.clear >= kLeastClear && (match_.support >= kLeastSupport || is_in_order());
  }
  bool is_in_order() const { return match_.clear >= kLeastClear && match_.steps <= match_.clear / 4; }

  std::string Score(const std::string& options = "") const {
    return fmt::format("acutance score {} {}{}", request_.reference, request_.distorted, options);
  }

  void Add(std::string cause, double confidence, std::string sentence, std::string command) {
    findings_.push_back({std::move(cause), confidence, std::move(sentence), std::move(command)});
  }

  /// A picture is no video, and nothing else can be told of it.
  bool CheckLengths() {
    if (ref_.frames > 1 && dis_.frames > 1) return false;
    if (ref_.frames == dis_.frames) return false;
    const Watched& one = ref_.frames == 1 ? ref_ : dis_;
    const Watched& other = ref_.frames == 1 ? dis_ : ref_;
    Add("drops", 0.95, fmt::format("{} has one frame, and {} has {} or more.", one.name, other.name, other.frames),
        Score(" --align index"));
    return true;
  }

  /// Pictures that were turned while the stream still tells players to, or lie as they were stored since it no longer
  /// does.
  bool CheckTurned() {
    if (ref_.facts.orientation == dis_.facts.orientation || is_matched() || !are_unlike()) return false;
    const bool is_reference = ref_.facts.orientation != Orientation();
    const Watched &turned = is_reference ? ref_ : dis_, &other = is_reference ? dis_ : ref_;
    Add("turned", 0.9,
        fmt::format("{} is turned as its stream tells, and {} is {}: in one of them this was lost, or done already.",
                    turned.name, other.name, other.facts.orientation == Orientation() ? "not" : "turned otherwise"),
        fmt::format("ffmpeg -display_rotation 0 -i {} -map 0:v -c copy untold.mkv", turned.name));
    return true;
  }

  void CheckDamage() {
    for (const Watched* video : {&dis_, &ref_})
      if (!video->damage.ok())
        Add("damage", 0.97, fmt::format("{} breaks off or is damaged: {}.", video->name, video->damage.message()),
            Score(fmt::format(" --frames 0:{}", video->frames)));
  }

  void CheckTransfer() {
    const VideoColor &a = ref_.color, &b = dis_.color;
    if ((!a.is_hdr() && !b.is_hdr()) || a.transfer == b.transfer) return;
    const auto name = [](Transfer transfer) { return kTransferNames[static_cast<int>(transfer)]; };
    const std::string& hdr = a.is_hdr() ? ref_.name : dis_.name;
    Add("transfer", 0.96,
        fmt::format("{} is {} and {} {}: one of them was tone-mapped.", ref_.name, name(a.transfer), dis_.name,
                    name(b.transfer)),
        fmt::format("ffmpeg -i {} -vf zscale=t=linear:npl=100,format=gbrpf32le,tonemap=hable,zscale=t=bt709:m=bt709:p="
                    "bt709,format=yuv420p -c:v ffv1 sdr.mkv",
                    hdr));
  }

  void CheckInterlacing() {
    constexpr double kCombed = 0.15, kMore = 1.8;
    const bool ref = ref_.combing > kCombed && ref_.combing > kMore * dis_.combing;
    const bool dis = dis_.combing > kCombed && dis_.combing > kMore * ref_.combing;
    const bool told = ref_.facts.is_interlaced != dis_.facts.is_interlaced;
    if (ref == dis && !told) return;
    const Watched& video = ref || (!dis && ref_.facts.is_interlaced) ? ref_ : dis_;
    // Fine lines that were scaled look like some combs.
    const double combing = std::max(ref_.combing, dis_.combing);
    const bool is_scaled = ref_.format.height != dis_.format.height;
    const double seen = is_scaled && combing < 0.3 ? 0.5 : 0.83 + 0.3 * std::min(combing, 0.4);
    const double confidence = ref != dis ? seen : 0.7;
    Add("interlaced", confidence,
        fmt::format("{} is interlaced and the other video is not{}.", video.name,
                    ref != dis ? "" : ", as its stream says, though few moving frames show it"),
        fmt::format("ffmpeg -i {} -vf bwdif=mode=send_frame -c:v ffv1 progressive.mkv", video.name));
  }

  /// Bars on one side, or a picture of another shape.
  void CheckCrop() {
    const Rectangle a = ContentOf(ref_), b = ContentOf(dis_);
    const double shape = ShapeOf(ref_, WholeOf(ref_)), other = ShapeOf(dis_, WholeOf(dis_));
    constexpr double kSame = 0.015;
    const bool parts_differ = [&] {
      const auto relative = [](const Rectangle& part, const Watched& video) {
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
          Score(fits ? " --crop auto" : fmt::format(" --crop {},{}", ToText(a), ToText(b))));
      return;
    }
    if (const std::optional<Rectangle> part = FindCut(ref_, dis_, true)) {
      cut_fits_ = FitsOfPart(ref_, dis_, true, *part);
      return AddCut(ref_, dis_, *part, fmt::format(" --crop {},{}", ToText(*part), ToText(WholeOf(dis_))));
    }
    if (const std::optional<Rectangle> part = FindCut(dis_, ref_, false)) {
      cut_fits_ = FitsOfPart(dis_, ref_, false, *part);
      return AddCut(dis_, ref_, *part, fmt::format(" --crop {},{}", ToText(WholeOf(ref_)), ToText(*part)));
    }
    if (Differ(shape, other, 0.03))
      Add("crop", 0.9,
          fmt::format("{} is shown {:.3f} times as wide as high and {} {:.3f} times: one was cropped or squashed.",
                      ref_.name, shape, dis_.name, other),
          Score(" --crop auto"));
  }

  void AddCut(const Watched& whole, const Watched& cut, const Rectangle& part, const std::string& options) {
    Add("crop", 0.92, fmt::format("{} shows only the part {} of {}.", cut.name, ToText(part), whole.name),
        Score(options));
  }

  /// How a part of the pictures of `whole` fits those of `cut` that show the same.
  std::vector<BrightnessFit> FitsOfPart(const Watched& whole, const Watched& cut, bool whole_is_reference,
                                        const Rectangle& part) const {
    std::vector<BrightnessFit> fits;
    for (size_t i = 0; i < whole.pictures.size(); ++i) {
      const int frame = whole.picture_frames[i];
      const int other = whole_is_reference ? FrameAt(frame - match_.offset, match_.rate)
                                           : static_cast<int>(std::lround(match_.rate * frame + match_.offset));
      if (other < 0 || other >= std::ssize(cut.thumbs)) continue;
      const Thumb thumb = MakeThumb(whole.pictures[i], part);
      fits.push_back(whole_is_reference ? FitBrightness(thumb, cut.thumbs[other])
                                        : FitBrightness(cut.thumbs[other], thumb));
    }
    return fits;
  }

  /// The part of `whole` that `cut` shows, if that explains its pictures clearly better than the whole does.
  std::optional<Rectangle> FindCut(const Watched& whole, const Watched& cut, bool whole_is_reference) const {
    const Rectangle all = ContentOf(whole), cut_all = ContentOf(cut);
    std::vector<Rectangle> parts;
    const auto add = [&](int width, int height) {
      if (width > all.width || height > all.height || (width == all.width && height == all.height)) return;
      if (width < all.width / 2 || height < all.height / 2) return;
      for (const int x : {(all.width - width) / 2, 0, all.width - width})
        for (const int y : {(all.height - height) / 2, 0, all.height - height})
          parts.push_back(AlignToChroma({width, height, all.x + x, all.y + y}, whole.format.pixel_format));
    };
    add(cut_all.width, cut_all.height);
    for (int percent = 98; percent >= 60; percent -= 2) {
      add(all.width * percent / 100, all.height * percent / 100);
      add(all.width, all.height * percent / 100);
      add(all.width * percent / 100, all.height);
    }
    double of_whole = 0, best = 1;
    std::optional<Rectangle> found;
    for (size_t p = 0; p <= parts.size(); ++p) {
      const std::vector<BrightnessFit> fits =
          FitsOfPart(whole, cut, whole_is_reference, p < parts.size() ? parts[p] : all);
      if (fits.empty()) return std::nullopt;
      double error = 0;
      for (const BrightnessFit& fit : fits) error += fit.error;
      error /= static_cast<double>(fits.size());
      if (p == parts.size()) of_whole = error;
      else if (error < best) best = error, found = parts[p];
    }
    constexpr double kClear = 0.6, kBad = 0.06, kGood = 0.25;
    if (!found || of_whole < kBad || best > kClear * of_whole || best > kGood) return std::nullopt;
    return found;
  }

  static int FrameAt(int place, double rate) { return static_cast<int>(std::lround(place / rate)); }

  void CheckTime() {
    const std::optional<double> a = ref_.frame_rate, b = dis_.frame_rate;
    const bool rates_differ = a && b && Differ(*a, *b, 0.01);
    const bool drifts = are_places_clear() && match_.rate != 1;
    if (rates_differ || drifts) {
      const std::string rates =
          rates_differ ? fmt::format("{} has {:.6g} frames/s and {} {:.6g}", ref_.name, *a, dis_.name, *b)
                       : fmt::format("A frame of {} lasts {:.4g} frames of {}", dis_.name, match_.rate, ref_.name);
      Add("frame-rate", rates_differ ? 0.94 : 0.9, rates + ", so that equal numbers show different moments.",
          Score(rates_differ ? " --align time" : " --align auto"));
      return;
    }
    if (!is_matched()) return CheckWhetherSame();
    if (alignment_) return CheckPath();
    const bool drops = match_.steps > 0 && match_.support < 0.93;
    if (drops || match_.repeats > 1)
      AddDrops(0.9,
               fmt::format("their order jumps {} times, and {} repeat the one before", match_.steps, match_.repeats));
    else if (match_.offset != 0)  // distorted frame j shows reference frame j + offset
      AddOffset(0.5 + match_.support * 0.45, -match_.offset);
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

  void AddDrops(double confidence, const std::string& what) {
    Add("drops", confidence, fmt::format("Frames of {} are missing or repeated: {}.", dis_.name, what),
        Score(" --align auto"));
  }

  void AddOffset(double confidence, int64_t late) {
    const int64_t frames = std::abs(late);
    Add("offset", confidence,
        fmt::format("{} starts {} frame{} {} than {}.", dis_.name, frames, frames == 1 ? "" : "s",
                    late > 0 ? "earlier, in what it shows," : "later", ref_.name),
        Score(fmt::format(" --align {:+}", late)));
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

  void CheckRange() {
    const bool a = ref_.color.full_range.value_or(false), b = dis_.color.full_range.value_or(false);
    const BrightnessFit fit = Brightness();
    constexpr double kNarrow = 219.0 / 255, kTolerance = 0.045;
    const bool narrowed = std::abs(fit.slope - kNarrow) < kTolerance && fit.shift > 4;
    const bool widened = std::abs(fit.slope * kNarrow - 1) < kTolerance && fit.shift < -4;
    const bool told = a != b;
    // What the streams tell is converted; what their samples show may be something else.
    const bool is_mended = told && ((a && narrowed) || (b && widened));
    if (is_mended) {
      Add("range", 0.4,
          fmt::format("{} has full range and {} limited; acutance score converts that.", a ? ref_.name : dis_.name,
                      a ? dis_.name : ref_.name),
          Score());
    } else if (narrowed || widened || told) {
      const Watched& full = narrowed || (!widened && a) ? ref_ : dis_;
      const Watched& limited = &full == &ref_ ? dis_ : ref_;
      Add("range", 0.91,
          fmt::format(
              "{} uses the full range of samples and {} the limited one (brightness fits with {:.2f} x {:+.0f}){}.",
              full.name, limited.name, fit.slope, fit.shift,
              told ? ", and their streams tell it wrongly" : ", which no stream tells"),
          fmt::format("ffmpeg -i {} -vf scale=in_range=full:out_range=limited -c:v ffv1 limited.mkv", full.name));
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
    count(ref_coded && !dis_coded, dis_coded && !ref_coded, 0.8, "only it is compressed");
    if (ref_.facts.bit_rate && dis_.facts.bit_rate && ref_coded && dis_coded) {
      const auto x = static_cast<double>(*ref_.facts.bit_rate), y = static_cast<double>(*dis_.facts.bit_rate);
      const double ratio = std::max(x, y) / std::min(x, y);
      count(x < 0.6 * y, y < 0.6 * x, std::min(0.7 + 0.12 * (ratio - 1 / 0.6), 1.2), "it has fewer bits a second");
    }
    if (a == b) {  // errors of an encode may add more than it loses
      const double less = std::min(ref_.detail, dis_.detail) / std::max(1e-9, std::max(ref_.detail, dis_.detail));
      count(ref_.detail < 0.97 * dis_.detail, dis_.detail < 0.97 * ref_.detail, std::min(0.5, 4 * (1 - less)),
            "it has less detail");
    }
    if (signs < 0.45) return;
    Add("swapped", std::min(0.45 + 0.3 * signs, 0.9),
        fmt::format("{} looks like the encode of {}: {}.", ref_.name, dis_.name, fmt::join(reasons, ", ")),
        fmt::format("acutance score {} {}", request_.distorted, request_.reference));
  }

  void CheckModel() {
    const bool is_hdr = ref_.color.is_hdr() && dis_.color.is_hdr();
    if (is_hdr)
      Add("model", 0.9, fmt::format("{} and {} are HDR, and the models know SDR alone.", ref_.name, dis_.name),
          fmt::format("acutance score {} {} --no-model -f psnr", request_.reference, request_.distorted));
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
  const Watched ref_, dis_;
  Match match_;
  std::optional<Alignment> alignment_;   // not set: signatures cannot tell
  std::vector<BrightnessFit> cut_fits_;  // where one video shows a part of the other: how that fits
  std::vector<Finding> findings_;
};

Finding CannotOpen(const std::string& path, const Status& status) {
  const bool interlaced = status.message().find("interlaced") != std::string::npos;
  return {interlaced ? "interlaced" : "damage", 0.98, fmt::format("{}.", status.message()),
          interlaced ? fmt::format("ffmpeg -i {} -vf bwdif=mode=send_frame -c:v ffv1 progressive.mkv", path) : ""};
}

}  // namespace

Result<std::vector<Finding>> Diagnose(const DoctorRequest& request) {
  std::vector<Watched> seen;
  for (const std::string& path : {request.reference, request.distorted}) {
    Result<Watched> watched = Watch(path, request.open, kMostThumbs, kMostFrames);
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
