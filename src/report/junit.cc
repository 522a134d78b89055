#include "report/junit.h"

#include <algorithm>

#include "log/escape.h"

namespace acutance {

std::string JunitXml(const Summary& summary) {
  const auto failures = std::ranges::count(summary.verdicts, false, &Verdict::holds);
  const std::string counts = fmt::format(R"(tests="{}" failures="{}" errors="0" time="{:.3f}")",
                                         summary.verdicts.size(), failures, summary.seconds);
  std::string text =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite name=\"acutance\" {}>\n",
                  counts, counts);
  for (const Verdict& verdict : summary.verdicts) {
    text += fmt::format(R"(    <testcase classname="{}" name="{}" time="0")", EscapeXml(verdict.video),
                        EscapeXml(verdict.requirement.text));
    const std::string sentence = EscapeXml(verdict.Sentence());
    if (verdict.holds) text += fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n", sentence);
    else text += fmt::format(">\n      <failure type=\"requirement\" message=\"{}\"/>\n    </testcase>\n", sentence);
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace acutance
