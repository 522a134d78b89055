#include "metric/blocks/display.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numbers>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "base/did_you_mean.h"
#include "base/json.h"
#include "base/number.h"
#include "base/system/file.h"
#include "image/picture.h"
#include "math/exact_math.h"

namespace acutance {
namespace {

constexpr std::string_view kBuiltIn =
#include "metric/blocks/displays.inc"
    ;

const Json& BuiltIn(std::string_view part) {
  static const Json all = ParseJson(kBuiltIn).value();
  return *all.Find(part);
}

double Tangent(double radians) { return Sin(radians) / Cos(radians); }
double ArcTangent(double x) { return Atan2(x, 1.0); }
double Root(double x) { return std::sqrt(x); }

std::optional<double> NumberOf(const Json& value) {
  return value.kind == Json::Kind::kNumber ? ParseFiniteDouble(value.text) : std::nullopt;
}

constexpr double kLeastPositive = 1e-9;  // of what must be positive
constexpr double kMostPixels = kMaxDimension;

/// The members of one display.
class Fields {
 public:
  Fields(std::string where, const Json& object) : where_(std::move(where)), object_(object) {}

  Status Fail(std::string_view what) const { return Error(StatusCode::kBadData, "{}: {}", where_, what); }

  bool Has(std::string_view key) const { return object_.Find(key) != nullptr; }

  std::string Text(std::string_view key, std::string_view otherwise) const {
    const Json* value = object_.Find(key);
    return value && value->IsString() ? value->text : std::string(otherwise);
  }

  /// Fails where it is no number from `least` on; without a default, also where it is missing.
  Result<double> Number(std::string_view key, double least, std::optional<double> otherwise = std::nullopt) const {
    const Json* value = object_.Find(key);
    if (!value && otherwise) return *otherwise;
    if (!value) return Fail(fmt::format("'{}' is missing", key));
    const auto number = NumberOf(*value);
    if (!number || *number < least) return Fail(fmt::format("'{}' is not a number of at least {}", key, least));
    return *number;
  }

  Result<std::array<double, 2>> Resolution() const {
    const Json* value = object_.Find("resolution");
    std::array<double, 2> resolution = {};
    for (int i = 0; i < 2; ++i) {
      const bool is_pair = value && value->kind == Json::Kind::kArray && value->items.size() == 2;
      const auto number = is_pair ? NumberOf(value->items[i]) : std::nullopt;
      if (!number || *number < 1 || *number > kMostPixels) return Fail("'resolution' is not [width, height]");
      resolution[i] = *number;
    }
    return resolution;
  }

