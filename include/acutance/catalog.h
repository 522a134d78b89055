// Catalog of this build's models and features, and of this machine's devices.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace acutance::api {

struct ModelInfo {
  std::string name;         // for Model::Load
  std::string viewing;      // the viewing condition that it was trained for
  std::string description;  // a human-readable sentence
};
std::vector<ModelInfo> ListModels();  // the default one first

struct OptionInfo {
  std::string name;
  std::string help;
  std::string default_value;
  double min = 0;  // bounds of numbers, inclusive
  double max = 0;
};
struct FeatureInfo {
  std::string name;
  std::string summary;
  std::vector<std::string> outputs;  // as logs print them, without options
  std::vector<OptionInfo> options;
  std::vector<std::string> lower_is_better;  // the outputs that measure damage
};
std::vector<FeatureInfo> ListFeatures();

struct DeviceInfo {
  std::string backend;
  int index = 0;  // for SessionOptions::device
  std::string name;
  std::string driver;  // versions
};
struct BackendInfo {
  std::string name;
  std::string summary;
  std::vector<DeviceInfo> devices;
  std::string missing;  // why there are no devices, and what to install; empty if there are some
};
std::vector<BackendInfo> ListBackends();  // without the CPU, which needs no device

std::string_view Version();  // acutance's version, "0.1.0"

}  // namespace acutance::api
