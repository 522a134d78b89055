// Tap of a session that receives the fingerprints of both videos' pictures, computed with the features' results.
#pragma once

#include <functional>

#include "engine/session_spec.h"
#include "fingerprint/frame_fingerprint.h"

namespace acutance {

/// Whether a session of this specification gets all pictures of both videos, and the build has the metric.
bool CanTapFingerprints(const SessionNeeds& needs, const SessionSpec& spec);

/// Receives the fingerprints of a pair's pictures, as ResultTap::on_result.
using FingerprintSink =
    std::function<void(int distorted, const FrameFingerprint& reference, const FrameFingerprint& own)>;
ResultTap TapFingerprints(FingerprintSink sink);

}  // namespace acutance
