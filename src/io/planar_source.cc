#include "io/planar_source.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "io/chroma_conversion.h"
#include "io/frame_layout.h"
#include "io/y4m_header.h"

namespace acutance {
namespace {

constexpr std::string_view kFrameMarker = "FRAME";
constexpr size_t kTrustedBytes = size_t{16} << 20;  // allocated on the word of a pipe's header

/// A frame's memory and the chroma that was converted from it.
struct ConvertedFrame {
  std::shared_ptr<const void> memory;
  std::array<BytePlane, 2> chroma;
};

class PlanarSource : public VideoSource {
 public:
  /// Of a file without a header, `header` has the format and the conversion.
  PlanarSource(std::unique_ptr<ByteStream> stream, Y4mHeader header, bool has_markers)
      : stream_(std::move(stream)),
        header_(std::move(header)),
        layout_(MakeFrameLayout(header_.format, header_.conversion)),
        has_markers_(has_markers),
        first_frame_(stream_->position()) {}

  const PictureFormat& format() const override { return layout_.format; }
  std::optional<int64_t> frame_count() const override;
  VideoColor color() const override { return {.full_range = header_.full_range}; }
  VideoFacts facts() const override { return header_.facts; }
  std::optional<double> frame_rate() const override { return header_.frame_rate; }
  std::optional<int64_t> MeasureBitRate() override;
  std::vector<std::string> warnings() const override { return header_.warnings; }
  void SkipChroma() override { luma_only_ = true; }
  void Interrupt() override { stream_->Interrupt(); }
  double reading_seconds() const override { return stream_->reading_seconds(); }
  bool is_raw() const override { return !has_markers_; }
  bool is_instant() const override { return !stream_->mapped_bytes().empty(); }
  Status CheckIntact() const override { return stream_->CheckMapping(); }
  Result<std::optional<Picture>> Next() override;
  Result<int64_t> Skip(int64_t count) override;

  bool has_misaligned_samples() const override { return shares_misaligned_; }

  /// Hands out pictures with samples at any address where those of the first frame are mapped at an odd one.
  Status FindAlignment();

 private:
  Result<bool> FindFrame();  // false: the end
  /// Calls `read` at the next frame, and is at its end after an error. False: the end.
  template <class Read>
  Result<bool> TakeFrame(const Read& read);
  Status CheckRoom(size_t bytes) const;
  Result<Picture> ReadPlanes();
  Status ReadGrowing(size_t bytes, std::vector<std::byte>& to);
  std::shared_ptr<const std::byte> ShareFrame();
  Result<Picture> Converted(Picture picture);
  Status PassOver(size_t bytes);
  Status Truncated() const;

  std::unique_ptr<ByteStream> stream_;
  const Y4mHeader header_;
  const FrameLayout layout_;
  const bool has_markers_;
  const int64_t first_frame_;  // its position in the file
  PicturePool pool_;
  bool luma_only_ = false;
  bool shares_misaligned_ = false;
  bool ended_ = false;
  int64_t frames_ = 0;  // whole frames so far
};

std::optional<int64_t> PlanarSource::MeasureBitRate() {
  if (!header_.frame_rate) return std::nullopt;
  // Markers with parameters leave the number of frames open.
  const std::optional<int64_t> all = frame_count();
  const double frames = static_cast<double>(all.value_or(frames_));
  const double bytes = static_cast<double>(all ? stream_->size() : stream_->position());
  if (frames <= 0) return std::nullopt;
  return static_cast<int64_t>(8 * bytes * *header_.frame_rate / frames);
}

std::optional<int64_t> PlanarSource::frame_count() const {
  if (!stream_->seekable()) return std::nullopt;
  const int64_t bytes = stream_->size() - first_frame_;
  const int64_t frame = static_cast<int64_t>(layout_.bytes + (has_markers_ ? kFrameMarker.size() + 1 : 0));
  // A remainder means markers with parameters, or a truncated file.
  if (has_markers_ && bytes % frame != 0) return std::nullopt;
  return bytes / frame;
}

Status PlanarSource::Truncated() const {
  return Error(StatusCode::kBadData, "{} is truncated: frame {} is incomplete after {} whole frame{}", stream_->name(),
               frames_, frames_, frames_ == 1 ? "" : "s");
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
    ACU_RETURN_IF_ERROR(stream_->CheckMapping());  // lost pages read as zeros
    return Error(StatusCode::kBadData, "{} is damaged: no frame marker before frame {} (found \"{}\"), {} frame{} read",
                 stream_->name(), frames_, Printable(marker), frames_, frames_ == 1 ? "" : "s");
  }
  Result<std::optional<std::string>> line = stream_->ReadLine(kY4mFrameLineLimit);
  if (line.ok() || line.status().code() != StatusCode::kBadData) return line.ok() ? Result<bool>(true) : line.status();
  return Error(StatusCode::kBadData, "{} is damaged: the marker of frame {} does not end, {} whole frame{} read",
               stream_->name(), frames_, frames_, frames_ == 1 ? "" : "s");
}

/// Whether the rest of a regular file holds `bytes`. No memory is allocated for frames that the file cannot hold.
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

/// The frame's bytes in the mapping; null without one, and where samples of two bytes would lie at odd addresses and
/// shares_misaligned_ does not allow it.
std::shared_ptr<const std::byte> PlanarSource::ShareFrame() {
  if (!shares_misaligned_ && stream_->position() % layout_.format.BytesPerSample() != 0) return nullptr;
  return stream_->Share(layout_.bytes);
}

Status PlanarSource::FindAlignment() {
  if (layout_.format.BytesPerSample() == 1 || stream_->mapped_bytes().empty()) return {};
  ACU_ASSIGN_OR_RETURN(const std::string_view next, stream_->Peek(kY4mFrameLineLimit + 1));
  const size_t end = next.find('\n');  // where there is none, reading reports it
  shares_misaligned_ = end != next.npos && (stream_->position() + static_cast<int64_t>(end) + 1) % 2 != 0;
  return {};
}

Result<Picture> PlanarSource::ReadPlanes() {
  ACU_RETURN_IF_ERROR(CheckRoom(layout_.bytes));
  if (std::shared_ptr<const std::byte> memory = ShareFrame()) {
    return Converted(PictureInPlace(layout_, std::move(memory), luma_only_));
  }
  const size_t wanted = luma_only_ ? layout_.planes[0].bytes() : layout_.bytes_with_chroma();
  std::vector<std::byte> first;
  if (!stream_->seekable() && frames_ == 0 && wanted > kTrustedBytes) ACU_RETURN_IF_ERROR(ReadGrowing(wanted, first));
  std::shared_ptr<std::byte> memory = pool_.AllocateBytes(wanted);
  if (!memory) return NoMemoryForFrame(wanted);
  if (!first.empty()) {
    std::memcpy(memory.get(), first.data(), wanted);
  } else {
    ACU_ASSIGN_OR_RETURN(const size_t got, stream_->Read(memory.get(), wanted));
    if (got < wanted) return Truncated();
  }
  ACU_RETURN_IF_ERROR(PassOver(layout_.bytes - wanted));
  return Converted(PictureInPlace(layout_, std::move(memory), luma_only_));
}

/// Reads the first frame of a pipe into memory that grows with it: a header alone must not reserve memory.
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
  if (layout_.conversion == ChromaConversion::kSemiPlanar)
    return UnpackSemiPlanar(layout_.format, picture.planes[0].data, luma_only_, pool_);
  const bool convert =
      layout_.conversion == ChromaConversion::k411To422 || layout_.conversion == ChromaConversion::kPaldv;
  if (!convert || luma_only_) return picture;
  return ConvertChroma(layout_, std::move(picture));
}

