#include "run/encode_groups.h"

#include <algorithm>
#include <map>
#include <utility>

namespace acutance {
namespace {

template <class T>
std::vector<T> Pick(std::vector<T>& all, const VideoGroup& group, size_t first = 0) {
  std::vector<T> picked;
  if (all.empty()) return picked;
  for (size_t i = 0; i < first; ++i) picked.push_back(std::move(all[i]));
  for (const size_t d : group) picked.push_back(std::move(all[first + d]));
  return picked;
}

bool HaveSameFrames(const Alignment& a, const Alignment& b) {
  return std::ranges::equal(a.pairs, b.pairs, {}, &std::pair<int64_t, int64_t>::first,
                            &std::pair<int64_t, int64_t>::first);
}

void SelectFrames(AlignmentPlan& plan) {
  plan.selected.clear();
  if (std::ranges::all_of(plan.alignments, &Alignment::is_identity)) return;
  plan.selected.resize(plan.alignments.size() + 1);
  for (const auto& [i, j] : plan.alignments.front().pairs) plan.selected[0].push_back(i);
  for (size_t d = 0; d < plan.alignments.size(); ++d)
    for (const auto& [i, j] : plan.alignments[d].pairs) plan.selected[d + 1].push_back(j);
}

void Append(AlignmentPlan one, AlignmentPlan& plan) {
  plan.alignments.push_back(std::move(one.alignments.front()));
  std::ranges::move(one.warnings, std::back_inserter(plan.warnings));
  if (plan.damage.ok()) plan.damage = std::move(one.damage);
  if (!plan.fingerprint.empty() || !one.fingerprint.empty()) plan.fingerprint += "+" + one.fingerprint;
  SelectFrames(plan);
}

void AddNew(std::vector<std::string> texts, std::vector<std::string>& to) {
  for (std::string& text : texts)
    if (std::ranges::find(to, text) == to.end()) to.push_back(std::move(text));
}

/// Adds what was done to the reference for the videos of another group.
void AddChanges(std::vector<InputChange> changes, Input& reference) {
  for (InputChange& change : changes)
    if (std::ranges::find(reference.changes, change.text, &InputChange::text) == reference.changes.end())
      reference.changes.push_back(std::move(change));
}

/// Moves what a group has of each of its videos to their places.
template <class T>
void Place(std::vector<T>& from, const VideoGroup& group, size_t videos, std::vector<T>& to, size_t first = 0) {
  if (from.empty()) return;
  to.resize(first + videos);
  for (size_t k = 0; k < group.size(); ++k) to[first + group[k]] = std::move(from[first + k]);
}

}  // namespace

std::vector<VideoGroup> GroupByKey(const std::vector<std::string>& keys) {
  std::vector<VideoGroup> groups;
  std::map<std::string, size_t> known;
  for (size_t d = 0; d < keys.size(); ++d) {
    const auto [found, is_new] = known.try_emplace(keys[d], groups.size());
    if (is_new) groups.emplace_back();
    groups[found->second].push_back(d);
  }
  return groups;
}

VideoGroup OthersOf(const VideoGroup& group, size_t videos) {
  VideoGroup others;
  for (size_t d = 0; d < videos; ++d)
    if (!std::ranges::binary_search(group, d)) others.push_back(d);
  return others;
}

VideoGroup ItemsAt(const VideoGroup& places, const VideoGroup& all) {
  VideoGroup items;
  for (const size_t place : places) items.push_back(all[place]);
  return items;
}

RunRequest PartOf(const RunRequest& request, const VideoGroup& group) {
  RunRequest part = request;
  part.run_videos = std::max(request.run_videos, static_cast<int>(request.distorted.size()));
  part.distorted = Pick(part.distorted, group);
  part.numbers.clear();
  for (const size_t d : group)
    part.numbers.push_back(request.numbers.empty() ? static_cast<int>(d) : request.numbers[d]);
  return part;
}

AlignmentTask PartOf(const AlignmentTask& task, const VideoGroup& group) {
  AlignmentTask part = task;
  part.videos = Pick(part.videos, group, 1);
  return part;
}

AlignmentPlan PartOf(const AlignmentPlan& plan, const VideoGroup& group) {
  AlignmentPlan part = plan;
  part.alignments = Pick(part.alignments, group);
  part.selected = Pick(part.selected, group, 1);
  return part;
}

ScoredRun PartOf(ScoredRun run, const VideoGroup& group) {
  if (group.size() < run.encodes.size()) run.common_frames.clear();
  run.encodes = Pick(run.encodes, group);
  run.inputs = Pick(run.inputs, group, 1);
  run.samples = Pick(run.samples, group, 1);
  run.alignments = Pick(run.alignments, group);
  run.worst = Pick(run.worst, group);
  return run;
}

Result<std::vector<GroupPlan>> PlanGroups(const AlignmentTask& task, std::vector<FrameTrack> tracks,
                                          const std::vector<Status>& damages) {
  std::vector<FrameTrack> pair(2);
  pair[0] = std::move(tracks[0]);
  return GroupPlans(tracks.size() - 1, [&](size_t d) {
    pair[1] = std::move(tracks[d + 1]);
    std::vector<Status> own;
    if (!damages.empty()) own = {damages[0], damages[d + 1]};
    return PlanFromTracks(PartOf(task, {d}), pair, own);
  });
}

Result<std::vector<GroupPlan>> GroupPlans(size_t videos, const std::function<Result<AlignmentPlan>(size_t)>& plan_of) {
  std::vector<GroupPlan> groups;
  for (size_t d = 0; d < videos; ++d) {
    ACU_ASSIGN_OR_RETURN(AlignmentPlan plan, plan_of(d));
    const auto fits = [&](const GroupPlan& each) {
      return HaveSameFrames(each.plan.alignments.front(), plan.alignments.front());
    };
    const auto found = std::ranges::find_if(groups, fits);
    if (found == groups.end()) {
      groups.push_back({{d}, std::move(plan)});
    } else {
      found->group.push_back(d);
      Append(std::move(plan), found->plan);
    }
  }
  return groups;
}

ScoredRun JoinGroups(std::vector<ScoredGroup> groups, size_t videos) {
  if (groups.front().group.size() == videos) return std::move(groups.front().run);
  std::ranges::sort(groups, {}, [](const ScoredGroup& each) { return each.group.front(); });
  ScoredRun joined = std::move(groups.front().run);
  std::vector<ScoredEncode> encodes = std::move(joined.encodes);
  std::vector<Input> inputs = std::move(joined.inputs);
  std::vector<SampleHash> samples = std::move(joined.samples);
  std::vector<Alignment> alignments = std::move(joined.alignments);
  std::vector<std::vector<WorstFrame>> worst = std::move(joined.worst);
  joined.samples.clear(), joined.common_frames.clear();
  joined.encodes.clear(), joined.inputs.clear(), joined.alignments.clear(), joined.worst.clear();
  if (!inputs.empty()) joined.inputs.push_back(inputs.front());
  if (!samples.empty()) joined.samples.push_back(samples.front());
  for (ScoredGroup& each : groups) {
    ScoredRun& run = each.run;
    if (&each != &groups.front()) {
      joined.seconds += run.seconds;
      if (run.bound && (!joined.bound || joined.bound->seconds < run.bound->seconds)) joined.bound = run.bound;
      joined.frames = std::max(joined.frames, run.frames);
      joined.decoded_by_nvdec |= run.decoded_by_nvdec;
      AddNew(std::move(run.warnings), joined.warnings);
      AddNew(std::move(run.model_reasons), joined.model_reasons);
      if (run.error && !joined.error) joined.error = std::move(run.error);
      encodes = std::move(run.encodes), inputs = std::move(run.inputs);
      samples = std::move(run.samples);
      alignments = std::move(run.alignments), worst = std::move(run.worst);
      if (!inputs.empty() && !joined.inputs.empty()) AddChanges(inputs.front().changes, joined.inputs.front());
    }
    Place(encodes, each.group, videos, joined.encodes);
    Place(inputs, each.group, videos, joined.inputs, 1);
    Place(samples, each.group, videos, joined.samples, 1);
    Place(alignments, each.group, videos, joined.alignments);
    Place(worst, each.group, videos, joined.worst);
  }
  if (!joined.error) return joined;
  joined.session.reset();
  joined.encodes.clear();
  return joined;
}

}  // namespace acutance
