// Fuzz target: a container as a file or a pipe, read by FFmpeg on one thread, on several and in segments: frames, those
// that are damaged, how, and the error at the end are equal.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <span>

#include "tests/fuzz/fuzz.h"
#include "video/open_video.h"

using namespace acutance;

namespace {

struct Outcome {
  uint64_t samples = 14695981039346656037U;  // FNV-1a of all of them
  int frames = 0;
  std::string error{};
  StreamDamage damage{};

  bool operator==(const Outcome& other) const {
    return samples == other.samples && frames == other.frames && error == other.error &&
           damage.frames == other.damage.frames && damage.reason == other.damage.reason &&
           damage.lost == other.damage.lost;
  }
};

void AddSamples(const Picture& picture, Outcome& outcome) {
  const int bytes = picture.format.bit_depth > 8 ? 2 : 1;
  for (const Plane& plane : picture.planes)
    for (int y = 0; plane.data && y < plane.height; ++y)
      for (const std::byte value : std::span(plane.data + y * plane.stride, static_cast<size_t>(plane.width * bytes)))
        outcome.samples = (outcome.samples ^ static_cast<uint64_t>(value)) * 1099511628211U;
}

void Print(const char* name, const Outcome& outcome) {
  fmt::print(stderr, "{}: {} frames, {:x}, error \"{}\", damage \"{}\", {} lost, frames {}\n", name, outcome.frames,
             outcome.samples, outcome.error, outcome.damage.reason, outcome.damage.lost,
             fmt::join(outcome.damage.frames, ", "));
}

Outcome Read(std::string_view bytes, bool is_pipe, const OpenOptions& options) {
  constexpr int kMostFrames = 32;
  Outcome outcome;
  const fuzz::FileOf file(bytes, is_pipe);
  Result<std::unique_ptr<VideoSource>> video = OpenVideo(file.path(), options);
  if (!video.ok()) return outcome;
  while (outcome.frames < kMostFrames) {
    const Result<std::optional<Picture>> picture = (*video)->Next();
    if (!picture.ok()) outcome.error = picture.status().message().substr(file.path().size());
    if (!picture.ok() || !picture->has_value()) break;
    AddSamples(**picture, outcome);
    ++outcome.frames;
  }
  outcome.damage = (*video)->damage();
  static_cast<void>((*video)->warnings());
  static_cast<void>((*video)->frame_changes());
  static_cast<void>((*video)->MeasureBitRate());
  return outcome;
}

}  // namespace

ACU_FUZZ_TARGET(input) {
  const int how = input.Byte();
  const bool is_pipe = how & 1;
  OpenOptions options{.take_all = (how & 2) != 0, .stop_at_damage = (how & 4) != 0};
  options.always_probe = how & 8;
  const Outcome serial = Read(input.rest(), is_pipe, options);
  options.decoder_threads = 2 + how % 7;
  if (how & 16)
    options.segments = {.most_bytes = size_t{1} << 30, .start_after = 1, .least_packets = 1, .least_threads = 2};
  const Outcome parallel = Read(input.rest(), is_pipe, options);
  if (parallel == serial) return;
  Print("1 thread", serial);
  Print("several threads", parallel);
  std::abort();
}
