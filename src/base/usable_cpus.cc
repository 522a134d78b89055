#include "base/usable_cpus.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/system/machine.h"

namespace acutance {
namespace {

/// The folders of the process' control group in one hierarchy, from its own to the root: each may set a limit.
/// controller: of version 1, "cpu"; empty: version 2.
std::vector<std::string> GroupFolders(const ControlGroups& groups, const std::string& controller) {
  std::string path;
  std::ifstream file(groups.own);
  for (std::string line; std::getline(file, line);) {  // "4:cpu,cpuacct:/a/b", "0::/a/b"
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    std::stringstream names(line.substr(first + 1, second - first - 1));
    bool is_ours = controller.empty() && second == first + 1;
    for (std::string name; std::getline(names, name, ',');) is_ours |= !controller.empty() && name == controller;
    if (is_ours) path = line.substr(second + 1);
  }
  const std::string root = controller.empty() ? groups.folder : groups.folder + "/" + controller;
  std::vector<std::string> folders;
  for (; path.size() > 1; path.resize(path.rfind('/'))) folders.push_back(root + path);
  folders.push_back(root);  // a container sees its own group as the root
  return folders;
}

std::string FirstLine(const std::string& path) {
  std::string line;
  std::ifstream file(path);
  std::getline(file, line);
  return line;
}

std::optional<uint64_t> NumberIn(const std::string& path) {
  std::ifstream file(path);
  uint64_t number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

/// What a group may still take, where it has a limit.
void Limit(std::optional<size_t>& available, std::optional<uint64_t> most, std::optional<uint64_t> used) {
  constexpr uint64_t kNoLimit = uint64_t{1} << 60;  // version 1 writes a number near 2^63
  if (!most || *most >= kNoLimit) return;
  const uint64_t left = *most - std::min(*most, used.value_or(0));
  available = std::min<uint64_t>(available.value_or(left), left);
}

}  // namespace

std::optional<int> CpusOfQuota(const std::string& text) {
  std::istringstream words(text);
  double quota = 0, period = 0;
  if (!(words >> quota >> period) || quota <= 0 || period <= 0) return std::nullopt;
  return std::max(1, static_cast<int>(std::ceil(quota / period)));
}

int UsableCpus(const ControlGroups& groups) {
  int cpus = AffinityCpus();
  for (const std::string& folder : GroupFolders(groups, ""))
    cpus = std::min(cpus, CpusOfQuota(FirstLine(folder + "/cpu.max")).value_or(cpus));
  for (const std::string& folder : GroupFolders(groups, "cpu")) {
    const std::string text = FirstLine(folder + "/cpu.cfs_quota_us") + " " + FirstLine(folder + "/cpu.cfs_period_us");
    cpus = std::min(cpus, CpusOfQuota(text).value_or(cpus));
  }
  return cpus;
}

std::optional<size_t> AvailableMemory(const ControlGroups& groups) {
  std::optional<size_t> available = FreeMemory();
  for (const std::string& folder : GroupFolders(groups, ""))
    Limit(available, NumberIn(folder + "/memory.max"), NumberIn(folder + "/memory.current"));
  for (const std::string& folder : GroupFolders(groups, "memory"))
    Limit(available, NumberIn(folder + "/memory.limit_in_bytes"), NumberIn(folder + "/memory.usage_in_bytes"));
  return available;
}

}  // namespace acutance
