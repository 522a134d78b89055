#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads/parallel_for.h"
#include "log/escape.h"
#include "report/image_files.h"
#include "report/page_parts.h"
#include "report/picture_image.h"

namespace acutance {
namespace {

std::string Image(const std::string& type, const std::string& bytes, const RgbImage& image, const std::string& words) {
  return fmt::format("<img src=\"data:image/{};base64,{}\" width=\"{}\" height=\"{}\" alt=\"{}\" loading=\"lazy\">",
                     type, Base64(bytes), image.width, image.height, EscapeXml(words));
}

/// A quarter of the image: strips of rows from all of it.
RgbImage Sample(const RgbImage& image) {
  constexpr int kStrip = 16, kEvery = 4;  // JPEG's blocks of color are 16 rows high
  RgbImage sample{image.width, 0, {}};
  const auto row_bytes = size_t{3} * image.width;
  for (int y = 0; y < image.height; y += kStrip * kEvery) {
    const int rows = std::min(kStrip, image.height - y);
    sample.rgb.insert(sample.rgb.end(), &image.rgb[row_bytes * y], &image.rgb[row_bytes * y] + row_bytes * rows);
    sample.height += rows;
  }
  return sample;
}

/// A JPEG of at most `most` bytes, where any quality gives that. Qualities that a sample says are too high are not
/// tried.
std::string SmallJpeg(const RgbImage& image, size_t most) {
  constexpr int kQualities[] = {90, 80, 65, 45}, kLeast = 45;  // above 90 colors are not halved, as video has them
  constexpr double kDoubt = 1.1;                               // a sample may have more detail than the rest
  const RgbImage sample = Sample(image);
  const double part = static_cast<double>(sample.height) / image.height;
  std::string bytes;
  for (const int quality : kQualities) {
    if (quality > kLeast &&
        static_cast<double>(Jpeg(sample, quality).size()) > kDoubt * part * static_cast<double>(most))
      continue;
    bytes = Jpeg(image, quality);
    if (bytes.size() <= most) break;
  }
  return bytes;
}

/// Means of four samples.
RgbImage Halved(const RgbImage& image) {
  RgbImage half{image.width / 2, image.height / 2, {}};
  const auto at = [&](int x, int y, int c) { return image.rgb[(static_cast<size_t>(y) * image.width + x) * 3 + c]; };
  half.rgb.reserve(size_t{3} * half.width * half.height);
  for (int y = 0; y < 2 * half.height; y += 2)
    for (int x = 0; x < 2 * half.width; x += 2)
      for (int c = 0; c < 3; ++c)
        half.rgb.push_back(
            static_cast<uint8_t>((at(x, y, c) + at(x + 1, y, c) + at(x, y + 1, c) + at(x + 1, y + 1, c) + 2) / 4));
  return half;
}

/// The same of a whole frame: of half its size where all of it has too many bytes. It is shown in its size anyway.
std::string SmallWhole(const RgbImage& image, size_t most) {
  const std::string bytes = SmallJpeg(image, most);
  return bytes.size() <= most || image.width < 2 || image.height < 2 ? bytes : SmallJpeg(Halved(image), most);
}

/// source: the name of the video that views show the image as; "" for a map.
std::string FigureOf(const std::string& type, const std::string& bytes, const RgbImage& image, const char* kind,
                     const std::string& source, const std::string& words) {
  const std::string named = source.empty() ? "" : fmt::format(" data-source=\"{}\"", EscapeXml(source));
  return fmt::format("<figure class=\"{}\"{}>{}<figcaption>{}</figcaption></figure>\n", kind, named,
                     Image(type, bytes, image, words), EscapeXml(words));
}

std::string Figure(const RgbImage& image, size_t most, const std::string& words, const char* kind,
                   const std::string& source = "") {
  const bool is_spot = std::string_view(kind) == "spot";  // which shows its own size
  return FigureOf("jpeg", is_spot ? SmallJpeg(image, most) : SmallWhole(image, most), image, kind, source, words);
}

struct Crop {
  std::string source;
  RgbImage image;
};

/// Crops of the same place, with the samples of their frames where the bytes of all are few enough.
std::string Spots(const std::vector<Crop>& crops, size_t most, const std::string& place) {
  std::vector<std::string> pngs;
  size_t bytes = 0;
  for (const Crop& crop : crops)
    if (bytes <= most) bytes += pngs.emplace_back(Png(crop.image)).size();
  std::string text;
  for (size_t i = 0; i < crops.size(); ++i) {
    const auto& [source, image] = crops[i];
    const std::string words = fmt::format("{} {}", source, place);
    text += bytes > most ? Figure(image, most / crops.size(), words, "spot", source)
                         : FigureOf("png", pngs[i], image, "spot", source, words + ", lossless");
  }
  return text;
}

std::string LostWords(const LostPoints& lost) {
  std::string text;
  for (int kind = 0; kind < kDamages; ++kind)
    if (lost.points[kind] >= 0.05)
      text += fmt::format("{}{} {:.1f}", text.empty() ? "points lost: " : ", ", kDamageNames[kind], lost.points[kind]);
  return text;
}

constexpr int kWholeWidth = 640, kSpotWidth = 320, kSpotHeight = 240, kSpotSize = 64;

/// Limit on the bytes of all frames' pictures.
constexpr size_t kBytesForPictures = 3'000'000;

/// Those of frames with all encodes.
size_t BytesTogether(const Page& page) { return page.together.empty() ? 0 : kBytesForPictures / 2; }

std::string FrameHeading(const Page& page, int64_t frame, const std::string& words) {
  const int64_t shown = page.first_frame + frame;
  return fmt::format(
      "<article><h3><button type=\"button\" class=\"go\" data-frame=\"{}\">Frame {}, {}</button> {}</h3>\n", frame,
      shown, Clock(page, shown), EscapeXml(words));
}

std::string FrameCard(const Page& page, const PageFrame& frame, size_t bytes) {
  const CropWindow spot = WorstSpot(frame.reference, frame.distorted, kSpotSize);
  const auto whole = [&](const Picture& picture) { return ToImage(picture, page.full_range, kWholeWidth); };
  const auto crop = [&](const Picture& picture) {
    return CropImage(picture, page.full_range, spot.x, spot.y, kSpotWidth, kSpotHeight);
  };
  std::string text = FrameHeading(page, frame.frame, QualityName(page) + ": " + Graded(page, frame.score));
  if (!frame.cause.empty()) text += "<p>mostly for <strong>" + EscapeXml(frame.cause) + "</strong></p>\n";
  if (frame.lost) text += "<p class=\"note\">" + LostWords(*frame.lost) + "</p>\n";
  text += "<div class=\"pictures\">\n";
  text += Figure(whole(frame.reference), bytes / 6, "reference", "whole", "reference");
  const RgbImage encode = whole(frame.distorted);
  text += Figure(encode, bytes / 6, "encode", "whole", "encode");
  text += Figure(DifferenceImage(frame.reference, frame.distorted, kWholeWidth), bytes / 12,
                 "difference of luma, white from 32 of 256 steps", "whole");
  if (!frame.map.empty())
    text +=
        Figure(MapOverImage(DarkGray(encode), frame.distorted.format, frame.map, frame.map_block, frame.map_columns),
               bytes / 12, frame.map_words, "map");
  const std::string place = fmt::format("around ({}, {}), where it differs most, in its own size", spot.x, spot.y);
  text += Spots({{"reference", crop(frame.reference)}, {"encode", crop(frame.distorted)}}, bytes / 2, place);
  return text + "</div></article>\n";
}

/// The score of a video's frame; nullopt: it has none.
std::optional<double> ScoreAt(const Page& page, size_t video, int64_t frame) {
  if (page.quality_column < 0) return std::nullopt;
  return page.summary->videos[video].scores->Get(page.quality_column, frame);
}

std::string TogetherCard(const Page& page, const PageCommonFrame& frame, size_t bytes) {
  const size_t count = frame.distorted.size();
  size_t worst = 0;
  std::vector<Crop> crops;
  std::string wholes, scores;
  const auto add = [&](const Picture& picture, const std::string& name) {
    wholes += Figure(ToImage(picture, page.full_range, kWholeWidth), bytes / 2 / (count + 1), name, "whole", name);
    crops.push_back({name, {}});
  };
  add(frame.reference, "reference");
  const ScoreDirection better =
      page.quality_column < 0
          ? ScoreDirection::kHigher
          : page.summary->videos[0].scores->columns()[static_cast<size_t>(page.quality_column)].better;
  for (size_t v = 0; v < count; ++v) {
    const std::string name = VideoName(*page.summary, v);
    const auto score = ScoreAt(page, v, frame.frame), worst_score = ScoreAt(page, worst, frame.frame);
    add(frame.distorted[v], name);
    if (score) scores += fmt::format("{}{}: {}", scores.empty() ? "" : "; ", name, Graded(page, *score));
    if (score && worst_score && IsWorse(*score, *worst_score, better)) worst = v;
  }
  const CropWindow spot = WorstSpot(frame.reference, frame.distorted[worst], kSpotSize);
  for (size_t i = 0; i < crops.size(); ++i)
    crops[i].image = CropImage(i == 0 ? frame.reference : frame.distorted[i - 1], page.full_range, spot.x, spot.y,
                               kSpotWidth, kSpotHeight);
  const std::string place = fmt::format("around ({}, {}), where {} differs most, in its own size", spot.x, spot.y,
                                        VideoName(*page.summary, worst));
  return FrameHeading(page, frame.frame, scores.empty() ? "" : QualityName(page)) + "<p>" + EscapeXml(scores) +
         "</p>\n<div class=\"pictures\">\n" + wholes + Spots(crops, bytes / 2, place) + "</div></article>\n";
}

/// Cards, made on several threads; an error is added to `text`.
template <class Frame, class Card>
std::vector<std::string> MakeCards(const Page& page, const std::vector<const Frame*>& frames, const Card& card,
                                   std::string& text) {
  std::vector<std::string> cards(frames.size());
  const Status made = ParallelFor(page.summary->threads, static_cast<int>(frames.size()), [&](int i) {
    cards[static_cast<size_t>(i)] = card(*frames[static_cast<size_t>(i)]);
    return Status();
  });
  if (!made.ok()) text += "<p class=\"warning\" role=\"note\">" + EscapeXml(made.message()) + "</p>\n";
  return cards;
}

}  // namespace

std::string TogetherPart(const Page& page) {
  if (page.together.empty()) return "";
  std::vector<const PageCommonFrame*> frames;
  for (const PageCommonFrame& frame : page.together) frames.push_back(&frame);
  std::string text =
      "<p class=\"note\">The reference and all encodes of a frame, with a wipe between each two. Buttons choose those "
      "that are shown.</p>\n";
  const auto card = [&](const PageCommonFrame& frame) {
    return TogetherCard(page, frame, BytesTogether(page) / frames.size());
  };
  for (const std::string& each : MakeCards(page, frames, card, text)) text += each;
  return Section("together", "Encodes in one view", text);
}

std::string FramesPart(const Page& page) {
  std::vector<const PageFrame*> frames;
  for (const PageVideo& video : page.videos)
    for (const PageFrame& frame : video.worst) frames.push_back(&frame);
  if (frames.empty()) return "";
  std::string text;
  const auto make = [&](const PageFrame& frame) {
    return FrameCard(page, frame, (kBytesForPictures - BytesTogether(page)) / frames.size());
  };
  const std::vector<std::string> cards = MakeCards(page, frames, make, text);
  auto card = cards.begin();
  for (size_t v = 0; v < page.videos.size(); ++v) {
    if (page.videos.size() > 1) text += "<h3>" + EscapeXml(VideoName(*page.summary, v)) + "</h3>\n";
    for (size_t i = 0; i < page.videos[v].worst.size(); ++i) text += *card++;
  }
  return Section("frames", page.summary->frame_count == 1 ? "Frame" : "Worst frames", text);
}

}  // namespace acutance
