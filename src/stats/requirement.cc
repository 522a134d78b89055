#include "stats/requirement.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace acutance {
namespace {

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t\n");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

bool IsNumber(std::string_view text) { return !text.empty() && text.find_first_not_of("0123456789") == text.npos; }

Status Malformed(std::string_view text) {
  return Error(StatusCode::kInvalidArgument,
               "'{}': expected SCORE.POOLING>=NUMBER (or >, <=, <), such as vmaf_v0.6.1.p5>=90", text);
}

Result<Requirement> ParseRequirement(std::string_view text) {
  const size_t at = text.find_first_of("<>");
  if (at == text.npos) return Malformed(text);
  Requirement requirement;
  requirement.text = text;
  const bool or_equal = at + 1 < text.size() && text[at + 1] == '=';
  using Relation = Requirement::Relation;
  if (text[at] == '>') requirement.relation = or_equal ? Relation::kAtLeast : Relation::kMore;
  else requirement.relation = or_equal ? Relation::kAtMost : Relation::kLess;
  const std::string_view number = Trim(text.substr(at + (or_equal ? 2 : 1)));
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), requirement.bound);
  if (error != std::errc() || end != number.data() + number.size() || !std::isfinite(requirement.bound))
    return Malformed(text);
  const std::string_view name = Trim(text.substr(0, at));
  if (name.empty()) return Malformed(text);
  const size_t dot = name.rfind('.');
  requirement.score = name.substr(0, dot);
  if (dot == name.npos) return requirement;
  const std::string_view pooling = name.substr(dot + 1);
  const Result<NamedPool> pool = ParsePool(pooling);
  if (!pool.ok() && IsNumber(pooling))  // the name of a score alone, such as vmaf_v0.6.1
    return Error(StatusCode::kInvalidArgument,
                 "'{0}': what follows the last dot names the pooling; if '{1}' belongs to the score's name, add one, "
                 "such as {2}.mean{3}, else write {4}.p{1}{3}",
                 text, pooling, name, text.substr(at), requirement.score);
  if (!pool.ok())
    return Error(StatusCode::kInvalidArgument, "'{}': what follows the last dot names the pooling, and {}", text,
                 pool.status().message());
  if (requirement.score.empty()) return Malformed(text);
  requirement.pool = *pool;
  return requirement;
}

}  // namespace

bool Requirement::Holds(double value) const {
  if (value == bound) return relation == Relation::kAtLeast || relation == Relation::kAtMost;
  return relation == Relation::kAtLeast || relation == Relation::kMore ? value > bound : value < bound;
}

bool Requirement::IsPerFrame() const {
  if (!pool) return false;
  const bool is_lower_bound = relation == Relation::kAtLeast || relation == Relation::kMore;
  return pool->kind == (is_lower_bound ? NamedPool::Kind::kMin : NamedPool::Kind::kMax);
}

Result<std::vector<Requirement>> ParseRequirements(std::string_view text) {
  std::vector<Requirement> requirements;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(','));
    if (const std::string_view trimmed = Trim(part); !trimmed.empty()) {
      ACU_ASSIGN_OR_RETURN(Requirement requirement, ParseRequirement(trimmed));
      requirements.push_back(std::move(requirement));
    }
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
  }
  if (requirements.empty()) return Malformed(text);
  return requirements;
}

Verdict Judge(const Requirement& requirement, std::string video, std::optional<double> value) {
  return {requirement, std::move(video), value, value && requirement.Holds(*value)};
}

std::string Verdict::Sentence() const {
  static constexpr const char* kWords[] = {"at least", "more than", "at most", "less than"};
  const std::string name = requirement.pool ? requirement.score + "." + requirement.pool->name : requirement.score;
  const char* const words = kWords[static_cast<int>(requirement.relation)];
  if (!value) return fmt::format("{}: {} has no value, and must be {} {}", video, name, words, requirement.bound);
  // A value that is short of its bound by less than is printed would look equal to it.
  const bool is_near = std::abs(*value - requirement.bound) < 1e-4;
  const std::string shown = is_near ? fmt::format("{}", *value) : fmt::format("{:.4f}", *value);
  return fmt::format("{}: {} is {}, {} must be {} {}", video, name, shown, holds ? "as it" : "and", words,
                     requirement.bound);
}

}  // namespace acutance
