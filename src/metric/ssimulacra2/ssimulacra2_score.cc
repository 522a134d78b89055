// From sums to the score, in doubles (docs/spec/beyond.md 3.2, 3.6, 3.7).
#include <cmath>

#include "math/exact_math.h"
#include "metric/blocks/words.h"
#include "metric/ssimulacra2/ssimulacra2.h"

namespace acutance {
namespace {

struct Weight {
  int index;
  double value;
};

/// By the running number of a sum; those left out are 0.
constexpr Weight kWeights[] = {
    {1, 0.0007376606707406586},    {4, 0.0007793481682867309},  {7, 0.0004371155730107379},
    {9, 1.1041726426657346},       {10, 0.00066284834129271},   {11, 0.00015231632783718752},
    {13, 0.0016406437456599754},   {15, 1.8422455520539298},    {16, 11.441172603757666},
    {18, 0.0007989109436015163},   {19, 0.000176816438078653},  {21, 1.8787594979546387},
    {22, 10.94906990605142},       {24, 0.0007289346991508072}, {25, 0.9677937080626833},
    {27, 0.00014003424285435884},  {28, 0.9981766977854967},    {29, 0.00031949755934435053},
    {30, 0.0004550992113792063},   {33, 0.0013648766163243398}, {39, 7.466890328078848},
    {41, 17.445833984131262},      {42, 0.0006235601634041466}, {45, 6.683678146179332},
    {46, 0.00037724407979611296},  {47, 1.027889937768264},     {48, 225.20515300849274},
    {51, 19.213238186143016},      {52, 0.0011401524586618361}, {53, 0.001237755635509985},
    {54, 176.39317598450694},      {57, 24.43300999870476},     {58, 0.28520802612117757},
    {59, 0.0004485436923833408},   {63, 34.77906344483772},     {64, 44.835625328877896},
    {73, 0.0008680556573291698},   {79, 0.0005313191874358747}, {81, 0.00016533814161379112},
    {87, 0.0004179171803251336},   {88, 0.0017290828234722833}, {90, 0.0020827005846636437},
    {93, 8.826982764996862},       {94, 23.19243343998926},     {96, 95.1080498811086},
    {97, 0.9863978034400682},      {98, 0.9834382792465353},    {99, 0.0012286405048278493},
    {100, 171.2667255897307},      {101, 0.9807858872435379},   {105, 0.0005130064588990679},
    {107, 0.00010854057858411537},
};

constexpr int kSumCount = kSsimulacra2Scales * kSsimulacra2Words;

constexpr std::array<double, kSumCount> kWeightOf = [] {
  std::array<double, kSumCount> weights = {};
  for (const Weight& weight : kWeights) weights[weight.index] = weight.value;
  return weights;
}();

/// The running number of a component's first sum. Pictures with fewer scales meet other weights, as in libjxl.
int FirstSum(int scale, int component, int scales) { return (component * scales + scale) * kSsimulacra2Sums; }

}  // namespace

int Ssimulacra2Scales(int width, int height) {
  int scales = 1;
  while (scales < kSsimulacra2Scales && width >= kSsimulacra2MinSide && height >= kSsimulacra2MinSide) {
    width = (width + 1) / 2;
    height = (height + 1) / 2;
    ++scales;
  }
  return scales;
}

Ssimulacra2Needs NeedsOf(int scale, int component, int scales) {
  Ssimulacra2Needs needs;
  const int first = FirstSum(scale, component, scales);
  for (int i = 0; i < kSsimulacra2Sums; ++i) needs.sums[i] = kWeightOf[first + i] != 0;
  return needs;
}

double Ssimulacra2Score(int width, int height, std::span<const int64_t> words) {
  const int scales = Ssimulacra2Scales(width, height);
  double total = 0.0;
  for (int c = 0; c < kSsimulacra2Components; ++c) {
    int w = width, h = height;
    for (int s = 0; s < scales; ++s, w = (w + 1) / 2, h = (h + 1) / 2) {
      const double share = 1.0 / static_cast<double>(int64_t{w} * h);
      for (int i = 0; i < kSsimulacra2Sums; ++i) {
        const double mean = DoubleFromWord(words[(s * kSsimulacra2Components + c) * kSsimulacra2Sums + i]) * share;
        const double norm = i < kSsimulacra2Maps ? mean : std::sqrt(std::sqrt(mean));
        total += kWeightOf[FirstSum(s, c, scales) + i] * norm;
      }
    }
  }
  total *= 0.9562382616834844;
  total =
      2.326765642916932 * total - 0.020884521182843837 * total * total + 6.248496625763138e-05 * total * total * total;
  return total > 0 ? 100.0 - 10.0 * Pow(total, 0.6276336467831387) : 100.0;
}

}  // namespace acutance
