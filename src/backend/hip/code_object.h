// AMD GPUs that run the same machine code: one code object serves all of them, under the name of each.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace acutance::hip {

/// The GPU for whose code objects `family` is a name, too; `family` itself where there is none.
std::string_view CompiledFor(std::string_view family);

/// A code object for CompiledFor(family) as clang writes it for `family`: the runtime refuses one of another name.
Result<std::vector<std::byte>> NamedFor(std::string_view family, std::span<const std::byte> code);

}  // namespace acutance::hip
