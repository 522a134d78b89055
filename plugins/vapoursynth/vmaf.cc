// The plugin vmaf: VMAF and CAMBI let frames pass and write their scores to a log when the script is done with them.
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>

#include "plugins/vapoursynth/plugin.h"

namespace acutance_vapoursynth {
namespace {

using acutance::Expected;
using acutance::Picture;
using acutance::PictureFormat;
using acutance::Session;
using acutance::SessionOptions;
using acutance::Status;

struct ModelName {
  const char *version, *name;
};
constexpr ModelName kModels[] = {{"vmaf_v0.6.1", "vmaf"},
                                 {"vmaf_v0.6.1neg", "vmaf_neg"},
                                 {"vmaf_b_v0.6.3", "vmaf_b"},
                                 {"vmaf_4k_v0.6.1", "vmaf_4k"}};
constexpr const char* kFeatures[] = {"psnr", "psnr_hvs", "float_ssim", "float_ms_ssim", "ciede"};
constexpr const char* kLogFormats[] = {"xml", "json", "csv", "sub"};

/// The format of a clip's pictures: the engine has 10 bits for 9 and 16 for 14.
Expected<PictureFormat> PictureFormatOf(const acutance::FrameFormat& clip) {
  const int bits = clip.bits == 9 ? 10 : clip.bits == 14 ? 16 : clip.bits;
  const int across = clip.subsampling_x, down = clip.subsampling_y;
  if (across > 1 || down > across) return Failure("samples must be integers in 4:2:0, 4:2:2 or 4:4:4");
  return PictureFormat{clip.width, clip.height, bits,
                       across == 0 ? acutance::PixelFormat::k444
                       : down == 0 ? acutance::PixelFormat::k422
                                   : acutance::PixelFormat::k420};
}

/// A copy of a frame, whose samples are shifted up to the format's depth; bits above their own do not count.
Expected<Picture> CopyPicture(const FrameData& frame, int bits, const PictureFormat& format) {
  Expected<Picture> picture = Picture::Allocate(format);
  const unsigned mask = (1U << bits) - 1;
  for (int p = 0; picture.ok() && p < format.PlaneCount(); ++p)
    for (int y = 0; y < format.PlaneHeight(p); ++y) {
      const auto* from = static_cast<const uint8_t*>(frame.planes[p].data) + y * frame.planes[p].stride;
      auto* to = static_cast<uint8_t*>(picture->mutable_data(p)) + y * picture->stride(p);
      if (format.bit_depth == 8) std::memcpy(to, from, format.PlaneWidth(p));
      for (int x = 0; format.bit_depth > 8 && x < format.PlaneWidth(p); ++x) {
        const unsigned sample = bits == 8 ? from[x] : reinterpret_cast<const uint16_t*>(from)[x] & mask;
        reinterpret_cast<uint16_t*>(to)[x] = static_cast<uint16_t>(sample << (format.bit_depth - bits));
      }
    }
  return picture;
}

/// One call of a function in a script. Frames are scored in order: those before a frame that is asked for come first.
class LogFilter {
 public:
  /// `distorted` names the argument of the clip that is scored against the first, which may be the same.
  LogFilter(const char* label, const char* reference, const char* distorted, const VSMap* in, const VSAPI* api)
      : label_(label), api_(api), reference_(in, reference, api), distorted_(in, distorted, api) {}
  LogFilter(const LogFilter&) = delete;
  LogFilter& operator=(const LogFilter&) = delete;

  Status Open(SessionOptions options, const Arguments& arguments, VSCore* core);
  void Create(std::unique_ptr<LogFilter> self, VSMap* out, VSCore* core) const;
  const VSFrame* Get(int n, int reason, VSFrameContext* context, VSCore* core);
  Status WriteLog();
  const char* label() const { return label_; }

 private:
  Status Score(int n, VSFrameContext* context);
  Status ScoreNext(VSFrameContext* context);

  const char* const label_;
  const VSAPI* const api_;
  Clip reference_, distorted_;
  PictureFormat format_;
  std::string path_;
  std::string_view log_format_;

