// Input facts: what a video's stream declares, and which changes the video went through before it was compared.
#pragma once

#include <acutance/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace acutance {

/// The transfer function from light to samples. kSdr: any transfer function of standard dynamic range.
enum class Transfer { kUnknown, kSdr, kPq, kHlg };

/// The matrix from red, green and blue to luma and chroma. kRgb: samples are red, green and blue.
enum class Matrix { kUnknown, kBt709, kBt601, kBt2020, kSmpte240, kFcc, kRgb, kOther };

/// The chromaticities of red, green and blue.
enum class Primaries { kUnknown, kBt709, kNtsc, kPal, kBt2020, kP3, kOther };

constexpr std::string_view NameOf(Transfer transfer) {
  constexpr std::string_view kNames[] = {"unknown", "SDR", "HDR by PQ", "HDR by HLG"};
  return kNames[static_cast<int>(transfer)];
}

constexpr std::string_view NameOf(Matrix matrix) {
  constexpr std::string_view kNames[] = {"unknown",   "BT.709", "BT.601", "BT.2020",
                                         "SMPTE 240", "FCC",    "RGB",    "another"};
  return kNames[static_cast<int>(matrix)];
}

constexpr std::string_view NameOf(Primaries primaries) {
  constexpr std::string_view kNames[] = {"unknown", "BT.709", "BT.601 (525 lines)", "BT.601 (625 lines)", "BT.2020",
                                         "P3",      "other"};
  return kNames[static_cast<int>(primaries)];
}

/// The meaning of a video's samples, which decides whether two videos can be compared.
struct VideoColor {
  std::optional<bool> full_range{};  // samples use all values, not 16 to 235 or 240 of 256; not set: unknown
  Transfer transfer = Transfer::kUnknown;
  Matrix matrix = Matrix::kUnknown;
  Primaries primaries = Primaries::kUnknown;

  bool is_hdr() const { return transfer == Transfer::kPq || transfer == Transfer::kHlg; }
};

/// How stored pictures are rotated for display: they are transposed first, then mirrored.
struct Orientation {
  bool transposed = false;
  bool mirrored_x = false;
  bool mirrored_y = false;

  bool operator==(const Orientation&) const = default;
};

/// The luminance of the display that a video was mastered on, in cd/m2.
struct Mastering {
  double min_luminance = 0;
  double max_luminance = 0;
};

/// The brightest samples and pictures of a video, in cd/m2.
struct LightLevel {
  int max_cll = 0;   // MaxCLL: of a sample
  int max_fall = 0;  // MaxFALL: the mean of a picture
};

/// What a stream declares of its coding and its pictures' shape, in addition to format and color.
struct VideoFacts {
  std::string codec{};                // "h264"; empty: uncompressed
  std::optional<int64_t> bit_rate{};  // bits/s: as declared, and once the video was read, those of its packets
  double pixel_aspect = 1;            // a pixel's width divided by its height
  bool has_pixel_aspect = false;      // the stream declares it
  Orientation orientation{};
  std::optional<ChromaSiting> siting{};
  std::string_view changed_samples{};  // a change made while reading, a static string; empty: none
  bool is_rgb = false;                 // stored as RGB; pictures become YUV by Input::color
  bool is_interlaced = false;
  bool bottom_field_first = false;  // of an interlaced video
  int dolby_vision_profile = 0;     // 0: none
  bool has_dolby_base = true;       // of Dolby Vision: other decoders show its base layer as it is meant
  int crop_left = 0, crop_right = 0, crop_top = 0, crop_bottom = 0;  // as the container declares; until it is applied
  std::optional<Mastering> mastering{};
  std::optional<LightLevel> light_level{};
};

/// What decoding a damaged video found. Frames are counted from the video's first.
struct StreamDamage {
  std::vector<int64_t> frames{};  // those that were decoded with errors
  int64_t lost = 0;               // packets without a decoded frame
  int64_t decoded = 0;            // frames in all
  std::string reason{};           // the first error in the decoder's words; empty: no damage
};

/// How a compressed video was decoded.
struct Decoding {
  int64_t segments = 0;       // decoded side by side; 0: one decoder decoded all
  std::string one_decoder{};  // why one decoder decoded all, or what followed the segments; empty: none did
  std::string decoder{};      // "cpu"; "nvdec", "vulkan" or "vaapi" where these decoded segments
};

/// A kind of conversion of a video before it is compared.
enum class Change { kNone, kSamples, kDeinterlace, kTurn, kCrop, kRgb, kRange, kScale, kChroma, kBitDepth };

/// The name in summaries and in Python.
constexpr std::string_view NameOf(Change change) {
  constexpr std::string_view kNames[] = {"none", "samples", "deinterlace", "turn",   "crop",
                                         "rgb",  "range",   "scale",       "chroma", "bit-depth"};
  return kNames[static_cast<int>(change)];
}

struct InputChange {
  Change change = Change::kNone;
  std::string text;  // a human-readable sentence
};

/// A video as it was opened, and its conversions before it was compared.
struct Input {
  std::string path;
  PictureFormat format;
  std::optional<double> frame_rate;  // frames/s; not set: not declared
  VideoColor color;                  // of RGB: that of the YUV that it becomes
  VideoFacts facts;
  std::vector<InputChange> changes{};  // in the order in which they were made
  StreamDamage damage{};               // once the video was read
  Decoding decoding{};                 // likewise

  // Names of the color as stored, empty where the stream declares none.
  std::string_view range() const {
    if (facts.is_rgb) return "full";
    return !color.full_range ? "" : *color.full_range ? "full" : "limited";
  }
  std::string_view transfer() const { return Declared(color.transfer); }
  std::string_view matrix() const { return facts.is_rgb ? "RGB" : Declared(color.matrix); }
  std::string_view primaries() const { return Declared(color.primaries); }

  template <class Kind>
  static std::string_view Declared(Kind kind) {
    return kind == Kind::kUnknown ? std::string_view() : NameOf(kind);
  }
};

}  // namespace acutance
