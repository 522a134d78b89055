#include "backend/hip/code_object.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace acutance::hip {
namespace {

/// A GPU, the number by which an ELF file names it (LLVM's AMDGPU usage guide, EF_AMDGPU_MACH), and the GPU whose code
/// it runs. Each has the instructions of that GPU and no hazard that its code does not avoid; what it has next to them,
/// such as the dot products of gfx1011, the matrices of gfx908 or the scalar floats of gfx1150, that code does not use.
/// LLVM's gfx11-generic, which ROCm 5 cannot load, is gfx1100 for this purpose: it works round the same bugs.
struct Machine {
  std::string_view family;
  uint8_t number;
  std::string_view compiled_for;
};

constexpr Machine kMachines[] = {
    {"gfx900", 0x2c, "gfx900"},   {"gfx902", 0x2d, "gfx900"},   {"gfx904", 0x2e, "gfx900"},
    {"gfx909", 0x31, "gfx900"},   {"gfx90c", 0x32, "gfx900"},  // GCN 5
    {"gfx906", 0x2f, "gfx906"},   {"gfx908", 0x30, "gfx906"},  // Vega 20, CDNA 1
    {"gfx1010", 0x33, "gfx1010"}, {"gfx1011", 0x34, "gfx1010"}, {"gfx1012", 0x35, "gfx1010"},
    {"gfx1013", 0x42, "gfx1010"},  // RDNA 1
    {"gfx1030", 0x36, "gfx1030"}, {"gfx1031", 0x37, "gfx1030"}, {"gfx1032", 0x38, "gfx1030"},
    {"gfx1033", 0x39, "gfx1030"}, {"gfx1034", 0x3e, "gfx1030"}, {"gfx1035", 0x3d, "gfx1030"},
    {"gfx1036", 0x45, "gfx1030"},  // RDNA 2
    {"gfx1100", 0x41, "gfx1100"}, {"gfx1101", 0x46, "gfx1100"}, {"gfx1102", 0x47, "gfx1100"},
    {"gfx1103", 0x44, "gfx1100"},                                                              // RDNA 3
    {"gfx1150", 0x43, "gfx1100"}, {"gfx1151", 0x4a, "gfx1100"}, {"gfx1152", 0x55, "gfx1100"},  // RDNA 3.5
    {"gfx1200", 0x48, "gfx1201"}, {"gfx1201", 0x4e, "gfx1201"},                                // RDNA 4
};

constexpr size_t kHeaderBytes = 64, kFlagsAt = 48;  // of an ELF file of 64 bits; EF_AMDGPU_MACH is the first byte
constexpr std::string_view kTriple = "amdgcn-amd-amdhsa--";

const Machine* Find(std::string_view family) {
  for (const Machine& machine : kMachines)
    if (machine.family == family) return &machine;
  return nullptr;
}

}  // namespace

std::string_view CompiledFor(std::string_view family) {
  const Machine* machine = Find(family);
  return machine ? machine->compiled_for : family;
}

Result<std::vector<std::byte>> NamedFor(std::string_view family, std::span<const std::byte> code) {
  std::vector<std::byte> named(code.begin(), code.end());
  const Machine* machine = Find(family);
  if (!machine || machine->compiled_for == family) return named;
  const Machine& compiled = *Find(machine->compiled_for);
  const std::string from = fmt::format("{}{}", kTriple, compiled.family), to = fmt::format("{}{}", kTriple, family);
  const auto old_name = std::as_bytes(std::span(from)), new_name = std::as_bytes(std::span(to));
  const auto next = [&](auto begin) { return std::search(begin, named.end(), old_name.begin(), old_name.end()); };
  auto found = next(named.begin());
  if (from.size() != to.size() || named.size() < kHeaderBytes || named[kFlagsAt] != std::byte{compiled.number} ||
      found == named.end())
    return Error(StatusCode::kBadData, "a code object for {} does not name it", compiled.family);
  named[kFlagsAt] = std::byte{machine->number};
  for (; found != named.end(); found = next(found)) found = std::copy(new_name.begin(), new_name.end(), found);
  return named;
}

}  // namespace acutance::hip
