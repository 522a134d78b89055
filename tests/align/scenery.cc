#include "scenery.h"

#include <algorithm>
#include <functional>
#include <numbers>

namespace acutance::test {
namespace {

constexpr double kTau = 2 * std::numbers::pi;

/// Calls value(x, y) for each sample.
template <class Value>
Frame Paint(const Value& value) {
  Frame frame(kWidth * kHeight);
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      frame[y * kWidth + x] = static_cast<uint8_t>(std::clamp<double>(value(x, y), 0, 255));
  return frame;
}

double Hash(uint32_t a, uint32_t b) {
  uint32_t h = a * 2654435761u ^ (b + 0x9e3779b9u) * 2246822519u;
  h ^= h >> 15, h *= 2246822519u, h ^= h >> 13;
  return h / 4294967296.0;
}

class Painted : public Source {
 public:
  using Painter = std::function<Frame(double t, double rate)>;
  explicit Painted(Painter painter) : painter_(std::move(painter)) {}
  Frame Render(double t, double rate) override { return painter_(t, rate); }

 private:
  Painter painter_;
};

/// Times at which something happens, some seconds apart.
std::vector<double> EventTimes(Random& random, double least, double most) {
  std::vector<double> times{0};
  while (times.back() < 60) times.push_back(times.back() + Uniform(random, least, most));
  return times;
}

size_t Before(const std::vector<double>& times, double t) {
  return static_cast<size_t>(std::ranges::upper_bound(times, t + 1e-9) - times.begin()) - 1;
}

/// A page on which lines of signs grow, with pauses; sometimes it scrolls by some lines; a cursor blinks.
Painted::Painter Screen(Random& random) {
  const uint32_t seed = random();
  std::vector<double> typed{0};
  while (typed.back() < 60) {
    const double pause = random() % 25 == 0 ? Uniform(random, 0.5, 2) : Uniform(random, 0.06, 0.3);
    typed.push_back(typed.back() + pause);
  }
  const std::vector<double> scrolls = EventTimes(random, 1.5, 5);
  return [=](double t, double) {
    const auto signs = static_cast<int>(Before(typed, t)), page = static_cast<int>(Before(scrolls, t));
    const bool cursor = std::fmod(t, 1.0) < 0.5;
    return Paint([&](int x, int y) -> double {
      if (x < 22) return 70 + 40 * Hash(seed, static_cast<uint32_t>(y / 9));
      const int column = (x - 22) / 4, line = y / 6, place = line * 34 + column, last = 8 * 34 + signs % 170;
      if (place == last) return cursor ? 20 : 225;
      if (place > last || y % 6 == 5 || (x - 22) % 4 == 3) return 225;
      const auto sign = static_cast<uint32_t>(place + page * 34 * 3 + signs / 170 * 340);
      if (Hash(sign, seed) < 0.2) return 225;
      return Hash(sign * 31 + static_cast<uint32_t>(x % 4 + y % 6 * 4), seed) < 0.45 ? 40 : 225;
    });
  };
}

/// A head that speaks and nods a little before a wall.
Painted::Painter Head(Random& random) {
  const Texture wall(random), face(random);
  const double a = Uniform(random, 0.5, 1.5), b = Uniform(random, 1.5, 4), reach = Uniform(random, 0.5, 2);
  return [=](double t, double) {
    const double cx = 80 + reach * std::sin(a * t) + 0.4 * std::sin(2.7 * b * t);
    const double cy = 48 + reach * 0.6 * std::sin(0.73 * a * t + 1);
    const double mouth = 1.5 + 1.5 * std::sin(b * 3 * t) * std::sin(0.9 * t);
    return Paint([&](int x, int y) {
      const double dx = x - cx, dy = y - cy;
      if (std::hypot(dx, (dy - 12)) < 7 && std::abs(dy - 12) < mouth) return 50.0;
      if (std::hypot(dx / 22, dy / 28) < 1) return 150 + 0.6 * face.At(dx + 100, dy + 100);
      return 95 + 0.7 * wall.At(x, y);
    });
  };
}

/// Pictures that drift and dissolve into each other.
Painted::Painter Dissolves(Random& random) {
  const std::vector<double> cuts = EventTimes(random, 1.5, 3.5);
  std::vector<Texture> textures;
  for (int k = 0; k < 5; ++k) textures.emplace_back(random);
  const uint32_t seed = random();
  const double speed = Uniform(random, 2, 25);
  return [=](double t, double) {
    const size_t scene = Before(cuts, t);
    const double mix = std::clamp((t - cuts[scene]) / 1.0, 0.0, 1.0);
    const auto picture = [&](size_t k, int x, int y) {
      const double move = speed * (Hash(static_cast<uint32_t>(k), seed) - 0.5) * 2 * t;
      return 70 + 100 * Hash(static_cast<uint32_t>(k) + 77, seed) +
             textures[k % 5].At(x + move + 37 * static_cast<double>(k), y + move / 3);
    };
    return Paint([&](int x, int y) {
      const double now = picture(scene, x, y);
      return scene == 0 || mix >= 1 ? now : mix * now + (1 - mix) * picture(scene - 1, x, y);
    });
  };
}

/// A pan with flashes of a frame or two.
Painted::Painter Strobe(Random& random) {
  const Texture texture(random);
  const std::vector<double> flashes = EventTimes(random, 0.1, 0.8);
  const double speed = Uniform(random, 8, 50), strength = Uniform(random, 30, 110);
  return [=](double t, double rate) {
    const double since = t - flashes[Before(flashes, t)];
    const double light = since < 1.5 / rate ? strength : 0;
    return Paint([&](int x, int y) { return light + 110 + texture.At(x + speed * t, y + 5 * std::sin(t)); });
  };
}

/// Scenes of 2 to 6 frames at 25 frames/s, some of which come back.
Painted::Painter FastCuts(Random& random) {
  std::vector<Texture> textures;
  for (int k = 0; k < 6; ++k) textures.emplace_back(random);
  const std::vector<double> cuts = EventTimes(random, 0.08, 0.24);
  std::vector<uint32_t> scenes;
  for (size_t k = 0; k < cuts.size(); ++k) scenes.push_back(random() % 40);
  return [=](double t, double) {
    const size_t at = Before(cuts, t);
    const uint32_t scene = scenes[at];
    const double move = 30 * (Hash(scene, 5) - 0.5) * (t - cuts[at]);
    return Paint([&](int x, int y) {
      return 60 + 130 * Hash(scene, 9) + textures[scene % 6].At(x + move + 19 * scene, y + 7 * scene);
    });
  };
}

/// A lamp that moves through a room of luma 2 to 20.
Painted::Painter Dark(Random& random) {
  const Texture texture(random);
  const double a = Uniform(random, 0.3, 1.2), strength = Uniform(random, 4, 14);
  return [=](double t, double) {
    const double cx = 80 + 60 * std::sin(a * t), cy = 45 + 25 * std::sin(0.77 * a * t + 2);
    return Paint([&](int x, int y) {
      const double near = std::exp(-(std::pow(x - cx, 2) + std::pow(y - cy, 2)) / 500);
      return 17 + strength * near + 0.06 * texture.At(x, y) * (1 + near);
    });
  };
}

/// Scenes between black bars.
Painted::Painter Letterbox(Random& random) {
  const Texture texture(random), other(random);
  const std::vector<double> cuts = EventTimes(random, 1, 4);
  const double speed = Uniform(random, 4, 40);
  return [=](double t, double) {
    const size_t scene = Before(cuts, t);
    return Paint([&](int x, int y) -> double {
      if (y < 11 || y >= 79) return 16;
      const Texture& back = scene % 2 ? texture : other;
      return 100 + back.At(x + speed * t + 31 * static_cast<double>(scene), y + 13 * static_cast<double>(scene));
    });
  };
}

/// A wheel that rotates fast, before a sky that changes slowly.
Painted::Painter Wheel(Random& random) {
  const Texture sky(random);
  const double turn = Uniform(random, 0.4, 1.2), drift = Uniform(random, 1, 4);
  return [=](double t, double) {
    return Paint([&](int x, int y) {
      const double dx = x - 80, dy = y - 48, r = std::hypot(dx, dy);
      const double spoke = std::cos(6 * (std::atan2(dy, dx) - kTau * turn * t / 6));
      if (r < 36 && (r > 31 || spoke > 0.8)) return 40.0;
      return 150 + 0.5 * sky.At(x + drift * t, y);
    });
  };
}

/// A camera that approaches and rotates.
Painted::Painter Zoom(Random& random) {
  const Texture texture(random);
  const double speed = Uniform(random, 0.01, 0.08), turn = Uniform(random, -0.1, 0.1);
  return [=](double t, double) {
    const double scale = std::exp(-speed * t), c = std::cos(turn * t) * scale, s = std::sin(turn * t) * scale;
    return Paint([&](int x, int y) {
      const double dx = x - 80, dy = y - 45;
      return 120 + texture.At(128 + c * dx - s * dy, 128 + s * dx + c * dy);
    });
  };
}

/// Waves that never repeat.
Painted::Painter Water(Random& random) {
  struct Wave {
    double kx, ky, speed, phase, high;
  };
  std::vector<Wave> waves;
  for (int k = 0; k < 9; ++k)
    waves.push_back({Uniform(random, -0.3, 0.3), Uniform(random, -0.3, 0.3), Uniform(random, 1, 7),
                     Uniform(random, 0, 6), Uniform(random, 4, 12)});
  return [=](double t, double) {
    return Paint([&](int x, int y) {
      double value = 110;
      for (const Wave& wave : waves)
        value += wave.high * std::sin(wave.kx * x + wave.ky * y + wave.speed * t + wave.phase);
      return value;
    });
  };
}

/// Many small things that walk across a square.
Painted::Painter Crowd(Random& random) {
  const Texture ground(random);
  struct Walker {
    double x, y, vx, vy, level;
  };
  std::vector<Walker> walkers;
  for (int k = 0; k < 24; ++k)
    walkers.push_back({Uniform(random, 0, 160), Uniform(random, 10, 90), Uniform(random, -14, 14),
                       Uniform(random, -4, 4), Uniform(random, 20, 230)});
  return [=](double t, double) {
    return Paint([&](int x, int y) {
      for (const Walker& walker : walkers) {
        const double px = walker.x + walker.vx * t, py = walker.y + walker.vy * t;
        const double dx = x - (px - 180 * std::floor(px / 180)), dy = y - (py - 100 * std::floor(py / 100));
        if (std::abs(dx) < 2 && std::abs(dy) < 4) return walker.level;
      }
      return 120 + 0.5 * ground.At(x, y);
    });
  };
}

/// Pictures that stand for some seconds, some of them with a slow zoom.
Painted::Painter Slides(Random& random) {
  std::vector<Texture> textures;
  for (int k = 0; k < 4; ++k) textures.emplace_back(random);
  const std::vector<double> cuts = EventTimes(random, 0.7, 2.2);
  const uint32_t seed = random();
  return [=](double t, double) {
    const size_t at = Before(cuts, t);
    const bool moves = Hash(static_cast<uint32_t>(at), seed) < 0.6;
    const double scale = moves ? std::exp(0.08 * (t - cuts[at])) : 1, shift = 47 * static_cast<double>(at);
    return Paint([&](int x, int y) {
      return 70 + 100 * Hash(static_cast<uint32_t>(at), seed + 3) +
             textures[at % 4].At(scale * (x - 80) + shift, scale * (y - 45) + shift);
    });
  };
}

/// A still studio with a line of signs that runs along the bottom.
Painted::Painter Ticker(Random& random) {
  const Texture studio(random);
  const uint32_t seed = random();
  const double speed = Uniform(random, 12, 40);
  return [=](double t, double) {
    return Paint([&](int x, int y) -> double {
      if (y < 76 || y >= 86) return 110 + 0.8 * studio.At(x, y);
      const double place = (x + speed * t) / 6, in = place - std::floor(place);
      const auto sign = static_cast<uint32_t>(std::floor(place));
      return y > 77 && y < 84 && in < 0.7 && Hash(sign * 8 + static_cast<uint32_t>(y / 2), seed) < 0.5 ? 230 : 30;
    });
  };
}

/// Drawn on threes: each picture is shown three times, before a background that pans each frame in some scenes.
Painted::Painter Threes(Random& random) {
  const Texture texture(random), figure(random);
  const std::vector<double> cuts = EventTimes(random, 1, 3);
  const double speed = Uniform(random, 5, 30);
  return [=](double t, double rate) {
    const double held = std::floor(t * rate / 3 + 1e-6) * 3 / rate;
    const size_t scene = Before(cuts, t);
    const double pan = scene % 2 ? speed * t : speed * cuts[scene];
    const double cx = 80 + 40 * std::sin(1.7 * held), cy = 50 + 10 * std::sin(6 * held);
    return Paint([&](int x, int y) {
      if (std::abs(x - cx) < 12 && std::abs(y - cy) < 20) return 200 + 0.4 * figure.At(x - cx, y - cy);
      return 110 + 0.8 * texture.At(x + pan, y + 41 * static_cast<double>(scene));
    });
  };
}

/// A view from a car through rain: noise that is new in each frame over a picture that grows.
Painted::Painter Rain(Random& random) {
  const Texture texture(random);
  auto noise = std::make_shared<Random>(random());
  const double speed = Uniform(random, 0.03, 0.15), strength = Uniform(random, 10, 25);
  return [=](double t, double) {
    const double scale = 0.6 + 0.4 * std::exp(-speed * std::fmod(t, 7)), shift = 50 * std::floor(t / 7);
    return Paint([&](int x, int y) {
      const double drop = (*noise)() % 11 == 0 ? strength : 0;
      return 60 + drop + 0.7 * texture.At(scale * (x - 80) + shift, scale * (y - 45) + shift);
    });
  };
}

/// A game: fast pans, stops, and signs that stand still over them.
Painted::Painter Game(Random& random) {
  const Texture world(random), sign(random);
  const std::vector<double> turns = EventTimes(random, 0.3, 1.5);
  std::vector<double> places{0}, speeds;
  for (size_t k = 0; k < turns.size(); ++k) {
    speeds.push_back(random() % 4 == 0 ? 0 : Uniform(random, -140, 140));
    if (k + 1 < turns.size()) places.push_back(places[k] + speeds[k] * (turns[k + 1] - turns[k]));
  }
  return [=](double t, double) {
    const size_t at = Before(turns, t);
    const double place = places[at] + speeds[at] * (t - turns[at]);
    return Paint([&](int x, int y) {
      if (y < 10 && x < 50) return 200 + 0.8 * sign.At(x, y);
      if (std::hypot(x - 80, y - 45) < 4) return 240.0;
      return 100 + world.At(x + place, y + place / 9);
    });
  };
}

/// By Content, from kScreen on.
constexpr Painted::Painter (*kPainters[])(Random&) = {Screen,    Head,   Dissolves, Strobe, FastCuts, Dark,
                                                      Letterbox, Wheel,  Zoom,      Water,  Crowd,    Slides,
                                                      Ticker,    Threes, Rain,      Game};

}  // namespace

std::unique_ptr<Source> MakeScenery(Random& random, Content content) {
  const int kind = static_cast<int>(content) - static_cast<int>(Content::kScreen);
  return std::make_unique<Painted>(kPainters[kind](random));
}

}  // namespace acutance::test
