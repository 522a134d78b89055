#include "cli/reference_store.h"

#include <algorithm>
#include <filesystem>

namespace acutance::cli {
namespace {

/// A pipe can be read once, and its writer may never come.
Status CheckFile(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status found = std::filesystem::status(path, ignored);
  // Opening reports absent files and folders better.
  if (is_regular_file(found) || is_directory(found) || !exists(found)) return {};
  return Error(StatusCode::kInvalidArgument, "{} is no regular file, and references are read again and again", path);
}

}  // namespace

size_t ReferenceStore::TakenByOthers() const {
  size_t bytes = 0;
  for (const Entry& entry : entries_)
    if (&entry != &entries_.front()) bytes += entry.reference->MostBytes();
  return bytes;
}

/// Others that were not read to their ends stop growing until they are used again. If that is not enough, the least
/// recently used are dropped.
void ReferenceStore::MakeRoom(size_t bytes) {
  const auto has_room = [&] { return TakenByOthers() + bytes <= most_bytes_; };
  for (auto entry = entries_.rbegin(); &*entry != &entries_.front() && !has_room(); ++entry) {
    if (entry->reference->MostBytes() == entry->reference->bytes()) continue;
    entry->reference->KeepUpTo(entry->reference->bytes());
    entry->may_grow = false;
  }
  while (entries_.size() > 1 && !has_room()) entries_.pop_back();
}

/// A file that does not declare its number of frames gets at least half of the memory, one that is too large none.
void ReferenceStore::LetFirstGrow() {
  Entry& first = entries_.front();
  const size_t needed = first.needed.value_or(most_bytes_ / 2);
  if (needed > most_bytes_) return;
  MakeRoom(needed);
  first.reference->KeepUpTo(first.needed ? needed : most_bytes_ - std::min(most_bytes_, TakenByOthers()));
  first.may_grow = true;
}

Result<std::shared_ptr<CachedReference>> ReferenceStore::Find(const std::string& path, const OpenOptions& options) {
  auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.reference->path() == path; });
  if (found != entries_.end() && found->reference->HasChanged()) {
    entries_.erase(found);  // it may take more than before
    found = entries_.end();
  }
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
  } else {
    ACU_RETURN_IF_ERROR(CheckFile(path));
    ACU_ASSIGN_OR_RETURN(const std::optional<size_t> needed, PictureBytes(path, options));
    entries_.push_front({std::make_shared<CachedReference>(path, 0, devices_), needed});
  }
  if (!entries_.front().may_grow) LetFirstGrow();
  return entries_.front().reference;
}

std::vector<std::shared_ptr<CachedReference>> ReferenceStore::references() const {
  std::vector<std::shared_ptr<CachedReference>> references;
  for (const Entry& entry : entries_) references.push_back(entry.reference);
  return references;
}

bool ReferenceStore::Drop(const std::string& path) {
  return std::erase_if(entries_, [&](const Entry& entry) { return entry.reference->path() == path; }) > 0;
}

}  // namespace acutance::cli
