#include "backend/vulkan/driver.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string>

#include "backend/vulkan/vulkan.h"
#include "base/environment.h"
#include "base/system/process.h"
#include "base/system/shared_library.h"

namespace acutance::vulkan {
namespace {

/// Put together here, as the whole word stands nowhere in the file: a client of libvship asks the Vulkan loader first
/// where it finds the word in that library, and gives up where there is no loader (docs/use/vship.md).
std::string LoaderName(std::string_view ending) { return fmt::format("lib{}{}", "vulkan", ending); }

constexpr uint32_t kNewestVersion = VK_API_VERSION_1_3;  // the newest that this code knows

struct Library {
  LoaderFunctions loader;
  Status status;
  ProcessGuard process;
};

std::string VersionText(uint32_t version) {
  return fmt::format("{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version));
}

Library LoadLibrary(const std::string& path) {
  Library library;
  const Result<SharedLibrary> opened = SharedLibrary::Open({path});
  if (!opened.ok()) {
    library.status = Error(StatusCode::kNoDevice, "no Vulkan loader ({}); install it (on Debian the package {})",
                           opened.status().message(), LoaderName("1"));
    return library;
  }
  LoaderFunctions& loader = library.loader;
  std::remove_pointer_t<PFN_vkGetInstanceProcAddr>* get = nullptr;
  bool whole = opened->Find("vkGetInstanceProcAddr", get);
  loader.vkGetInstanceProcAddr = get;
#define ACU_FIND(name)                                                                                 \
  if (whole) loader.name = reinterpret_cast<PFN_##name>(loader.vkGetInstanceProcAddr(nullptr, #name)); \
  whole = whole && loader.name;
  ACU_VULKAN_LOADER_FUNCTIONS(ACU_FIND)
#undef ACU_FIND
  if (!whole)  // Vulkan 1.0 has no vkEnumerateInstanceVersion
    library.status = Error(StatusCode::kNoDevice,
                           "{} is no Vulkan loader, or one of Vulkan 1.0; install a newer one (on Debian the package "
                           "{})",
                           path, LoaderName("1"));
  return library;
}

struct OpenedDriver {
  std::mutex mutex;
  std::shared_ptr<const Driver> driver;
};

OpenedDriver& TheOpenedDriver() {
  static auto* opened = new OpenedDriver();  // never destroyed: some drivers do not survive it when a process ends
  return *opened;
}

Status NoDriver(std::string_view reason) {
  return Error(StatusCode::kNoDevice,
               "the Vulkan loader finds no driver with a device: {}; install one (on Debian the package "
               "mesa-vulkan-drivers for AMD, Intel and, by llvmpipe, for the CPU; nvidia-vulkan-icd for NVIDIA) and "
               "check VK_ICD_FILENAMES and VK_DRIVER_FILES",
               reason);
}

struct Messages {
  std::mutex mutex;
  std::vector<std::string> texts;
};

Messages& TheMessages() {
  static auto* messages = new Messages();  // outlives every instance
  return *messages;
}

VkBool32 VKAPI_PTR Receive(VkDebugUtilsMessageSeverityFlagBitsEXT, VkDebugUtilsMessageTypeFlagsEXT,
                           const VkDebugUtilsMessengerCallbackDataEXT* data, void*) {
  std::fprintf(stderr, "vulkan validation: %s\n", data->pMessage);
  Messages& messages = TheMessages();
  const std::lock_guard lock(messages.mutex);
  messages.texts.emplace_back(data->pMessage);
  return VK_FALSE;  // the call continues
}

/// Khronos' validation layer, for tests and debugging.
constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

bool WantsValidation() { return IsOn("ACUTANCE_VULKAN_VALIDATION", /*otherwise=*/false); }

/// Fails where the layer is not installed.
Status CheckValidationLayer(const LoaderFunctions& loader) {
  uint32_t count = 0;
  ACU_RETURN_IF_ERROR(
      CallStatus("Vulkan", loader.vkEnumerateInstanceLayerProperties(&count, nullptr), "count its layers"));
  std::vector<VkLayerProperties> layers(count);
  ACU_RETURN_IF_ERROR(
      CallStatus("Vulkan", loader.vkEnumerateInstanceLayerProperties(&count, layers.data()), "list its layers"));
  for (const VkLayerProperties& layer : layers)
    if (std::string_view(layer.layerName) == kValidationLayer) return {};
  return Error(StatusCode::kUnsupported,
               "ACUTANCE_VULKAN_VALIDATION asks for the layer {}, which is not installed; install it (on Debian the "
               "package vulkan-validationlayers) or unset the variable",
               kValidationLayer);
}

/// The layer's warnings and errors go to standard error and to VulkanValidationMessages().
VkDebugUtilsMessengerCreateInfoEXT MessengerSettings() {
  VkDebugUtilsMessengerCreateInfoEXT settings = {VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT};
  settings.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  settings.messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT;
  settings.pfnUserCallback = Receive;
  return settings;
}

}  // namespace

std::string ResultText(VkResult result) {
  switch (result) {
#define ACU_RESULT(name, meaning) \
  case name:                      \
    return #name " (" meaning ")";
    ACU_RESULT(VK_NOT_READY, "not done yet")
    ACU_RESULT(VK_TIMEOUT, "it took too long")
    ACU_RESULT(VK_INCOMPLETE, "the list changed meanwhile")
    ACU_RESULT(VK_ERROR_OUT_OF_HOST_MEMORY, "out of host memory")
    ACU_RESULT(VK_ERROR_OUT_OF_DEVICE_MEMORY, "out of device memory")
    ACU_RESULT(VK_ERROR_INITIALIZATION_FAILED, "the driver does not start")
    ACU_RESULT(VK_ERROR_DEVICE_LOST, "the GPU or its driver has crashed")
    ACU_RESULT(VK_ERROR_MEMORY_MAP_FAILED, "the memory cannot be mapped")
    ACU_RESULT(VK_ERROR_LAYER_NOT_PRESENT, "a layer is not installed")
    ACU_RESULT(VK_ERROR_EXTENSION_NOT_PRESENT, "an extension is not supported")
    ACU_RESULT(VK_ERROR_FEATURE_NOT_PRESENT, "a feature is not supported")
    ACU_RESULT(VK_ERROR_INCOMPATIBLE_DRIVER, "no driver, or too old a one")
    ACU_RESULT(VK_ERROR_TOO_MANY_OBJECTS, "too many allocations")
    ACU_RESULT(VK_ERROR_INVALID_SHADER_NV, "the driver does not take the kernel's code")
    ACU_RESULT(VK_ERROR_UNKNOWN, "no reason was given")
#undef ACU_RESULT
    default:
      return fmt::format("Vulkan error {}", static_cast<int>(result));
  }
}

Status CallStatus(std::string_view device, VkResult result, std::string_view doing) {
  if (result == VK_SUCCESS) return {};
  const StatusCode code = IsOutOfMemory(result) ? StatusCode::kOutOfMemory : StatusCode::kIo;
  return Error(code, "{}: could not {}: {}", device, doing, ResultText(result));
}

Status Driver::Create() {
  uint32_t offered = 0;
  ACU_RETURN_IF_ERROR(CallStatus("Vulkan", loader_.vkEnumerateInstanceVersion(&offered), "read its version"));
  if (offered < kMinimumVersion)
    return Error(StatusCode::kNoDevice,
                 "the Vulkan loader has version {}, {} is needed; install a newer one (on Debian the package {})",
                 VersionText(offered), VersionText(kMinimumVersion), LoaderName("1"));
  version_ = std::min(offered, kNewestVersion);
  const bool validate = WantsValidation();
  if (validate) ACU_RETURN_IF_ERROR(CheckValidationLayer(loader_));
  return CreateInstance(validate);
}

Status Driver::CreateInstance(bool validate) {
  const VkDebugUtilsMessengerCreateInfoEXT messenger = MessengerSettings();
  const char* extension = VK_EXT_DEBUG_UTILS_EXTENSION_NAME;
  VkApplicationInfo application = {VK_STRUCTURE_TYPE_APPLICATION_INFO};
  application.pApplicationName = "acutance";
  application.apiVersion = version_;
  VkInstanceCreateInfo settings = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
  settings.pApplicationInfo = &application;
  if (validate) {
    settings.pNext = &messenger;  // hears what happens while the instance is made and destroyed
    settings.enabledLayerCount = settings.enabledExtensionCount = 1;
    settings.ppEnabledLayerNames = &kValidationLayer;
    settings.ppEnabledExtensionNames = &extension;
  }
  const VkResult result = loader_.vkCreateInstance(&settings, nullptr, &instance_);
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) return NoDriver(ResultText(result));
  ACU_RETURN_IF_ERROR(CallStatus("Vulkan", result, "start"));
  ACU_RETURN_IF_ERROR(FindFunctions());
  if (!validate) return {};
  const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
      loader_.vkGetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
  if (!create) return Error(StatusCode::kNoDevice, "the Vulkan loader has no {}", extension);
  return CallStatus("Vulkan", create(instance_, &messenger, nullptr, &messenger_), "listen to the validation layer");
}

Status Driver::FindFunctions() {
  const char* missing = nullptr;
#define ACU_FIND(name)                                                                      \
  vk_.name = reinterpret_cast<PFN_##name>(loader_.vkGetInstanceProcAddr(instance_, #name)); \
  if (!vk_.name) missing = #name;
  ACU_VULKAN_INSTANCE_FUNCTIONS(ACU_FIND)
#undef ACU_FIND
  if (!missing) return {};
  return Error(StatusCode::kNoDevice, "the Vulkan loader has no function {}; install a newer one", missing);
}

Driver::~Driver() {
  if (messenger_)
    reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        loader_.vkGetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"))(instance_, messenger_, nullptr);
  if (vk_.vkDestroyInstance) vk_.vkDestroyInstance(instance_, nullptr);
}

Result<std::vector<VkPhysicalDevice>> Driver::PhysicalDevices() const {
  uint32_t count = 0;
  VkResult result = vk_.vkEnumeratePhysicalDevices(instance_, &count, nullptr);
  std::vector<VkPhysicalDevice> devices(count);
  if (result == VK_SUCCESS && count > 0) result = vk_.vkEnumeratePhysicalDevices(instance_, &count, devices.data());
  if (result == VK_ERROR_INITIALIZATION_FAILED) return NoDriver(ResultText(result));
  ACU_RETURN_IF_ERROR(CallStatus("Vulkan", result, "list its devices"));
  devices.resize(count);
  if (devices.empty()) return NoDriver("it lists none");
  return devices;
}

Result<std::shared_ptr<const Driver>> OpenDriver() {
  const char* hook = Variable("ACUTANCE_VULKAN_LIBRARY");
  const Library& library = LoadOnce(hook ? hook : DriverFile(LoaderName(".so.1"), "vulkan-1.dll"), LoadLibrary);
  ACU_RETURN_IF_ERROR(library.status);
  ACU_RETURN_IF_ERROR(library.process.Check("the Vulkan loader"));
  OpenedDriver& opened = TheOpenedDriver();
  const std::lock_guard lock(opened.mutex);
  if (opened.driver && &opened.driver->loader_ == &library.loader) return opened.driver;
  std::shared_ptr<Driver> driver(new Driver(library.loader));
  ACU_RETURN_IF_ERROR(driver->Create());
  opened.driver = std::move(driver);
  return opened.driver;
}

void CloseDriver() {
  OpenedDriver& opened = TheOpenedDriver();
  const std::lock_guard lock(opened.mutex);
  opened.driver.reset();
}

}  // namespace acutance::vulkan

std::vector<std::string> acutance::VulkanValidationMessages() {
  vulkan::Messages& messages = vulkan::TheMessages();
  const std::lock_guard lock(messages.mutex);
  return messages.texts;
}
