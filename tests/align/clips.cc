#include "clips.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <numbers>

#include "scenery.h"

namespace acutance::test {

const char* const kContentNames[kContents] = {
    "cuts",  "objects", "stops", "slow",      "grain",  "fades",     "twos", "scroll",    "periodic",
    "still", "screen",  "head",  "dissolves", "strobe", "fast cuts", "dark", "letterbox", "wheel",
    "zoom",  "water",   "crowd", "slides",    "ticker", "threes",    "rain", "game"};
const char* const kFaultNames[kFaults] = {"none",  "late", "early", "trimmed", "drops", "repeats",  "freezes",
                                          "mixed", "rate", "3:2",   "24to25",  "drift", "variable", "foreign"};

namespace {

class Scenes : public Source {
 public:
  Scenes(Random& random, Content content) : content_(content) {
    for (size_t k = 0; k < kTextures; ++k) textures_.emplace_back(random);
    for (double end = 0; end < 60;) {
      const bool cuts = content == Content::kCuts || content == Content::kFades || content == Content::kStops;
      end += cuts ? Uniform(random, 1, 4) : 100;
      const double speed = content == Content::kSlow ? 5 : 60;
      scenes_.push_back({end, random() % kTextures, Whole(random, 0, 255), Uniform(random, -speed, speed),
                         Uniform(random, -speed, speed) / 3, Uniform(random, 60, 180), random() % 2 == 0});
    }
    if (content == Content::kSlow) scenes_[0].vx = std::copysign(std::max(2.5, std::abs(scenes_[0].vx)), scenes_[0].vx);
    if (content == Content::kScroll) scenes_[0].vx = 0, scenes_[0].vy = Uniform(random, 8, 17);
    if (std::abs(scenes_[0].vx) + std::abs(scenes_[0].vy) < 10 && content == Content::kGrain) scenes_[0].vx = 20;
    period_ = Uniform(random, 0.3, 1.5);
    noise_.seed(random());
  }

  /// In whole frames of `rate`, so that a loop closes.
  void Fit(double rate) override { period_ = std::max(3.0, std::round(period_ * rate)) / rate; }

  Frame Render(double t, double rate) override {
    if (content_ == Content::kTwos) t = std::floor(t * rate / 2 + 1e-6) * 2 / rate;
    const Scene* scene = &scenes_[0];
    double begin = 0;
    for (const Scene& each : scenes_) {
      scene = &each;
      if (t < each.end - 1e-9) break;
      begin = each.end;
    }
    double s = t - begin, gain = 1;
    if (content_ == Content::kStill) s = 0;
    if (content_ == Content::kStops && scene->stands) s = 0;
    if (content_ == Content::kFades) gain = Fade(s, scene->end - t, t);
    double x0 = scene->vx * s, y0 = scene->vy * s, ox = 0, oy = 0;
    if (content_ == Content::kPeriodic) {
      const double turn = 2 * std::numbers::pi * s / period_;
      x0 = 9 * std::cos(turn), y0 = 6 * std::sin(turn);
    }
    if (content_ == Content::kObjects) {
      ox = 80 + 45 * std::sin(0.9 * s) + 6 * std::sin(5.1 * s), oy = 45 + 18 * std::sin(0.7 * s + 1);
      x0 = y0 = 0;
    }
    const Texture &back = textures_[scene->texture], &front = textures_[(scene->texture + 1) % kTextures];
    Frame frame(kWidth * kHeight);
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        double value = scene->level + back.At(x + x0 + scene->shift, y + y0 + 3 * scene->shift);
        if (content_ == Content::kObjects && std::hypot(x - ox, y - oy) < 14) value = 128 + front.At(x - ox, y - oy);
        if (content_ == Content::kGrain) value += Uniform(noise_, -12, 12);
        frame[y * kWidth + x] = static_cast<uint8_t>(std::clamp(gain * value, 0.0, 255.0));
      }
    return frame;
  }

 private:
  struct Scene {
    double end;
    size_t texture;
    int shift;
    double vx, vy, level;
    bool stands;
  };

  static double Fade(double since, double until, double t) {
    double gain = std::clamp(std::min(since, until) / 0.4, 0.0, 1.0);
    if (std::fmod(t, 3.1) < 0.05) gain *= 1.3;
    return gain;
  }

  static constexpr size_t kTextures = 5;

  Content content_;
  std::vector<Texture> textures_;
  std::vector<Scene> scenes_;
  double period_ = 1;
  Random noise_;
};

/// What an encode does to a picture, more or less.
struct Encode {
  double gain = 1, lift = 0, noise = 2;
  bool blur = false;

