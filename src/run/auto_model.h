// Automatic model selection: Netflix's models for a pair of videos, with the reasons (docs/use/two-videos.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "engine/model_run.h"
#include "image/picture.h"

namespace acutance {

/// Where the video is watched. kBySize: on a television, of 4K where the pictures are larger than 1440p.
enum class Viewing { kBySize, kTv, kPhone, k4k, k4kFrom3Heights };

inline constexpr std::string_view kViewingNames[] = {"auto", "tv", "phone", "4k", "4k-3h"};
std::optional<Viewing> FindViewing(std::string_view name);

/// What the choice depends on.
struct ModelFacts {
  PictureFormat pictures;              // as they are scored
  std::vector<PictureFormat> encodes;  // the distorted videos' own
  std::optional<double> frame_rate;
};

struct ChosenModels {
  std::vector<ModelRequest> models;
  std::vector<std::string> reasons;  // human-readable sentences
};

/// A model of VMAF v1, where its features take such pictures, and one of v0.6.1's family.
Result<ChosenModels> ChooseModels(const ModelFacts& facts, Viewing viewing);

/// Why pictures of that size do not suit the model; nullopt if they do, or if the model's size is unknown.
std::optional<std::string> SizeMismatch(const Model& model, const PictureFormat& pictures);

/// The same for the frame rate, and for the viewing conditions; kBySize suits every model.
std::optional<std::string> RateMismatch(const Model& model, std::optional<double> frame_rate);
std::optional<std::string> ViewingMismatch(const Model& model, Viewing viewing);

}  // namespace acutance
