#include "io/ffmpeg/container_facts.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>

namespace acutance {
namespace {

constexpr int kMostBoxes = 10000;  // a damaged file may nest or repeat them without end

/// Big-endian numbers of a file. A read beyond its end gives 0, and is noted.
class Reader {
 public:
  explicit Reader(ByteStream& stream) : stream_(stream), end_(stream.size()) {}

  bool Seek(int64_t position) { return is_good_ = position >= 0 && position <= end_ && stream_.Seek(position).ok(); }
  uint64_t Number(int bytes) {
    std::array<uint8_t, 8> data{};
    const Result<size_t> got = stream_.Read(data.data(), static_cast<size_t>(bytes));
    is_good_ &= got.ok() && *got == static_cast<size_t>(bytes);
    uint64_t number = 0;
    for (int i = 0; i < bytes && is_good_; ++i) number = number << 8 | data[static_cast<size_t>(i)];
    return number;
  }
  int64_t position() const { return stream_.position(); }
  int64_t end() const { return end_; }
  bool is_good() const { return is_good_; }

 private:
  ByteStream& stream_;
  const int64_t end_;
  bool is_good_ = true;
};

struct Range {
  int64_t begin = 0, end = 0;
};

constexpr uint32_t Name(const char (&name)[5]) {
  return static_cast<uint32_t>(name[0]) << 24 | static_cast<uint32_t>(name[1]) << 16 |
         static_cast<uint32_t>(name[2]) << 8 | static_cast<uint32_t>(name[3]);
}

/// Calls visit(name, content) for the boxes in a range until it returns true; whether it did.
template <class Visit>
bool AnyBox(Reader& reader, Range range, const Visit& visit) {
  int64_t at = range.begin;
  for (int i = 0; i < kMostBoxes && at + 8 <= range.end && reader.Seek(at); ++i) {
    auto size = static_cast<int64_t>(reader.Number(4));
    const auto name = static_cast<uint32_t>(reader.Number(4));
    int64_t header = 8;
    if (size == 1) size = static_cast<int64_t>(reader.Number(8)), header = 16;
    if (size == 0) size = range.end - at;
    if (!reader.is_good() || size < header || size > range.end - at) return false;
    if (visit(name, Range{at + header, at + size})) return true;
    at += size;
  }
  return false;
}

/// A fraction of two 32-bit numbers.
double Ratio(Reader& reader) {
  const auto numerator = static_cast<int32_t>(reader.Number(4));
  const auto denominator = static_cast<int32_t>(reader.Number(4));
  return denominator > 0 ? static_cast<double>(numerator) / denominator : -1;
}

/// The aperture's centre is that of the picture, moved by an offset.
std::optional<ContainerCrop> ReadAperture(Reader& reader, Range clap, int width, int height) {
  if (!reader.Seek(clap.begin)) return std::nullopt;
  const double shown_width = Ratio(reader), shown_height = Ratio(reader);
  const double x = Ratio(reader), y = Ratio(reader);
  if (!reader.is_good() || shown_width < 1 || shown_height < 1 || shown_width > width || shown_height > height)
    return std::nullopt;
  ContainerCrop crop;
  crop.left = static_cast<int>(std::lround((width - shown_width) / 2 + x));
  crop.top = static_cast<int>(std::lround((height - shown_height) / 2 + y));
  crop.right = width - crop.left - static_cast<int>(shown_width);
  crop.bottom = height - crop.top - static_cast<int>(shown_height);
  return crop;
}

/// Sample entries of videos begin with 78 bytes, of which two numbers are the size.
bool FindInEntry(Reader& reader, Range entry, std::optional<ContainerCrop>& crop) {
  constexpr int64_t kSize = 24, kFields = 78;
  if (entry.end - entry.begin < kFields || !reader.Seek(entry.begin + kSize)) return false;
  const int width = static_cast<int>(reader.Number(2)), height = static_cast<int>(reader.Number(2));
  return AnyBox(reader, {entry.begin + kFields, entry.end}, [&](uint32_t name, Range content) {
    if (name == Name("clap")) crop = ReadAperture(reader, content, width, height);
    return crop.has_value();
  });
}

std::optional<ContainerCrop> FindInMp4(Reader& reader) {
  std::optional<ContainerCrop> crop;
  const auto descend = [&](const auto& self, Range range, int depth) -> bool {
    constexpr uint32_t kPath[] = {Name("moov"), Name("trak"), Name("mdia"), Name("minf"), Name("stbl"), Name("stsd")};
    if (depth == static_cast<int>(std::size(kPath)))  // after a version and a count, the entries
      return AnyBox(reader, {range.begin + 8, range.end},
                    [&](uint32_t, Range entry) { return FindInEntry(reader, entry, crop); });
    return AnyBox(reader, range,
                  [&](uint32_t name, Range content) { return name == kPath[depth] && self(self, content, depth + 1); });
  };
  descend(descend, {0, reader.end()}, 0);
  return crop;
}

/// Matroska's numbers have as many bytes as the first one has leading zeros, plus one; an ID keeps its marker bit.
uint64_t VariableNumber(Reader& reader, bool is_id, bool* is_unknown = nullptr) {
  const auto first = static_cast<uint8_t>(reader.Number(1));
  const int more = std::min(std::countl_zero(first), 7);
  const uint64_t mask = is_id ? 0xff : 0xffu >> (more + 1);
  const uint64_t value = (first & mask) << (8 * more) | (more > 0 ? reader.Number(more) : 0);
  if (is_unknown) *is_unknown = value == (uint64_t{1} << (7 * (more + 1))) - 1;
  return value;
}

template <class Visit>
bool AnyElement(Reader& reader, Range range, const Visit& visit) {
  int64_t at = range.begin;
  for (int i = 0; i < kMostBoxes && at < range.end && reader.Seek(at); ++i) {
    const uint64_t id = VariableNumber(reader, true);
    bool is_unknown = false;
    const auto size = static_cast<int64_t>(VariableNumber(reader, false, &is_unknown));
    const int64_t begin = reader.position();
    if (!reader.is_good() || begin > range.end) return false;
    const int64_t end = is_unknown ? range.end : begin + std::min(size, range.end - begin);
    if (visit(id, Range{begin, end})) return true;
    at = end;
  }
  return false;
}

std::optional<ContainerCrop> FindInMatroska(Reader& reader) {
  constexpr uint64_t kSegment = 0x18538067, kTracks = 0x1654ae6b, kCluster = 0x1f43b675, kTrack = 0xae, kVideo = 0xe0;
  constexpr uint64_t kBottom = 0x54aa, kTop = 0x54bb, kLeft = 0x54cc, kRight = 0x54dd;
  ContainerCrop crop;
  const auto read = [&](uint64_t id, Range content) {
    int* const side = id == kLeft     ? &crop.left
                      : id == kRight  ? &crop.right
                      : id == kTop    ? &crop.top
                      : id == kBottom ? &crop.bottom
                                      : nullptr;
    const int64_t bytes = content.end - content.begin;
    if (side && bytes <= 4) *side = static_cast<int>(bytes > 0 ? reader.Number(static_cast<int>(bytes)) : 0);
    return false;
  };
  const auto in_track = [&](uint64_t id, Range content) { return id == kVideo && AnyElement(reader, content, read); };
  const auto in_tracks = [&](uint64_t id, Range content) {
    if (id == kTrack) AnyElement(reader, content, in_track);
    return crop != ContainerCrop();
  };
  AnyElement(reader, {0, reader.end()}, [&](uint64_t id, Range segment) {
    return id == kSegment && AnyElement(reader, segment, [&](uint64_t inner, Range content) {
             return inner == kCluster || (inner == kTracks && (AnyElement(reader, content, in_tracks), true));
           });
  });
  return crop == ContainerCrop() ? std::nullopt : std::optional(crop);
}

}  // namespace

std::optional<ContainerCrop> FindContainerCrop(ByteStream& stream) {
  if (!stream.seekable()) return std::nullopt;
  const int64_t position = stream.position();
  const Result<std::string_view> peeked = stream.Peek(12);
  if (!peeked.ok() || peeked->size() < 12) return std::nullopt;
  const std::string start(*peeked);
  Reader reader(stream);
  std::optional<ContainerCrop> crop;
  if (start.substr(4, 4) == "ftyp" || start.substr(4, 4) == "moov") crop = FindInMp4(reader);
  else if (start.starts_with("\x1a\x45\xdf\xa3")) crop = FindInMatroska(reader);
  else return std::nullopt;
  return stream.Seek(position).ok() ? crop : std::nullopt;
}

namespace {

constexpr std::string_view kEbmlId = "\x1a\x45\xdf\xa3";
constexpr std::string_view kSegmentId = "\x18\x53\x80\x67";

/// A variable-length size: as many bytes as the first one has leading zeros, plus one; all ones means unknown.
std::optional<int64_t> TakeSize(std::string_view* bytes) {
  if (bytes->empty()) return std::nullopt;
  const auto first = static_cast<uint8_t>(bytes->front());
  const size_t length = static_cast<size_t>(std::countl_zero(first)) + 1;
  if (length > 8 || bytes->size() < length) return std::nullopt;
  uint64_t value = first & (0xffu >> length);
  for (size_t i = 1; i < length; ++i) value = value << 8 | static_cast<uint8_t>((*bytes)[i]);
  bytes->remove_prefix(length);
  const uint64_t unknown = (uint64_t{1} << (7 * length)) - 1;
  return value == unknown ? std::nullopt : std::optional(static_cast<int64_t>(value));
}

bool TakeId(std::string_view* bytes, std::string_view id) {
  if (!bytes->starts_with(id)) return false;
  bytes->remove_prefix(id.size());
  return true;
}

}  // namespace

std::optional<int64_t> DeclaredFileSize(std::string_view start) {
  std::string_view rest = start;
  if (!TakeId(&rest, kEbmlId)) return std::nullopt;
  const std::optional<int64_t> header = TakeSize(&rest);
  if (!header || *header > static_cast<int64_t>(rest.size())) return std::nullopt;
  rest.remove_prefix(static_cast<size_t>(*header));
  if (!TakeId(&rest, kSegmentId)) return std::nullopt;
  const std::optional<int64_t> segment = TakeSize(&rest);
  if (!segment) return std::nullopt;
  return static_cast<int64_t>(start.size() - rest.size()) + *segment;
}

}  // namespace acutance
