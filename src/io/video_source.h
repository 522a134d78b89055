// Video source: the pictures of one video in display order.
#pragma once

#include <acutance/facts.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation_token.h"
#include "base/status.h"
#include "image/device_decoder.h"
#include "image/picture.h"

namespace acutance {

class PictureConversion;

/// Decoding by a device, into its memory.
struct DeviceDecoding {
  OpenDeviceDecoder open;  // for one thread each
  int decoders = 1;        // of a video, at most
  int host_threads = 0;    // of FFmpeg's decoders, in addition; 0: these take only what the device cannot
  size_t most_bytes = 0;   // of the device's, for frames that are decoded ahead
};

/// The machine's video hardware, as FFmpeg's decoders use it.
enum class Hardware { kVulkan, kVaapi };

constexpr std::string_view OptionNameOf(Hardware kind) { return kind == Hardware::kVulkan ? "vulkan" : "vaapi"; }
constexpr std::string_view NameOf(Hardware kind) { return kind == Hardware::kVulkan ? "Vulkan Video" : "VAAPI"; }

/// Decoding by FFmpeg's decoders for such hardware, whose frames are copied to the host's memory.
struct HardwareDecoding {
  Hardware kind = Hardware::kVulkan;
  std::string device{};  // as FFmpeg names it; empty: the first
  int decoders = 1;      // of a video, at most
};

class VideoSource {
 public:
  virtual ~VideoSource() = default;

  virtual const PictureFormat& format() const = 0;
  virtual VideoColor color() const { return {}; }
  virtual VideoFacts facts() const { return {}; }
  virtual std::optional<int64_t> frame_count() const { return std::nullopt; }  // declared, or by the file size
  virtual std::optional<double> frame_rate() const { return std::nullopt; }

  /// Presentation time of the picture that Next() returned last, in seconds from the container's start; nullopt without
  /// timestamps: frames are evenly spaced.
  virtual std::optional<double> time() const { return std::nullopt; }

  /// Sets the color and the bit depth, no lower than their own, to which RGB pictures are converted; others do not
  /// change. Call before the first Next(), and before this source is wrapped in a filter.
  virtual Status SetRgbColor(const VideoColor& /*color*/, int /*bit_depth*/) { return {}; }

  /// Gives up the RGB video that this one converts, if any, for another ConvertRgb; this one must not be used then.
  /// Call before the first Next().
  virtual std::unique_ptr<VideoSource> TakeRgb() { return nullptr; }

  /// Allows empty chroma planes. Call before the first Next().
  virtual void SkipChroma() {}

  /// The next picture; nullopt at the end, which is also reached by an error (a truncated frame, a damaged stream).
  virtual Result<std::optional<Picture>> Next() = 0;

  /// Whether the size came from OpenOptions::raw.
  virtual bool is_raw() const { return false; }

  /// Whether the pictures are in memory already: Next() and Skip() take no time.
  virtual bool is_instant() const { return false; }

  /// Call after the last use of the pictures: an error if the file has lost bytes that they pointed to.
  virtual Status CheckIntact() const { return {}; }

  /// Discards pictures and returns how many it discarded: fewer at the end of the video.
  virtual Result<int64_t> Skip(int64_t count) {
    for (int64_t skipped = 0; skipped < count; ++skipped) {
      ACU_ASSIGN_OR_RETURN(const std::optional<Picture> picture, Next());
      if (!picture) return skipped;
    }
    return count;
  }

  /// Seeks near that part of the video (0 to 1), if that is quicker than decoding all before it. False: the position
  /// has not changed.
  virtual bool Jump(double /*part*/) { return false; }

  /// Makes Next() and Skip() fail with kCancelled from now on, including a call that waits for a pipe on another
  /// thread.
  virtual void Interrupt() {}

  /// How pictures of another size, chroma or bit depth, or at odd addresses, become this video's, where devices can do
  /// it; null: they come as they are.
  virtual std::shared_ptr<const PictureConversion> conversion() const { return nullptr; }

