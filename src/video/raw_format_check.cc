#include "video/raw_format_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "video/sample_coding.h"

namespace acutance {
namespace {

/// Samples of a file in their order, as if it had no frames.
class Samples {
 public:
  Samples(std::span<const std::byte> file, int bytes_each)
      : bytes_(reinterpret_cast<const uint8_t*>(file.data())),
        each_(bytes_each),
        count_(std::ssize(file) / bytes_each) {}

  int64_t count() const { return count_; }
  int operator[](int64_t i) const { return each_ == 1 ? bytes_[i] : bytes_[2 * i] | bytes_[2 * i + 1] << 8; }

 private:
  const uint8_t* bytes_;
  int each_;
  int64_t count_;
};

struct Part {
  int64_t begin = 0, end = 0;
};

/// The mean difference of samples of a part and those `lag` later. Runs of 64 samples, so that all columns count.
double Difference(const Samples& samples, Part part, int64_t lag, int64_t most = 4096) {
  constexpr int64_t kRun = 64;
  part.end = std::min(part.end, samples.count() - lag);
  if (part.end - part.begin < kRun) return -1;
  const int64_t runs = std::clamp<int64_t>((part.end - part.begin) / kRun, 1, most / kRun);
  int64_t sum = 0;
  for (int64_t r = 0; r < runs; ++r) {
    const int64_t at = part.begin + (part.end - part.begin - kRun) * r / std::max<int64_t>(runs - 1, 1);
    for (int64_t i = at; i < at + kRun; ++i) sum += std::abs(samples[i] - samples[i + lag]);
  }
  return static_cast<double>(sum) / static_cast<double>(runs * kRun);
}

int64_t ChromaOf(PixelFormat format, int64_t luma) {
  switch (format) {
    case PixelFormat::k400:
      return 0;
    case PixelFormat::k420:
      return luma / 2;
    case PixelFormat::k422:
      return luma;
    case PixelFormat::k444:
      return 2 * luma;
  }
  return 0;
}

std::string InWords(PixelFormat format) {
  const std::string_view name = PixelFormatName(format);
  return fmt::format("{}:{}:{}", name[0], name[1], name[2]);
}

constexpr int kTopStep = 256;  // that of 8-bit samples at the top of 16

struct Size {
  int64_t width = 0, height = 0;
};

class FormatCheck {
 public:
  FormatCheck(std::span<const std::byte> file, const PictureFormat& told, bool is_semi_planar)
      : file_(file),
        told_(told),
        is_semi_planar_(is_semi_planar),
        samples_(file, told.BytesPerSample()),
        luma_(int64_t{told.width} * told.height),
        frame_(FrameSamples({told.width, told.height})),
        step_(1 << (told.bit_depth - 8 + (is_semi_planar && told.bit_depth > 8 ? 16 - told.bit_depth : 0))) {}

  std::optional<RawFormatDoubt> Find() const {
    // Fewer bytes than a few rows say nothing.
    if (luma_ < 1024 || samples_.count() < luma_ / 2 || told_.bit_depth > 16) return std::nullopt;
    if (auto coding = DoubtCoding()) return coding;
    if (auto order = DoubtOrder()) return order;
    if (auto size = DoubtWidth()) return size;
    if (auto chroma = DoubtChroma()) return chroma;
    if (FitsFile()) return DoubtDouble();
    if (auto size = DoubtHeight()) return size;
    if (const std::optional<int64_t> width = FindWidth(0.85, 0)) return WidthDoubt(*width);
    return DoubtDouble();
  }

 private:
  int64_t FrameSamples(Size size) const {
    if (told_.pixel_format == PixelFormat::k444) return 3 * size.width * size.height;
    const int64_t half = (size.width + 1) / 2;
    const int64_t rows = told_.pixel_format == PixelFormat::k420 ? (size.height + 1) / 2 : size.height;
    return size.width * size.height + (told_.pixel_format == PixelFormat::k400 ? 0 : 2 * half * rows);
  }

  bool Divides(int64_t frame) const {
    const int64_t bytes = frame * told_.BytesPerSample();
    return frame > 0 && std::ssize(file_) % bytes == 0;
  }
  bool FitsFile() const { return Divides(frame_); }

