// cvvdp behind a handler: the running value over the frames since the last reset of the score.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <utility>

#include "api/vship/handler.h"
#include "metric/metric.h"

namespace acutance::vship {
namespace {

constexpr float kMostFramesPerSecond = 300;

/// A file that lasts as long as the handler: the metric reads displays from files.
class ScratchFile {
 public:
  static Outcome Make(const std::string& text, std::optional<ScratchFile>& file) {
    std::error_code ignored;
    std::string path = (std::filesystem::temp_directory_path(ignored) / "acutance-display-XXXXXX").string();
    const int descriptor = ::mkstemp(path.data());
    if (descriptor < 0) return Failure(kBadPath, "could not write {} for the display models", path);
    file.emplace(std::move(path));
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    const bool is_whole = ::close(descriptor) == 0 && written == static_cast<ssize_t>(text.size());
    return is_whole ? Outcome() : Failure(kBadPath, "could not write {} for the display models", file->path());
  }

  explicit ScratchFile(std::string path) : path_(std::move(path)) {}
  ScratchFile(ScratchFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ~ScratchFile() {
    if (!path_.empty()) std::remove(path_.c_str());
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The last value that a sequence wrote of its first output.
class LastValue : public ScoreSink {
 public:
  void Set(int output, int64_t, double value) override {
    if (output == 0) value_ = value;
  }
  void SetAggregate(std::string_view, double) override {}
  double value() const { return value_; }

 private:
  double value_ = 0;
};

/// The metric's own logic over time makes the running value: of a single frame at the flush, so that frame has a
/// sequence to itself.
class Cvvdp : public CvvdpScorer {
 public:
  Cvvdp(OptionTexts options, std::optional<ScratchFile> file, bool is_temporal)
      : options_(std::move(options)), file_(std::move(file)), is_temporal_(is_temporal) {}

  StructType init_type() const override { return kInitCvvdp; }
  std::vector<FeatureRequest> requests() const override { return {{"cvvdp", options_}}; }
  Exception invalid_option() const override { return kBadDisplayModel; }
  bool has_history() const override { return is_temporal_; }

  /// The running value continues where the frames before do not.
  void Begin(const Extractor& extractor) override {
    make_ = [&extractor] { return extractor.MakeSequence(); };
  }

  void Take(std::span<const RunResult> results, bool counts) override {
    if (!counts) return;
    const RunResult& result = results.front();
    const FrameOutputs outputs = {result.values, result.kept};
    LastValue last;
    if (!running_) running_ = make_();
    running_->Push(frames_, outputs, last);
    if (frames_++ == 0) {
      const std::unique_ptr<Sequence> alone = make_();
      alone->Push(0, outputs, last);
      alone->Flush(last);
    }
    score = last.value();
  }

  void ResetScore() override {
    running_.reset();  // there may be no session to make another
    frames_ = 0;
  }

 private:
  const OptionTexts options_;
  const std::optional<ScratchFile> file_;
  const bool is_temporal_;
  std::function<std::unique_ptr<Sequence>()> make_;  // of the session that runs
  std::unique_ptr<Sequence> running_;
  int64_t frames_ = 0;
};

/// The display decides what light samples are, so the videos' transfer function must be its own. Displays that a client
/// brings are taken at their word.
Outcome CheckTransfer(std::string_view model, int transfer) {
  bool fits = transfer == kTransferBt709 || transfer == kTransferBt470Bg || transfer == kTransferBt601 ||
              transfer == kTransferSrgb;
  if (model == "standard_hdr_pq") fits = transfer == kTransferPq;
  if (model == "standard_hdr_hlg") fits = transfer == kTransferHlg;
  if (model.starts_with("standard_hdr_linear")) fits = transfer == kTransferLinear;
  if (fits) return {};
  return Failure(kNotSupported, "the display {} does not show transfer function {}", model, transfer);
}

}  // namespace

Outcome MakeCvvdp(const FramePair& pair, const CvvdpSettings& settings, std::unique_ptr<Scorer>& scorer) {
  if (!(settings.fps > 0 && settings.fps <= kMostFramesPerSecond))
    return Failure(kNotSupported, "{} frames a second: they must be above 0 and up to {}", settings.fps,
                   kMostFramesPerSecond);
  std::optional<ScratchFile> file;
  std::string path = settings.config;
  if (path.starts_with('{')) {
    if (Outcome bad = ScratchFile::Make(settings.config, file); !bad.ok()) return bad;
    path = file->path();
  }
  const std::string model = settings.model.empty() ? "standard_fhd" : settings.model;
  const PictureFormat& format = pair.reference.format();
  if (format.width < 2 || format.height < 2) return Failure(kNotSupported, "pictures must be 2x2 at least");
  if (path.empty())
    if (Outcome bad = CheckTransfer(model, pair.transfer); !bad.ok()) return bad;
  OptionTexts options = pair.colors;
  options["conversion"] = "common";
  options["display"] = model;
  if (!path.empty()) options["display_file"] = path;
  options["fps"] = fmt::format("{}", settings.fps);
  if (settings.resize_to_display) {
    options["resize"] = "bicubic";
    options["keep_aspect"] = "true";
  }
  options["temporal"] = settings.is_temporal ? "true" : "false";
  scorer = std::make_unique<Cvvdp>(std::move(options), std::move(file), settings.is_temporal);
  return {};
}

}  // namespace acutance::vship