  explicit Encode(Random& random) {
    noise = Uniform(random, 0.5, 5);
    blur = random() % 2 == 0;
    if (random() % 4 == 0) gain = 219.0 / 255, lift = 16;  // a range mistaken
    else if (random() % 4 == 0) gain = Uniform(random, 0.9, 1.1), lift = Uniform(random, -4, 4);
  }

  Frame Apply(const Frame& from, Random& random) const {
    Frame to = from;
    for (int y = 0; y < kHeight; ++y)
      for (int x = 0; x < kWidth; ++x) {
        const auto at = [&](int px, int py) -> double {
          return from[std::clamp(py, 0, kHeight - 1) * kWidth + std::clamp(px, 0, kWidth - 1)];
        };
        double value = at(x, y);
        if (blur) value = (4 * value + at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1)) / 8;
        value = gain * value + lift + Uniform(random, -noise, noise);
        to[y * kWidth + x] = static_cast<uint8_t>(std::clamp(std::round(value), 0.0, 255.0));
      }
    // An error of whole blocks, which does not average out.
    for (int by = 0; by < kHeight; by += 8)
      for (int bx = 0; bx < kWidth; bx += 8) {
        const double error = Uniform(random, -noise, noise) / 4;
        for (int y = by; y < std::min(by + 8, kHeight); ++y)
          for (int x = bx; x < std::min(bx + 8, kWidth); ++x) {
            uint8_t& sample = to[y * kWidth + x];
            sample = static_cast<uint8_t>(std::clamp(std::round(sample + error), 0.0, 255.0));
          }
      }
    return to;
  }
};

double SquaredError(const Frame& a, const Frame& b) {
  int64_t sum = 0;
  for (size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return static_cast<double>(sum) / static_cast<double>(a.size());
}

FrameFingerprint FingerprintOfLuma(const Frame& luma, int width = kWidth, int height = kHeight) {
  Picture picture;
  picture.format = {width, height, 8, PixelFormat::k400};
  picture.planes[0] = {reinterpret_cast<const std::byte*>(luma.data()), width, width, height};
  return FingerprintOf(picture);
}

struct Encoded {
  std::vector<FrameFingerprint> fingerprints;  // at the encode's own size
  std::vector<Frame> frames;                   // at that of the source
  std::string text;                            // what encoded it
};

constexpr const char* kEncoders[] = {
    "-c:v libx264 -preset ultrafast -crf 24",
    "-c:v libx264 -preset superfast -crf 31",
    "-c:v libx264 -preset superfast -bf 3 -crf 38",
    "-c:v libx265 -preset ultrafast -x265-params log-level=none -crf 27",
    "-c:v libx265 -preset superfast -x265-params log-level=none -crf 36",
    "-c:v libsvtav1 -preset 12 -crf 35",
    "-c:v libsvtav1 -preset 12 -crf 52",
    "-c:v mpeg2video -q:v 8",
    "-c:v mpeg4 -q:v 10",
};
constexpr int kSizes[][2] = {{kWidth, kHeight}, {kWidth, kHeight}, {320, 180}, {128, 72}};

bool Write(const std::string& path, const std::vector<const Frame*>& frames) {
  std::ofstream file(path, std::ios::binary);
  const std::vector<char> chroma(kWidth * kHeight / 2, static_cast<char>(128));
  for (const Frame* frame : frames) {
    file.write(reinterpret_cast<const char*>(frame->data()), static_cast<std::streamsize>(frame->size()));
    file.write(chroma.data(), static_cast<std::streamsize>(chroma.size()));
  }
  return file.good();
}

std::vector<Frame> ReadLuma(const std::string& path, int width, int height) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  const size_t luma = static_cast<size_t>(width) * static_cast<size_t>(height), all = luma * 3 / 2;
  std::vector<Frame> frames;
  for (size_t at = 0; at + all <= bytes.size(); at += all) {
    const auto begin = bytes.begin() + static_cast<ptrdiff_t>(at);
    frames.emplace_back(begin, begin + static_cast<ptrdiff_t>(luma));
  }
  return frames;
}