  /// A frame of the file: the first, or one in the middle or at the end, at which any frame of half the size begins,
  /// too.
  int64_t FrameAt(int part) const { return samples_.count() / frame_ * part / 2 / 2 * 2 * frame_; }

  FilePieces CutPieces() const {
    constexpr int64_t kPiece = 2048, kSpread = 64, kRows = 8;
    FilePieces pieces;
    const auto* bytes = reinterpret_cast<const uint8_t*>(file_.data());
    const auto add = [&](auto& to, int64_t at) {
      at = at / 2 * 2;
      if (at >= 0 && at + 64 <= std::ssize(file_))
        to.push_back({bytes + at, static_cast<size_t>(std::min(kPiece, std::ssize(file_) - at))});
    };
    for (int part = 0; part < 3; ++part)
      for (int64_t k = 0; k < kRows; ++k)
        add(pieces.luma, told_.BytesPerSample() * (FrameAt(part) + luma_ / 2 * k / kRows));
    pieces.all = pieces.luma;
    for (int64_t k = 0; k < kSpread; ++k) add(pieces.all, std::ssize(file_) * k / kSpread);
    if (told_.BytesPerSample() == 2 && frame_ > luma_) {
      double sum = 0;
      int64_t count = 0;
      for (int64_t i = luma_; i < std::min(frame_, samples_.count()); i += 17, ++count) sum += samples_[i];
      if (count > 0) pieces.chroma_mean = sum / static_cast<double>(count);
    }
    return pieces;
  }

  std::optional<RawFormatDoubt> DoubtCoding() const {
    const SampleCoding told{told_.bit_depth, false, is_semi_planar_ && told_.bit_depth > 8};
    const std::optional<SampleCoding> other = FindOtherCoding(CutPieces(), told);
    if (!other) return std::nullopt;
    RawFormatDoubt doubt;
    doubt.told = told.is_at_top ? "p010" : fmt::format("{} bits", told.bit_depth);
    const std::string name = fmt::format("{}be", other->is_at_top ? 16 : other->bit_depth);
    const std::string_view chroma = PixelFormatName(told_.pixel_format);
    const std::string ffmpeg = chroma == "400" ? "gray" + name : fmt::format("yuv{}p{}", chroma, name);
    doubt.better = fmt::format("{} bits", other->bit_depth);
    if (other->is_big_endian) {
      doubt.better = fmt::format("big-endian samples of {} bits", other->is_at_top ? 16 : other->bit_depth);
      doubt.told = "little-endian ones";
      doubt.format = ffmpeg;
    } else if (other->is_at_top) {
      // Without chroma in pairs they are 16 bits that were made of fewer.
      const bool is_paired = told_.pixel_format == PixelFormat::k420 && ArePaired(Samples(file_, 2), kTopStep);
      if (is_paired && other->bit_depth == 10) doubt.better = "p010", doubt.options = "--pixel-format p010";
      else if (is_paired) doubt.better = "p012", doubt.format = "p012le";
      else doubt.better = "16 bits", doubt.options = "--bit-depth 16";
    } else if (is_semi_planar_ && told_.bit_depth == 8) {
      return std::nullopt;
    } else {
      doubt.options = fmt::format("--bit-depth {}", other->bit_depth);
      if (is_semi_planar_ && other->bit_depth == 8) doubt.better = "nv12", doubt.options = "--pixel-format nv12";
      else if (is_semi_planar_) doubt.better += " in planes", doubt.options += " --pixel-format 420";
    }
    return doubt;
  }

  Part Chroma(int64_t frame) const {
    const int64_t part = luma_ / 2;  // the least that 4:2:0 has
    return {frame + luma_, std::min(frame + luma_ + part, samples_.count())};
  }

  /// Whether Cb and Cr alternate behind luma: samples resemble those two before, not their neighbours, and rows are as
  /// wide as luma's. Flat planes show neither.
  bool ArePaired(const Samples& samples, int step) const {
    const Part part = {luma_, std::min(luma_ + luma_ / 2, samples.count())};
    const double next = Difference(samples, part, 1), second = Difference(samples, part, 2);
    const double half = Difference(samples, part, told_.width / 2 | 1), row = Difference(samples, part, told_.width);
    return second >= 0 && row >= 0 && next > 2 * second + step && half > 1.5 * row;
  }

