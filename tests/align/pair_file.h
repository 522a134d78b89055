// Keeps test pairs on disk: making them takes far longer than pairing them.
#pragma once

#include <optional>
#include <string>

#include "clips.h"

namespace acutance::test {

std::optional<TestPair> LoadPair(const std::string& path);
void SavePair(const std::string& path, const TestPair& pair);

}  // namespace acutance::test
