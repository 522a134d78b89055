#include "report/avm_encodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include "base/files.h"
#include "base/number.h"
#include "base/system/file.h"
#include "report/ctc.h"

namespace acutance {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kConfigurations[] = {"AI", "LD", "RA", "STILL", "AS"};
constexpr std::string_view kReferences[] = {".y4m", ".mkv", ".mp4", ".mov", ".png"};
/// Bitstreams without a container: all bytes are the video's.
constexpr std::string_view kBare[] = {".obu", ".ivf",  ".av1",  ".av2", ".bin", ".bit",  ".264",  ".h264", ".avc",
                                      ".265", ".h265", ".hevc", ".266", ".vvc", ".avif", ".heic", ".jpg",  ".webp"};
constexpr std::string_view kContainers[] = {".mp4", ".mkv", ".webm", ".mov"};
constexpr std::string_view kDecoded = ".y4m";

bool Has(std::span<const std::string_view> all, std::string_view one) {
  return std::ranges::find(all, one) != all.end();
}

std::string ExtensionOf(const fs::path& path) {
  std::string extension = path.extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return extension;
}

/// All files in a folder and its folders, in the order of their names.
Status AddFiles(const std::string& folder, std::vector<fs::path>& files) {
  ACU_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(folder));
  for (const std::string& name : names) {
    const std::string path = Join(folder, name);
    std::error_code error;
    if (IsRegularFile(path)) files.push_back(SystemPath(path));
    else if (!name.starts_with(".") && fs::is_directory(SystemPath(path), error))
      ACU_RETURN_IF_ERROR(AddFiles(path, files));
  }
  return {};
}

/// "A2" of ".../A2_2k/clip.y4m"; empty: no folder is a class.
std::string ClassOf(const fs::path& reference) {
  static constexpr std::string_view kClasses[] = {"A1", "A2", "A3", "A4", "A5", "B1",
                                                  "B2", "E",  "F1", "F2", "G1", "G2"};
  std::string found;
  for (const fs::path& part : reference.parent_path()) {
    const std::string name = part.string(), word = name.substr(0, name.find('_'));
    if (Has(kClasses, word)) found = word;
  }
  return found;
}

std::string ShortName(const std::string& stem) { return stem.substr(0, stem.find('_')); }

class References {
 public:
  static Result<References> Read(const std::string& folder) {
    std::vector<fs::path> files;
    ACU_RETURN_IF_ERROR(AddFiles(folder, files));
    References found;
    for (const fs::path& file : files)
      if (Has(kReferences, ExtensionOf(file))) found.paths_.push_back(file);
    if (found.paths_.empty()) return Error(StatusCode::kBadData, "{} has no reference videos", folder);
    return found;
  }

  bool Contains(const fs::path& path) const {
    return std::ranges::any_of(paths_, [&](const fs::path& reference) {
      std::error_code error;
      return reference.filename() == path.filename() && fs::equivalent(reference, path, error);
    });
  }

  /// The reference whose name begins the file's, the longest one; else the one with its short name, if there is one;
  /// else the one with the name of a folder. Null: none, or several.
  const fs::path* Find(const fs::path& encode) const {
    const std::string stem = encode.stem().string();
    const fs::path* longest = nullptr;
    for (const fs::path& path : paths_) {
      const std::string name = path.stem().string();
      if (stem != name && !stem.starts_with(name + "_")) continue;
      if (longest == nullptr || name.size() > longest->stem().string().size()) longest = &path;
    }
    if (longest != nullptr) return longest;
    if (const fs::path* only = Only([&](const std::string& name) { return ShortName(name) == ShortName(stem); }))
      return only;
    for (const fs::path& part : encode.parent_path())
      if (const fs::path* only = Only([&](const std::string& name) { return name == part.string(); })) return only;
    return nullptr;
  }

 private:
  template <class Matches>
  const fs::path* Only(const Matches& matches) const {
    const fs::path* only = nullptr;
    for (const fs::path& path : paths_) {
      if (!matches(path.stem().string())) continue;
      if (only != nullptr) return nullptr;
      only = &path;
    }
    return only;
  }

  std::vector<fs::path> paths_;
};

