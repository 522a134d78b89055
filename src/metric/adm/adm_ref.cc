#include "metric/adm/adm.h"

#include <cstdint>
#include <vector>

#include "metric/adm/adm_math.h"

namespace acutance {
namespace {

struct Image {
  Image(int w, int h) : width(w), height(h), samples(static_cast<size_t>(w) * h) {}
  int32_t& at(int x, int y) { return samples[static_cast<size_t>(y) * width + x]; }
  int32_t at(int x, int y) const { return samples[static_cast<size_t>(y) * width + x]; }
  int width, height;
  std::vector<int32_t> samples;
};

struct Bands {
  Image a;
  std::array<Image, kAdmBands> detail;  // h, v, d
};

Image ReadLuma(const Picture& picture) {
  const Plane& plane = picture.planes[0];
  Image image(plane.width, plane.height);
  for (int y = 0; y < plane.height; ++y)
    for (int x = 0; x < plane.width; ++x)
      image.at(x, y) = picture.format.bit_depth > 8 ? plane.Row<uint16_t>(y)[x] : plane.Row<uint8_t>(y)[x];
  return image;
}

/// Output i of a filtered line of n samples, which `sample(index)` gives.
template <class Filter, class Sample>
int32_t FilterLine(int i, int n, Filter filter, Sample sample) {
  const auto at = [&](int k) { return sample(adm::wavelet_index(2 * i - 1 + k, n)); };
  return filter(at(0), at(1), at(2), at(3));
}

template <class Filter>
Image Vertical(const Image& in, Filter filter) {
  Image out(in.width, CeilDiv(in.height, 2));
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x)
      out.at(x, y) = FilterLine(y, in.height, filter, [&](int i) { return in.at(x, i); });
  return out;
}

template <class Filter>
Image Horizontal(const Image& in, Filter filter) {
  Image out(CeilDiv(in.width, 2), in.height);
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x)
      out.at(x, y) = FilterLine(x, in.width, filter, [&](int i) { return in.at(i, y); });
  return out;
}

Bands Wavelet(const Image& in, int scale, int bit_depth) {
  const Image low = Vertical(in, [&](auto... x) { return adm::low_column(scale, bit_depth, x...); });
  const Image high = Vertical(in, [&](auto... x) { return adm::high_column(scale, bit_depth, x...); });
  const auto low_row = [&](auto... x) { return adm::low_row(scale, x...); };
  const auto high_row = [&](auto... x) { return adm::high_row(scale, x...); };
  return {Horizontal(low, low_row), {Horizontal(high, low_row), Horizontal(low, high_row), Horizontal(high, high_row)}};
}

/// Three bands of one signal (restored or additive), and the magnitudes of the weighted bands.
struct Weighted {
  std::array<Image, kAdmBands> signal, weighted;
};

void Decouple(const Bands& ref, const Bands& dis, int scale, const AdmSetup& setup, Weighted* restored,
              Weighted* additive) {
  const int width = ref.a.width, height = ref.a.height;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const bool flag = adm::AngleFlag(ref.detail[0].at(x, y), ref.detail[1].at(x, y), dis.detail[0].at(x, y),
                                       dis.detail[1].at(x, y));
      for (int band = 0; band < kAdmBands; ++band) {
        const int32_t o = ref.detail[band].at(x, y), t = dis.detail[band].at(x, y);
        const int64_t k = scale == 0 ? adm::Ratio0(o, t) : adm::Ratio(o, t);
        const int32_t r = adm::Restore(k, o, t, flag, setup.settings.gain_limit);
        const auto weigh = [&](int32_t v) {
          return static_cast<int32_t>(adm::weighted(scale, v, setup.scales[scale].factor[band], band));
        };
        restored->signal[band].at(x, y) = r;
        restored->weighted[band].at(x, y) = weigh(r);
        additive->signal[band].at(x, y) = t - r;
        additive->weighted[band].at(x, y) = weigh(t - r);
      }
    }
  }
}

/// What each coefficient of a masker, its three bands together, hides at its own place and next to it.
struct Shares {
  Shares(const Weighted& masker, int scale)
      : centre(masker.weighted[0].width, masker.weighted[0].height), near(centre) {
    for (const Image& band : masker.weighted)
      for (size_t i = 0; i < band.samples.size(); ++i) {
        const auto at = static_cast<uint32_t>(band.samples[i]);
        centre.samples[i] += adm::centre_share(scale, at);
        near.samples[i] += adm::neighbour_share(scale, at);
      }
  }

  Image centre, near;
};

