// Takes the place of the whole backend in a build without Vulkan's headers.
#include "backend/vulkan/vulkan.h"

namespace acutance {
namespace {

constexpr const char* kMissing =
    "this build has no Vulkan: build it where Vulkan's headers are (on Debian `make setup` installs them)";

}  // namespace

const Backend kVulkanBackend = {
    "vulkan", "GPUs of every vendor, through Vulkan; no AMD or Intel GPU has run it yet",
    [] {
      return BackendProbe{{}, kMissing};
    },
    [](int) -> Result<std::unique_ptr<Device>> { return Error(StatusCode::kNoDevice, "{}", kMissing); }};

std::vector<std::string> VulkanValidationMessages() { return {}; }

}  // namespace acutance
