/* Many threads on libvship.so: vship_stress LIBRARY
   Each makes handlers, scores and frees them; all share three more, which one of them frees while the others score.
   Equal pairs have equal scores on every thread, and misuse gives codes. Silent where all of it holds. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 12, ROUNDS = 40, METRICS = 3, WIDTH = 48, HEIGHT = 32 };
enum { NO_ERROR = 0, BAD_HANDLER = 10, BAD_POINTER = 11, BAD_INPUT_TYPE = 16 };

typedef struct {
  int64_t width, height, target_width, target_height;
  int sample, range, subw, subh, location, family, matrix, transfer, primaries, top, bottom, left, right;
} Colorspace;

typedef struct {
  int type;
  Colorspace src, dis;
  union {
    struct { int gpu; } ssimulacra2;
    struct { int norm; float intensity; int gpu; } butteraugli;
    struct { float fps; _Bool resize; const char *model, *config; int gpu; } cvvdp;
  } more;
} Init;

typedef struct {
  int type;
  double values[3];
  uint8_t *map;
  int64_t stride;
} Score;

typedef struct {
  int type;
  double score;
  uint8_t *map;
  int64_t stride;
} CvvdpScore;

typedef int (*InitHandler)(void **, void *);
typedef int (*ComputeHandler)(void *, void *, const uint8_t *const *, const uint8_t *const *, const int64_t *,
                              const int64_t *);
typedef int (*OnHandler)(void *);
typedef int (*HandlerText)(void *, char *, int);

static InitHandler init_handler;
static ComputeHandler compute_handler;
static OnHandler free_handler, reset, reset_score;
static HandlerText handler_error;

static uint8_t planes[2][3][WIDTH * HEIGHT];
static const uint8_t *reference[3], *distorted[3];
static const int64_t strides[3] = {WIDTH, WIDTH / 2, WIDTH / 2};

static void *shared[METRICS];
static double expected[METRICS];
static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int failures = 0, freed = 0;

static void expect(int holds, const char *what, int thread) {
  if (holds) return;
  pthread_mutex_lock(&mutex);
  ++failures;
  printf("thread %d: %s\n", thread, what);
  pthread_mutex_unlock(&mutex);
}

static void *make(int metric) {
  Init init;
  memset(&init, 0, sizeof init);
  init.type = 1 + metric;
  Colorspace colors;
  memset(&colors, 0, sizeof colors);
  colors.width = WIDTH;
  colors.height = HEIGHT;
  colors.target_width = colors.target_height = -1;
  colors.sample = 2;
  colors.subw = colors.subh = 1;
  colors.matrix = 6;
  colors.transfer = 1;
  init.src = init.dis = colors;
  if (metric == 1) {
    init.more.butteraugli.norm = 2;
    init.more.butteraugli.intensity = 203;
  } else if (metric == 2) {
    init.more.cvvdp.fps = 25;
    init.more.cvvdp.model = "standard_fhd";
  }
  void *handler = NULL;
  return init_handler(&handler, &init) == NO_ERROR ? handler : NULL;
}

/* The code; the score in *value. Of a shared handler of CVVDP it goes on, so that it is another each time. */
static int score(void *handler, int metric, double *value) {
  if (metric == 2) {
    CvvdpScore own = {6, 0, NULL, 0};
    const int code = compute_handler(handler, &own, reference, distorted, strides, strides);
    *value = own.score;
    return code;
  }
  Score own = {4 + metric, {0, 0, 0}, NULL, 0};
  const int code = compute_handler(handler, &own, reference, distorted, strides, strides);
  *value = own.values[0];
  return code;
}

static void misuse(int thread) {
  char text[64];
  double value = 0;
  void *never = (void *)(uintptr_t)(0x7fff0000u + 16u * (unsigned)thread);
  expect(free_handler(NULL) == BAD_HANDLER, "null is freed", thread);
  expect(free_handler(never) == BAD_HANDLER, "an invented handler is freed", thread);
  expect(score(never, 0, &value) == BAD_HANDLER, "an invented handler scores", thread);
  expect(reset(never) == BAD_HANDLER && reset_score(NULL) == BAD_HANDLER, "an invented handler is reset", thread);
  expect(handler_error(never, text, sizeof text) == 0, "an invented handler has an error", thread);
  expect(init_handler(NULL, NULL) == BAD_POINTER, "no place for a handler", thread);
  void *handler = never;
  expect(init_handler(&handler, NULL) == BAD_POINTER && handler == NULL, "no structure", thread);
  int type = 99;
  handler = never;
  expect(init_handler(&handler, &type) == BAD_INPUT_TYPE && handler == NULL, "a structure of no type", thread);
}

