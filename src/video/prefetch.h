// Prefetching source: filters run on background threads ahead of the reader.
#pragma once

#include <memory>

#include "base/threads/thread_pool.h"
#include "io/video_source.h"

namespace acutance {

/// The same video; `crew` computes up to `most` of its pictures while others are used. Videos whose pictures cost
/// nothing are returned as they are. Call after all other settings, such as SkipChroma().
std::unique_ptr<VideoSource> Prefetch(std::unique_ptr<VideoSource> video, std::shared_ptr<ThreadPool> crew, int most);

/// Threads that compute the pictures of a run of `threads` threads; null for a single one.
std::shared_ptr<ThreadPool> MakePictureCrew(int threads);

/// How many pictures of a format are prefetched at most: memory is bounded.
int MostAhead(const PictureFormat& format, int threads);

}  // namespace acutance
