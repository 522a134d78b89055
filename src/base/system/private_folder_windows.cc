#include <vector>

#include "base/environment.h"
#include "base/system/private_folder.h"

// Windows lets no other user, administrators excepted, write below a user's own AppData.
namespace acutance {

namespace fs = std::filesystem;

fs::path UserCacheFolder() {
  const char* const folder = Variable("LOCALAPPDATA");
  const fs::path path = SystemPath(folder ? folder : "");
  return path.is_absolute() ? path : fs::path();
}

std::optional<PrivateFolder> PrivateFolder::Open(const fs::path& path, bool create) {
  std::error_code error;
  if (create) fs::create_directories(path, error);
  if (!fs::is_directory(path, error)) return std::nullopt;
  return PrivateFolder(path, Descriptor());
}

std::optional<std::vector<std::byte>> PrivateFolder::Read(const std::string& name, size_t most_bytes) const {
  const Descriptor file = OpenFile((path_ / name).string(), OpenMode::kRead);
  const std::optional<FileInfo> info = file.ok() ? InfoOf(file.number()) : std::nullopt;
  if (!info || info->kind != FileKind::kRegular) return {};
  const auto bytes = static_cast<size_t>(info->identity.size);
  if (bytes > most_bytes) return {};
  std::vector<std::byte> all(bytes);
  const ReadPart whole{all.data(), bytes};
  return ReadParts(file.number(), {&whole, 1}) == static_cast<std::ptrdiff_t>(bytes) ? std::optional(std::move(all))
                                                                                     : std::nullopt;
}

bool PrivateFolder::Write(const std::string& name, const std::string& part,
                          std::span<const std::span<const std::byte>> contents) const {
  Descriptor file = OpenFile((path_ / part).string(), OpenMode::kNew);
  if (!file.ok()) return false;
  bool is_whole = true;
  for (const std::span<const std::byte> bytes : contents)
    is_whole = is_whole && WriteAll(file.number(), {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  is_whole = file.Close() && is_whole;
  if (!is_whole || !Rename((path_ / part).string(), (path_ / name).string())) Remove(part);
  return true;
}

void PrivateFolder::Remove(const std::string& name) const { (void)RemoveFile((path_ / name).string()); }

}  // namespace acutance
