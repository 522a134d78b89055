// Synthetic pictures for testing and timing devices.
#pragma once

#include "base/status.h"
#include "image/picture.h"

namespace acutance {

/// The same for the same arguments; no two frames, planes or salts are alike.
Result<Picture> MakeTestPicture(const PictureFormat& format, int frame, int salt);

/// MakeTestPicture's, with more contrast here and less there: from half of it to twice and a half.
Result<Picture> MakeEnhancedPicture(const PictureFormat& format, int frame, int salt);

}  // namespace acutance
