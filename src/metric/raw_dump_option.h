// What an Extractor implements next to its own interface where an option has its artifacts written to files.
#pragma once

#include <string>

namespace acutance {

class RawDumpOption {
 public:
  virtual ~RawDumpOption() = default;

  /// The file of an artifact (index into ExtractorSpec::artifacts): samples without header, the picture of frame f at f
  /// times its bytes. Empty: none.
  virtual std::string FileOf(int artifact) const = 0;
};

}  // namespace acutance
