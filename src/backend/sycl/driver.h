// Finds and opens the plugin library and, before it, Intel's runtime.
#pragma once

#include "backend/sycl/plugin.h"
#include "base/status.h"

namespace acutance::sycl_backend {

/// The plugin is looked for next to this program and in the library folder next to it, the runtime where this build
/// found it, where pip installs to, and where the loader looks. ACUTANCE_SYCL_PLUGIN (a file) and ACUTANCE_SYCL_RUNTIME
/// (a folder, with or without its "lib") replace these places. The error says what to install.
Result<const Plugin*> OpenPlugin();

}  // namespace acutance::sycl_backend
