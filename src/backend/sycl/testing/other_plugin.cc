// Libraries for sycl_test.cc: a plugin of another build, and one that is no plugin.
#include "backend/sycl/plugin.h"

#ifndef WITHOUT_PLUGIN
extern "C" {
extern const acutance::sycl_backend::Plugin acutance_sycl_plugin;
const acutance::sycl_backend::Plugin acutance_sycl_plugin = {"of yesterday", nullptr, nullptr};
}
#endif
