#include "io/ffmpeg/damage_watch.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "base/threads/exception_barrier.h"
#include "io/ffmpeg/library.h"

namespace acutance {
namespace {

constexpr int kMarkStep = 16;  // the least size of HEVC's coding tree blocks, and that of MPEG-2's macroblocks
constexpr int kMarkRow = 4;    // in a block: pictures are multiples of 8 samples wide and high
constexpr int kMarkSamples = 8;

/// The watches of this process. Log lines name their decoder, whose `opaque` is its watch, but other decoders of the
/// process may keep something else there.
struct Watches {
  std::mutex mutex;
  std::vector<void*> live;
};

Watches& TheWatches() {
  static Watches& watches = *new Watches;
  return watches;
}

/// Different in neighbouring blocks, as pictures are alike there; fits samples of 8 bits and of more.
std::array<uint8_t, kMarkSamples> MarkAt(int x, int y) {
  uint64_t hash = (static_cast<uint64_t>(y) << 32 | static_cast<uint32_t>(x)) * 0x9e3779b97f4a7c15u;
  hash ^= hash >> 29;
  hash *= 0xbf58476d1ce4e5b9u;
  std::array<uint8_t, kMarkSamples> mark;
  std::memcpy(mark.data(), &hash, sizeof mark);
  return mark;
}

template <class Sample, class Visit>
void VisitMarks(uint8_t* samples, ptrdiff_t stride, int width, int height, const Visit& visit) {
  for (int y = 0; y + 2 * kMarkRow <= height; y += kMarkStep)
    for (int x = 0; x + kMarkSamples <= width; x += kMarkStep) {
      const std::array<uint8_t, kMarkSamples> bytes = MarkAt(x, y);
      std::array<Sample, kMarkSamples> mark;
      std::ranges::copy(bytes, mark.begin());
      visit(samples + (y + kMarkRow) * stride + static_cast<ptrdiff_t>(x * sizeof(Sample)), mark);
    }
}

template <class Visit>
void VisitMarks(uint8_t* samples, ptrdiff_t stride, int width, int height, int bytes, const Visit& visit) {
  if (bytes == 1) VisitMarks<uint8_t>(samples, stride, width, height, visit);
  else VisitMarks<uint16_t>(samples, stride, width, height, visit);
}

void FillGray(const AVFrame& frame, int depth) {
  for (const AVBufferRef* buffer : Fields(frame).buf()) {
    if (!buffer) continue;
    if (depth == 8) {
      std::memset(buffer->data, 0x80, buffer->size);
      continue;
    }
    const auto gray = static_cast<uint16_t>(1u << (depth - 1));
    for (size_t i = 0; i + sizeof gray <= buffer->size; i += sizeof gray)
      std::memcpy(buffer->data + i, &gray, sizeof gray);
  }
}

std::string WithoutEnd(std::string text) {
  while (text.ends_with('\n') || text.ends_with('.')) text.pop_back();
  return text;
}

std::string TextOf(const char* format, va_list arguments) {
  char text[300];
  std::vsnprintf(text, sizeof text, format, arguments);
  return text;
}

thread_local LoggedErrors* g_logged = nullptr;

}  // namespace

LoggedErrors::LoggedErrors() : outer_(std::exchange(g_logged, this)) {}

LoggedErrors::~LoggedErrors() { g_logged = outer_; }

void DamageWatch::BufferFreed::operator()(AVBufferRef* buffer) const { Ffmpeg().av_buffer_unref(&buffer); }

DamageWatch::DamageWatch() {
  const std::scoped_lock lock(TheWatches().mutex);
  TheWatches().live.push_back(this);
}

DamageWatch::~DamageWatch() {
  const std::scoped_lock lock(TheWatches().mutex);
  std::erase(TheWatches().live, this);
}

void DamageWatch::Attach(AVFormatContext& container) {
  Fields(container).opaque() = this;
  level_ = AV_LOG_ERROR;
}

void DamageWatch::Attach(AVCodecContext& decoder, bool fills) {
  const auto fields = Fields(decoder);
  const Codec codec = CodecOf(fields.codec_id());
  fields.opaque() = this;
  marked_.clear();
  TakeError();
  // FFV1 before version 2 has no checksums. FFmpeg 7 and later leave what they cannot read as the memory was, and
  // report nothing.
  fills_ = fills || (codec == Codec::kFfv1 && fields.extradata_size() == 0);
  // H.264's decoder reports slices that are lost in its log alone, and conceals them over the marks.
  const bool is_unheard = codec == Codec::kH264 && !fills && !ReadsFfmpegLog();
  if (is_unheard) Ffmpeg().av_opt_set_int(&decoder, "ec", 0, 0);
  marks_ = is_unheard || codec == Codec::kHevc || codec == Codec::kMpeg2 || codec == Codec::kFfv1;
  if ((!fills_ && !marks_) || !(fields.codec()->capabilities & AV_CODEC_CAP_DR1)) return;
  fields.get_buffer2() = GetBuffer;
  if (fields.has_thread_safe_callbacks()) fields.thread_safe_callbacks() = 1;
}

int DamageWatch::GetBuffer(AVCodecContext* decoder, AVFrame* frame, int flags) {
  const int got = Ffmpeg().avcodec_default_get_buffer2(decoder, frame, flags);
  if (got < 0) return got;
  const Status prepared = CatchExceptions([&] {
    static_cast<DamageWatch*>(Fields(*decoder).opaque())->Prepare(*frame);
    return Status();
  });
  return prepared.ok() ? got : AVERROR(ENOMEM);
}

void DamageWatch::Prepare(const AVFrame& frame) {
  const auto fields = Fields(frame);
  const AVPixFmtDescriptor* desc = Ffmpeg().av_pix_fmt_desc_get(fields.format());
  if (!desc || !fields.buf()[0] || (desc->flags & AV_PIX_FMT_FLAG_HWACCEL)) return;
  const int depth = desc->comp[0].depth;
  if (fills_) FillGray(frame, depth);
  if (!marks_ || depth < 8) return;
  AVBufferRef* held = Ffmpeg().av_buffer_ref(fields.buf()[0]);
  if (!held) return;
  Marked picture{{}, fields.data()[0], fields.linesize()[0], fields.width(), fields.height(), depth > 8 ? 2 : 1};
  picture.buffer.reset(held);
  VisitMarks(picture.samples, picture.stride, picture.width, picture.height, picture.bytes,
             [](uint8_t* at, const auto& mark) { std::memcpy(at, mark.data(), sizeof mark); });
  const std::scoped_lock lock(mutex_);
  marked_.push_back(std::move(picture));
}

bool DamageWatch::HasMark(const Marked& picture) {
  bool has = false;
  VisitMarks(picture.samples, picture.stride, picture.width, picture.height, picture.bytes,
             [&](const uint8_t* at, const auto& mark) { has |= std::memcmp(at, mark.data(), sizeof mark) == 0; });
  return has;
}

bool DamageWatch::IsComplete(const AVFrame& frame) {
  const AVBufferRef* const luma = Fields(frame).buf()[0];
  if (!marks_ || !luma) return true;
  std::deque<Marked> done;
  {
    const std::scoped_lock lock(mutex_);
    const auto mine =
        std::ranges::find_if(marked_, [&](const Marked& picture) { return picture.buffer->data == luma->data; });
    if (mine == marked_.end()) return true;
    const auto count = mine - marked_.begin() + 1;
    for (ptrdiff_t i = 0; i < count; ++i) {
      done.push_back(std::move(marked_.front()));
      marked_.pop_front();
    }
  }
  return std::ranges::none_of(done, HasMark);
}

void DamageWatch::Note(std::string text) {
  text = WithoutEnd(std::move(text));
  const std::scoped_lock lock(mutex_);
  if (error_.empty()) error_ = std::move(text);
  has_errors_ = true;
}

std::string DamageWatch::TakeError() {
  const std::scoped_lock lock(mutex_);
  has_errors_ = false;
  return std::exchange(error_, {});
}

std::string DamageWatch::error() const {
  const std::scoped_lock lock(mutex_);
  return error_;
}

bool DamageWatch::NoteLog(void* context, int level, const char* format, va_list arguments) {
  const auto* type = context ? *static_cast<const AVClass**>(context) : nullptr;
  if (!type) return false;
  void* watch = nullptr;
  if (std::strcmp(type->class_name, "AVCodecContext") == 0)
    watch = Fields(*static_cast<AVCodecContext*>(context)).opaque();
  else if (std::strcmp(type->class_name, "AVFormatContext") == 0)
    watch = Fields(*static_cast<AVFormatContext*>(context)).opaque();
  const std::scoped_lock lock(TheWatches().mutex);
  if (std::ranges::find(TheWatches().live, watch) == TheWatches().live.end()) {
    if (!g_logged || level > AV_LOG_ERROR) return false;
    return CatchExceptions([&] {
             if (g_logged->text_.empty()) g_logged->text_ = WithoutEnd(TextOf(format, arguments));
             return Status();
           })
        .ok();
  }
  // H.264's and MPEG-2's decoders report what they conceal as information.
  if (level > static_cast<DamageWatch*>(watch)->level_ && std::strncmp(format, "concealing", 10) != 0) return true;
  return CatchExceptions([&] {
           static_cast<DamageWatch*>(watch)->Note(TextOf(format, arguments));
           return Status();
         })
      .ok();
}

}  // namespace acutance
