// EXIF orientation of PNG and TIFF pictures, which FFmpeg's decoders read in new versions alone or not at all.
#pragma once

#include <cstdint>
#include <span>

namespace acutance {

/// EXIF's number, 1 to 8, of a whole file; 0: it is no such file, or declares none. PNG has it in the chunk eXIf, TIFF
/// as a tag of its first directory.
int StillOrientation(std::span<const uint8_t> file);

}  // namespace acutance
