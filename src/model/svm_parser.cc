#include "model/model_parser.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/number.h"

namespace acutance {
namespace {

template <class... Args>
Status Damaged(fmt::format_string<Args...> format, Args&&... args) {
  return Error(StatusCode::kBadData, format, std::forward<Args>(args)...);
}

/// Splits at blanks; CR counts as one, so CRLF text reads like LF text.
class Tokens {
 public:
  explicit Tokens(std::string_view text) : rest_(text) {}

  std::string_view Next() {
    constexpr std::string_view kBlanks = " \t\r\n";
    rest_.remove_prefix(std::min(rest_.find_first_not_of(kBlanks), rest_.size()));
    const std::string_view token = rest_.substr(0, rest_.find_first_of(kBlanks));
    rest_.remove_prefix(token.size());
    return token;
  }
  std::string_view Line() {
    const size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return line;
  }

  bool AtEnd() const { return rest_.find_first_not_of(" \t\r\n") == std::string_view::npos; }

 private:
  std::string_view rest_;
};

/// Keywords of the header and how many values follow each. Values that no score depends on are skipped.
struct HeaderWord {
  std::string_view name;
  int values;
};
constexpr HeaderWord kHeaderWords[] = {{"svm_type", 1}, {"kernel_type", 1}, {"degree", 1},   {"gamma", 1},
                                       {"coef0", 1},    {"nr_class", 1},    {"total_sv", 1}, {"rho", 1},
                                       {"label", 2},    {"probA", 1},       {"probB", 1},    {"nr_sv", 2}};

using Header = std::map<std::string_view, std::string_view>;  // word -> its first value

Result<Header> ReadHeader(Tokens& tokens) {
  Header header;
  for (;;) {
    const std::string_view word = tokens.Next();
    if (word.empty()) return Damaged("ends before 'SV'");
    if (word == "SV") return header;
    const auto* const known = std::ranges::find(kHeaderWords, word, &HeaderWord::name);
    if (known == std::end(kHeaderWords)) return Damaged("unknown word '{}' in the header", word);
    const std::string_view value = tokens.Next();
    if (!header.emplace(word, value).second) return Damaged("'{}' appears twice", word);
    for (int i = 1; i < known->values; ++i) tokens.Next();
  }
}

Status RequireWord(const Header& header, std::string_view word, std::string_view wanted) {
  const auto found = header.find(word);
  if (found == header.end()) return Damaged("'{}' is missing", word);
  if (found->second == wanted) return {};
  return Damaged("{} is '{}'; only '{}' is supported", word, found->second, wanted);
}

Result<double> ReadNumber(const Header& header, std::string_view word) {
  const auto found = header.find(word);
  if (found == header.end()) return Damaged("'{}' is missing", word);
  const std::optional<double> value = ParseFiniteDouble(found->second);
  if (!value) return Damaged("{} is '{}', expected a finite number", word, found->second);
  return *value;
}

Result<size_t> ReadVectorCount(const Header& header) {
  const auto found = header.find("total_sv");
  if (found == header.end()) return Damaged("'total_sv' is missing");
  const std::optional<long long> value = ParseInteger(found->second);
  if (!value || *value < 1 || *value > kMaxSupportVectors)
    return Damaged("total_sv is '{}', expected 1..{}", found->second, kMaxSupportVectors);
  return static_cast<size_t>(*value);
}

/// One support vector: "coef idx:val idx:val ...", indices rising from 1; absent ones are zero.
Status ReadVector(std::string_view line, size_t number, size_t total, Svm& svm) {
  Tokens tokens(line);
  const std::string_view coefficient_text = tokens.Next();
  if (coefficient_text.empty()) return Damaged("support vector {} of {} is missing", number + 1, total);
  const std::optional<double> coefficient = ParseFiniteDouble(coefficient_text);
  if (!coefficient)
    return Damaged("support vector {}: coefficient '{}' is not a finite number", number + 1, coefficient_text);
  svm.coefficients[number] = *coefficient;
  long long previous = 0;
  while (!tokens.AtEnd()) {
    const std::string_view entry = tokens.Next();
    const size_t colon = std::min(entry.find(':'), entry.size());
    const std::optional<long long> index = ParseInteger(entry.substr(0, colon));
    const std::optional<double> value = ParseFiniteDouble(entry.substr(std::min(colon + 1, entry.size())));
    if (!index || !value) return Damaged("support vector {}: '{}' is not index:number", number + 1, entry);
    if (*index <= previous || *index > svm.feature_count)
      return Damaged("support vector {}: index {} after {}; indices rise from 1 to {}", number + 1, *index, previous,
                     svm.feature_count);
    previous = *index;
    svm.vectors[static_cast<size_t>(*index - 1) * total + number] = *value;
  }
  return {};
}

}  // namespace

Result<Svm> ParseSvm(std::string_view text, int feature_count) {
  Tokens tokens(text);
  ACU_ASSIGN_OR_RETURN(const Header header, ReadHeader(tokens));
  ACU_RETURN_IF_ERROR(RequireWord(header, "svm_type", "nu_svr"));
  ACU_RETURN_IF_ERROR(RequireWord(header, "kernel_type", "rbf"));
  ACU_RETURN_IF_ERROR(RequireWord(header, "nr_class", "2"));
  ACU_ASSIGN_OR_RETURN(const size_t total, ReadVectorCount(header));
  Svm svm;
  svm.feature_count = feature_count;
  ACU_ASSIGN_OR_RETURN(svm.gamma, ReadNumber(header, "gamma"));
  ACU_ASSIGN_OR_RETURN(svm.rho, ReadNumber(header, "rho"));
  if (svm.gamma < 0) return Damaged("gamma is {}, expected at least 0", svm.gamma);
  // A vector takes two bytes or more ("0\n"), so a short text cannot ask for a large allocation.
  if (total > text.size() / 2) return Damaged("total_sv is {}, more than the text can hold", total);

  svm.coefficients.resize(total);
  svm.vectors.resize(total * static_cast<size_t>(feature_count));
  tokens.Line();
  for (size_t k = 0; k < total; ++k) ACU_RETURN_IF_ERROR(ReadVector(tokens.Line(), k, total, svm));
  if (!tokens.AtEnd()) return Damaged("more than total_sv = {} support vectors", total);
  return svm;
}

}  // namespace acutance
