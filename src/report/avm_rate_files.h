// Files of rate points as AVM's script writes them, from scores of a release's encodes (docs/spec/avm.md 1, 2).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "report/avm_encodes.h"

namespace acutance {

/// The options of `acutance score` that compute what RD files hold, by a version of AOM's test conditions (v3.0 to
/// v7.0).
std::vector<std::string> AvmScoreOptions(const std::string& version);

/// What `acutance score --json` printed for an encode.
struct AvmScored {
  const AvmEncode* encode;
  Json summary;
};

/// The text of each file of rate points, by its name; cells of times are empty. A quality that is not finite is
/// 0.000000, as AVM's script writes it, and has a note.
std::map<std::string, std::string> AvmRateFiles(const std::vector<AvmScored>& scored, std::vector<std::string>& notes);

}  // namespace acutance
