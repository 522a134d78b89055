#include "io/ffmpeg/matroska_size.h"

#include <bit>

namespace acutance {
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
