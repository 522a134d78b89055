#include "io/ffmpeg/stream_decoder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/usable_cpus.h"
#include "io/ffmpeg/h264_bits.h"
#include "io/ffmpeg/hardware.h"
#include "io/ffmpeg/library.h"
#include "io/ffmpeg/still_orientation.h"

namespace acutance {
namespace {

constexpr int kThreadsNextToDevice = 4;
constexpr size_t kWaitingSegments = 2;  // for each decoder
constexpr const char* kFewThreads = "there are few threads";

size_t BytesOf(const PictureFormat& format, bool luma_only) {
  size_t samples = 0;
  for (int p = 0; p < (luma_only ? 1 : format.PlaneCount()); ++p)
    samples += static_cast<size_t>(format.PlaneWidth(p)) * static_cast<size_t>(format.PlaneHeight(p));
  return samples * static_cast<size_t>(format.BytesPerSample());
}

}  // namespace

Status StreamDecoder::Failure(std::string_view what, int error) const { return input_.Failure(what, error); }

Status StreamDecoder::OpenDecoder() {
  fed_all_ = false;
  broken_ = {};
  const int error = setup_.Open(options_.decoder_threads, on_error_, watch_, decoder_);
  return error < 0 ? Failure("could not open the decoder", error) : Status();
}

std::string StreamDecoder::WhyOneDecoder() const {
  if (!input_.stream().seekable()) return "it is a pipe";
  if (!options_.may_use_device && Threads() < options_.segments.least_threads) return kFewThreads;
  if (options_.stop_at_damage) return "the run ends where damage is found";
  if (options_.segments.most_bytes == 0) return "there is no memory for others";
  return "";
}

Status StreamDecoder::Open() {
  ACU_RETURN_IF_ERROR(input_.Open(options_.always_probe));
  setup_.codec = input_.codec();
  setup_.time_base = Fields(input_.track()).time_base();
  setup_.film_grain = options_.film_grain;
  const int error = setup_.CopyParameters(input_.parameters());
  if (error < 0) return Failure("bad codec parameters", error);
  cutter_.Start(WhyOneDecoder());
  return OpenDecoder();
}

void StreamDecoder::StopFeeding(Status reason) {
  fed_all_ = true;
  broken_ = std::move(reason);
  // From here on the decoder gives what it still holds; several threads may return the error of an earlier packet.
  const int sent = SendPacket(*decoder_, nullptr);
  if (sent < 0 && sent != AVERROR_EOF) OnDamage(FfmpegReason(sent));
}

Result<std::optional<StreamPacket>> StreamDecoder::NextPacket() {
  if (!here_) return cutter_.Read();
  if (fed_here_ == here_->packets.size()) return std::optional<StreamPacket>();
  return std::optional(std::move(here_->packets[fed_here_++]));
}

void StreamDecoder::FeedDecoder() {
  Result<std::optional<StreamPacket>> next = NextPacket();
  if (!next.ok() || !*next) return StopFeeding(next.ok() ? Status() : next.status());
  StreamPacket& packet = **next;
  const bool is_corrupt = packet.packet->flags & AV_PKT_FLAG_CORRUPT;
  if (is_corrupt && !input_.is_transport_stream())  // the file ends within it
    return StopFeeding(Failure("damaged or truncated", AVERROR_INVALIDDATA));
  packet_ = packet.number;
  if (packet_ == 1)
    exif_orientation_ = StillOrientation({packet.packet->data, static_cast<size_t>(packet.packet->size)});
  NoteRange(packet);
  leads_first_key_ = decoded_ == 0 && input_.starts_between_keys() && first_key_.Follows(*packet.packet);
  const bool may_find = on_error_ == OnError::kFind;
  if (may_find && decoded_ == 0 && input_.starts_between_keys() && !start_.Add(packet)) found_damage_ = true;
  if (is_corrupt) OnDamage("the container lost bytes of a packet");
  Await(packet);
  const int sent = SendPacket(*decoder_, &packet);
  if (sent >= 0 || sent == AVERROR(EAGAIN)) return;
  OnDamage(FfmpegReason(sent));
}

/// FFmpeg's decoder keeps the range and the colors that a stream declared once, but a later sequence may declare none:
/// then the range is limited. From version 6 on, frames that declare none also get what a later sequence declares.
void StreamDecoder::NoteRange(const StreamPacket& next) {
  const AVPacket& packet = *next.packet;
  const auto track = Fields(*setup_.parameters);
  if (!(packet.flags & AV_PKT_FLAG_KEY) || CodecOf(track.codec_id()) != Codec::kH264 || packet.size < 1) return;
  if (track.extradata_size() > 0 && track.extradata()[0] == 1) return;  // "avcC": no start codes, and sets stand there
  constexpr size_t kMost = 4096;                                        // sets come first
  const auto start = H264Bytes(packet.data, std::min(static_cast<size_t>(packet.size), kMost));
  const std::optional<bool> declares = H264DeclaresRange(start);
  if (!declares || (!ranges_.empty() && std::prev(ranges_.end())->second == *declares)) return;
  ranges_.insert_or_assign(next.number, *declares);
}

bool StreamDecoder::LacksColors(const AVFrame& frame) const {
  const auto since = ranges_.upper_bound(NumberOf(frame));
  return since != ranges_.begin() && !std::prev(since)->second;
}

/// Whether the decoder finds damage on several threads: an error may be that of any packet that was fed.
bool StreamDecoder::FindsOnThreads() const {
  int64_t threads = 0;
  return on_error_ == OnError::kFind && Ffmpeg().av_opt_get_int(decoder_.get(), "threads", 0, &threads) >= 0 &&
         threads != 1;
}

/// Frames that lead the first key frame of a recording cannot be decoded; that is no damage, unless one is handed out.
void StreamDecoder::OnDamage(std::string reason, bool is_of_frame) {
  std::string logged = watch_.TakeError();
  const bool may_lead = decoded_ == 0 && input_.starts_between_keys() && (leads_first_key_ || FindsOnThreads());
  if (!is_of_frame && may_lead) return;
  if (on_error_ == OnError::kFind) found_damage_ = true;
  if (on_error_ != OnError::kRecord) return;
  if (!logged.empty()) reason = std::move(logged);
  if (damage_.reason.empty()) damage_.reason = reason;
  damaged_packets_.insert(packet_);
  if (options_.stop_at_damage && broken_.ok())
    broken_ = Error(StatusCode::kBadData, "{} is damaged: {}", input_.name(), damage_.reason);
}

/// Errors that the decoder reports with a frame, or has logged since the last one.
void StreamDecoder::CheckErrors(const AVFrame& frame) {
  const bool is_incomplete = !watch_.IsComplete(frame);
  if (watch_.has_errors()) OnDamage("");
  if (!IsCorrupt(frame) && !is_incomplete) return;
  OnDamage(is_incomplete ? "a part of the picture is missing" : "a part of the picture could not be decoded", true);
  damaged_packets_.insert(NumberOf(frame));
}

/// dav1d's threads may forget errors. Each packet of AV1 shows one frame.
void StreamDecoder::Await(const StreamPacket& packet) {
  const bool is_shown = !(packet.packet->flags & AV_PKT_FLAG_DISCARD);
  const bool is_av1 = CodecOf(Fields(*setup_.parameters).codec_id()) == Codec::kAv1;
  if (is_shown && is_av1 && FindsOnThreads()) awaited_.push_back(packet.number);
}

/// Whether the frame is not that of the next packet; null: the end.
bool StreamDecoder::HasLost(const AVFrame* frame) {
  while (frame && decoded_ == 0 && input_.starts_between_keys() && !awaited_.empty() &&
         awaited_.front() < NumberOf(*frame))
    awaited_.pop_front();
  if (awaited_.empty()) return false;
  if (!frame || awaited_.front() != NumberOf(*frame)) return true;
  awaited_.pop_front();
  return false;
}

Result<FramePtr> StreamDecoder::DecodeHere() {
  FramePtr frame = MakeFrame();
  if (!frame) return Failure("no memory", AVERROR(ENOMEM));
  constexpr int kMostErrors = 1000;  // without a frame or a packet in between: the decoder does not come to its end
  for (int errors = 0; errors < kMostErrors;) {
    const int error = Ffmpeg().avcodec_receive_frame(decoder_.get(), frame.get());
    if (error == 0) {
      CheckErrors(*frame);
      if (HasLost(frame.get()) || (on_error_ == OnError::kFind && !start_.Check(*frame, setup_))) found_damage_ = true;
    } else if (watch_.has_errors()) {
      OnDamage("");
    }
    // Frames that the decoder held before the first damaged packet are sound.
    const bool stops = options_.stop_at_damage && !damaged_packets_.empty();
    if (found_damage_ || (stops && error == 0 && NumberOf(*frame) >= *damaged_packets_.begin())) break;
    if (error == 0) {
      if (damaged_packets_.erase(NumberOf(*frame)) > 0) damage_.frames.push_back(decoded_);
      return frame;
    }
    if (error == AVERROR(EAGAIN) && !fed_all_) {
      if (stops) StopFeeding(Status(broken_));
      else FeedDecoder();
      errors = 0;
      continue;
    }
    if (error == AVERROR_EOF || error == AVERROR(EAGAIN)) break;
    OnDamage(FfmpegReason(error));
    ++errors;
  }
  const bool lacks_start = on_error_ == OnError::kFind && decoded_ == 0 && input_.starts_between_keys();
  found_damage_ |= lacks_start || HasLost(nullptr);
  if (found_damage_) return FramePtr();  // that the stream is also truncated counts when it is decoded again
  if (!broken_.ok()) return broken_;
  return FramePtr();
}

int StreamDecoder::Threads() const { return options_.decoder_threads > 0 ? options_.decoder_threads : UsableCpus(); }

/// Those that are decoded ahead. In the host's memory, they have chroma in any case.
size_t StreamDecoder::MostFrames() const {
  if (!device_ || on_device_.hardware) return MostFramesHere();
  return device_->most_bytes / BytesOf(format_, on_device_.video.luma_only);
}

size_t StreamDecoder::MostFramesHere() const { return options_.segments.most_bytes / BytesOf(format_, false); }

void StreamDecoder::SetPictures(const PictureFormat& format, bool luma_only) {
  format_ = format;
  on_device_.video.format = format;
  on_device_.video.luma_only = luma_only;
}

void StreamDecoder::TakeHere(std::optional<Segment> segment) {
  decodes_here_ = true;
  here_ = std::move(segment);
  fed_here_ = 0;
}

/// The other videos of a run need threads, too. Whichever decoder is free takes the next segment, so that quick ones
/// take more of them. Next to a device, few decoders with several threads each are no slower than one of its own.
SegmentCrew::Size StreamDecoder::CrewSize() const {
  SegmentCrew::Size size{.device = on_device_, .frames = MostFrames()};
  if (!device_) {
    if (Threads() >= options_.segments.least_threads) size.on_cpu = std::max(Threads() * 3 / 4, 2);
    return size;
  }
  size.on_device = device_->decoders;
  size.threads = std::clamp(device_->host_threads, 1, kThreadsNextToDevice);
  size.on_cpu = device_->host_threads / size.threads;
  return size;
}

void StreamDecoder::EndHere() {
  awaited_.clear();
  here_.reset();
  decoder_.reset();
  decodes_here_ = is_first_ = false;
}

/// Reads ahead and cuts, as long as there is room for what decoders of segments give. Side by side, segments are
/// decoded by half when the first of them is used up, on average.
void StreamDecoder::FillCrew() {
  const SegmentOptions& options = options_.segments;
  if (!device_ && in_a_row_ < options.start_after) return;
  if (!device_ && Threads() < options.least_threads && cutter_.refusal().empty()) cutter_.Refuse(kFewThreads);
  if (segments_ == 0 && decodes_here_ && !here_) {
    if (!times_rise_ && cutter_.refusal().empty()) cutter_.Refuse("the times of its frames do not rise");
    TakeHere(cutter_.Cut(options.least_packets));
    is_first_ = true;
  }
  const SegmentCrew::Size most = CrewSize();
  const size_t decoders = static_cast<size_t>(most.on_cpu + most.on_device);
  const size_t most_segments = kWaitingSegments * decoders + 1;  // a slow decoder does not hold the others up
  while (crew_.size() < most_segments && (!decodes_here_ || here_)) {
    if (!next_) next_ = cutter_.Cut(options.least_packets);
    if (!next_) return;
    const size_t frames = std::max<size_t>(next_->order.size(), 1), room = 2 * most.frames / frames;
    lacked_room_ |= room == 0;
    if (crew_.size() >= room) return;
    for (const StreamPacket& packet : next_->packets) NoteRange(packet);
    SegmentCrew::Size size = most;
    if (!device_) size.threads = std::max(most.on_cpu / static_cast<int>(std::min(room, decoders)), 1);
    else if (const size_t here = MostFramesHere() / frames; here < decoders)
      size.on_cpu = std::min(size.on_cpu, static_cast<int>(here));
    crew_.Add(*std::exchange(next_, std::nullopt), size);
    ++segments_;
  }
}

/// A frame of the decoder here; null: the end of its segment, or damage.
Result<FramePtr> StreamDecoder::NextHere() {
  for (;;) {
    ACU_ASSIGN_OR_RETURN(FramePtr frame, DecodeHere());
    if (!here_ || found_damage_) return frame;
    if (!frame) {
      is_doubtful_ = !is_first_ && !here_->order.is_complete();
      EndHere();
      return frame;
    }
    const FrameOrder::Verdict verdict = is_first_ ? here_->order.CheckEnd(*frame) : here_->order.Check(*frame);
    is_doubtful_ = verdict == FrameOrder::Verdict::kWrong;
    if (is_doubtful_) return FramePtr();
    if (verdict == FrameOrder::Verdict::kNext) return frame;
  }
}

Result<DecodedFrame> StreamDecoder::NextOfCrew() {
  DecodedFrame frame;
  const SegmentCrew::Event event = crew_.Next(frame);
  if (event == SegmentCrew::Event::kCancel)
    return Error(StatusCode::kCancelled, "reading {} was cancelled", input_.name());
  is_doubtful_ = event == SegmentCrew::Event::kDoubt;
  return frame;
}

/// Null: the end, or doubts.
Result<DecodedFrame> StreamDecoder::NextInOrder() {
  for (bool has_ended = false; !has_ended;) {
    FillCrew();
    is_doubtful_ = cutter_.has_doubts() && (segments_ > 0 || here_);
    if (is_doubtful_) break;
    if (!decodes_here_ && crew_.empty()) {
      if (!next_) next_ = cutter_.Cut(options_.segments.least_packets);
      if (!next_ && cutter_.refusal().empty()) break;
      TakeHere(std::exchange(next_, std::nullopt));
      ACU_RETURN_IF_ERROR(OpenDecoder());
    }
    has_ended = decodes_here_ && !here_;
    DecodedFrame next;
    if (!decodes_here_) {
      ACU_ASSIGN_OR_RETURN(next, NextOfCrew());
    } else {
      ACU_ASSIGN_OR_RETURN(next.frame, NextHere());
    }
    if (next.frame && is_first_ && here_ &&
        here_->order.size() - static_cast<size_t>(decoded_) <= SegmentCrew::kMostHeld)
      is_doubtful_ = !crew_.BeginsSoundly();
    if (next.frame && !is_doubtful_) {
      const int64_t time = Fields(*next.frame).pts();
      const bool rises = time != AV_NOPTS_VALUE && (decoded_ == 0 || time > last_time_);
      last_time_ = time;
      times_rise_ &= rises;
      is_doubtful_ = segments_ > 0 && !rises;
    }
    if (is_doubtful_ || found_damage_) break;
    if (!next.frame) continue;
    ++decoded_;
    ++in_a_row_;
    if (repeated_ == 0) return next;
    --repeated_;
  }
  return DecodedFrame();
}

Result<DecodedFrame> StreamDecoder::Next() {
  has_ended_ = true;  // unless there is a frame
  ACU_ASSIGN_OR_RETURN(DecodedFrame next, NextInOrder());
  while (is_doubtful_ || found_damage_) {
    ACU_RETURN_IF_ERROR(DecodeAgain());
    for (int64_t skipped = 0; skipped <= frames_; ++skipped) {
      ACU_ASSIGN_OR_RETURN(next, NextInOrder());
      if (!next.frame) break;
    }
  }
  if (!next.frame) return next;
  has_ended_ = false;
  last_packet_ = std::max(last_packet_, NumberOf(*next.frame));
  ++frames_;
  return next;
}

/// By one decoder, from the start; on one thread where there is damage.
Status StreamDecoder::DecodeAgain() {
  if (found_damage_) on_error_ = OnError::kRecord;
  const char* why = found_damage_ ? "it is damaged" : "its frames are not those that its packets declare";
  ACU_RETURN_IF_ERROR(StartAnew());
  cutter_.Start(why);
  return OpenDecoder();
}

Status StreamDecoder::StartAnew() {
  crew_.Clear();
  next_.reset();
  TakeHere(std::nullopt);
  decoder_.reset();
  awaited_.clear();
  first_key_ = {};
  start_.Clear();
  damage_ = {};
  damaged_packets_.clear();
  ACU_RETURN_IF_ERROR(input_.Reopen(options_.always_probe));
  cutter_.Start(WhyOneDecoder());
  is_doubtful_ = found_damage_ = is_first_ = false;
  packet_ = decoded_ = in_a_row_ = segments_ = repeated_ = 0;
  ranges_.clear();
  return {};
}

int64_t StreamDecoder::Skip(int64_t count, const std::function<void(int64_t)>& passed) {
  const size_t least = options_.segments.least_packets;
  if (count < static_cast<int64_t>(least) || !cutter_.refusal().empty() || !crew_.empty()) return 0;
  if (decodes_here_ && !here_) {
    TakeHere(cutter_.Cut(least));
    is_first_ = true;
  }
  if (decodes_here_ && (!here_ || !is_first_ || !cutter_.starts_surely())) return 0;
  int64_t skipped = 0;
  const auto pass = [&](const FrameOrder& order, int64_t from) {
    const std::vector<int64_t>& times = order.times();
    if (from > std::ssize(times) || std::ssize(times) - from > count - skipped) return false;
    for (auto time = times.begin() + from; time != times.end(); ++time) passed(last_time_ = *time);
    skipped += std::ssize(times) - from;
    return true;
  };
  if (decodes_here_) {
    if (!pass(here_->order, decoded_)) return 0;
    EndHere();
  }
  for (;;) {
    if (!next_) next_ = cutter_.Cut(least);
    if (!next_ || !pass(next_->order, repeated_)) break;
    decoded_ += std::exchange(repeated_, 0);
    for (const StreamPacket& packet : next_->packets) NoteRange(packet);
    next_.reset();
  }
  frames_ += skipped;
  decoded_ += skipped;
  in_a_row_ = 0;
  return skipped;
}

bool StreamDecoder::Jump(double part) {
  if (!decoder_ && !OpenDecoder().ok()) return false;
  if (!input_.Jump(part)) return false;
  crew_.Clear();
  next_.reset();
  TakeHere(std::nullopt);
  cutter_.Start("a part of it was left out");
  Ffmpeg().avcodec_flush_buffers(decoder_.get());
  on_error_ = OnError::kIgnore;
  repeated_ = 0;
  awaited_.clear();
  start_.Clear();
  fed_all_ = false;
  broken_ = {};
  return true;
}

void StreamDecoder::Interrupt() {
  input_.Interrupt();
  crew_.Stop();
}

StreamDamage StreamDecoder::damage() const {
  StreamDamage damage = damage_;
  // What was read ahead of the frames depends on the threads.
  const bool is_reached = has_ended_ || cutter_.first_error().value_or(0) <= last_packet_;
  if (damage.reason.empty() && is_reached) damage.reason = input_.error();
  damage.lost = static_cast<int64_t>(damaged_packets_.size());
  damage.decoded = decoded_;
  return damage;
}

std::string StreamDecoder::WhyNoSegments() const {
  if (!cutter_.refusal().empty()) return cutter_.refusal();
  return lacked_room_ ? "its segments are too large for the memory" : "no decoder can start after its beginning";
}

std::string_view StreamDecoder::DecoderName() const {
  if (!crew_.used_device()) return "cpu";
  return on_device_.hardware ? on_device_.hardware->hardware->option() : "nvdec";
}

Decoding StreamDecoder::decoding() const {
  Decoding how{.segments = segments_, .one_decoder = cutter_.refusal(), .decoder = std::string(DecoderName())};
  if (segments_ > 0 || !how.one_decoder.empty()) return how;
  how.one_decoder =
      decoded_ <= options_.segments.start_after ? "it is short, or only its start was read" : WhyNoSegments();
  return how;
}

}  // namespace acutance
