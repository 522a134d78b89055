// Text and errors between Windows and this tree; for *_windows.cc alone.
#pragma once

#include <string>
#include <string_view>

namespace acutance {

std::wstring Wide(std::string_view text);
std::string Utf8(std::wstring_view text);

/// A path that Windows takes at any length: a long one becomes absolute, with the prefix that lifts the limit of 260.
std::wstring WidePath(const std::string& path);

/// Sets errno to what the last failure of Windows means.
void SetErrno();
/// What Windows says of its last failure.
std::string LastErrorText();

}  // namespace acutance
