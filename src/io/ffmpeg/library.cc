#include "io/ffmpeg/library.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/environment.h"
#include "base/system/file.h"
#include "base/system/process.h"
#include "base/system/shared_library.h"
#include "io/ffmpeg/damage_watch.h"
#include "io/video_source.h"

namespace acutance {
namespace {

constexpr const char* kFolderVariable = "ACUTANCE_FFMPEG_LIBRARIES";
constexpr std::array<std::string_view, 3> kLibraries = {"avutil", "avcodec", "avformat"};
constexpr std::array<int, 3> kFirstNumbers = {kFirstAvutil, kFirstAvutil + 2, kFirstAvutil + 2};

FfmpegLibrary g_library;

void HandleLog(void* context, int level, const char* format, va_list arguments) {
  if (level <= AV_LOG_INFO && DamageWatch::NoteLog(context, level, format, arguments)) return;
  if (!IsMainProgram()) Ffmpeg().av_log_default_callback(context, level, format, arguments);
}

/// The files of a version, in the order of kLibraries, by name or by path.
struct Version {
  int layout = 0;
  std::array<std::string, 3> files;
  bool is_complete() const { return std::ranges::none_of(files, &std::string::empty); }
};

Version NamedVersion(int layout) {
  Version version{layout, {}};
  for (size_t i = 0; i < kLibraries.size(); ++i)
    version.files[i] = LibraryFile(kLibraries[i], kFirstNumbers[i] + layout);
  return version;
}

/// The versions in a folder, newest first.
std::vector<Version> VersionsIn(const std::filesystem::path& folder) {
  std::vector<Version> versions(kFfmpegLayouts);
  std::error_code error;
  for (std::filesystem::directory_iterator file(folder, error), end; !error && file != end; file.increment(error)) {
    const std::string path = file->path().string(), name = file->path().filename().string();
    for (size_t i = 0; i < kLibraries.size(); ++i) {
      const int layout = VersionOf(name, kLibraries[i]).value_or(0) - kFirstNumbers[i];
      if (layout < 0 || layout >= kFfmpegLayouts) continue;
      Version& version = versions[static_cast<size_t>(kFfmpegLayouts - 1 - layout)];
      version.layout = layout;
      std::string& known = version.files[i];
      if (known.empty() || path.size() < known.size()) known = path;
    }
  }
  std::erase_if(versions, [](const Version& version) { return !version.is_complete(); });
  return versions;
}

/// The folder of this program or library.
std::filesystem::path OwnFolder() {
  std::error_code error;
  const std::filesystem::path file =
      IsMainProgram() ? ProgramFile() : FileWith(reinterpret_cast<const void*>(&LoadFfmpeg));
  return std::filesystem::canonical(file, error).parent_path();
}

std::vector<Version> Candidates() {
  if (const char* folder = Variable(kFolderVariable)) return VersionsIn(SystemPath(folder));
  std::vector<Version> all;
  for (int layout = kFfmpegLayouts - 1; layout >= 0; --layout)
    if (IsLibraryOpen(NamedVersion(layout).files[0])) all.push_back(NamedVersion(layout));
  const std::filesystem::path own = OwnFolder();
  std::ranges::move(VersionsIn(own), std::back_inserter(all));
  for (int layout = kFfmpegLayouts - 1; layout >= 0; --layout) all.push_back(NamedVersion(layout));
  std::ranges::move(VersionsIn(own.parent_path() / "av.libs"), std::back_inserter(all));
  return all;
}

struct Loaded {
  Status status;
  bool reads_log = false;
  std::string file;

  Loaded() {
    std::string reasons;
    for (const Version& version : Candidates()) {
      const bool is_shared = IsLibraryOpen(version.files[0]);
      status = Load(version, is_shared);
      if (status.ok()) {
        reads_log = IsMainProgram() || !is_shared;
        if (reads_log) g_library.av_log_set_callback(HandleLog);
        return;
      }
      if (!status.message().empty()) reasons += fmt::format("; {}: {}", version.files[1], status.message());
    }
    const char* folder = Variable(kFolderVariable);
    status = Error(StatusCode::kUnsupported,
                   "FFmpeg's libraries, of a version from 5.1 to 9 ({} to {}), could not be loaded{}{}; "
                   "install the package ffmpeg{}",
                   NamedVersion(0).files[2], kFirstNumbers[2] + kFfmpegLayouts - 1, folder ? " from " : "",
                   folder ? folder : "", reasons.empty() ? "" : ". Found" + reasons.substr(1));
  }