static void *work(void *number) {
  const int thread = (int)(intptr_t)number;
  pthread_barrier_wait(&barrier);
  for (int round = 0; round < ROUNDS; ++round) {
    const int metric = (thread + round) % METRICS;
    double value = 0;
    void *own = make(metric);
    expect(own != NULL, "no handler", thread);
    expect(score(own, metric, &value) == NO_ERROR && value == expected[metric], "another score", thread);
    const uint8_t *holes[3] = {reference[0], NULL, reference[2]};
    Score bad = {4 + metric, {0, 0, 0}, NULL, 0};
    expect(compute_handler(own, &bad, holes, distorted, strides, strides) == BAD_POINTER, "a null plane", thread);
    bad.type = 4 + (metric + 1) % METRICS;
    expect(compute_handler(own, &bad, reference, distorted, strides, strides) == BAD_INPUT_TYPE, "another's score", thread);

    /* Thread 0 frees the shared handlers half way; from then on they are none. */
    if (thread == 0 && round == ROUNDS / 2) {
      for (int m = 0; m < METRICS; ++m) expect(free_handler(shared[m]) == NO_ERROR, "a shared handler is not freed", thread);
      pthread_mutex_lock(&mutex);
      freed = 1;
      pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    const int was_freed = freed;
    pthread_mutex_unlock(&mutex);
    const int code = score(shared[metric], metric, &value);
    expect(code == BAD_HANDLER || (code == NO_ERROR && !was_freed), "a shared handler fails", thread);
    if (code == NO_ERROR && metric < 2) expect(value == expected[metric], "another score of a shared handler", thread);

    misuse(thread);
    expect(free_handler(own) == NO_ERROR, "it is not freed", thread);
    expect(free_handler(own) == BAD_HANDLER, "it is freed twice", thread);
    expect(score(own, metric, &value) == BAD_HANDLER, "it scores after its end", thread);
  }
  return NULL;
}

/* The threads of a handler do not come along when a process is forked. */
static void forked_child(void) {
  const pid_t child = fork();
  if (child == 0) {
    double value = 0;
    alarm(20);
    for (int m = 0; m < METRICS; ++m) {
      if (score(shared[m], m, &value) != BAD_HANDLER || reset(shared[m]) != BAD_HANDLER) _exit(1);
      if (free_handler(shared[m]) != NO_ERROR) _exit(2);
    }
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  expect(status == 0, "a forked child is not told, or hangs", -1);
}

static void *symbol(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (found) return found;
  printf("%s is missing\n", name);
  exit(1);
}

int main(int argc, char **argv) {
  void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
  if (!library) {
    printf("%s\n", argc == 2 ? dlerror() : "usage: vship_stress LIBRARY");
    return 1;
  }
  *(void **)&init_handler = symbol(library, "Vship_InitHandler");
  *(void **)&compute_handler = symbol(library, "Vship_ComputeHandler");
  *(void **)&free_handler = symbol(library, "Vship_FreeHandler");
  *(void **)&reset = symbol(library, "Vship_Reset");
  *(void **)&reset_score = symbol(library, "Vship_ResetScore");
  *(void **)&handler_error = symbol(library, "Vship_GetDetailedLastErrorHandler");
  for (int p = 0; p < 3; ++p) {
    for (int i = 0; i < WIDTH * HEIGHT; ++i) {
      planes[0][p][i] = (uint8_t)(40 + (3 * i + 50 * p) % 150);
      planes[1][p][i] = (uint8_t)(planes[0][p][i] + 7 * i % 11);
    }
    reference[p] = planes[0][p];
    distorted[p] = planes[1][p];
  }
  for (int m = 0; m < METRICS; ++m) {
    shared[m] = make(m);
    expect(shared[m] && score(shared[m], m, &expected[m]) == NO_ERROR, "the first score", -1);
  }
  forked_child();
  pthread_barrier_init(&barrier, NULL, THREADS);
  pthread_t threads[THREADS];
  for (int t = 0; t < THREADS; ++t) pthread_create(&threads[t], NULL, work, (void *)(intptr_t)t);
  for (int t = 0; t < THREADS; ++t) pthread_join(threads[t], NULL);
  return failures > 0;
}
