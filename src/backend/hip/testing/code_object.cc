#include "backend/hip/testing/code_object.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <string_view>

namespace acutance::hip {
namespace {

using Json = nlohmann::json;

Status Damaged(std::string_view what) { return Error(StatusCode::kBadData, "the code object is damaged: {}", what); }

/// Reads little-endian numbers at offsets, and remembers whether all lay inside.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> code) : code_(code) {}

  template <class T>
  T At(uint64_t offset) {
    T value{};
    const auto bytes = Part(offset, sizeof(T));
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  std::span<const std::byte> Part(uint64_t offset, uint64_t size) {
    if (offset <= code_.size() && size <= code_.size() - offset) return code_.subspan(offset, size);
    ok_ = false;
    return {};
  }
  bool ok() const { return ok_; }

 private:
  const std::span<const std::byte> code_;
  bool ok_ = true;
};

constexpr uint64_t Padded(uint64_t size) { return (size + 3) & ~uint64_t{3}; }

/// The descriptor of the AMDGPU metadata note (type 32) in a segment of notes; empty when it has none.
std::span<const std::byte> FindNote(std::span<const std::byte> segment) {
  constexpr uint32_t kMetadata = 32;
  constexpr uint64_t kHeaderBytes = 12;
  Reader reader(segment);
  for (uint64_t at = 0; at + kHeaderBytes <= segment.size();) {
    const uint64_t name_bytes = reader.At<uint32_t>(at);
    const uint64_t bytes = reader.At<uint32_t>(at + 4);
    const auto name = reader.Part(at + kHeaderBytes, name_bytes);
    const auto descriptor = reader.Part(at + kHeaderBytes + Padded(name_bytes), bytes);
    if (!reader.ok()) return {};
    if (reader.At<uint32_t>(at + 8) == kMetadata && name_bytes == 7 && std::memcmp(name.data(), "AMDGPU", 7) == 0)
      return descriptor;
    at += kHeaderBytes + Padded(name_bytes) + Padded(bytes);
  }
  return {};
}

Result<std::span<const std::byte>> FindMetadata(std::span<const std::byte> code) {
  constexpr uint32_t kNoteSegment = 4;
  Reader reader(code);
  const auto magic = reader.Part(0, 4);
  if (!reader.ok() || std::memcmp(magic.data(), "\177ELF", 4) != 0) return Damaged("not an ELF file");
  const auto headers = reader.At<uint64_t>(32);
  const auto header_bytes = reader.At<uint16_t>(54);
  const auto count = reader.At<uint16_t>(56);
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    const uint64_t header = headers + i * header_bytes;
    const auto segment = reader.Part(reader.At<uint64_t>(header + 8), reader.At<uint64_t>(header + 32));
    if (!reader.ok() || reader.At<uint32_t>(header) != kNoteSegment) continue;
    if (const auto note = FindNote(segment); !note.empty()) return note;
  }
  return Damaged(reader.ok() ? "no AMDGPU metadata" : "truncated");
}

/// -1 where the metadata has no such number.
int Number(const Json& kernel, const char* key) {
  const auto found = kernel.find(key);
  return found != kernel.end() && found->is_number_integer() ? found->get<int>() : -1;
}

/// "" where the metadata has no such text.
std::string Text(const Json& kernel, const char* key) {
  const auto found = kernel.find(key);
  return found != kernel.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Hidden arguments, which the runtime adds, are named so.
int ExplicitArgumentBytes(const Json& kernel) {
  int bytes = 0;
  const auto arguments = kernel.find(".args");
  if (arguments == kernel.end() || !arguments->is_array()) return bytes;
  for (const Json& argument : *arguments)
    if (argument.is_object() && !Text(argument, ".value_kind").starts_with("hidden_"))
      bytes += Number(argument, ".size");
  return bytes;
}

}  // namespace

Result<CodeObject> ReadCodeObject(std::span<const std::byte> code) {
  ACU_ASSIGN_OR_RETURN(const auto metadata, FindMetadata(code));
  const auto* bytes = reinterpret_cast<const uint8_t*>(metadata.data());
  const Json root = Json::from_msgpack(bytes, bytes + metadata.size(), /*strict=*/true, /*allow_exceptions=*/false);
  if (!root.is_object() || !root.contains("amdhsa.kernels") || !root["amdhsa.kernels"].is_array())
    return Damaged("its metadata lists no kernels");
  CodeObject object;
  object.target = Text(root, "amdhsa.target");
  for (const Json& kernel : root["amdhsa.kernels"]) {
    if (!kernel.is_object()) return Damaged("a kernel without properties");
    object.kernels.push_back({.name = Text(kernel, ".name"),
                              .wave_size = Number(kernel, ".wavefront_size"),
                              .max_work_items = Number(kernel, ".max_flat_workgroup_size"),
                              .args_bytes = ExplicitArgumentBytes(kernel),
                              .shared_bytes = Number(kernel, ".group_segment_fixed_size"),
                              .private_bytes = Number(kernel, ".private_segment_fixed_size"),
                              .spilled_vector_registers = Number(kernel, ".vgpr_spill_count"),
                              .spilled_scalar_registers = Number(kernel, ".sgpr_spill_count"),
                              .vector_registers = Number(kernel, ".vgpr_count")});
  }
  return object;
}

}  // namespace acutance::hip
