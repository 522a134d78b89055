// The files of `acutance score --maps DIR --worst N`.
#pragma once

#include <string>

#include "base/status.h"
#include "report/run_view.h"

namespace acutance {

/// Writes the pictures of the `count` worst frames of each video, and each feature's map as PNG and NPY, on
/// `threads` threads.
Status WriteWorstMaps(const std::string& folder, int count, int threads, const RunView& view);

}  // namespace acutance