/// Encodes and decodes by one of several encoders, strengths and sizes. Not set: the command failed, or frames are
/// missing.
std::optional<Encoded> EncodeFrames(const std::string& ffmpeg, const std::string& folder, double rate,
                                    const std::vector<const Frame*>& frames, Random& random) {
  const char* encoder = kEncoders[random() % std::size(kEncoders)];
  const auto& size = kSizes[random() % std::size(kSizes)];
  const std::string raw = folder + "/raw.yuv", coded = folder + "/coded.mkv", own = folder + "/own.yuv",
                    back = folder + "/back.yuv";
  if (!Write(raw, frames)) return std::nullopt;
  const std::string command = fmt::format(
      "{0} -nostdin -v error -y -f rawvideo -pix_fmt yuv420p -s {1}x{2} -r {3} -i {4} -vf scale={5}:{6} {7} {8} "
      "2>{8}.log && {0} -nostdin -v error -y -i {8} -map 0:v -fps_mode passthrough -pix_fmt yuv420p -f rawvideo {9} "
      "-map 0:v -fps_mode passthrough -vf scale={1}:{2} -pix_fmt yuv420p -f rawvideo {10} 2>>{8}.log",
      ffmpeg, kWidth, kHeight, rate, raw, size[0], size[1], encoder, coded, own, back);
  if (std::system(command.c_str()) != 0) return std::nullopt;
  Encoded encoded{{}, ReadLuma(back, kWidth, kHeight), fmt::format(", {} at {}x{}", encoder + 5, size[0], size[1])};
  for (const Frame& frame : ReadLuma(own, size[0], size[1]))
    encoded.fingerprints.push_back(FingerprintOfLuma(frame, size[0], size[1]));
  if (encoded.fingerprints.size() != frames.size() || encoded.frames.size() != frames.size()) return std::nullopt;
  return encoded;
}

constexpr double kRates[] = {24, 25, 30, 50, 60};

/// Builds the pair step by step: reference frames, which of them are shown, then their encodes.
class PairMaker {
 public:
  PairMaker(uint32_t seed, Content content, Fault fault, const Encoder& encoder)
      : random_(seed), content_(content), fault_(fault), encoder_(encoder) {
    if (content < Content::kScreen) source_ = std::make_unique<Scenes>(random_, content);
    else source_ = MakeScenery(random_, content);
  }

  TestPair Make() {
    rate_ = kRates[Whole(random_, 0, 4)];
    if (fault_ == Fault::kPulldown || fault_ == Fault::kSpeedUp) rate_ = 24;
    source_->Fit(rate_);
    count_ = static_cast<int>(Uniform(random_, 6, 14) * rate_);
    if (fault_ == Fault::kDrift) count_ = 1400;
    pair_.content = content_, pair_.fault = fault_;
    pair_.reference.rate = pair_.distorted.rate = rate_;
    MakeReference();
    Choose();
    Compare();
    Encode();
    pair_.text = fmt::format("{}, {}, {} of {} frames/s{}", kContentNames[static_cast<int>(content_)],
                             kFaultNames[static_cast<int>(fault_)], count_, rate_, text_);
    return std::move(pair_);
  }

 private:
  void MakeReference() {
    for (int i = 0; i < count_; ++i) {
      frames_.push_back(source_->Render(i / rate_, rate_));
      pair_.reference.fingerprints.push_back(FingerprintOfLuma(frames_.back()));
      int64_t same = i;
      for (int k = i - 1; k >= std::max(0, i - 200) && same == i; --k)
        if (frames_[k] == frames_.back()) same = pair_.same_as[k];
      pair_.same_as.push_back(same);
    }
  }

  void Show(int i) { pair_.shown.push_back(i); }

  void Choose() {
    int first = 0, last = count_;
    const int most = static_cast<int>(std::min(5 * rate_, 0.45 * count_));
    const bool late = fault_ == Fault::kLate || (fault_ == Fault::kMixed && random_() % 3 == 0);
    if (late) {
      const int foreign = Whole(random_, 1, most);
      text_ += fmt::format(", {} late", foreign);
      for (int k = 0; k < foreign; ++k) Show(-1);
      if (random_() % 2 == 0) last -= foreign;
    } else if (fault_ == Fault::kEarly || fault_ == Fault::kMixed) {
      first = Whole(random_, 1, most);
      text_ += fmt::format(", {} early", first);
    } else if (fault_ == Fault::kTrimmed) {
      first = Whole(random_, 0, most / 2), last -= Whole(random_, 1, most / 2);
      text_ += fmt::format(", frames {} to {}", first, last - 1);
    }
    if (fault_ == Fault::kRate) return Convert();
    if (fault_ == Fault::kPulldown) return ConvertTo(30);
    if (fault_ == Fault::kSpeedUp) pair_.distorted.rate = 25;
    const double part = Uniform(random_, 0.002, 0.05);
    int frozen = 0, previous = first;
    for (int i = first; i < last; ++i) {
      const bool hit = i > first + 2 && i < last - 3 && Uniform(random_, 0, 1) < part;
      const bool drops = fault_ == Fault::kDrops || fault_ == Fault::kVariable || fault_ == Fault::kMixed;
      if (hit && drops && (fault_ != Fault::kMixed || i % 2)) continue;
      if (fault_ == Fault::kDrift && i % 1000 == 999) continue;
      if (hit && fault_ == Fault::kFreezes && frozen == 0) frozen = Whole(random_, 1, 5);
      if (frozen > 0 && i < last - 3) {
        Show(previous);
        --frozen;
        continue;
      }
      Show(i);
      if (hit && (fault_ == Fault::kRepeats || fault_ == Fault::kMixed)) Show(i);
      previous = i;
      if (fault_ == Fault::kVariable) pair_.distorted.times.push_back(i / rate_);
    }
  }

