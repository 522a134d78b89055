#include "cli/score_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/environment.h"

namespace acutance::cli {
namespace {

void AddSizeOptions(CLI::App& command, ScoreTexts& texts) {
  command
      .add_option("--scale", texts.scale,
                  "Size that videos of different sizes are brought to: ref (the reference's), dis, or WIDTHxHEIGHT")
      ->type_name("SIZE")
      ->capture_default_str();
  command
      .add_option(
          "--crop", texts.crop,
          "Compare a part of the pictures: W:H:X:Y of both videos, REF,DIS with one each, or auto: without black "
          "bars")
      ->type_name("PART")
      ->capture_default_str();
  command.add_option("--scale-filter", texts.scale_filter, "How")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kScaleFilterNames), std::end(kScaleFilterNames))))
      ->capture_default_str();
}

void AddPairingOptions(CLI::App& command, ScoreTexts& texts) {
  command
      .add_option("--align", texts.align,
                  "Which frames belong together: auto (by fingerprints and times), time, index, the number of frames "
                  "that the distorted video is late (+12) or early (-3), or a file of pairs")
      ->type_name("HOW")
      ->capture_default_str();
  command
      .add_option("--pairs-out", texts.pairs_out,
                  "Write reference_frame,distorted_frame of each scored pair; {name} as in --output")
      ->type_name("CSV")
      ->check(NamesAFile());
}

void AddDeviceOptions(CLI::App& command, ScoreTexts& texts) {
  command.add_option("-t,--threads", texts.threads, "Worker threads (default: all cores)")
      ->type_name("N")
      ->check(CLI::Range(1, kMaxThreads));
  command.add_option("--backend", texts.backend, "Where to run: auto, cpu, cuda, hip, vulkan, sycl or emu")
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option(
          "--device", texts.devices,
          "Which of the backend's devices; several, such as 0,1, share the work (`acutance devices` lists them)")
      ->type_name("N");
  command
      .add_option(
          "--decoder", texts.decoder,
          "Who decodes containers: cpu, nvdec (NVIDIA's decoder, with --backend cuda) or auto: nvdec where it can")
      ->check(CLI::IsMember({"auto", "cpu", "nvdec"}))
      ->capture_default_str();
  command
      .add_option("--max-vram", texts.max_vram,
                  "Memory to take of each device at most: bytes, or 800M, 2G (default: 1 GB up to 4K)")
      ->type_name("BYTES")
      ->transform(ByteCount());
  command
      .add_option(
          "--max-memory", texts.max_memory,
          "The host's memory for pictures and features at most: bytes, or 800M, 2G (default: half of what is free)")
      ->type_name("BYTES")
      ->transform(ByteCount());
  command
      .add_option("--verify", texts.verify,
                  "Compute one frame in N of a device again on the CPU, and stop at the first difference")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
}

}  // namespace

CLI::Validator ByteCount() {
  return {[](std::string& text) {
            const Result<size_t> bytes = ParseBytes(text);
            if (!bytes.ok()) return bytes.status().message();
            text = fmt::format("{}", *bytes);
            return std::string();
          },
          ""};
}

CLI::Validator NamesAFile() {
  return {[](std::string& path) { return std::string(path.empty() ? "the path is empty" : ""); }, ""};
}

