#ifndef CWRONGCLOCK_H
#define CWRONGCLOCK_H

#include <stdint.h>

/// From now on the wall clock shows this program and its libraries so many seconds more than the kernel goes by: as it is for a wait during
/// which somebody has set the clock back, or forward for a negative number.
void wrong_clock_begin(int64_t seconds);

#endif
