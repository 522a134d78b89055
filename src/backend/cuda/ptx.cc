#include "backend/cuda/ptx.h"

namespace acutance::cuda {

std::string OnlyEntry(std::string_view ptx, std::string_view symbol) {
  constexpr std::string_view kBegin = "\n.visible .entry ", kEnd = "\n}";
  std::string kept;
  size_t at = 0;
  for (size_t entry = ptx.find(kBegin); entry != ptx.npos; entry = ptx.find(kBegin, at)) {
    kept += ptx.substr(at, entry - at);
    const std::string_view name = ptx.substr(entry + kBegin.size());
    const size_t end = ptx.find(kEnd, entry);
    at = end == ptx.npos ? ptx.size() : end + kEnd.size();
    if (name.starts_with(symbol) && name.substr(symbol.size()).starts_with('(')) kept += ptx.substr(entry, at - entry);
  }
  return kept += ptx.substr(at);
}

std::string ForOldGpus(std::string ptx) {
  constexpr std::string_view kOwn = ".target sm_75", kOld = ".target sm_60";
  if (const size_t at = ptx.find(kOwn); at != ptx.npos) ptx.replace(at, kOwn.size(), kOld);
  return ptx;
}

}  // namespace acutance::cuda
