// Finding of the doctor: a cause, how sure it is, and the command that helps.
#pragma once

#include <string>

namespace acutance {

/// `cause` is a stable name: offset, frame-rate, size, crop, turned, range, color, swapped, transfer, interlaced,
/// drops, model, damage, different, none.
struct Finding {
  std::string cause;
  double confidence = 0;  // 0 to 1
  std::string sentence;
  std::string command;  // what to type; empty: nothing helps
};

}  // namespace acutance
