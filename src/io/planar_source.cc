#include "io/planar_source.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "io/buffer_pool.h"
#include "io/chroma_conversion.h"
#include "io/frame_layout.h"
#include "io/semi_planar.h"
#include "io/y4m_header.h"

namespace acutance {
namespace {

constexpr std::string_view kFrameMarker = "FRAME";
constexpr size_t kTrustedBytes = size_t{16} << 20;  // of a frame that a pipe announces

/// A frame's memory together with chroma that was made from it.
struct ConvertedFrame {
  std::shared_ptr<const void> memory;
  std::array<BytePlane, 2> chroma;
};

class PlanarSource : public VideoSource {
 public:
  PlanarSource(std::unique_ptr<ByteStream> stream, FrameLayout layout, bool has_markers)
      : stream_(std::move(stream)), layout_(layout), has_markers_(has_markers), first_frame_(stream_->position()) {
    if (layout.conversion == ChromaConversion::kSemiPlanar) semi_planar_.emplace(layout.format);
  }

  const PictureFormat& format() const override { return layout_.format; }
  std::optional<int64_t> frame_count() const override;
  VideoColor color() const override { return {.full_range = full_range_}; }
  VideoFacts facts() const override { return facts_; }
  std::optional<double> frame_rate() const override { return frame_rate_; }
  std::optional<int64_t> MeasureBitRate() override;
  std::vector<std::string> warnings() const override { return warnings_; }
  void SkipChroma() override { luma_only_ = true; }
  void Interrupt() override { stream_->Interrupt(); }
  bool is_raw() const override { return !has_markers_; }
  bool is_instant() const override { return !stream_->mapped_bytes().empty(); }
  Status CheckIntact() const override { return stream_->CheckMapping(); }
  Result<std::optional<Picture>> Next() override;
  Result<int64_t> Skip(int64_t count) override;

  /// Whether samples of the first frame are mapped where they may not be read as they are.
  Result<bool> LiesMisaligned();
  /// Pictures may come with samples at any address from now on.
  void ShareMisaligned() { shares_misaligned_ = true; }
  bool has_misaligned_samples() const override { return shares_misaligned_; }

  void Describe(Y4mHeader header) {
    frame_rate_ = header.frame_rate;
    facts_.pixel_aspect = header.pixel_aspect;
    facts_.siting = header.siting;
    facts_.is_interlaced = !header.fields.empty();
    facts_.bottom_field_first = header.fields == "b";
    facts_.changed_samples = header.conversion == ChromaConversion::k411To422 ? "4:1:1 is widened to 4:2:2"
                             : header.conversion == ChromaConversion::kPaldv
                                 ? "its chroma is moved from where PAL DV has it"
                             : header.conversion == ChromaConversion::kDropAlpha ? "its alpha is left out"
                                                                                 : "";
    full_range_ = header.full_range;
    warnings_ = std::move(header.warnings);
  }

 private:
  size_t kept_bytes() const { return luma_only_ ? layout_.planes[0].bytes() : layout_.bytes_with_chroma(); }
  Result<bool> FindFrame();  // false: the end
  Status CheckRoom(size_t bytes) const;
  Result<Picture> ReadPlanes();
  Status ReadGrowing(size_t bytes, std::vector<std::byte>& to);
  std::shared_ptr<const std::byte> ShareFrame();
  Result<Picture> Converted(Picture picture);
  Status PassOver(size_t bytes);
  Status Truncated() const;
  template <class T>
  Result<T> EndOnError(Result<T> result);