  /// Where there is a conversion(), pictures come lazy from now on (image/lazy_picture.h). Call before the first
  /// Next().
  virtual void DeferConversion() {}

  /// Whether samples of two bytes may lie at odd addresses, as in a mapped y4m file with a header of an odd length.
  virtual bool has_misaligned_samples() const { return false; }

  /// Lets a device decode what is left, from the next place on where it can, into its memory. Before the first Next(),
  /// and after all that changes pictures. An error where it cannot; then nothing changes.
  virtual Status DecodeOn(const DeviceDecoding& /*decoding*/) {
    return Error(StatusCode::kUnsupported, "devices decode H.264, HEVC and VP9 from files");
  }

  /// Lets FFmpeg's decoders for the machine's hardware decode what is left of a container's video. An error where they
  /// cannot begin; then FFmpeg's own decoder continues.
  virtual Status DecodeBy(const HardwareDecoding& /*decoding*/) {
    return Error(StatusCode::kUnsupported, "video hardware decodes H.264, HEVC, VP9 and AV1 from files");
  }

  /// The time that reading its bytes took so far; any thread.
  virtual double reading_seconds() const { return 0; }

  /// What decoding found to be damaged so far.
  virtual StreamDamage damage() const { return {}; }

  /// How the frames so far were decoded.
  virtual Decoding decoding() const { return {}; }

  /// Bits/s of the video track: the bytes of its packets over their duration. After the last Next(): it reads the
  /// packets that are left. nullopt: unknown, or uncompressed.
  virtual std::optional<int64_t> MeasureBitRate() { return std::nullopt; }

  /// Assumptions made at opening that the user should know.
  virtual std::vector<std::string> warnings() const { return {}; }

  /// What changed among the frames so far, by sentences without the video's name.
  virtual std::vector<InputChange> frame_changes() const { return {}; }
};

/// The warning of a damaged video, which names its frames; empty where there is no damage.
std::string DamageWarning(const std::string& path, const StreamDamage& damage);

/// The version of FFmpeg's libraries that is used, and where it lies: "FFmpeg 7.1.5 (/usr/lib/libavcodec.so.61)". An
/// error where there is none.
Result<std::string> FfmpegVersion();

/// Decoding the segments of a container's stream side by side.
struct SegmentOptions {
  size_t most_bytes = 0;      // of frames that are decoded ahead; 0: one decoder decodes all
  int64_t start_after = 32;   // frames: a look at a few needs no more decoders
  size_t least_packets = 24;  // of a segment
  int least_threads = 4;      // few threads gain nothing, and frames that are decoded ahead leave the cache
};

struct OpenOptions {
  std::optional<PictureFormat> raw;  // of files that are neither y4m nor a known container
  bool raw_is_semi_planar = false;   // NV12 or P010: Cb and Cr alternate in one plane, bits stand at the top
  bool film_grain = true;            // applied by AV1 decoders
  /// Also opens what FitVideos converts for scoring: RGB (VideoFacts::is_rgb) and interlaced y4m.
  bool take_all = false;
  std::string track{};  // of a container's video tracks: a number from 0, a language or "default"; empty: the best
  bool stop_at_damage = false;  // a damaged stream is an error; else it is concealed
  int decoder_threads = 1;      // of FFmpeg's decoder; 0: its own choice
  bool may_use_device = false;  // VideoSource::DecodeOn may follow
  SegmentOptions segments{};
  size_t most_replayed = size_t{64} << 20;  // bytes of a container in a pipe, held to decode it again where damaged
  bool always_probe = false;                // decodes a container's first pictures twice even if it describes them
  bool keep_mapped = false;                 // pages of y4m and yuv files stay mapped after their pictures are dropped
  /// Ends waits for pipes, including those at opening; may be null.
  std::shared_ptr<const CancellationToken> cancellation{};
};

}  // namespace acutance
