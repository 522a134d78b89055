// `acutance`: perceptual video quality, for people and scripts.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>

#include "cli/list_commands.h"
#include "cli/score_args.h"
#include "cli/score_command.h"
#include "cli/version.h"

namespace acutance::cli {
namespace {

constexpr int kUsage = 2;

int UsageError(std::string_view command, const Status& status) {
  fmt::print(stderr, "acutance {}: {}\nRun `acutance {} --help` for the options.\n", command, status.message(),
             command);
  return kUsage;
}

int Score(const ScoreTexts& texts) {
  const Result<ScoreArgs> args = ReadScoreArgs(texts);
  return args.ok() ? RunScoreCommand(*args) : UsageError("score", args.status());
}

int Features(const std::string& name) {
  const Result<std::string> text = DescribeFeatures(name);
  if (!text.ok()) return UsageError("features", text.status());
  fmt::print("{}", *text);
  return 0;
}

int Main(int argc, char** argv) {
  CLI::App app("acutance: how good does this video look to a person?", "acutance");
  app.set_version_flag("--version",
                       fmt::format("acutance {} (scores and logs of libvmaf {})", kVersion, kLibvmafVersion));
  app.require_subcommand(1);
  app.footer("\nExample: acutance score reference.mp4 encode.mkv\n`acutance COMMAND --help` describes a command.");

  ScoreTexts texts;
  CLI::App* score = app.add_subcommand("score", "Score distorted videos against their reference");
  AddScoreOptions(*score, texts);
  std::string feature;
  CLI::App* features = app.add_subcommand("features", "List the features, or one feature's outputs and options");
  features->add_option("name", feature, "A feature")->type_name("NAME");
  CLI::App* models = app.add_subcommand("models", "List the built-in models");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kUsage;
  }
  if (score->parsed()) return Score(texts);
  if (features->parsed()) return Features(feature);
  if (models->parsed()) fmt::print("{}", DescribeModels());
  return 0;
}

}  // namespace
}  // namespace acutance::cli

int main(int argc, char** argv) {
  try {
    return acutance::cli::Main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "acutance: {}\n", error.what());
    return 1;
  }
}