  /// Whether chroma is in planes: neighbours are closer than samples two apart, and rows half as wide as luma's.
  bool AreInPlanes() const {
    const Part part = {luma_, std::min(luma_ + luma_ / 2, samples_.count())};
    const double next = Difference(samples_, part, 1), second = Difference(samples_, part, 2);
    const double half = Difference(samples_, part, told_.width / 2), row = Difference(samples_, part, told_.width);
    const double least = 0.3 * step_;
    if (second > least && next < 0.95 * second && row > least && half < 0.9 * row) return true;
    // Noise hides that. Then the means of Cb and Cr must differ, and those of even and odd columns must not.
    if (next > 1.1 * second || half > 1.1 * row) return false;
    double sums[2][2] = {};
    const int64_t middle = (part.end - part.begin) / 2;
    for (int64_t i = 0; i < 2 * middle; ++i) sums[i / middle][i & 1] += samples_[part.begin + i];
    const double planes = std::abs(sums[0][0] + sums[0][1] - sums[1][0] - sums[1][1]) / static_cast<double>(middle);
    const double columns = std::abs(sums[0][0] + sums[1][0] - sums[0][1] - sums[1][1]) / static_cast<double>(middle);
    return planes > 4.0 * step_ && columns < 0.1 * planes;
  }

  /// Whether samples of two bytes have at most ten bits, at the top.
  bool HasEmptyBits() const {
    for (int64_t i = 0; i < std::min(frame_, samples_.count()); i += 7)
      if (samples_[i] % 64 != 0) return false;
    return true;
  }

  std::optional<RawFormatDoubt> DoubtOrder() const {
    if (told_.pixel_format != PixelFormat::k420 || samples_.count() < frame_) return std::nullopt;
    const bool is_wide = told_.bit_depth > 8;
    if (!is_semi_planar_ && ArePaired(samples_, step_)) {
      if (!is_wide) return RawFormatDoubt{"nv12", "4:2:0 in planes", "--pixel-format nv12", ""};
      if (HasEmptyBits()) return RawFormatDoubt{"p010", "4:2:0 in planes", "--pixel-format p010", ""};
      return RawFormatDoubt{"p016", "4:2:0 in planes", "", "p016le"};
    }
    if (is_semi_planar_ && AreInPlanes()) {
      if (!is_wide) return RawFormatDoubt{"4:2:0 in planes", "nv12", "--pixel-format 420", ""};
      return RawFormatDoubt{"16 bits in planes", "p010", "--pixel-format 420 --bit-depth 16", ""};
    }
    return std::nullopt;
  }

  /// How little frames of this many samples change: the mean over some parts of the file. -1: fewer than two.
  double Change(int64_t frame) const {
    const int64_t span = std::min(samples_.count(), 8 * std::max(frame, frame_));
    return Difference(samples_, {0, span - frame}, frame, 16384);
  }

  /// The difference of samples that have nothing to do with each other.
  double Unrelated() const {
    double sum = 0;
    int count = 0;
    for (const double part : {0.237, 0.381, 0.443, 0.617}) {
      const auto lag = static_cast<int64_t>(part * static_cast<double>(luma_)) | 1;
      const double found = Difference(samples_, {0, std::min(samples_.count(), 4 * frame_)}, lag, 8192);
      if (found >= 0) sum += found, ++count;
    }
    return count > 0 ? sum / count : 0;
  }

  /// Whether frames of this size repeat and those of the declared size do not. Of two sizes that both fit the file the
  /// evidence must be stronger.
  bool Repeats(int64_t frame) const {
    if (frame == frame_ || (!Divides(frame) && FitsFile())) return false;
    const double told = Change(frame_), other = Change(frame);
    if (other < 0 || told < 0) return false;
    const double ratio = FitsFile() || !Divides(frame) ? 0.4 : 0.6;
    return told > 1.5 * step_ && other < ratio * told && other < 0.5 * Unrelated();
  }