std::vector<std::string> Words(const std::string& stem) {
  std::vector<std::string> words;
  for (size_t at = 0; at <= stem.size();) {
    const size_t end = std::min(stem.find('_', at), stem.size());
    words.push_back(stem.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// What the name and the folders of an encode say; an error names what is missing.
Status ReadName(const fs::path& folder, const fs::path& path, AvmEncode& encode) {
  const std::vector<std::string> words = Words(path.stem().string());
  encode.encoder = encode.codec = "unknown";
  encode.preset = "0";
  for (size_t i = 1; i < words.size(); ++i) {
    if (words[i - 1] == "Preset") encode.preset = words[i];
    if (!Has(kConfigurations, words[i])) continue;
    encode.configuration = words[i];
    if (i >= 3) encode.encoder = words[i - 2], encode.codec = words[i - 1];
  }
  for (const fs::path& part : path.lexically_relative(folder).parent_path())
    if (encode.configuration.empty() && Has(kConfigurations, part.string())) encode.configuration = part.string();
  if (encode.configuration.empty())
    return Error(StatusCode::kBadData, "neither its name nor a folder has a configuration (AI, LD, RA, STILL or AS)");
  const std::optional<double> qp = ParseFiniteDouble(QuantizerOf(path.filename().string()));
  if (!qp) return Error(StatusCode::kBadData, "its name has no QP");
  encode.qp = static_cast<int>(*qp);
  return {};
}

/// "RA/x_QP_110.obu" in its release becomes "RA-x_QP_110".
std::string NameOf(const fs::path& folder, const fs::path& path) {
  std::string name = path.lexically_relative(folder).replace_extension().generic_string();
  std::ranges::replace(name, '/', '-');
  return name;
}

/// Files of one name: a bitstream, its decoded video, or both.
struct Files {
  std::optional<fs::path> bitstream, decoded;
};

}  // namespace

std::string AvmEncode::clip() const {
  const fs::path path = SystemPath(reference);
  return configuration == "AS" ? ShortName(path.stem().string()) : path.filename().string();
}

std::optional<double> AvmEncode::bytes() const {
  std::error_code error;
  if (video == bitstream && Has(kContainers, ExtensionOf(SystemPath(bitstream)))) return std::nullopt;
  return static_cast<double>(fs::file_size(SystemPath(bitstream), error));
}

Result<AvmEncodes> FindAvmEncodes(const std::string& folder, const std::string& references) {
  ACU_ASSIGN_OR_RETURN(const References clips, References::Read(references));
  std::vector<fs::path> paths;
  ACU_RETURN_IF_ERROR(AddFiles(folder, paths));
  std::map<fs::path, Files> by_name;
  for (const fs::path& path : paths) {
    const std::string extension = ExtensionOf(path);
    if (clips.Contains(path)) continue;
    fs::path name = path;
    Files& files = by_name[name.replace_extension()];
    if (extension == kDecoded) files.decoded = path;
    else if (Has(kBare, extension) || Has(kContainers, extension)) files.bitstream = path;
  }
  AvmEncodes found;
  for (const auto& [name, files] : by_name) {
    if (!files.bitstream && !files.decoded) continue;
    const std::string path = (files.bitstream ? *files.bitstream : *files.decoded).string();
    const auto leave_out = [&](const std::string& why) {
      found.notes.push_back(fmt::format("{} is left out: {}", path, why));
    };
    if (!files.bitstream) {
      leave_out("there is no bitstream of that name next to it, whose size would be the rate");
      continue;
    }
    const fs::path* reference = clips.Find(SystemPath(path));
    if (reference == nullptr) {
      leave_out(fmt::format("{} has not exactly one video with the beginning of its name", references));
      continue;
    }
    AvmEncode encode{.video = files.decoded.value_or(*files.bitstream).string(),
                     .bitstream = path,
                     .reference = reference->string(),
                     .name = NameOf(SystemPath(folder), SystemPath(path)),
                     .test_class = ClassOf(*reference),
                     .encoder = {},
                     .codec = {},
                     .configuration = {},
                     .preset = {}};
    if (const Status read = ReadName(SystemPath(folder), SystemPath(path), encode); read.ok())
      found.encodes.push_back(std::move(encode));
    else leave_out(std::string(read.message()));
  }
  std::ranges::stable_sort(found.encodes, {}, [](const AvmEncode& encode) {
    return std::make_tuple(encode.configuration, encode.test_class, encode.reference, encode.qp);
  });
  return found;
}

}  // namespace acutance