 private:
  /// An error without a message: there is no such file.
  Status Load(const Version& version, bool is_shared) {
    g_library = {};
    g_ffmpeg_layout = version.layout;
    ACU_ASSIGN_OR_RETURN(SharedLibrary avutil, Open(version.files[0]));
    ACU_ASSIGN_OR_RETURN(SharedLibrary avcodec, Open(version.files[1]));
    ACU_ASSIGN_OR_RETURN(SharedLibrary avformat, Open(version.files[2]));
#define ACU_FIND(Returned, name, Arguments) library->Require(#name, g_library.name);
#define ACU_FIND_OPTIONAL(Returned, name, Arguments) library->Find(#name, g_library.name);
    SharedLibrary* library = &avutil;
    ACU_AVUTIL_FUNCTIONS(ACU_FIND)
    library = &avcodec;
    ACU_AVCODEC_FUNCTIONS(ACU_FIND)
    ACU_OPTIONAL_AVCODEC_FUNCTIONS(ACU_FIND_OPTIONAL)
    library = &avformat;
    ACU_AVFORMAT_FUNCTIONS(ACU_FIND)
    ACU_OPTIONAL_AVFORMAT_FUNCTIONS(ACU_FIND_OPTIONAL)
#undef ACU_FIND
#undef ACU_FIND_OPTIONAL
    for (const SharedLibrary* whole : {&avutil, &avcodec, &avformat})
      if (!whole->missing().empty()) return Error(StatusCode::kUnsupported, "it has no function {}", whole->missing());
    file = avcodec.file().string();
    DescribeVersion();
    if (!is_shared) g_library.av_log_set_callback([](void*, int, const char*, va_list) {});
    const Status checked = CheckFfmpegLayout();
    g_library.has_hardware = checked.ok() && CheckHardwareLayout().ok();
    if (!is_shared) g_library.av_log_set_callback(g_library.av_log_default_callback);
    return checked;
  }

  /// Libraries of a wheel of Python need each other, but only its module knows their folder.
  static Result<SharedLibrary> Open(const std::string& file) {
    constexpr std::string_view kMissing = ": cannot open shared object file";
    std::string last;
    for (;;) {
      Result<SharedLibrary> opened = SharedLibrary::Open({file}, Binding::kLazy);
      if (opened.ok()) return opened;
      const std::string& reason = opened.status().message();
      const std::string needed = reason.substr(0, std::min(reason.find(kMissing), reason.size()));
      if (needed == file) return Status(StatusCode::kUnsupported, "");
      const std::filesystem::path path = SystemPath(file).parent_path() / needed;
      std::error_code error;
      if (needed == reason || needed == last || !path.has_parent_path() || !std::filesystem::exists(path, error) ||
          !Open(path.string()).ok())
        return opened;
      last = needed;
    }
  }

  static void DescribeVersion() {
    constexpr const char* kNames[] = {"ansi",     "av1",   "bintext",    "dnxhd",  "ffv1",     "h264", "hevc", "idf",
                                      "jpeg2000", "mjpeg", "mpeg2video", "prores", "rawvideo", "vp8",  "vp9",  "xbin"};
    static_assert(std::size(kNames) == static_cast<size_t>(Codec::kOther));
    for (size_t i = 0; i < std::size(kNames); ++i)
      if (const AVCodecDescriptor* codec = g_library.avcodec_descriptor_get_by_name(kNames[i]))
        g_library.codec_ids[i] = codec->id;
    g_library.crops = g_library.av_packet_side_data_name(AV_PKT_DATA_FRAME_CROPPING) != nullptr;
  }
};

const Loaded& TheLibraries() {
  static const Loaded loaded;
  return loaded;
}

}  // namespace

const Status& LoadFfmpeg() { return TheLibraries().status; }

Result<std::string> FfmpegVersion() {
  ACU_RETURN_IF_ERROR(LoadFfmpeg());
  return fmt::format("FFmpeg {} ({})", Ffmpeg().av_version_info(), TheLibraries().file);
}

bool ReadsFfmpegLog() { return TheLibraries().reads_log; }

const FfmpegLibrary& Ffmpeg() { return g_library; }

AVCodecID IdOf(Codec codec) { return g_library.codec_ids[static_cast<int>(codec)]; }

Codec CodecOf(AVCodecID id) {
  for (int i = 0; i < static_cast<int>(Codec::kOther); ++i)
    if (id != 0 && g_library.codec_ids[i] == id) return static_cast<Codec>(i);
  return Codec::kOther;
}

}  // namespace acutance
