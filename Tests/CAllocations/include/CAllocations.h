#ifndef CALLOCATIONS_H
#define CALLOCATIONS_H

#include <stdint.h>

/// How often memory was asked for since the process began: malloc, calloc, realloc and the aligned kinds.
uint64_t allocation_count(void);

#endif