  std::mutex mutex_;  // guards what follows
  std::optional<Session> session_;
  int done_ = 0;
  Status error_;
};

Status LogFilter::Open(SessionOptions options, const Arguments& arguments, VSCore* core) {
  if (Status bad = OpenPair(reference_, distorted_, ColorRule::kNumbers); !bad.ok()) return bad;
  const Expected<PictureFormat> first = PictureFormatOf(reference_.format()),
                                second = PictureFormatOf(distorted_.format());
  if (!first.ok() || !second.ok()) return first.ok() ? second.status() : first.status();
  if (first->pixel_format != second->pixel_format) return Failure("both clips must have the same chroma subsampling");
  format_ = *first;
  format_.bit_depth = std::max(first->bit_depth, second->bit_depth);
  path_ = arguments.Text("log_path", "");
  const int log_format = arguments.Int("log_format", 0), formats = static_cast<int>(std::size(kLogFormats));
  if (log_format < 0 || log_format >= formats)
    return Failure("log_format {}: there are 0 to {}", log_format, formats - 1);
  log_format_ = kLogFormats[log_format];
  VSCoreInfo info;
  api_->getCoreInfo(core, &info);
  options.threads = info.numThreads;
  options.frame_rate = reference_.frames_per_second();
  Expected<Session> session = Session::Create(options);
  if (!session.ok()) return session.status();
  session_ = *std::move(session);
  return session_->Start(format_);
}

Status LogFilter::ScoreNext(VSFrameContext* context) {
  const FrameData first = reference_.Read(done_, context), second = distorted_.Read(done_, context);
  const Expected<Picture> reference = CopyPicture(first, reference_.format().bits, format_);
  if (!reference.ok()) return reference.status();
  const Expected<Picture> distorted = CopyPicture(second, distorted_.format().bits, format_);
  return distorted.ok() ? session_->Add(*reference, *distorted) : distorted.status();
}

Status LogFilter::Score(int n, VSFrameContext* context) {
  const std::lock_guard lock(mutex_);
  for (; error_.ok() && done_ <= n; ++done_) error_ = ScoreNext(context);
  return error_;
}

const VSFrame* LogFilter::Get(int n, int reason, VSFrameContext* context, VSCore*) {
  if (reason == arInitial) {
    int first = n;
    {
      const std::lock_guard lock(mutex_);
      first = std::min(n, done_);
    }
    for (int i = first; i <= n; ++i) {
      reference_.Request(i, context);
      distorted_.Request(i, context);
    }
  }
  if (reason != arAllFramesReady) return nullptr;
  if (const Status status = Score(n, context); !status.ok()) {
    api_->setFilterError(fmt::format("{}: {}", label_, status.message()).c_str(), context);
    return nullptr;
  }
  return reference_.Get(n, context).release();
}

Status LogFilter::WriteLog() {
  const std::lock_guard lock(mutex_);
  if (!session_ || done_ == 0 || !error_.ok()) return {};
  const Expected<acutance::Result> result = session_->Finish();
  return result.ok() ? result->WriteLog(path_, log_format_) : result.status();
}

void VS_CC FreeFilter(void* value, VSCore* core, const VSAPI* api) {
  const std::unique_ptr<LogFilter> filter(static_cast<LogFilter*>(value));
  const Status status = Guarded([&] { return filter->WriteLog(); });
  if (!status.ok())
    api->logMessage(mtWarning, fmt::format("{}: no log: {}", filter->label(), status.message()).c_str(), core);
}

void LogFilter::Create(std::unique_ptr<LogFilter> self, VSMap* out, VSCore* core) const {
  const std::array nodes = {reference_.Dependency(rpGeneral), distorted_.Dependency(rpGeneral)};
  api_->createVideoFilter(out, label_, &reference_.info(), GetFrame<LogFilter>, FreeFilter, fmParallelRequests,
                          nodes.data(), static_cast<int>(nodes.size()), self.release(), core);
}

/// The numbers of a list once each, in order.
std::vector<int> SortedInts(const Arguments& arguments, const char* name) {
  std::vector<int> numbers = arguments.Ints(name);
  std::ranges::sort(numbers);
  numbers.erase(std::ranges::unique(numbers).begin(), numbers.end());
  return numbers;
}

Expected<std::vector<acutance::Feature>> ReadFeatures(const Arguments& arguments) {
  std::vector<acutance::Feature> features;
  for (const int feature : SortedInts(arguments, "feature")) {
    if (feature < 0 || feature >= static_cast<int>(std::size(kFeatures)))
      return Failure("feature {}: there are 0 to {}", feature, std::size(kFeatures) - 1);
    features.push_back({kFeatures[feature], {}});
  }
  return features;
}

Expected<SessionOptions> ReadVmaf(const Arguments& arguments) {
  SessionOptions options;
  for (const int model : SortedInts(arguments, "model")) {
    if (model < 0 || model >= static_cast<int>(std::size(kModels)))
      return Failure("model {}: there are 0 to {}", model, std::size(kModels) - 1);
    Expected<acutance::Model> loaded = acutance::Model::Load(kModels[model].version, {.name = kModels[model].name});
    if (!loaded.ok()) return loaded.status();
    options.models.push_back(*std::move(loaded));
  }
  Expected<std::vector<acutance::Feature>> features = ReadFeatures(arguments);
  if (!features.ok()) return features.status();
  options.features = *std::move(features);
  if (options.models.empty() && options.features.empty()) return Failure("neither a model nor a feature");
  return options;
}

Expected<SessionOptions> ReadCambi(const Arguments& arguments) {
  // The plugin's defaults, which are not libvmaf's.
  acutance::Feature cambi = {"cambi",
                             {{"window_size", fmt::format("{}", arguments.Int("window_size", 63))},
                              {"topk", fmt::format("{}", arguments.Float("topk", 0.6))},
                              {"tvi_threshold", fmt::format("{}", arguments.Float("tvi_threshold", 0.019))},
                              {"max_log_contrast", fmt::format("{}", arguments.Int("max_log_contrast", 2))}}};
  for (const char* name : {"enc_width", "enc_height"})
    if (const std::optional<int> side = arguments.Int(name)) cambi.options[name] = fmt::format("{}", *side);
  SessionOptions options;
  options.features.push_back(std::move(cambi));
  return options;
}

Status ReadMetric(const PairCall& call, PairSettings& settings) {
  Expected<std::vector<acutance::Feature>> features = ReadFeatures(call.arguments);
  if (!features.ok()) return features.status();
  if (features->empty()) return Failure("no feature is asked for");
  settings.features = *std::move(features);
  return {};
}

/// Makes a filter with the options that `read` returns.
void CreateFilter(std::unique_ptr<LogFilter> filter, Expected<SessionOptions> (*read)(const Arguments&),
                  const VSMap* in, VSMap* out, VSCore* core, const VSAPI* api) {
  const char* label = filter->label();
  const Status status = Guarded([&] {
    const Arguments arguments(in, api);
    Expected<SessionOptions> options = read(arguments);
    if (!options.ok()) return options.status();
    if (Status bad = filter->Open(*std::move(options), arguments, core); !bad.ok()) return bad;
    const LogFilter& made = *filter;
    made.Create(std::move(filter), out, core);
    return Status();
  });
  if (!status.ok()) api->mapSetError(out, fmt::format("{}: {}", label, status.message()).c_str());
}

void VS_CC CreateVmafLog(const VSMap* in, VSMap* out, void*, VSCore* core, const VSAPI* api) {
  CreateFilter(std::make_unique<LogFilter>("VMAF", "reference", "distorted", in, api), ReadVmaf, in, out, core, api);
}

void VS_CC CreateCambiLog(const VSMap* in, VSMap* out, void*, VSCore* core, const VSAPI* api) {
  CreateFilter(std::make_unique<LogFilter>("CAMBI", "clip", "clip", in, api), ReadCambi, in, out, core, api);
}

const Function kFunctions[] = {
    {.label = "VMAF",
     .name = "VMAF",
     .arguments = "reference:vnode;distorted:vnode;log_path:data;log_format:int:opt;model:int[]:opt;feature:int[]:opt;",
     .create = CreateVmafLog},
    {.label = "CAMBI",
     .name = "CAMBI",
     .arguments = "clip:vnode;log_path:data;log_format:int:opt;window_size:int:opt;topk:float:opt;"
                  "tvi_threshold:float:opt;max_log_contrast:int:opt;enc_width:int:opt;enc_height:int:opt;",
     .create = CreateCambiLog},
    {"Metric", "Metric", "reference:vnode;distorted:vnode;feature:int[];", ColorRule::kNumbers, ReadMetric},
};

}  // namespace

const Plugin kVmaf = {"vmaf", "com.holywu.vmaf", "acutance's VMAF under the VMAF plugin's names",
                      VS_MAKE_VERSION(10, 0), kFunctions};

}  // namespace acutance_vapoursynth