  void Convert() {
    double to = rate_;
    while (to == rate_) to = kRates[Whole(random_, 0, 4)];
    ConvertTo(to);
  }

  void ConvertTo(double to) {
    const double phase = Uniform(random_, 0, 1);
    for (int j = 0; j / to < count_ / rate_; ++j) {
      const int i = static_cast<int>(std::floor(j * rate_ / to + phase + 1e-9));
      if (i < count_) Show(i);
    }
    pair_.distorted.rate = to;
    text_ += fmt::format(", to {} frames/s, phase {:.2f}", to, phase);
  }

  /// How far neighbouring reference frames are from each other.
  void Compare() {
    for (size_t i = 0; i < frames_.size(); ++i)
      for (size_t d = 1; d <= TestPair::kNeighbours; ++d) {
        const double apart = i + d < frames_.size() ? SquaredError(frames_[i], frames_[i + d]) : 1e9;
        pair_.apart.push_back(static_cast<float>(apart));
      }
  }

  void Encode() {
    std::vector<Frame> others;
    if (fault_ == Fault::kForeign)
      for (int64_t& i : pair_.shown) i = -1;
    const auto foreign = static_cast<size_t>(std::ranges::count(pair_.shown, -1));
    Scenes other(random_, Content::kCuts);
    for (size_t k = 0; k < foreign; ++k) others.push_back(other.Render(static_cast<double>(k) / rate_, rate_));
    std::vector<const Frame*> shown;
    auto next = others.begin();
    for (const int64_t i : pair_.shown) shown.push_back(i < 0 ? &*next++ : &frames_[i]);
    if (!encoder_.ffmpeg.empty()) {
      const double rate = pair_.distorted.rate.value_or(rate_);
      if (std::optional<Encoded> encoded = EncodeFrames(encoder_.ffmpeg, encoder_.folder, rate, shown, random_)) {
        text_ += encoded->text;
        for (size_t j = 0; j < shown.size(); ++j) pair_.errors.push_back(SquaredError(encoded->frames[j], *shown[j]));
        pair_.distorted.fingerprints = std::move(encoded->fingerprints);
        return;
      }
      text_ += ", FFmpeg FAILED";
    }
    const test::Encode encode(random_);
    text_ += fmt::format(", noise {:.1f}{}, gain {:.2f}", encode.noise, encode.blur ? ", blurred" : "", encode.gain);
    Frame last;
    for (size_t j = 0; j < shown.size(); ++j) {
      // An encode of a frame that comes again costs nothing, and hardly differs.
      if (j == 0 || shown[j] != shown[j - 1]) last = encode.Apply(*shown[j], random_);
      pair_.distorted.fingerprints.push_back(FingerprintOfLuma(last));
      pair_.errors.push_back(SquaredError(last, *shown[j]));
    }
  }

  Random random_;
  Content content_;
  Fault fault_;
  const Encoder& encoder_;
  std::unique_ptr<Source> source_;
  double rate_ = 25;
  int count_ = 0;
  std::vector<Frame> frames_;
  std::string text_;
  TestPair pair_;
};

}  // namespace

bool TestPair::LookAlike(int64_t i, int64_t k, int64_t j) const {
  if (i > k) std::swap(i, k);
  if (same_as[i] == same_as[k]) return true;
  if (k - i > static_cast<int64_t>(kNeighbours)) return false;
  const size_t at = static_cast<size_t>(i) * kNeighbours + static_cast<size_t>(k - i - 1);
  return apart[at] < 0.1 * errors[j];
}

TestPair MakePair(uint32_t seed, Content content, Fault fault, const Encoder& encoder) {
  return PairMaker(seed, content, fault, encoder).Make();
}

}  // namespace acutance::test