  std::unique_ptr<ByteStream> stream_;
  const FrameLayout layout_;
  const bool has_markers_;
  const int64_t first_frame_;  // its position in the file
  std::optional<double> frame_rate_;
  std::optional<bool> full_range_;
  VideoFacts facts_;
  std::vector<std::string> warnings_;
  std::optional<BufferPool> pool_;
  std::optional<SemiPlanarFrames> semi_planar_;
  bool luma_only_ = false;
  bool shares_misaligned_ = false;
  bool ended_ = false;
  int64_t frames_ = 0;  // whole frames so far
};

std::optional<int64_t> PlanarSource::MeasureBitRate() {
  const std::optional<int64_t> frames = frame_count();
  if (!frames || *frames == 0 || !frame_rate_) return std::nullopt;
  return static_cast<int64_t>(8.0 * static_cast<double>(stream_->size()) * *frame_rate_ / static_cast<double>(*frames));
}

std::optional<int64_t> PlanarSource::frame_count() const {
  if (!stream_->seekable()) return std::nullopt;
  const int64_t bytes = stream_->size() - first_frame_;
  const int64_t frame = static_cast<int64_t>(layout_.bytes + (has_markers_ ? kFrameMarker.size() + 1 : 0));
  // Frame markers may carry parameters; a remainder is the sign of them (or of a truncated file).
  if (has_markers_ && bytes % frame != 0) return std::nullopt;
  return bytes / frame;
}

Status PlanarSource::Truncated() const {
  return Error(StatusCode::kBadData, "{} is truncated: frame {} is incomplete after {} whole frame{}", stream_->name(),
               frames_, frames_, frames_ == 1 ? "" : "s");
}

template <class T>
Result<T> PlanarSource::EndOnError(Result<T> result) {
  if (!result.ok()) ended_ = true;
  return result;
}

Result<bool> PlanarSource::FindFrame() {
  if (!has_markers_) {
    ACU_ASSIGN_OR_RETURN(const std::string_view next, stream_->Peek(1));
    return !next.empty();
  }
  ACU_ASSIGN_OR_RETURN(const std::string_view marker, stream_->Peek(kFrameMarker.size() + 1));
  if (marker.empty()) return false;
  if (kFrameMarker.starts_with(marker)) return Truncated();
  if (!marker.starts_with(kFrameMarker) || (marker.back() != '\n' && marker.back() != ' ')) {
    ACU_RETURN_IF_ERROR(stream_->CheckMapping());  // zeros stand where the file has become shorter
    return Error(StatusCode::kBadData, "{} is damaged: no frame marker before frame {} (found \"{}\"), {} frame{} read",
                 stream_->name(), frames_, Printable(marker), frames_, frames_ == 1 ? "" : "s");
  }
  Result<std::optional<std::string>> line = stream_->ReadLine(kY4mFrameLineLimit);
  if (line.ok() || line.status().code() != StatusCode::kBadData) return line.ok() ? Result<bool>(true) : line.status();
  return Error(StatusCode::kBadData, "{} is damaged: the marker of frame {} does not end, {} whole frame{} read",
               stream_->name(), frames_, frames_, frames_ == 1 ? "" : "s");
}

/// Whether the rest of a regular file holds `bytes`. No memory is allocated for frames that the
/// file cannot hold.
Status PlanarSource::CheckRoom(size_t bytes) const {
  if (!stream_->seekable()) return {};
  return stream_->size() - stream_->position() < static_cast<int64_t>(bytes) ? Truncated() : Status();
}

Status PlanarSource::PassOver(size_t bytes) {
  if (bytes == 0) return {};
  ACU_ASSIGN_OR_RETURN(const int64_t passed, stream_->Skip(static_cast<int64_t>(bytes)));
  return passed == static_cast<int64_t>(bytes) ? Status() : Truncated();
}

Picture ConvertChroma(const FrameLayout& layout, Picture picture) {
  auto frame = std::make_shared<ConvertedFrame>();
  for (int p = 1; p <= 2; ++p) {
    Plane& plane = picture.planes[p];
    const FrameLayout::FilePlane& file = layout.planes[p];
    const std::span<const uint8_t> samples(plane.Row<uint8_t>(0), file.bytes());
    const int width = static_cast<int>(file.row_bytes), height = static_cast<int>(file.rows);
    BytePlane& made = frame->chroma[p - 1];
    made = layout.conversion == ChromaConversion::k411To422 ? WidenTwice(samples, width, height, plane.width)
                                                            : MovePaldvChroma(samples, width, height, p == 1);
    plane.data = reinterpret_cast<const std::byte*>(made.samples.data());
    plane.stride = made.width;
  }
  frame->memory = std::move(picture.memory);
  picture.memory = std::move(frame);
  return picture;
}

/// The frame's bytes where they are mapped; null where they are not, or lie at odd addresses (after a y4m header) that
/// samples of two bytes must not have unless that is asked for.
std::shared_ptr<const std::byte> PlanarSource::ShareFrame() {
  if (!shares_misaligned_ && stream_->position() % layout_.format.BytesPerSample() != 0) return nullptr;
  return stream_->Share(layout_.bytes);
}

Result<bool> PlanarSource::LiesMisaligned() {
  if (layout_.format.BytesPerSample() == 1 || stream_->mapped_bytes().empty()) return false;
  ACU_ASSIGN_OR_RETURN(const std::string_view next, stream_->Peek(kY4mFrameLineLimit + 1));
  const size_t end = next.find('\n');
  if (end == std::string_view::npos) return false;  // reading tells what is wrong
  return (stream_->position() + static_cast<int64_t>(end) + 1) % layout_.format.BytesPerSample() != 0;
}

Result<Picture> PlanarSource::ReadPlanes() {
  ACU_RETURN_IF_ERROR(CheckRoom(layout_.bytes));
  if (std::shared_ptr<const std::byte> memory = ShareFrame()) {
    return Converted(PictureInPlace(layout_, std::move(memory), luma_only_));
  }
  const size_t kept = kept_bytes();
  if (!pool_) pool_.emplace(kept);
  std::vector<std::byte> first;
  if (!stream_->seekable() && frames_ == 0 && kept > kTrustedBytes) ACU_RETURN_IF_ERROR(ReadGrowing(kept, first));
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<std::byte> memory, pool_->Get());
  if (!first.empty()) {
    std::memcpy(memory.get(), first.data(), kept);
  } else {
    ACU_ASSIGN_OR_RETURN(const size_t got, stream_->Read(memory.get(), kept));
    if (got < kept) return Truncated();
  }
  ACU_RETURN_IF_ERROR(PassOver(layout_.bytes - kept));
  return Converted(PictureInPlace(layout_, std::move(memory), luma_only_));
}

/// Reads the first frame of a pipe into memory that grows with what comes: a header alone reserves nothing.
Status PlanarSource::ReadGrowing(size_t bytes, std::vector<std::byte>& to) {
  for (size_t done = 0; done < bytes;) {
    to.resize(std::min(std::max(2 * done, kTrustedBytes), bytes));
    ACU_ASSIGN_OR_RETURN(const size_t got, stream_->Read(to.data() + done, to.size() - done));
    done += got;
    if (done < to.size()) return Truncated();
  }
  return {};
}

Result<Picture> PlanarSource::Converted(Picture picture) {
  if (semi_planar_) return semi_planar_->Unpack(picture.planes[0].data, luma_only_);
  const bool convert =
      layout_.conversion == ChromaConversion::k411To422 || layout_.conversion == ChromaConversion::kPaldv;
  if (!convert || luma_only_) return picture;
  return ConvertChroma(layout_, std::move(picture));
}

Result<std::optional<Picture>> PlanarSource::Next() {
  if (ended_) return std::optional<Picture>();
  Result<bool> found = EndOnError(FindFrame());
  if (!found.ok()) return found.status();
  if (!*found) {
    ended_ = true;
    return std::optional<Picture>();
  }
  Result<Picture> picture = EndOnError(ReadPlanes());
  if (!picture.ok()) return picture.status();
  ++frames_;
  return std::optional(std::move(*picture));
}

Result<int64_t> PlanarSource::Skip(int64_t count) {
  int64_t skipped = 0;
  while (skipped < count && !ended_) {
    Result<bool> found = EndOnError(FindFrame());
    if (!found.ok()) return found.status();
    if (!*found) {
      ended_ = true;
      break;
    }
    if (Status passed = PassOver(layout_.bytes); !passed.ok()) {
      ended_ = true;
      return passed;
    }
    ++frames_, ++skipped;
  }
  return skipped;
}

}  // namespace

