/* Many threads on libvship.so.
   Each makes handlers, scores and frees them; all share three more, which one of them frees while the others score.
   Equal pairs have equal scores on every thread, and misuse gives codes. Silent where all of it holds.

   usage: vship_stress [kill]      kill: a third of the way, a kernel of the program's own traps on NVIDIA's first GPU, which
   ends all work of this process there. Handlers then score on the CPU. */
#include <dlfcn.h>
#include <pthread.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vship_test.h"

enum { THREADS = 16, ROUNDS = 30, METRICS = 3, WIDTH = 48, HEIGHT = 32 };
enum { NO_ERROR = 0, BAD_HANDLER = 10, BAD_POINTER = 11, BAD_INPUT_TYPE = 16 };

static uint8_t planes[2][3][WIDTH * HEIGHT];
static const uint8_t *reference[3], *distorted[3];
static const int64_t strides[3] = {WIDTH, WIDTH / 2, WIDTH / 2};

static void *shared[METRICS];
static double expected[METRICS];
static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int freed = 0;
static int kills = 0;

static void expect(int holds, const char *what, int thread) {
  if (holds) return;
  pthread_mutex_lock(&mutex);
  ++failures;
  printf("thread %d: %s\n", thread, what);
  pthread_mutex_unlock(&mutex);
}

static void *make(int metric) {
  union { int type; InitSsimu2 ssimu2; InitButter butter; InitCvvdp cvvdp; } init;
  memset(&init, 0, sizeof init);
  init.type = 1 + metric;
  init.ssimu2.src = init.ssimu2.dis = Yuv420(WIDTH, HEIGHT, 8);
  if (metric == 1) {
    init.butter.qnorm = 2;
    init.butter.intensity = 203;
  } else if (metric == 2) {
    init.cvvdp.fps = 25;
    init.cvvdp.model = "standard_fhd";
  }
  void *handler = NULL;
  return Vship_InitHandler(&handler, &init) == NO_ERROR ? handler : NULL;
}

/* The code; the score in *value. A shared handler of CVVDP continues, so its score differs each time. */
static int score(void *handler, int metric, double *value) {
  if (metric == 2) {
    ScoreCvvdp own = {6, 0, NULL, 0};
    const int code = Vship_ComputeHandler(handler, &own, reference, distorted, strides, strides);
    *value = own.score;
    return code;
  }
  ScoreButter own = {4 + metric, 0, 0, 0, NULL, 0};
  const int code = Vship_ComputeHandler(handler, &own, reference, distorted, strides, strides);
  *value = own.q;
  return code;
}

/* The library works in the context that programs share with CUDA's runtime, where a trap is an error for good. */
static void kill_device(void) {
  static const char kernel[] = ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry end_all() { trap; }\n";
  int (*init)(unsigned), (*retain)(void **, int), (*set_current)(void *), (*load)(void **, const void *);
  int (*find)(void **, void *, const char *), (*synchronize)(void);
  int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
  void *driver = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL, *module = NULL, *function = NULL;
  expect(driver != NULL, "there is no CUDA driver", -1);
  if (!driver) return;
  *(void **)&init = dlsym(driver, "cuInit");
  *(void **)&retain = dlsym(driver, "cuDevicePrimaryCtxRetain");
  *(void **)&set_current = dlsym(driver, "cuCtxSetCurrent");
  *(void **)&load = dlsym(driver, "cuModuleLoadData");
  *(void **)&find = dlsym(driver, "cuModuleGetFunction");
  *(void **)&launch = dlsym(driver, "cuLaunchKernel");
  *(void **)&synchronize = dlsym(driver, "cuCtxSynchronize");
  expect(init(0) == 0 && retain(&context, 0) == 0 && set_current(context) == 0 && load(&module, kernel) == 0 &&
             find(&function, module, "end_all") == 0 && launch(function, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL) == 0,
         "the kernel that traps does not start", -1);
  expect(synchronize() != 0, "it does not trap", -1);
}

static void misuse(int thread) {
  char text[64];
  double value = 0;
  void *never = (void *)(uintptr_t)(0x7fff0000u + 16u * (unsigned)thread);
  expect(Vship_FreeHandler(NULL) == BAD_HANDLER, "null is freed", thread);
  expect(Vship_FreeHandler(never) == BAD_HANDLER, "an invented handler is freed", thread);
  expect(score(never, 0, &value) == BAD_HANDLER, "an invented handler scores", thread);
  expect(Vship_Reset(never) == BAD_HANDLER && Vship_ResetScore(NULL) == BAD_HANDLER, "an invented handler is reset", thread);
  expect(Vship_GetDetailedLastErrorHandler(never, text, sizeof text) == 0, "an invented handler has an error", thread);
  expect(Vship_InitHandler(NULL, NULL) == BAD_POINTER, "no place for a handler", thread);
  void *handler = never;
  expect(Vship_InitHandler(&handler, NULL) == BAD_POINTER && handler == NULL, "no structure", thread);
  int type = 99;
  handler = never;
  expect(Vship_InitHandler(&handler, &type) == BAD_INPUT_TYPE && handler == NULL, "a structure of no type", thread);
}

static void *work(void *number) {
  const int thread = (int)(intptr_t)number;
  pthread_barrier_wait(&barrier);
  for (int round = 0; round < ROUNDS; ++round) {
    const int metric = (thread + round) % METRICS;
    double value = 0;
    if (kills && thread == 1 && round == ROUNDS / 3) kill_device();
    void *own = make(metric);
    expect(own != NULL, "no handler", thread);
    expect(score(own, metric, &value) == NO_ERROR && value == expected[metric], "another score", thread);
    const uint8_t *holes[3] = {reference[0], NULL, reference[2]};
    ScoreButter bad = {4 + metric, 0, 0, 0, NULL, 0};
    expect(Vship_ComputeHandler(own, &bad, holes, distorted, strides, strides) == BAD_POINTER, "a null plane", thread);
    bad.type = 4 + (metric + 1) % METRICS;
    expect(Vship_ComputeHandler(own, &bad, reference, distorted, strides, strides) == BAD_INPUT_TYPE, "another's score", thread);

    /* Thread 0 frees the shared handlers half way; from then on they are none. */
    if (thread == 0 && round == ROUNDS / 2) {
      for (int m = 0; m < METRICS; ++m) expect(Vship_FreeHandler(shared[m]) == NO_ERROR, "a shared handler is not freed", thread);
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
    expect(Vship_FreeHandler(own) == NO_ERROR, "it is not freed", thread);
    expect(Vship_FreeHandler(own) == BAD_HANDLER, "it is freed twice", thread);
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
      if (score(shared[m], m, &value) != BAD_HANDLER || Vship_Reset(shared[m]) != BAD_HANDLER) _exit(1);
      if (Vship_FreeHandler(shared[m]) != NO_ERROR) _exit(2);
    }
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  expect(status == 0, "a forked child gets no error, or hangs", -1);
}

int main(int count, char **arguments) {
  kills = count > 1 && strcmp(arguments[1], "kill") == 0;
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
