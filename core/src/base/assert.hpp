// HITBOX_ASSERT checks an invariant of the code, never the user's input. The C++ tests enable it.
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