  /// Whether the declared frame holds several smaller ones.
  bool RepeatsWithin(int64_t frame) const {
    if (frame_ % frame != 0 || samples_.count() < 2 * frame) return false;
    const double other = Change(frame), told = Change(frame_);
    return (told < 0 || other <= 1.1 * told + 0.1 * step_) && other < 0.4 * Unrelated();
  }

  /// Whether rows half as wide as the declared ones are closer to each other than those.
  bool IsSubsampled(Part part) const {
    const double half = Difference(samples_, part, told_.width / 2), row = Difference(samples_, part, told_.width);
    return half >= 0 && row > 0.3 * step_ && half < 1.1 * row;
  }

  std::optional<RawFormatDoubt> DoubtChroma() const {
    for (const PixelFormat format : {PixelFormat::k420, PixelFormat::k400, PixelFormat::k422, PixelFormat::k444}) {
      const int64_t frame = luma_ + ChromaOf(format, luma_);
      if (format == told_.pixel_format || (format == PixelFormat::k400 && told_.pixel_format == PixelFormat::k444))
        continue;
      if (told_.width % 2 != 0 || told_.height % 2 != 0) continue;
      const bool is_multiple = frame % frame_ == 0, is_part = frame_ % frame == 0;
      const bool is_found = is_part       ? RepeatsWithin(frame)
                            : is_multiple ? !is_semi_planar_ && Repeats(frame) && IsMixed(frame)
                                          : Repeats(frame);
      if (!is_found) continue;
      const std::string told = is_semi_planar_ ? (told_.bit_depth == 8 ? "nv12" : "p010") : InWords(told_.pixel_format);
      if (format == PixelFormat::k420 && ArePaired(samples_, step_) && !is_semi_planar_ && told_.bit_depth == 8)
        return RawFormatDoubt{"nv12", told, "--pixel-format nv12", ""};
      if (is_multiple && frame == 2 * frame_ && frame_ != luma_ && IsSubsampled({2 * luma_, 3 * luma_}))
        return SizeDoubt({told_.width, 2 * int64_t{told_.height}});
      return RawFormatDoubt{InWords(format), told, fmt::format("--pixel-format {}", PixelFormatName(format)), ""};
    }
    return std::nullopt;
  }

  /// Whether luma of the second declared frame is another plane than that of the first: frames of `whole` samples hold
  /// several. Its rows differ, or its mean does.
  bool IsMixed(int64_t whole) const {
    const auto frames = std::min<int64_t>(samples_.count() / whole, 4);
    double within = 0, across = 0;
    for (int64_t k = 0; k < frames; ++k) {
      const double inner = Difference(samples_, {k * whole, k * whole + luma_}, frame_);
      within += std::max(inner, 0.0);
      across += std::max(Difference(samples_, {k * whole, k * whole + luma_}, whole), 0.0);
    }
    // Pictures that alternate differ everywhere, chroma planes from luma in their rows: half a row apart they are alike
    // in subsampled planes, and nowhere in luma.
    const Part second = {frame_, frame_ + luma_};
    if (whole == 2 * luma_ && frame_ == luma_) return IsSubsampled(second) && across < 0.5 * within;
    if (whole == 3 * luma_ && frame_ == luma_) return 2 * Change(whole) < Change(2 * luma_);
    // 4:4:4 in which 4:2:0 would have its chroma: rows as wide as luma's.
    if (frame_ == luma_ + luma_ / 2) {
      const double half = Difference(samples_, Chroma(0), told_.width / 2);
      const double row = Difference(samples_, Chroma(0), told_.width);
      return row >= 0 && half > 2 * row + 0.5 * step_;
    }
    return false;
  }

  std::optional<RawFormatDoubt> DoubtWidth() const {
    const Size told = {told_.width, told_.height};
    for (const Size size : {Size{told.width / 2, told.height}, Size{told.width / 2, 2 * told.height},
                            Size{told.width / 3, told.height}, Size{told.width / 3, 3 * told.height},
                            Size{told.width / 4, 4 * told.height}, Size{told.width / 4, told.height}})
      if (IsNarrower(size)) return SizeDoubt(size);
    const std::optional<int64_t> width = FindWidth(0.5, 0.35);
    return width ? WidthDoubt(*width) : std::nullopt;
  }