template <class Read>
Result<bool> PlanarSource::TakeFrame(const Read& read) {
  if (std::exchange(ended_, true)) return false;
  ACU_ASSIGN_OR_RETURN(const bool is_found, FindFrame());
  if (!is_found) return false;
  ACU_RETURN_IF_ERROR(read());
  ended_ = false;
  ++frames_;
  return true;
}

Result<std::optional<Picture>> PlanarSource::Next() {
  std::optional<Picture> picture;
  const auto read = [&]() -> Status {
    ACU_ASSIGN_OR_RETURN(picture, ReadPlanes());
    return {};
  };
  ACU_RETURN_IF_ERROR(TakeFrame(read).status());
  return picture;
}

Result<int64_t> PlanarSource::Skip(int64_t count) {
  for (int64_t skipped = 0; skipped < count; ++skipped) {
    ACU_ASSIGN_OR_RETURN(const bool is_taken, TakeFrame([this] { return PassOver(layout_.bytes); }));
    if (!is_taken) return skipped;
  }
  return count;
}

}  // namespace

Result<std::unique_ptr<VideoSource>> OpenRawYuv(std::unique_ptr<ByteStream> stream, const OpenOptions& options) {
  const PictureFormat& format = *options.raw;
  if (options.raw_is_semi_planar && format.pixel_format != PixelFormat::k420)
    return Error(StatusCode::kInvalidArgument, "{}: raw yuv whose Cb and Cr alternate is 4:2:0 (NV12, P010), not {}",
                 stream->name(), PixelFormatName(format.pixel_format));
  if (Status status = CheckPictureFormat(format); !status.ok())
    return Error(status.code(), "{}: {}", stream->name(), status.message());
  const auto conversion = options.raw_is_semi_planar ? ChromaConversion::kSemiPlanar : ChromaConversion::kNone;
  stream->Map(options.keep_mapped);
  return std::make_unique<PlanarSource>(std::move(stream), Y4mHeader{.format = format, .conversion = conversion},
                                        false);
}

Result<std::unique_ptr<VideoSource>> OpenY4m(std::unique_ptr<ByteStream> stream, const OpenOptions& options) {
  Result<std::optional<std::string>> line = stream->ReadLine(kY4mHeaderLimit);
  if (!line.ok() && line.status().code() != StatusCode::kBadData) return line.status();
  if (!line.ok() || !line->has_value())
    return Error(StatusCode::kBadData, "{}: bad y4m header: no line feed within the first {} bytes", stream->name(),
                 kY4mHeaderLimit + 1);
  Result<Y4mHeader> header = ParseY4mHeader(**line);
  if (!header.ok()) return Error(header.status().code(), "{}: {}", stream->name(), header.status().message());
  if (header->facts.is_interlaced && !options.take_all) {
    const Status refused = InterlacedY4m(header->facts.bottom_field_first ? "b" : "t");
    return Error(refused.code(), "{}: {}", stream->name(), refused.message());
  }
  stream->Map(options.keep_mapped);
  auto source = std::make_unique<PlanarSource>(std::move(stream), std::move(header).value(), true);
  ACU_RETURN_IF_ERROR(source->FindAlignment());
  return source;
}

}  // namespace acutance
