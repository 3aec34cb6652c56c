// HITBOX_ASSERT: an invariant of ours, never a check of the user's input. On in the C++ tests.
#pragma once

#ifdef HITBOX_ASSERTIONS
#include <cstdio>
#include <cstdlib>
#define HITBOX_ASSERT(condition)                                                             \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      std::fprintf(stderr, "%s:%d: broken invariant: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                          \
    }                                                                                        \
  } while (false)
#else
#define HITBOX_ASSERT(condition) ((void)0)
#endif
