// Pictures of a wrapped video, made ahead by other threads: who reads the video would else make them one by one.
#pragma once

#include <memory>

#include "base/threads/thread_pool.h"
#include "io/video_source.h"

namespace acutance {

/// The same video; `crew` makes up to `most` of its pictures while others are used. Videos whose pictures cost nothing,
/// or come ready, are returned as they are. Call once all else is asked for, SkipChroma() too.
std::unique_ptr<VideoSource> Prefetch(std::unique_ptr<VideoSource> video, std::shared_ptr<ThreadPool> crew, int most);

/// Threads that make the pictures of a run of so many; null for one, which has its thread alone.
std::shared_ptr<ThreadPool> MakePictureCrew(int threads);

/// How many pictures of a format are made ahead at most: memory is bounded.
int MostAhead(const PictureFormat& format, int threads);

}  // namespace acutance
