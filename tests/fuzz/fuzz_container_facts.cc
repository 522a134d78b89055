// Fuzz target: what is read of files without FFmpeg: a declared size of Matroska, the crop of a container, ICC
// profiles.
#include <span>

#include "io/ffmpeg/container_facts.h"
#include "io/icc_profile.h"
#include "tests/fuzz/fuzz.h"

ACU_FUZZ_TARGET(input) {
  using namespace acutance;
  const std::string start = fuzz::Exact(input.rest().substr(0, kDeclaredEndBytes));
  const std::optional<int64_t> end = DeclaredFileSize(start);
  if (end && *end < 0) std::abort();

  const fuzz::FileOf file(input.rest());
  const Result<std::unique_ptr<ByteStream>> stream = ByteStream::Open(file.path());
  if (!stream.ok()) std::abort();
  static_cast<void>(FindContainerCrop(**stream));
  if ((*stream)->position() != 0) std::abort();

  const std::string profile = fuzz::Exact(input.rest());
  static_cast<void>(ReadIccProfile(std::as_bytes(std::span(profile))));
}