Result<std::unique_ptr<VideoSource>> OpenRawYuv(std::unique_ptr<ByteStream> stream, const OpenOptions& options) {
  const PictureFormat& format = *options.raw;
  if (options.raw_is_semi_planar && format.pixel_format != PixelFormat::k420)
    return Error(StatusCode::kInvalidArgument, "{}: raw yuv whose Cb and Cr alternate is 4:2:0 (NV12, P010), not {}",
                 stream->name(), PixelFormatName(format.pixel_format));
  if (Status status = CheckPictureFormat(format); !status.ok())
    return Error(status.code(), "{}: {}", stream->name(), status.message());
  const ChromaConversion conversion =
      options.raw_is_semi_planar ? ChromaConversion::kSemiPlanar : ChromaConversion::kNone;
  const FrameLayout layout = MakeFrameLayout(format, conversion);
  stream->Map(options.keep_mapped);
  return std::unique_ptr<VideoSource>(new PlanarSource(std::move(stream), layout, false));
}

Result<std::unique_ptr<VideoSource>> OpenY4m(std::unique_ptr<ByteStream> stream, const OpenOptions& options) {
  Result<std::optional<std::string>> line = stream->ReadLine(kY4mHeaderLimit);
  if (!line.ok() && line.status().code() != StatusCode::kBadData) return line.status();
  if (!line.ok() || !line->has_value())
    return Error(StatusCode::kBadData, "{}: bad y4m header: no line feed within the first {} bytes", stream->name(),
                 kY4mHeaderLimit + 1);
  Result<Y4mHeader> header = ParseY4mHeader(**line);
  if (!header.ok()) return Error(header.status().code(), "{}: {}", stream->name(), header.status().message());
  if (!header->fields.empty() && !options.take_all) {
    const Status refused = InterlacedY4m(header->fields);
    return Error(refused.code(), "{}: {}", stream->name(), refused.message());
  }
  const FrameLayout layout = MakeFrameLayout(header->format, header->conversion);
  stream->Map(options.keep_mapped);
  auto source = std::make_unique<PlanarSource>(std::move(stream), layout, true);
  source->Describe(std::move(header).value());
  ACU_ASSIGN_OR_RETURN(const bool lies_misaligned, source->LiesMisaligned());
  if (lies_misaligned) source->ShareMisaligned();
  return std::unique_ptr<VideoSource>(std::move(source));
}

}  // namespace acutance
