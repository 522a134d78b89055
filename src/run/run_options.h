// Options of a run, one row of options.inc each: the source of the command line, the C++ API, Python, the journal's
// header and the manual page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/status.h"
#include "run/score_run.h"

namespace acutance {

inline constexpr int kMaxThreads = 1024;

/// Headings of the help and the manual page, in their order.
enum class OptionGroup { kInputs, kModels, kFrames, kAlignment, kOutput, kDecisions, kDevices };
inline constexpr std::string_view kOptionGroupNames[] = {"Inputs", "Models",    "Frames", "Alignment",
                                                         "Output", "Decisions", "Devices"};

/// The type of the value in Python. Everywhere else a value is text.
enum class OptionType {
  kFlag,       // bool; on the command line without a value, in C++ "true" or "false"
  kSwitch,     // bool; "on" or "off"
  kChoice,     // str, one of `choices`
  kNumber,     // int
  kBytes,      // int; as a text also "800M" or "2G"
  kText,       // str
  kPath,       // str or os.PathLike
  kSize,       // (width, height); as a text "1920x1080"
  kAlignment,  // str, int or os.PathLike
  kOwn,        // the APIs have a parameter of their own for it, `api_name`
};

/// A row. tools/option_pages.py reads rows from the .inc files, so that their texts are literals there.
template <class Target>
struct Option {
  std::string_view name;  // "scale-filter": --scale-filter; scale_filter in C++ and Python
  OptionGroup group = OptionGroup::kInputs;
  OptionType type = OptionType::kText;
  std::string_view letter = "";        // "t": also -t
  std::string_view value = "";         // what the help calls the value; empty: a flag
  std::string_view fallback = "";      // the default, as a text; empty: the option is not set
  std::string_view choices = "";       // all values, separated by ", "; empty: `read` knows
  std::string_view api_name = "";      // in C++ and Python, where that is not `name`
  std::string_view api_fallback = "";  // Python's default, where that is not `fallback`
  std::string_view example = "";       // a value that is not the default, where there are no choices
  std::string_view needs = "";         // the option of the command line without which this one is refused
  bool repeats = false;                // may be given several times
  /// The key of the line of a journal's header that has the value; "option": `show` writes such a line. Empty: scores
  /// do not depend on it.
  std::string_view journal = "";
  std::string_view help;
  std::string_view api_help = "";  // in Python, where that is not `help`
  /// Stores a value; an error says what is expected.
  Status (*read)(std::string_view text, Target& target);
  /// The stored value as a text; empty, or `fallback`, where it is the default.
  std::string (*show)(const Target& target) = nullptr;
};

using RunOption = Option<RunRequest>;

std::span<const RunOption> RunOptions();

/// By its name or its name in the APIs; null: there is none.
const RunOption* FindRunOption(std::string_view name);

/// "scale_filter", or `api_name`.
template <class Target>
std::string ApiNameOf(const Option<Target>& option) {
  std::string name(option.api_name.empty() ? option.name : option.api_name);
  for (char& each : name)
    if (each == '-') each = '_';
  return name;
}

/// How errors name an option: --scale-filter cubic, or scale_filter "cubic".
enum class OptionStyle { kCommand, kApi };

Status CheckChoice(std::string_view choices, std::string_view text);
Status NamedError(const Status& status, std::string_view shown, std::string_view text, OptionStyle style);

/// Stores the value of an option; the error names option and value.
template <class Target>
Status ReadOption(const Option<Target>& option, std::string_view text, OptionStyle style, Target& target) {
  Status status = CheckChoice(option.choices, text);
  if (status.ok()) status = option.read(text, target);
  if constexpr (std::is_same_v<Target, RunRequest>)
    if (status.ok() && !option.journal.empty() && text != option.fallback) target.given.emplace_back(option.name, text);
  if (status.ok()) return status;
  return NamedError(status, style == OptionStyle::kApi ? ApiNameOf(option) : std::string(option.name), text, style);
}

/// Readers of common values, which check the text.
template <class T>
Status Store(T value, T& to) {
  to = std::move(value);
  return {};
}
Status ReadFlag(std::string_view text, bool& value);
/// Shots with their information.
Status ReadShots(std::string_view text, RunRequest& run);
Status ReadNumber(std::string_view text, int64_t least, int64_t most, int64_t& value);
Status ReadNumber(std::string_view text, int64_t least, int64_t most, int& value);
Status ReadMemory(std::string_view text, std::optional<size_t>& bytes);
Status ReadPath(std::string_view text, std::string& path);

/// A run with the default of every option, which takes any video that can be converted for scoring.
RunRequest DefaultRequest();

/// Checks options that depend on each other, and derives what follows from them. Called once, after the last of them.
Status CompleteRequest(RunRequest& request);

/// Bytes for frames that are decoded ahead of all videos, a part of RunRequest::max_memory.
size_t DecodingMemory(const RunRequest& request);

}  // namespace acutance