  RawFormatDoubt SizeDoubt(Size size) const {
    const std::string named = fmt::format("{}x{}", size.width, size.height);
    if (size.width == told_.width)
      return {fmt::format("a height of {}", size.height), fmt::format("one of {}", told_.height), "--size " + named,
              ""};
    return {fmt::format("a width of {}", size.width), fmt::format("one of {}", told_.width), "--size " + named, ""};
  }

  Part MostDetailed() const {
    Part best;
    double most = -1;
    for (int part = 0; part < 3; ++part) {
      const Part luma = {FrameAt(part), FrameAt(part) + luma_};
      const double detail = Difference(samples_, luma, 1);
      if (detail > most) most = detail, best = luma;
    }
    return best;
  }

  /// Whether all parts of a declared row, each `width` wide, resemble what follows them alike.
  bool IsLikeEverywhere(int64_t width) const {
    const int64_t parts = told_.width / width;
    const Part luma = MostDetailed();
    const int64_t end = std::min(luma.end, samples_.count()) - told_.width;
    // Two like pictures side by side: the right one resembles the left, and the left the row above less.
    std::vector<double> places(static_cast<size_t>(parts));
    for (int64_t p = 0; p < parts; ++p) {
      int64_t sum = 0, count = 0;
      for (int64_t y = 0; luma.begin + (y + 2) * told_.width <= end; y += std::max<int64_t>(1, told_.height / 64))
        for (int64_t x = 0; x < width; ++x, ++count) {
          const int64_t at = luma.begin + y * told_.width + p * width + x;
          sum += std::abs(samples_[at] - samples_[at + width]);
        }
      places[static_cast<size_t>(p)] = static_cast<double>(sum) / static_cast<double>(std::max<int64_t>(count, 1));
    }
    const auto [least, most] = std::ranges::minmax(places);
    return most <= 1.4 * least;
  }

  /// Whether rows of the declared width hold several of another: those are closer to each other than whole ones, and
  /// far closer than unrelated samples, at each place of a row alike.
  bool IsNarrower(Size size) const {
    const int64_t parts = told_.width / size.width;
    if (size.width < 16 || size.width * parts != told_.width) return false;
    const Part luma = MostDetailed();
    const Part first = {luma.begin, std::min(luma.end, samples_.count()) - told_.width};
    const double row = Difference(samples_, first, size.width), rows = Difference(samples_, first, told_.width);
    const double apart = Unrelated();
    if (row < 0.2 * step_ || row > rows || row > 0.5 * apart) return false;
    if (!IsLikeEverywhere(size.width)) return false;
    if (size.height == told_.height) return RepeatsWithin(FrameSamples(size));
    // How far a shape is from 3:2, as a ratio of at least 1.
    const auto oddness = [](Size of) {
      const double ratio = static_cast<double>(of.width) / static_cast<double>(of.height) / 1.5;
      return std::max(ratio, 1 / ratio);
    };
    return 1.2 * oddness(size) < oddness({told_.width, told_.height});
  }

  /// The period of rows, whose differences are less than `ratio` of those of declared rows, which are at least
  /// `related` of those of unrelated samples; nullopt: none is clear.
  std::optional<int64_t> FindWidth(double ratio, double related) const {
    const Part luma = MostDetailed();
    const double row = Difference(samples_, luma, told_.width), apart = Unrelated();
    if (row < step_ || row < related * apart) return std::nullopt;
    const int64_t least = std::max(32, told_.width / 4), most = std::min<int64_t>({4 * told_.width, 8192, luma_ / 4});
    if (most - least < 32) return std::nullopt;
    std::vector<double> found;
    for (int64_t lag = least; lag <= most; ++lag) found.push_back(Difference(samples_, luma, lag, 2048));
    const auto best = std::ranges::min_element(found) - found.begin();
    const int64_t width = least + best;
    const double value = Difference(samples_, luma, width);
    if (value < 0 || value > ratio * row || value > 0.5 * apart) return std::nullopt;
    // A few columns to either side the rows no longer fit: else the picture is smooth, not periodic.
    constexpr int64_t kAside = 4;
    if (best < kAside || best + kAside >= std::ssize(found)) return std::nullopt;
    const double beside =
        std::min(found[static_cast<size_t>(best - kAside)], found[static_cast<size_t>(best + kAside)]);
    return beside > 1.15 * value ? std::optional(width) : std::nullopt;
  }

