#include "align/information_stream.h"

#include <utility>

namespace acutance {

InformationStream::InformationStream(std::shared_ptr<ThreadPool> crew, bool full_range)
    : stream_(std::move(crew), [full_range](const Picture& picture, const Picture& before) {
        return LumaInformationOf(picture.planes[0], before.planes[0], picture.format.bit_depth, full_range);
      }) {}

void InformationStream::Add(const Picture& picture, bool follows) {
  if (!follows) last_ = {};
  stream_.Add(picture, std::exchange(last_, picture));
  Append(stream_.TakeMade());
}

std::vector<LumaInformation> InformationStream::TakeAll() {
  Append(stream_.TakeAll());
  last_ = {};
  return std::move(made_);
}

void InformationStream::Append(std::vector<LumaInformation> made) {
  made_.insert(made_.end(), made.begin(), made.end());
}

}  // namespace acutance
