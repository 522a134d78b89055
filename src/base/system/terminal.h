// Terminals and Ctrl-C.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace acutance {

inline constexpr int kStandardInput = 0, kStandardOutput = 1, kStandardError = 2;

bool IsTerminal(int descriptor);
int TerminalColumns(int descriptor);  // 80 where unknown

/// The command that shows a page in a browser and returns at once; empty where there is no screen.
std::vector<std::string> PageOpener(const std::string& page);

/// kEnds: also what a system's or terminal's end sends.
enum class Interrupts { kControlC, kEnds };
/// Has `handle` called at each of them, on a thread of its own, instead of the end of the process. Called once, before
/// any other thread starts. Error: they end the process as before.
Status HandleInterrupts(Interrupts which, void (*handle)());

/// Writes to standard error and ends the process, from any thread, without destructors.
[[noreturn]] void EndProcess(std::string_view message, int status);

}  // namespace acutance