void AddLogOptions(CLI::App& command, ScoreTexts& texts) {
  command
      .add_option("-o,--output", texts.output,
                  "Write a log of every frame; {name} stands for the distorted video's name")
      ->type_name("LOG")
      ->check(NamesAFile());
  command.add_option("--format", texts.format, "Format of the log (default: by its extension, else xml)")
      ->check(CLI::IsMember({"xml", "json", "csv", "sub"}));
  command
      .add_option("--precision", texts.precision,
                  "Significant digits of the log's scores: 1 to 17, or max (default: as libvmaf)")
      ->type_name("N");
  command.add_flag("--all-features", texts.all_features,
                   "Show the features that serve models in the printed table, too");
  command.add_flag("--json", texts.json, "Print the summary as JSON (docs/schema/acutance-1.json)");
  command
      .add_option("--pool", texts.pool,
                  "Poolings, separated by commas: mean, harmonic_mean, min, max, median, stddev, p0 to p100, "
                  "worst_percent, worst_second")
      ->type_name("NAMES");
  command
      .add_option("--segments", texts.segments,
                  "Pool segments on their own: a length (4s, 100f), starts (0s,12.5s,300f), or a file of starts and "
                  "names")
      ->type_name("HOW");
  command
      .add_option("--require", texts.require,
                  "Exit with status 3 unless this holds: 'vmaf_v0.6.1.p5>=90, psnr_y.mean>38' (what follows the last "
                  "dot is a pooling)")
      ->type_name("WHAT")
      ->expected(1)
      ->take_all();
  command.add_option("--junit", texts.junit, "Write what --require found as JUnit XML")
      ->type_name("FILE")
      ->check(NamesAFile());
}

