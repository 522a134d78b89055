// The page's style sheet and its script, embedded by embed_text.py.
#pragma once

#include <string_view>

namespace acutance {

extern const std::string_view kPageStyle;   // page.css
extern const std::string_view kPageScript;  // page.js

}  // namespace acutance
