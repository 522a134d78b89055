// Checks of the doctor, one for each cause. Each returns a finding, or nullopt where its cause does not apply.
#pragma once

#include <optional>
#include <string>

#include "run/doctor/doctor.h"
#include "run/doctor/probe.h"

namespace acutance {

// Files: raw yuv of another format, decoding that stops, ends that are missing, inputs in the wrong order, models that
// do not fit.
std::optional<Finding> CheckRawFormat(const Probe& probe);
std::optional<Finding> CheckReferenceDamage(const Probe& probe);
std::optional<Finding> CheckDistortedDamage(const Probe& probe);
std::optional<Finding> CheckMissingEnd(const Probe& probe);
std::optional<Finding> CheckOrder(const Probe& probe);
std::optional<Finding> CheckHdrModel(const Probe& probe);
std::optional<Finding> CheckModel(const Probe& probe);

// Time: which frames are aligned.
std::optional<Finding> CheckSinglePicture(const Probe& probe);
std::optional<Finding> CheckFrameRate(const Probe& probe);
std::optional<Finding> CheckOffset(const Probe& probe);
std::optional<Finding> CheckDrops(const Probe& probe);
std::optional<Finding> CheckContent(const Probe& probe);

// Pictures: which part of a picture is displayed, and how.
std::optional<Finding> CheckOrientation(const Probe& probe);
/// Stills that are alike only as they are shown, which this engine compares and others may not.
std::optional<Finding> CheckRotatedStill(const Probe& probe);
std::optional<Finding> CheckCrop(const Probe& probe);
std::optional<Finding> CheckSize(const Probe& probe);
std::optional<Finding> CheckInterlacing(const Probe& probe);

// Samples: which light they mean.
std::optional<Finding> CheckTransfer(const Probe& probe);
std::optional<Finding> CheckColor(const Probe& probe);
std::optional<Finding> CheckRange(const Probe& probe);

/// The command that makes a video progressive.
std::string Deinterlace(const std::string& path);

}  // namespace acutance
