#include "report/avm_rate_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "base/number.h"
#include "log/escape.h"
#include "report/ctc.h"

namespace acutance {
namespace {

double NumberAt(const Json& json, std::string_view key) {
  const Json* value = json.IsObject() ? json.Find(key) : nullptr;
  return value && value->kind == Json::Kind::kNumber ? ParseFiniteDouble(value->text).value_or(0) : 0;
}

const Json& At(const Json& json, std::string_view key) {
  static const Json nothing;
  const Json* value = json.IsObject() ? json.Find(key) : nullptr;
  return value ? *value : nothing;
}

const Json& First(const Json& json, std::string_view key, size_t index = 0) {
  static const Json nothing;
  const Json& all = At(json, key);
  return index < all.items.size() ? all.items[index] : nothing;
}

/// The quality of one column; empty: there is no finite one.
std::optional<double> QualityIn(const Json& result, std::string_view score) {
  for (const Json* value : {&At(At(result, "aggregates"), score), &At(At(At(result, "models"), score), "mean"),
                            &At(At(At(result, "features"), score), "mean")})
    if (value->kind == Json::Kind::kNumber) return ParseFiniteDouble(value->text);
  return std::nullopt;
}

/// A line of a file of rate points, and what lines are sorted by.
struct RateLine {
  std::string test_class, clip;
  int pixels;  // of the coded size, below zero: large ones come first
  int qp;
  std::string text;

  auto order() const { return std::tie(test_class, clip, pixels, qp); }
};

/// What makes points doubtful: damage, and encodes of one clip with unlike numbers of frames.
void AddDoubts(const std::vector<AvmScored>& scored, std::vector<std::string>& notes) {
  std::map<std::string, std::set<std::string>> frames;
  for (const AvmScored& one : scored) {
    const Json& damage = At(First(one.summary, "inputs", 1), "damage");
    if (damage.IsObject()) notes.push_back(fmt::format("{}: the bitstream is damaged", one.encode->name));
    frames[one.encode->configuration + " " + one.encode->clip()].insert(
        At(First(one.summary, "results"), "frames").text);
  }
  for (const auto& [clip, counts] : frames)
    if (counts.size() > 1)
      notes.push_back(fmt::format("{}: the encodes have {} frames, so that their rates and scores are of other parts",
                                  clip, fmt::join(counts, " or ")));
}

RateLine LineOf(const AvmScored& scored, std::vector<std::string>& notes) {
  const AvmEncode& encode = *scored.encode;
  const Json &result = First(scored.summary, "results"), &reference = First(scored.summary, "inputs", 0),
             &coded = First(scored.summary, "inputs", 1);
  RateLine line{.test_class = encode.test_class,
                .clip = encode.clip(),
                .pixels = -static_cast<int>(NumberAt(coded, "width") * NumberAt(coded, "height")),
                .qp = encode.qp,
                .text = {}};
  const double rate = NumberAt(reference, "frame_rate"), seconds = NumberAt(result, "frames") / rate;
  const double bytes = encode.bytes().value_or(NumberAt(result, "bit_rate") * seconds / 8);
  const auto size = [](const Json& video) {
    return fmt::format("{}x{}", At(video, "width").text, At(video, "height").text);
  };
  line.text = fmt::format(
      "{},{},{},{},{},{},{},{},{},{},{},{}", encode.configuration, encode.encoder, encode.codec, encode.preset,
      line.test_class, CsvField(line.clip), size(reference),
      fmt::format(fmt::runtime(encode.configuration == "AS" ? "{:.4f}" : "{:.2f}"), std::nearbyint(rate)),
      At(reference, "bit_depth").text, size(coded), encode.qp,
      encode.configuration == "STILL" ? fmt::format("{:.0f}", bytes)
                                      : fmt::format("{:.6f}", bytes * 8 * rate / NumberAt(result, "frames") / 1000));
  for (const CtcColumn& column : CtcColumns()) {
    const std::optional<double> quality = QualityIn(result, column.score);
    if (!quality)
      notes.push_back(
          fmt::format("{}: {} has no finite mean, and is 0 in the file of rate points", encode.name, column.title));
    line.text += fmt::format(",{:.6f}", quality.value_or(0));
  }
  line.text += ",,\n";
  return line;
}

}  // namespace

std::vector<std::string> AvmScoreOptions(const std::string& version) {
  std::vector<std::string> options;
  for (const char* model : {"vmaf_v0.6.1", "vmaf_v0.6.1neg"}) options.insert(options.end(), {"-m", model});
  for (const char* feature :
       {"psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5", "ciede", "psnr_hvs", "cambi",
        version == "v7.0" ? "float_ssim=scale=1:enable_db=true:clip_db=true" : "float_ssim=enable_db=true:clip_db=true",
        "float_ms_ssim=enable_db=true:clip_db=true"})
    options.insert(options.end(), {"-f", feature});
  // Frame by frame, as AVM's script; smaller encodes by its resampler.
  options.insert(options.end(), {"--align", "index", "--force", "--scale-filter", "aom"});
  return options;
}

std::map<std::string, std::string> AvmRateFiles(const std::vector<AvmScored>& scored, std::vector<std::string>& notes) {
  std::map<std::string, std::vector<RateLine>> files;
  for (const AvmScored& one : scored)
    files[fmt::format("RDResults_{}_{}_{}_Preset_{}.csv", one.encode->encoder, one.encode->codec,
                      one.encode->configuration, one.encode->preset)]
        .push_back(LineOf(one, notes));
  AddDoubts(scored, notes);
  std::map<std::string, std::string> texts;
  for (auto& [name, lines] : files) {
    std::ranges::stable_sort(lines, {}, &RateLine::order);
    for (size_t i = 1; i < lines.size();) {
      if (lines[i].order() != lines[i - 1].order()) {
        ++i;
        continue;
      }
      notes.push_back(
          fmt::format("{}: there are two encodes of {} with QP {}; one is left out", name, lines[i].clip, lines[i].qp));
      lines.erase(lines.begin() + static_cast<ptrdiff_t>(i));
    }
    std::string& text = texts[name] = CtcTitles();
    for (const RateLine& line : lines) text += line.text;
  }
  return texts;
}

}  // namespace acutance
