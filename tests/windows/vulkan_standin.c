/* A loader of Vulkan 1.3 whose only answer is that there is no driver. */
#include <string.h>
#include <vulkan/vulkan_core.h>

static VkResult Version(uint32_t *version)
{
    *version = VK_API_VERSION_1_3;
    return VK_SUCCESS;
}

static VkResult Layers(uint32_t *count, VkLayerProperties *layers)
{
    (void)layers;
    *count = 0;
    return VK_SUCCESS;
}

static VkResult Create(const VkInstanceCreateInfo *info, const VkAllocationCallbacks *allocation, VkInstance *instance)
{
    (void)info, (void)allocation, (void)instance;
    return VK_ERROR_INCOMPATIBLE_DRIVER;
}

__declspec(dllexport) PFN_vkVoidFunction vkGetInstanceProcAddr(VkInstance instance, const char *name)
{
    (void)instance;
    if (!strcmp(name, "vkEnumerateInstanceVersion")) return (PFN_vkVoidFunction)Version;
    if (!strcmp(name, "vkEnumerateInstanceLayerProperties")) return (PFN_vkVoidFunction)Layers;
    return !strcmp(name, "vkCreateInstance") ? (PFN_vkVoidFunction)Create : NULL;
}