/// The thresholds of a row: the shares of the eight places round each one, and its own.
std::vector<int32_t> Thresholds(const Shares& shares, int y) {
  const Image &centre = shares.centre, &near = shares.near;
  const int above = adm::wavelet_index(y - 1, near.height), below = adm::wavelet_index(y + 1, near.height);
  std::vector<int32_t> sides(near.width), thresholds(near.width);
  for (int x = 0; x < near.width; ++x) sides[x] = near.at(x, above) + near.at(x, below);
  for (int x = 0; x < near.width; ++x) {
    const int left = adm::wavelet_index(x - 1, near.width), right = adm::wavelet_index(x + 1, near.width);
    thresholds[x] = centre.at(x, y) + sides[x] + sides[left] + near.at(left, y) + sides[right] + near.at(right, y);
  }
  return thresholds;
}

/// The sums of a frame by block; of one block, those of the frame.
struct Blocks {
  const BlockGrid* grid;  // null: one block
  std::span<int64_t> sums;

  /// A sum of the block of a place in a band of `scale`.
  int64_t& at(int x, int y, int scale, int sum) const {
    const int block = grid ? AdmBlock(*grid, x, y, scale) : 0;
    return sums[size_t{1} * block * kAdmSumCount + sum];
  }
};

/// Gives the rounded sum of a row to the blocks that it crosses: each has what the sum, rounded, grows by in it.
/// at(x): the sum of the block of column x.
template <class Cube, class SumAt>
void AddRow(const AdmRange& columns, int shift, Cube cube, SumAt at) {
  uint64_t row = 0;
  int64_t given = 0;
  for (int x = columns.begin; x < columns.end; ++x) {
    row += cube(x);
    const int64_t rounded = adm::rounded_row(row, shift);
    at(x) += rounded - given;
    given = rounded;
  }
}

/// Adds the cubes of what of `signal` the `masker` does not hide.
void Mask(const Weighted& signal, const Weighted& masker, int scale, const AdmScale& s, AdmSum kind,
          const Blocks& blocks) {
  const Shares shares(masker, scale);
  for (int y = s.rows.begin; y < s.rows.end; ++y) {
    const std::vector<int32_t> thresholds = Thresholds(shares, y);
    for (int band = 0; band < kAdmBands; ++band) {
      const auto cube = [&](int x) {
        const uint32_t value = adm::masked_value(scale, signal.signal[band].at(x, y), s.factor[band], band);
        return adm::masked_cube(scale, value, thresholds[x], band, s.cube_shift[band]);
      };
      const auto at = [&](int x) -> int64_t& { return blocks.at(x, y, scale, AdmSumIndex(scale, kind, band)); };
      AddRow(s.columns, s.row_shift, cube, at);
    }
  }
}

void Denominator(const Bands& ref, int scale, const AdmScale& s, const Blocks& blocks) {
  for (int y = s.rows.begin; y < s.rows.end; ++y)
    for (int band = 0; band < kAdmBands; ++band) {
      const auto cube = [&](int x) {
        return adm::reference_cube(scale, adm::magnitude_of(ref.detail[band].at(x, y)), s.den_cube_shift);
      };
      const auto at = [&](int x) -> int64_t& { return blocks.at(x, y, scale, AdmSumIndex(scale, kAdmDen, band)); };
      AddRow(s.columns, s.den_row_shift, cube, at);
    }
}

}  // namespace

void AddAdmReferenceSums(const AdmSetup& setup, const Picture& reference, const Picture& distorted,
                         const BlockGrid* grid, std::span<int64_t> sums) {
  const Blocks blocks{grid, sums};
  Image ref_image = ReadLuma(reference), dis_image = ReadLuma(distorted);
  for (int scale = 0; scale < kAdmScales; ++scale) {
    const AdmScale& s = setup.scales[scale];
    const Bands ref = Wavelet(ref_image, scale, setup.bit_depth);
    const Bands dis = Wavelet(dis_image, scale, setup.bit_depth);
    if (s.scored) {
      const Image blank(s.width, s.height);
      Weighted restored{{blank, blank, blank}, {blank, blank, blank}};
      Weighted additive = restored;
      Decouple(ref, dis, scale, setup, &restored, &additive);
      Denominator(ref, scale, s, blocks);
      Mask(restored, additive, scale, s, kAdmNum, blocks);
      if (setup.settings.aim) Mask(additive, restored, scale, s, kAdmAim, blocks);
    }
    ref_image = ref.a;
    dis_image = dis.a;
  }
}

}  // namespace acutance
