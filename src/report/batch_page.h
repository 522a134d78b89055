// HTML page of a batch: which clips are worst, in which seconds, for which causes.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace acutance {

struct BatchPagePair {
  std::string name;
  std::string reference;
  std::string status;  // "ok", "not_reached", "failed" or "left"
  std::string error;   // of a pair that failed
  std::string report;  // address of its own page, relative to this one; empty: none
  Json summary;        // what `acutance score --json --worst-seconds` printed; null: it was not scored
};

/// The address by which the page in the file `page` refers to another file: relative, as URLs are written.
std::string AddressFrom(const std::string& page, const std::string& file);

/// The page's HTML, which needs no other file.
std::string MakeBatchPage(const std::vector<BatchPagePair>& pairs);

}  // namespace acutance
