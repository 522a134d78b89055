// The list of `acutance batch`: a CSV file with a pair in each line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace acutance::cli {

struct BatchJob {
  std::string name;  // of the result's file: "0001_encode", or the list's
  std::string reference;
  std::string distorted;
};

/// Columns reference, distorted and, where wanted, name, in any order; the first line names them. Paths are as they
/// stand, from the current folder.
Result<std::vector<BatchJob>> ReadBatchList(const std::string& path);

}  // namespace acutance::cli
