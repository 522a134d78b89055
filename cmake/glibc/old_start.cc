// The start of a program on a glibc before 2.34, which has the program itself run its constructors: the start files of
// later ones name no function for that. Linked with --wrap=__libc_start_main.
using Main = int (*)(int, char**, char**);

extern "C" {

extern Main const AcuFirst[] __asm__("__init_array_start") __attribute__((visibility("hidden")));
extern Main const AcuLast[] __asm__("__init_array_end") __attribute__((visibility("hidden")));
void _init();

int __real___libc_start_main(Main, int, char**, void (*)(int, char**, char**), void (*)(), void (*)(), void*);

static void AcuConstruct(int count, char** words, char** environment) {
  _init();
  for (Main const* constructor = AcuFirst; constructor != AcuLast; ++constructor)
    (*constructor)(count, words, environment);
}

int __wrap___libc_start_main(Main main, int count, char** words, void (*)(int, char**, char**), void (*)(),
                             void (*at_exit)(), void* stack) {
  return __real___libc_start_main(main, count, words, AcuConstruct, nullptr, at_exit, stack);
}

}  // extern "C"
