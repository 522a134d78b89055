// A video source hands out the pictures of one video in display order.
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
#include "image/device_frame.h"
#include "image/picture.h"

namespace acutance {

class PictureConversion;

class VideoSource {
 public:
  virtual ~VideoSource() = default;

  virtual const PictureFormat& format() const = 0;
  virtual VideoColor color() const { return {}; }
  virtual VideoFacts facts() const { return {}; }
  virtual std::optional<int64_t> frame_count() const { return std::nullopt; }  // where the container or file size tells
  virtual std::optional<double> frame_rate() const { return std::nullopt; }

  /// When the picture that Next() gave last is shown, in seconds from the container's start; nullopt where no times are
  /// told, and frames are evenly spaced.
  virtual std::optional<double> time() const { return std::nullopt; }

  /// How pictures that are stored as red, green and blue become YUV: as those of `color`, of `bit_depth` bits, which
  /// may be more than they have. Others stay as they are. Call before the first Next(), and before others are made of
  /// it.
  virtual Status SetRgbColor(const VideoColor& /*color*/, int /*bit_depth*/) { return {}; }

  /// The video of red, green and blue that this one is made of, if it is: ConvertRgb makes another like this one of it.
  /// Nothing else may then be asked of this one. Call before the first Next().
  virtual std::unique_ptr<VideoSource> TakeRgb() { return nullptr; }

  /// Chroma planes may then stay empty, unread. Call before the first Next().
  virtual void SkipChroma() {}

  /// The next picture; nullopt at the end of the video. After an error (a truncated frame, a damaged stream) the
  /// source is at its end.
  virtual Result<std::optional<Picture>> Next() = 0;

  /// Whether the size came from OpenOptions::raw.
  virtual bool is_raw() const { return false; }

  /// Whether Next() and Skip() take no time: the pictures are in memory already.
  virtual bool is_instant() const { return false; }

  /// Once all pictures have been used: an error if the file lost bytes meanwhile that pictures pointed to.
  virtual Status CheckIntact() const { return {}; }

  /// Discards pictures and returns how many it discarded: fewer at the end of the video.
  virtual Result<int64_t> Skip(int64_t count);

  /// Goes to a picture near that part of the video (0 to 1), where going there is quicker than decoding all before it.
  /// False: the source stays where it is.
  virtual bool Jump(double /*part*/) { return false; }

  /// Makes Next() and Skip() fail with kCancelled from now on, also a call that waits for a pipe
  /// on another thread.
  virtual void Interrupt() {}

  /// How pictures of another size, chroma or bit depth, or at odd addresses, become this video's, where devices can do
  /// it; null: they come as they are.
  virtual std::shared_ptr<const PictureConversion> scaling() const { return nullptr; }

  /// Where there is a scaling(), pictures come lazy from now on (image/lazy_picture.h). Call before the first
  /// Next().
  virtual void DeferConversion() {}

  /// Whether samples of two bytes lie at odd addresses, as in a mapped y4m file whose header has an odd length.
  virtual bool has_misaligned_samples() const { return false; }

  /// Whether pictures lie in a device's memory, where its decoder put them.
  virtual bool is_on_device() const { return false; }

  /// What decoding found to be damaged so far.
  virtual StreamDamage damage() const { return {}; }

  /// Bits/s of the video track: the bytes of its packets over their duration. After the last Next(): it reads the
  /// packets that are left. nullopt: unknown, or uncompressed.
  virtual std::optional<int64_t> MeasureBitRate() { return std::nullopt; }

  /// Assumptions made at opening that the user should know.
  virtual std::vector<std::string> warnings() const { return {}; }
};

/// The warning of a damaged video, which names its frames; empty where there is no damage.
std::string DamageWarning(const std::string& path, const StreamDamage& damage);

/// Decoding by a CUDA device, into its memory.
struct DeviceDecoding {
  void* cuda_context = nullptr;  // the CUcontext
  bool required = false;         // false: FFmpeg's own decoder takes what the device cannot
  /// Makes a picture of a decoded frame. The frame's work is queued to the context's default
  /// stream, and its memory is valid only during the call.
  std::function<Result<Picture>(const DeviceFrame&)> take;
};

/// The codecs that FFmpeg can let CUDA devices decode, or the reason why there are none.
Result<std::vector<std::string>> DeviceCodecs();

struct OpenOptions {
  std::optional<PictureFormat> raw;  // of files that are neither y4m nor a known container
  bool raw_is_semi_planar = false;   // these are NV12 or P010: Cb and Cr alternate in one plane, bits stand at the top
  bool film_grain = true;            // false: AV1 without the grain that decoders add
  /// Also opens what FitVideos makes fit for scoring: RGB, which comes as YUV (VideoFacts::is_rgb), and y4m of fields.
  bool take_all = false;
  bool stop_at_damage = false;  // a damaged stream is an error, instead of decoded as far as its decoder can
  int decoder_threads = 1;                        // of FFmpeg's decoder; 0: as many as it likes
  std::optional<DeviceDecoding> device_decoding;  // of a container that is a regular file
  bool always_probe = false;  // a container's first pictures are decoded twice even where it tells what they are
  bool keep_mapped = false;   // pages of y4m and yuv files stay mapped when their pictures have passed
  /// Ends waits for pipes, also while a video is opened; null: nothing does.
  std::shared_ptr<const CancellationToken> cancellation{};
};

}  // namespace acutance