void AddScoreOptions(CLI::App& command, ScoreTexts& texts) {
  command
      .add_option(
          "reference", texts.reference,
          "Reference video: y4m, any container that FFmpeg decodes, raw yuv with --size, - for y4m on standard input")
      ->required()
      ->type_name("REF");
  command.add_option("distorted", texts.distorted, "Distorted videos; several share one decoding of the reference")
      ->required()
      ->type_name("DIS");
  command
      .add_option(
          "-m,--model", texts.models,
          "Model by name or .json file (may be repeated); auto: VMAF v1 and v0.6.1 for the size, frame rate and "
          "--viewing (default)")
      ->type_name("MODEL")
      ->expected(1)
      ->take_all();
  command
      .add_option(
          "--viewing", texts.viewing,
          "Where the video is watched: tv (1080p, 3 heights away), phone, 4k (1.5 heights), 4k-3h, or auto: by its "
          "size")
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(kViewingNames), std::end(kViewingNames))))
      ->capture_default_str();
  command
      .add_option("-f,--feature", texts.features, "One more feature: NAME or NAME=OPTION=VALUE:... (may be repeated)")
      ->type_name("FEATURE")
      ->expected(1)
      ->take_all();
  command.add_flag("--no-model", texts.no_model, "Compute only the features that --feature names");
  AddLogOptions(command, texts);
  command.add_option("--frames", texts.frames, "Score frames FIRST to END-1 only, counted from 0")
      ->type_name("FIRST:END");
  command
      .add_option("--journal", texts.journal,
                  "Keep results in FILE: the same command goes on from there after it was stopped, and `acutance join` "
                  "joins the journals of several --frames")
      ->type_name("FILE")
      ->check(NamesAFile());
  CLI::Option* const maps =
      command
          .add_option("--maps", texts.maps,
                      "Write the features' maps, such as cambi's heatmaps, as TIFF files into DIR: NAME_FRAME.tif")
          ->type_name("DIR")
          ->check(NamesAFile());
  command
      .add_option(
          "--worst", texts.worst,
          "With --maps: write the N worst frames alone, with where each feature lost points in them, as PNG and "
          "NPY files")
      ->type_name("N")
      ->check(CLI::Range(1, 1000))
      ->needs(maps);
  command
      .add_flag("--maps-video", texts.maps_video,
                "With --maps: write where each feature lost points in all frames, as a film (NAME.mkv) and an array of "
                "frames x rows x columns (NAME.npy); takes three to four times as long as the scores")
      ->needs(maps);
  command
      .add_option("--report", texts.report,
                  "Write a page of HTML: what it comes to, curves, the worst seconds and frames with their pictures")
      ->type_name("FILE")
      ->check(NamesAFile());
  command
      .add_option("--at-least", texts.at_least,
                  "Tell whether the first model's mean reaches N, from as few frames as settle it; status 3 where not")
      ->type_name("N");
  command.add_option("--at-most", texts.at_most, "The same for a mean of N at most")->type_name("N");
  command.add_option("--confidence", texts.confidence, "Percent of --at-least's verdicts that are right, at least")
      ->check(CLI::Range(50.0, 99.999999))
      ->capture_default_str();
  command.add_flag("--certain", texts.certain, "Let --at-least settle what holds whatever the other frames may be");
  command.add_option("--seed", texts.seed, "Which frames --at-least draws")->capture_default_str();
  command.add_flag("--shots", texts.shots, "Pool the reference's shots on their own");
  command.add_flag("--fail-fast", texts.fail_fast,
                   "Stop at the first frame that fails a requirement of all frames: SCORE.min>=N, SCORE.max<=N");
  command
      .add_option("--progress", texts.progress, "ndjson: print each frame's scores as a line of JSON, then the summary")
      ->check(CLI::IsMember({"auto", "ndjson"}))
      ->capture_default_str();
  command.add_option("--subsample", texts.subsample, "Score one frame of N")
      ->type_name("N")
      ->check(CLI::Range(1, 1 << 30));
  AddPairingOptions(command, texts);
  AddSizeOptions(command, texts);
  command.add_option("--film-grain", texts.film_grain, "off: decode AV1 without the film grain that is added to it")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  command
      .add_option(
          "--deinterlace", texts.deinterlace,
          "Interlaced videos that become progressive: auto (beside progressive ones), on (all), ref, dis or both "
          "(where the stream does not tell it), off")
      ->check(CLI::IsMember({"auto", "on", "off", "ref", "dis", "both"}))
      ->capture_default_str();
  command.add_flag("--force", texts.force, "Score what would be refused: HDR, HDR against SDR, other shapes or colors");
  AddDeviceOptions(command, texts);
  AddRawOptions(command, texts.raw, "Size of the videos that are raw planar yuv");
  command.add_flag("-q,--quiet", texts.quiet, "No progress");
  command.footer(R"(
Examples:
  acutance score ref.mp4 encode.mkv
  acutance score ref.y4m a.mp4 b.mp4 c.mp4 --output 'logs/{name}.json'
  acutance score ref.yuv encode.mp4 --size 1920x1080 --bit-depth 10
  acutance score ref.mp4 dis.mp4 -m vmaf_4k_v0.6.1 -f psnr --frames 100:300
  acutance score ref.mkv dis.mkv --journal run.journal --output scores.xml
  acutance score ref.mp4 dis.mp4 --at-least 93
  acutance score ref.mp4 dis.mp4 --require 'vmaf_v0.6.1.p5>=90' --junit gate.xml
  ffmpeg -v error -i dis.mp4 -f yuv4mpegpipe - | acutance score ref.y4m -

`acutance features` and `acutance models` list what can be asked for.
Exit status: 0 when every frame was scored, 1 when the run failed, 2 for a wrong
command line, 3 when --require or --at-least does not hold, 130 after Ctrl-C.)");
}

CLI::Option* AddRawOptions(CLI::App& command, RawTexts& texts, const std::string& size_help) {
  CLI::Option* size = command.add_option("--size", texts.size, size_help)->type_name("WIDTHxHEIGHT");
  command.add_option("--pixel-format", texts.pixel_format, "Chroma format; nv12, p010: Cb and Cr alternate")
      ->check(CLI::IsMember({"400", "420", "422", "444", "nv12", "p010"}))
      ->needs(size)
      ->capture_default_str();
  command.add_option("--bit-depth", texts.bit_depth, "Bits of a sample")
      ->check(CLI::IsMember({8, 10, 12, 16}))
      ->needs(size)
      ->capture_default_str();
  return size;
}

Status ParseScoreOptions(std::vector<std::string> words, ScoreTexts& texts) {
  CLI::App app;
  AddScoreOptions(app, texts);
  std::ranges::reverse(words);  // as CLI11 takes them
  try {
    app.parse(std::move(words));
  } catch (const CLI::Success&) {
    return Error(StatusCode::kInvalidArgument, "--help is for `acutance score`");
  } catch (const CLI::ParseError& error) {
    return Error(StatusCode::kInvalidArgument, "{}", error.what());
  }
  return {};
}

}  // namespace acutance::cli