 private:
  const std::string where_;
  const Json& object_;
};

Result<double> Distance(const Fields& fields, double asked) {
  constexpr double kMetresInInch = 0.0254;
  if (asked > 0) return asked;
  if (fields.Has("viewing_distance_inches")) {
    ACU_ASSIGN_OR_RETURN(const double inches, fields.Number("viewing_distance_inches", kLeastPositive));
    return inches * kMetresInInch;
  }
  if (fields.Has("fov_diagonal")) return fields.Number("viewing_distance_meters", kLeastPositive, 3.0);
  return fields.Number("viewing_distance_meters", kLeastPositive);
}

/// The width of the display in metres.
Result<double> Width(const Fields& fields, std::array<double, 2> resolution, double distance) {
  const double ratio = resolution[0] / resolution[1];
  if (fields.Has("fov_diagonal")) {
    ACU_ASSIGN_OR_RETURN(const double degrees, fields.Number("fov_diagonal", kLeastPositive));
    if (degrees >= 180) return fields.Fail("'fov_diagonal' is not below 180");
    const double diagonal = Root(resolution[0] * resolution[0] + resolution[1] * resolution[1]);
    const double pixels = diagonal / (2 * Tangent(degrees / 2 * (std::numbers::pi / 180)));
    return 2 * Tangent(ArcTangent(resolution[1] / 2 / pixels)) * distance * ratio;
  }
  double inches = 0;
  if (fields.Has("diagonal_size_meters")) {
    ACU_ASSIGN_OR_RETURN(const double metres, fields.Number("diagonal_size_meters", kLeastPositive));
    inches = metres / 0.0254;
  } else {
    ACU_ASSIGN_OR_RETURN(inches, fields.Number("diagonal_size_inches", kLeastPositive));
  }
  const double millimetres = inches * 25.4;
  return ratio * Root(millimetres * millimetres / (1 + ratio * ratio)) / 1000;
}

Result<double> PixelsPerDegree(const Fields& fields, const DisplayChoice& choice) {
  if (choice.pixels_per_degree > 0) return choice.pixels_per_degree;
  if (fields.Has("pixels_per_degree") && choice.distance == 0)
    return fields.Number("pixels_per_degree", kLeastPositive);
  ACU_ASSIGN_OR_RETURN(const auto resolution, fields.Resolution());
  ACU_ASSIGN_OR_RETURN(const double distance, Distance(fields, choice.distance));
  ACU_ASSIGN_OR_RETURN(const double width, Width(fields, resolution, distance));
  const double radians = ArcTangent(0.5 * width / resolution[0] / distance);
  return 1 / (2 * (radians * (180 / std::numbers::pi)));
}

Status ReadColors(const Fields& fields, Display& display) {
  const std::string name = fields.Text("colorspace", "sRGB");
  const Json& spaces = BuiltIn("colorspaces");
  const Json* space = spaces.Find(name);
  if (!space) {
    const std::vector<std::string_view> names(spaces.keys.begin(), spaces.keys.end());
    return fields.Fail(fmt::format("the color space '{}' is none of {}", name, fmt::join(names, ", ")));
  }
  const std::string& curve = space->Find("EOTF")->text;
  using enum Display::Curve;
  if (curve == "sRGB") display.curve = kSrgb;
  else if (curve == "PQ") display.curve = kPq;
  else if (curve == "HLG") display.curve = kHlg;
  else if (curve == "linear") display.curve = kLinear;
  else display.curve = kPower, display.power = *ParseFiniteDouble(curve);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      display.to_xyz[i][j] = *ParseFiniteDouble(space->Find("RGB2XYZ")->items[i].items[j].text);
  display.is_bt2020 = name.starts_with("BT.2020");
  display.primaries = display.is_bt2020               ? "bt2020"
                      : name == "Display P3 Apple"    ? "p3"
                      : name.starts_with("Adobe RGB") ? "adobe"
                                                      : "bt709";
  return {};
}

/// Whether a choice's file is the JSON itself.
bool IsText(const std::string& file) { return file.starts_with('{'); }

/// The name of a choice's file in messages.
std::string NameOf(const std::string& file) { return IsText(file) ? "the text of displays" : file; }

/// What says how large a pixel is seen.
constexpr std::string_view kGeometry[] = {"resolution",           "viewing_distance_meters", "viewing_distance_inches",
                                          "diagonal_size_inches", "diagonal_size_meters",    "fov_diagonal",
                                          "pixels_per_degree"};

/// Fails for a key that nothing reads: a misspelt one would leave a default in its place.
Status CheckKeys(const Fields& fields, const Json& object) {
  constexpr std::string_view kNotes[] = {"name", "source", "comment"};  // as in the files of ColorVideoVDP
  constexpr std::string_view kLight[] = {"colorspace", "max_luminance", "min_luminance", "contrast",
                                         "E_ambient",  "k_refl",        "exposure"};
  std::vector<std::string_view> known(std::begin(kLight), std::end(kLight));
  known.insert(known.end(), std::begin(kGeometry), std::end(kGeometry));
  known.insert(known.end(), std::begin(kNotes), std::end(kNotes));
  for (const std::string& key : object.keys)
    if (std::ranges::find(known, key) == known.end())
      return fields.Fail(
          fmt::format("unknown key '{}'{} (there are {})", key, DidYouMean(key, known), fmt::join(known, ", ")));
  return {};
}

Result<Display> ReadDisplay(const std::string& name, const Json& object, const DisplayChoice& choice) {
  const Fields fields(choice.file.empty() ? fmt::format("display '{}'", name)
                                          : fmt::format("{}: display '{}'", NameOf(choice.file), name),
                      object);
  if (!object.IsObject()) return fields.Fail("is not an object");
  ACU_RETURN_IF_ERROR(CheckKeys(fields, object));
  Display display = {.name = name};
  ACU_RETURN_IF_ERROR(ReadColors(fields, display));
  ACU_ASSIGN_OR_RETURN(display.peak, fields.Number("max_luminance", kLeastPositive));
  if (fields.Has("min_luminance")) {
    ACU_ASSIGN_OR_RETURN(const double least, fields.Number("min_luminance", kLeastPositive));
    display.black = display.peak / (display.peak / least);
  } else {
    ACU_ASSIGN_OR_RETURN(const double contrast, fields.Number("contrast", kLeastPositive, 500.0));
    display.black = display.peak / contrast;
  }
  if (display.black >= display.peak) return fields.Fail("its black is as bright as its peak");
  ACU_ASSIGN_OR_RETURN(display.ambient, fields.Number("E_ambient", 0, 0.0));
  ACU_ASSIGN_OR_RETURN(const double reflectivity, fields.Number("k_refl", 0, 0.005));
  display.reflected = display.ambient / std::numbers::pi * reflectivity;
  if (fields.Has("resolution")) {
    ACU_ASSIGN_OR_RETURN(const auto resolution, fields.Resolution());
    display.resolution = {static_cast<int>(resolution[0]), static_cast<int>(resolution[1])};
  }
  ACU_ASSIGN_OR_RETURN(display.exposure, fields.Number("exposure", kLeastPositive, 1.0));
  if (display.curve == Display::Curve::kHlg && display.peak > 1000 && display.ambient == 0)
    return fields.Fail("HLG above 1000 cd/m2 needs an 'E_ambient' above 0");
  ACU_ASSIGN_OR_RETURN(display.pixels_per_degree, PixelsPerDegree(fields, choice));
  if (display.pixels_per_degree < 1 || display.pixels_per_degree > 10000)
    return fields.Fail(fmt::format("{} pixels per degree are not between 1 and 10000", display.pixels_per_degree));
  return display;
}

constexpr std::string_view kSizes[] = {"diagonal_size_inches", "diagonal_size_meters", "fov_diagonal"};
constexpr std::string_view kDistances[] = {"viewing_distance_meters", "viewing_distance_inches"};
constexpr std::string_view kBlacks[] = {"min_luminance", "contrast"};

bool HasAny(const Json& object, std::span<const std::string_view> keys) {
  return std::ranges::any_of(keys, [&](std::string_view key) { return object.Find(key) != nullptr; });
}

/// Whether an entry stands for itself.
bool IsWhole(const Json& object) {
  const bool has_size = object.Find("resolution") && HasAny(object, kSizes) &&
                        (HasAny(object, kDistances) || object.Find("fov_diagonal"));
  return object.Find("max_luminance") && (has_size || object.Find("pixels_per_degree"));
}

/// An entry of a built-in display's name that lacks what a display needs, with what that has.
Json Completed(const Json& entry, const Json* base) {
  if (!base || !entry.IsObject() || IsWhole(entry)) return entry;
  Json whole = entry;
  for (size_t i = 0; i < base->keys.size(); ++i) {
    const std::string_view key = base->keys[i];
    const auto is_said = [&](std::span<const std::string_view> alternatives) {
      return std::ranges::find(alternatives, key) != alternatives.end() && HasAny(entry, alternatives);
    };
    const bool is_geometry = key == "pixels_per_degree" && HasAny(entry, kGeometry);
    if (entry.Find(key) || is_said(kSizes) || is_said(kDistances) || is_said(kBlacks) || is_geometry) continue;
    whole.keys.push_back(base->keys[i]);
    whole.items.push_back(base->items[i]);
  }
  return whole;
}

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

Result<std::string> ReadFile(const std::string& path) {
  constexpr size_t kMost = size_t{1} << 20;
  const std::unique_ptr<std::FILE, CloseFile> file(OpenStream(path, "rb"));
  if (!file) return Error(StatusCode::kNotFound, "could not read the displays in {}", path);
  std::string text(kMost + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (text.size() > kMost) return Error(StatusCode::kBadData, "{}: larger than a megabyte", path);
  return text;
}

Result<Json> ReadDisplays(const std::string& file) {
  ACU_ASSIGN_OR_RETURN(const std::string text, IsText(file) ? Result<std::string>(file) : ReadFile(file));
  Result<Json> displays = ParseJson(text);
  if (!displays.ok()) return Error(StatusCode::kBadData, "{}: {}", NameOf(file), displays.status().message());
  if (!displays->IsObject())
    return Error(StatusCode::kBadData, "{}: expected an object of displays, got {}", NameOf(file),
                 JsonKindName(displays->kind));
  return displays;
}

}  // namespace

double Display::Light(double v) const {
  const auto clip = [](double x, double least, double most) { return x < least ? least : x > most ? most : x; };
  if (curve == Curve::kPq) {
    const double t = Pow(v, 1 / 78.84375), above = t - 0.8359375;
    const double light = 10000 * Pow((above > 0 ? above : 0.0) / (18.8515625 - 18.6875 * t), 1 / 0.1593017578125);
    return clip(light * exposure, 0.005, peak) + black + reflected;
  }
  if (curve == Curve::kHlg) {
    const double a = 0.17883277, b = 1 - 4 * a, c = 0.5 - a * Log(4 * a);
    return v <= 0.5 ? v * v / 3 : (Exp((v - c) / a) + b) / 12;
  }
  if (curve == Curve::kLinear) return clip(v * exposure, black > 0.005 ? black : 0.005, peak) + reflected;
  double light = curve == Curve::kPower ? Pow(v, power) : v > 0.04045 ? Pow((v + 0.055) / 1.055, 2.4) : v / 12.92;
  if (exposure != 1 || curve == Curve::kPower) light = clip(light * exposure, 0, 1);
  return (peak - black) * light + black + reflected;
}

double Display::SystemGamma() const {
  if (peak <= 1000) return 1.2;
  return 1.2 + 0.42 * Log10(peak / 1000) - 0.07623 * Log10(ambient / 5);
}

Result<Display> FindDisplay(const DisplayChoice& choice) {
  const Json& built_in = BuiltIn("displays");
  std::vector<std::string_view> names(built_in.keys.begin(), built_in.keys.end());
  Json own;
  if (!choice.file.empty()) {
    ACU_ASSIGN_OR_RETURN(own, ReadDisplays(choice.file));
    const auto read = [&](const std::string& name, const Json& entry) {
      return ReadDisplay(name, Completed(entry, built_in.Find(name)), choice);
    };
    if (choice.name.empty() && own.keys.size() == 1) return read(own.keys[0], own.items[0]);
    if (choice.name.empty())
      return Error(StatusCode::kInvalidArgument, "{} has {} displays: name one of them, display=NAME",
                   NameOf(choice.file), own.keys.size());
    if (const Json* found = own.Find(choice.name)) return read(choice.name, *found);
    names.insert(names.begin(), own.keys.begin(), own.keys.end());
  }
  DisplayChoice of_built_in = choice;
  of_built_in.file.clear();
  if (const Json* found = built_in.Find(choice.name)) return ReadDisplay(choice.name, *found, of_built_in);
  return Error(StatusCode::kInvalidArgument, "no such display '{}'{}; there are {}", choice.name,
               DidYouMean(choice.name, names), fmt::join(names, ", "));
}

std::vector<std::string> DisplayNames() { return BuiltIn("displays").keys; }

}  // namespace acutance
