#include "metric/adm/adm_ref.h"

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

/// One direction of the wavelet: output i of the filtered line, whose samples `sample(index)` gives.
template <class Sample>
int32_t Filter(const int16_t (&taps)[4], int i, int n, int64_t add, int shift, Sample sample) {
  int64_t sum = add;
  for (int k = 0; k < 4; ++k) sum += int64_t{taps[k]} * sample(adm::WaveletIndex(2 * i - 1 + k, n));
  return static_cast<int32_t>(sum >> shift);
}

Image Vertical(const Image& in, const int16_t (&taps)[4], int64_t add, int shift) {
  Image out(in.width, CeilDiv(in.height, 2));
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x)
      out.at(x, y) = Filter(taps, y, in.height, add, shift, [&](int i) { return in.at(x, i); });
  return out;
}

Image Horizontal(const Image& in, const int16_t (&taps)[4], adm::Rounding rounding) {
  Image out(CeilDiv(in.width, 2), in.height);
  for (int y = 0; y < out.height; ++y)
    for (int x = 0; x < out.width; ++x)
      out.at(x, y) = Filter(taps, x, in.width, rounding.add, rounding.shift, [&](int i) { return in.at(i, y); });
  return out;
}

Bands Wavelet(const Image& in, int scale, int bit_depth) {
  int64_t low_add = adm::kVertical[scale].add, high_add = low_add;
  int shift = adm::kVertical[scale].shift;
  if (scale == 0) {  // pixels are centred on zero
    const int64_t half = int64_t{1} << (bit_depth - 1);
    low_add = half - adm::kLowSum * half;
    high_add = half;
    shift = bit_depth;
  }
  const Image low = Vertical(in, adm::kLow, low_add, shift);
  const Image high = Vertical(in, adm::kHigh, high_add, shift);
  const adm::Rounding rounding = adm::kHorizontal[scale];
  return {Horizontal(low, adm::kLow, rounding),
          {Horizontal(high, adm::kLow, rounding), Horizontal(low, adm::kHigh, rounding),
           Horizontal(high, adm::kHigh, rounding)}};
}

/// Three bands of one signal (restored or additive), weighted.
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
        const int32_t r = adm::Restore(k, o, t, flag, setup.gain_limit);
        const uint32_t factor = setup.scales[scale].factor[band];
        const auto weigh = [&](int32_t v) { return scale == 0 ? adm::Weigh0(v, factor, band) : adm::Weigh(v, factor); };
        restored->signal[band].at(x, y) = r;
        restored->weighted[band].at(x, y) = weigh(r);
        additive->signal[band].at(x, y) = t - r;
        additive->weighted[band].at(x, y) = weigh(t - r);
      }
    }
  }
}

int32_t Threshold(const Weighted& masker, int scale, int x, int y) {
  const auto share = [&](int32_t c, bool centre) -> int32_t {
    if (scale == 0) return adm::Share0(c, centre ? adm::kCentre0 : adm::kNeighbour0);
    return adm::Share(c, centre ? adm::kCentre : adm::kNeighbour);
  };
  int32_t sum = 0;
  for (const Image& c : masker.weighted)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx)
        sum += share(c.at(adm::NeighbourIndex(x + dx, c.width), adm::NeighbourIndex(y + dy, c.height)),
                     dx == 0 && dy == 0);
  return sum;
}

/// Adds the cubes of what of `signal` the `masker` does not hide.
void Mask(const Weighted& signal, const Weighted& masker, int scale, const AdmScale& s, int64_t* sums) {
  for (int y = s.rows.begin; y < s.rows.end; ++y) {
    std::array<int64_t, kAdmBands> row{};
    for (int x = s.columns.begin; x < s.columns.end; ++x) {
      const int32_t threshold = Threshold(masker, scale, x, y);
      for (int band = 0; band < kAdmBands; ++band) {
        const int32_t masked = scale == 0 ? adm::Masked0(signal.signal[band].at(x, y), s.factor[band], threshold, band)
                                          : adm::Masked(signal.weighted[band].at(x, y), threshold);
        row[band] +=
            adm::MaskedCube(masked, scale == 0 ? adm::kSquareShift0[band] : adm::kSquareShift, s.cube_shift[band]);
      }
    }
    for (int band = 0; band < kAdmBands; ++band) sums[band] += adm::RoundRow(row[band], s.row_shift);
  }
}

void Denominator(const Bands& ref, int scale, const AdmScale& s, int64_t* sums) {
  for (int y = s.rows.begin; y < s.rows.end; ++y) {
    for (int band = 0; band < kAdmBands; ++band) {
      uint64_t row = 0;
      for (int x = s.columns.begin; x < s.columns.end; ++x) {
        const int32_t o = ref.detail[band].at(x, y);
        row += scale == 0 ? adm::DenCube0(o) : adm::DenCube(o, scale, s.den_cube_shift);
      }
      sums[band] += adm::RoundRowUnsigned(row, s.den_row_shift);
    }
  }
}

}  // namespace

std::array<int64_t, kAdmSumCount> AdmReferenceSums(const AdmSetup& setup, const Picture& reference,
                                                   const Picture& distorted) {
  std::array<int64_t, kAdmSumCount> sums{};
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
      Denominator(ref, scale, s, &sums[AdmSumIndex(scale, kAdmDen, 0)]);
      Mask(restored, additive, scale, s, &sums[AdmSumIndex(scale, kAdmNum, 0)]);
      if (setup.aim) Mask(additive, restored, scale, s, &sums[AdmSumIndex(scale, kAdmAim, 0)]);
    }
    ref_image = ref.a;
    dis_image = dis.a;
  }
  return sums;
}

}  // namespace acutance
