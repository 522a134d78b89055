// The encodes of a release of an encoder as AVM's common test conditions name them (docs/spec/avm.md 1).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace acutance {

struct AvmEncode {
  std::string video;      // what is decoded
  std::string bitstream;  // whose bytes count: the same file, or one next to it
  std::string reference;
  std::string name;  // of the encode among its release's, as a file can have it
  std::string test_class;
  std::string encoder, codec, configuration, preset;
  int qp = 0;

  /// The reference's name in files of rate points; with several coded sizes (AS), what stands before its first "_".
  std::string clip() const;
  /// Bytes of the bitstream; not set: it lies in a container, and the bit rate of the video's track counts.
  std::optional<double> bytes() const;
};

struct AvmEncodes {
  std::vector<AvmEncode> encodes;  // by configuration, class, clip, QP
  std::vector<std::string> notes;  // files that are left out, and why
};

/// The encodes in `folder` and its folders. A file is called CLIP_ENCODER_CODEC_CONFIGURATION_Preset_N_QP_N with any
/// ending, where CLIP is the name of a reference without its ending, or what stands before its first "_". Where a name
/// lacks the configuration, a folder has it ("RA"); where it lacks the clip, a folder is called so. A y4m file is the
/// decoded video of the bitstream with the same name. `references`: the folder of y4m or other videos, those of a class
/// in a folder that begins with its name ("A2_2k").
Result<AvmEncodes> FindAvmEncodes(const std::string& folder, const std::string& references);

}  // namespace acutance
