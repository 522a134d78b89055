#include "metric/float_motion/float_motion.h"

namespace acutance {

std::vector<FloatMotionPart> FloatMotionParts(const FloatMotionSettings& settings, const PictureFormat& format) {
  std::vector<FloatMotionPart> parts;
  if (settings.force_zero) return parts;
  const int planes = settings.add_uv ? format.PlaneCount() : 1;
  for (int p = 0; p < planes; ++p) {
    const int width = format.PlaneWidth(p), height = format.PlaneHeight(p);
    parts.push_back({p, false, width, height});
    if (settings.add_scale1) parts.push_back({p, true, HalfLength(width), HalfLength(height)});
  }
  return parts;
}

int FloatMotionRows(const std::vector<FloatMotionPart>& parts) {
  int rows = 0;
  for (const FloatMotionPart& part : parts) rows += part.height;
  return rows;
}

HalfTables MakeHalfTables(int plane_width, int plane_height) {
  HalfTables tables;
  for (int x = 0; x < HalfLength(plane_width); ++x) tables.columns.push_back(HalfSampleAt(x, plane_width));
  for (int y = 0; y < HalfLength(plane_height); ++y) tables.rows.push_back(HalfSampleAt(y, plane_height));
  return tables;
}

}  // namespace acutance
