#include <string>
#include <utility>

#include "base/number.h"
#include "log/read/parse_log.h"

namespace acutance {
namespace {

std::string_view TextOf(const Json& value) { return value.IsNull() ? std::string_view("null") : value.text; }

Result<NamedNumbers> Numbers(const Json& object, LogBuilder& builder) {
  NamedNumbers numbers;
  for (size_t i = 0; i < object.keys.size(); ++i) {
    ACU_ASSIGN_OR_RETURN(const double value, builder.Number(object.keys[i], TextOf(object.items[i])));
    numbers.emplace_back(object.keys[i], value);
  }
  return numbers;
}

Status ReadFrame(const Json& frame, LogBuilder& builder) {
  const Json* const number = frame.Find("frameNum");
  ACU_RETURN_IF_ERROR(builder.BeginFrame(number == nullptr ? "" : number->text));
  const Json* const metrics = frame.Find("metrics");
  if (metrics == nullptr) return {};
  for (size_t i = 0; i < metrics->keys.size(); ++i)
    ACU_RETURN_IF_ERROR(builder.Add(metrics->keys[i], TextOf(metrics->items[i])));
  return {};
}

std::string Text(const Json& document, std::string_view key) {
  const Json* const value = document.Find(key);
  return value == nullptr ? "" : value->text;
}

}  // namespace

Status ParseJsonLog(const Json& document, LogBuilder& builder) {
  ScoreLog& log = builder.parsed();
  log.version = Text(document, "version");
  log.fps = ParseFiniteDouble(Text(document, "fps"));
  const Json* const frames = document.Find("frames");
  if (frames == nullptr || !frames->IsArray())
    return Error(StatusCode::kBadData, "it has no list 'frames', so it is no log of scores");
  for (const Json& frame : frames->items) ACU_RETURN_IF_ERROR(ReadFrame(frame, builder));
  if (const Json* const pooled = document.Find("pooled_metrics")) {
    for (size_t i = 0; i < pooled->keys.size(); ++i) {
      ACU_ASSIGN_OR_RETURN(NamedNumbers numbers, Numbers(pooled->items[i], builder));
      log.pooled.emplace_back(pooled->keys[i], std::move(numbers));
    }
  }
  if (const Json* const aggregates = document.Find("aggregate_metrics")) {
    ACU_ASSIGN_OR_RETURN(log.aggregates, Numbers(*aggregates, builder));
  }
  return {};
}

}  // namespace acutance
