// Frames a second that decoders alone reach.
//
// usage: decoding_bench cpu|nvdec|auto THREADS VIDEO...    all videos at once, a thread for each, as a run reads them
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/system/process.h"
#include "base/usable_cpus.h"
#include "devices/backends.h"
#include "engine/device_cache.h"
#include "video/open_video.h"

namespace acutance {
namespace {

const std::shared_ptr<DeviceCache> g_devices = ShareDevices();

Result<int64_t> CountFrames(const std::string& path, const std::string& decoder, int videos,
                            const OpenOptions& options) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<VideoSource> video, OpenVideo(path, options));
  if (decoder != "cpu") {
    const Backend* backend = FindBackend("cuda");
    if (!backend) return Error(StatusCode::kNoDevice, "this build has no CUDA");
    ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Device> device, backend->open(0));
    ACU_ASSIGN_OR_RETURN(const DecodingDevice decoding, OpenForDecoding(device->info(), *g_devices));
    const auto most_bytes = device->info().memory_bytes / 8 / static_cast<uint64_t>(videos);
    ACU_RETURN_IF_ERROR(video->DecodeOn({.open = decoding.open,
                                         .decoders = std::max((decoding.engines + videos - 1) / videos, 1),
                                         .host_threads = decoder == "nvdec" ? 0 : options.decoder_threads / 2 / videos,
                                         .most_bytes = most_bytes}));
  }
  for (int64_t frames = 0;; ++frames) {
    ACU_ASSIGN_OR_RETURN(const std::optional<Picture> picture, video->Next());
    if (picture) continue;
    const Decoding how = video->decoding();
    std::printf("%s: %lld segments, %s\n", path.c_str(), static_cast<long long>(how.segments), how.one_decoder.c_str());
    return frames;
  }
}

int Main(int count, char** words) {
  if (count < 4) return std::fprintf(stderr, "usage: decoding_bench cpu|nvdec|auto THREADS VIDEO...\n"), 2;
  SetMainProgram();
  OpenOptions options{.decoder_threads = std::atoi(words[2]), .may_use_device = true};
  options.segments.most_bytes = AvailableMemory().value_or(size_t{4} << 30) / 8 / static_cast<size_t>(count - 3);
  std::vector<Result<int64_t>> frames(static_cast<size_t>(count - 3), int64_t{0});
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> threads;
  for (int i = 3; i < count; ++i)
    threads.emplace_back([&, i] { frames[i - 3] = CountFrames(words[i], words[1], count - 3, options); });
  for (std::thread& thread : threads) thread.join();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  int64_t all = 0;
  for (const Result<int64_t>& each : frames) {
    if (!each.ok()) return std::fprintf(stderr, "%s\n", each.status().message().c_str()), 1;
    all += *each;
  }
  std::printf("%s, %s threads: %.0f frames/s of each of %d videos\n", words[1], words[2],
              static_cast<double>(all) / seconds / (count - 3), count - 3);
  return 0;
}

}  // namespace
}  // namespace acutance

int main(int count, char** words) { return acutance::Main(count, words); }