  std::optional<RawFormatDoubt> WidthDoubt(int64_t width) const {
    // Alternating rows resemble the next but one; only a file that the declared size does not fit is proof there.
    if (told_.width % width == 0 && !IsLikeEverywhere(width)) return std::nullopt;
    if (width % told_.width == 0 && !IsJoinedTwice(width)) return std::nullopt;
    const double apart = Unrelated();
    std::optional<Size> best;
    double least = HUGE_VAL;
    for (int64_t height = std::max<int64_t>(width / 4, 16); height <= 2 * width; ++height) {
      const int64_t frame = FrameSamples({width, height});
      if (!Divides(frame)) continue;
      double change = Change(frame);
      if (change < 0) change = 0.4 * apart;  // the only frame

      if (change < 0.87 * least) least = change, best = Size{width, height};
    }
    if (best && least < 0.5 * apart) return SizeDoubt(*best);
    return std::nullopt;
  }

  /// Whether every other declared row continues the one before, and the others do not.
  bool IsJoinedTwice(int64_t width) const {
    if (width != 2 * int64_t{told_.width}) return false;
    const Part luma = MostDetailed();
    int64_t jumps[2] = {}, count = 0;
    for (int64_t end = luma.begin + told_.width, y = 0; end + 1 < std::min(luma.end, samples_.count());
         end += told_.width)
      jumps[y++ & 1] += std::abs(samples_[end - 1] - samples_[end]), ++count;
    const double inner = static_cast<double>(std::min(jumps[0], jumps[1])),
                 outer = static_cast<double>(std::max(jumps[0], jumps[1]));
    return count >= 16 && outer > 2 * inner && outer > 2.0 * step_ * static_cast<double>(count) / 2;
  }

  /// Other heights count only where the file has no whole number of declared frames and a whole one of others:
  /// pictures that scroll resemble each other a few rows away.
  std::optional<RawFormatDoubt> DoubtHeight() const {
    if (FitsFile()) return std::nullopt;
    std::optional<Size> best;
    double least = HUGE_VAL;
    const int64_t width = told_.width;
    for (int64_t height = std::max<int64_t>(width / 4, 16); height <= 2 * width; ++height) {
      const int64_t frame = FrameSamples({width, height});
      if (!Divides(frame) || height == told_.height) continue;
      const double change = Change(frame);
      if (change >= 0 && change < 0.9 * least) least = change, best = Size{width, height};
    }
    const double told = Change(frame_);
    if (!best || told < 0.5 * step_ || least > 0.9 * told || least > 0.6 * Unrelated()) return std::nullopt;
    return SizeDoubt(*best);
  }

  /// Frames of half the height. Of luma alone these may be two like pictures, one above the other.
  std::optional<RawFormatDoubt> DoubtDouble() const {
    const Size half = {told_.width, told_.height / 2};
    if (told_.height % 4 != 0 || told_.pixel_format == PixelFormat::k400 || !RepeatsWithin(FrameSamples(half)))
      return std::nullopt;
    return SizeDoubt(half);
  }

  const std::span<const std::byte> file_;
  const PictureFormat told_;
  const bool is_semi_planar_;
  const Samples samples_;
  const int64_t luma_, frame_;  // samples
  const int step_;              // that of 8-bit samples
};

}  // namespace

std::optional<RawFormatDoubt> DoubtRawFormat(std::span<const std::byte> file, const PictureFormat& told,
                                             bool is_semi_planar) {
  return FormatCheck(file, told, is_semi_planar).Find();
}

std::string Describe(const std::string& path, const RawFormatDoubt& doubt) {
  const std::string advice =
      !doubt.options.empty()
          ? doubt.options
          : fmt::format("convert it, for example with ffmpeg -f rawvideo -pix_fmt {} -s WIDTHxHEIGHT -i IN out.y4m",
                        doubt.format);
  return fmt::format("{}: its bytes fit {} better than {}: {}", path, doubt.better, doubt.told, advice);
}

}  // namespace acutance
