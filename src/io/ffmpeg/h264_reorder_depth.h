// Whether an H.264 stream says how far its pictures are reordered.
#pragma once

#include <cstdint>
#include <span>

namespace acutance {

/// Whether every sequence parameter set of the extradata bounds the reordering (max_num_reorder_frames), so that a
/// decoder need not find it out, and has whole frames alone: no fields, and no word of how frames are shown as fields.
/// False also where there is no readable set.
bool H264DeclaresReorderDepth(std::span<const uint8_t> extradata);

}  // namespace acutance
