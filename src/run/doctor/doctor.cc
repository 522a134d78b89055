#include "run/doctor/doctor.h"

#include <algorithm>
#include <utility>

#include "run/doctor/checks.h"
#include "run/doctor/probe.h"

namespace acutance {
namespace {

struct Cause {
  const char* name;
  std::optional<Finding> (*check)(const Probe&);
  bool ends_search = false;  // nothing that comes later can be said where this is found
};

/// Findings of one confidence keep this order.
constexpr Cause kCauses[] = {
    {"raw-format", CheckRawFormat, true},
    {"damage", CheckDistortedDamage},
    {"damage", CheckReferenceDamage},
    {"drops", CheckSinglePicture, true},
    {"turned", CheckOrientation, true},
    {"turned", CheckRotatedStill},
    {"transfer", CheckTransfer},
    {"color", CheckColor},
    {"interlaced", CheckInterlacing},
    {"crop", CheckCrop},
    {"frame-rate", CheckFrameRate},
    {"offset", CheckOffset},
    {"drops", CheckDrops},
    {"different", CheckContent},
    {"damage", CheckMissingEnd},
    {"range", CheckRange},
    {"swapped", CheckOrder},
    {"model", CheckHdrModel},
    {"model", CheckModel},
    {"size", CheckSize},
};

Finding NothingFound(const Probe& probe) {
  if (probe.alignment) return {"none", 0.95, "Nothing stands between the two videos and a score.", probe.Score()};
  return {"none", 0.5, "Nothing was found, though the frames show too little to be sure of their order.",
          probe.Score()};
}

Finding CannotOpen(const std::string& path, const Status& status) {
  const bool interlaced = status.message().find("interlaced") != std::string::npos;
  return {interlaced ? "interlaced" : "damage", 0.98, fmt::format("{}.", status.message()),
          interlaced ? Deinterlace(path) : ""};
}

}  // namespace

std::vector<Finding> FindCauses(const Probe& probe) {
  std::vector<Finding> findings;
  for (const Cause& cause : kCauses) {
    std::optional<Finding> finding = cause.check(probe);
    if (!finding) continue;
    findings.push_back(*std::move(finding));
    if (cause.ends_search) return findings;
  }
  std::ranges::stable_sort(findings, std::greater(), &Finding::confidence);
  if (findings.empty()) findings.push_back(NothingFound(probe));
  return findings;
}

namespace {

void AssumePixelAspect(VideoProbe& video, const VideoProbe& other) {
  if (video.facts.has_pixel_aspect || !other.facts.has_pixel_aspect) return;
  video.facts.pixel_aspect = AssumedPixelAspect(video.format, other.format, other.facts.pixel_aspect).value_or(1);
}

}  // namespace

Result<std::vector<Finding>> Diagnose(const DoctorRequest& request) {
  Probe probe;
  for (VideoProbe* video : {&probe.reference, &probe.distorted}) {
    const std::string& path = video == &probe.reference ? request.reference : request.distorted;
    Result<VideoProbe> probed = ProbeVideo(path, request.open);
    Status status = probed.ok() ? Status() : probed.status();
    if (probed.ok() && probed->frames == 0)
      status = probed->damage.ok() ? Error(StatusCode::kBadData, "{} has no frames", path) : probed->damage;
    if (status.code() == StatusCode::kBadData || status.code() == StatusCode::kUnsupported)
      return std::vector{CannotOpen(path, status)};
    ACU_RETURN_IF_ERROR(status);
    *video = std::move(probed).value();
  }
  AssumePixelAspect(probe.reference, probe.distorted);
  AssumePixelAspect(probe.distorted, probe.reference);
  Compare(probe);
  const std::optional<double> rate = probe.reference.frame_rate;
  probe.names_model = request.check_model != nullptr;
  if (request.check_model)
    probe.model_problem =
        request.check_model({probe.reference.format, rate ? rate : probe.distorted.frame_rate, probe.is_hdr()});
  return FindCauses(probe);
}

}  // namespace acutance
