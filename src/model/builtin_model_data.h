// Defined by the source file that embed_models.cmake writes at build time.
#pragma once

#include <string_view>

namespace acutance {

extern const std::string_view kVmafV061;
extern const std::string_view kVmafV061neg;
extern const std::string_view kVmaf4kV061;
extern const std::string_view kVmaf4kV061neg;

}  // namespace acutance
