#include "exec/host_imports.h"

#include <algorithm>

namespace acutance {
namespace {

constexpr size_t kPage = 4096;  // the smallest there is; larger ones divide the windows too
constexpr int kTrialBatches = 6;

/// A mapping has its last page whole.
size_t WholePages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

bool LiesIn(const Plane& plane, std::span<const std::byte> region) {
  const std::byte* end = plane.data + plane.stride * (plane.height - 1) + plane.width;
  return plane.data >= region.data() && end <= region.data() + region.size();
}

}  // namespace

bool HostImports::IsWorthIt() {
  const std::lock_guard lock(mutex_);
  if (refused_) return false;
  if (in_place_.batches < kTrialBatches) return true;
  if (copied_.batches < kTrialBatches) return false;
  return in_place_.bytes * copied_.seconds >= copied_.bytes * in_place_.seconds;
}

void HostImports::Report(bool in_place, size_t bytes, double seconds) {
  const std::lock_guard lock(mutex_);
  Speed& speed = in_place ? in_place_ : copied_;
  // The first batch of either way meets cold code and threads that sleep.
  if (++speed.batches == 1) return;
  speed.bytes += static_cast<double>(bytes);
  speed.seconds += seconds;
}

void HostImports::AddWanted(const Picture& picture, int plane, std::map<const std::byte*, Wanted>& wanted) {
  const Plane& samples = picture.planes[plane];
  const std::span<const std::byte> region = picture.region;
  const size_t begin = static_cast<size_t>(samples.data - region.data());
  const size_t end = begin + static_cast<size_t>(samples.stride) * samples.height;
  for (size_t at = begin / kWindowBytes * kWindowBytes; at < std::min(end, region.size()); at += kWindowBytes) {
    const size_t bytes = std::min(kWindowBytes, WholePages(region.size()) - at);
    wanted.try_emplace(region.data() + at, Wanted{{region.data() + at, bytes}, picture.memory, nullptr});
  }
}

/// On several threads: touches nothing that another window touches.
void HostImports::OpenWindow(Wanted& wanted) {
  Result<std::unique_ptr<Buffer>> buffer = device_.ImportHost(wanted.bytes);
  if (!buffer.ok()) return;
  auto window = std::make_shared<Window>();
  window->begin_ = wanted.bytes.data();
  window->memory_ = wanted.memory;
  window->buffer_ = std::move(buffer).value();
  wanted.window = std::move(window);
}

bool HostImports::Open(std::span<const Picture* const> pictures, int plane, const ForEach& for_each, Windows& windows) {
  std::map<const std::byte*, Wanted> wanted;
  for (const Picture* picture : pictures) {
    if (!picture) continue;
    if (!LiesIn(picture->planes[plane], picture->region)) return false;
    AddWanted(*picture, plane, wanted);
  }
  const std::lock_guard lock(mutex_);
  std::vector<Wanted*> missing;
  for (auto& [begin, window] : wanted) {
    window.window = windows_[begin].lock();
    if (!window.window) missing.push_back(&window);
  }
  const auto open = [&](int i) { OpenWindow(*missing[i]); };
  if (for_each) for_each(static_cast<int>(missing.size()), open);
  else
    for (size_t i = 0; i < missing.size(); ++i) open(static_cast<int>(i));
  std::erase_if(windows_, [](const auto& entry) { return entry.second.expired(); });
  for (auto& [begin, window] : wanted) {
    if (!window.window) refused_ = true;
    else windows_[begin] = window.window;
  }
  if (refused_) return false;
  for (auto& [begin, window] : wanted)
    if (!FindWindow(windows, begin)) windows.push_back(window.window);
  return true;
}

const HostImports::Window* FindWindow(const HostImports::Windows& windows, const std::byte* data) {
  for (const auto& window : windows)
    if (data >= window->begin() && data < window->begin() + window->buffer().bytes()) return window.get();
  return nullptr;
}

}  // namespace acutance
