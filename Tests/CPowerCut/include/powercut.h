// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.

#ifndef GANTRY_POWERCUT_H
#define GANTRY_POWERCUT_H

#include <stdint.h>

// A file system for SQLite that forgets at a power cut what was not synced. For one thread at a time besides SQLite's own calls.

// Makes it SQLite's default. Returns 0, or SQLite's code.
int gantry_powercut_install(void);

// Cuts the power at the so-manieth write, truncation, sync or removal from now on; 0: never. The call at which it is cut is not done
// (a write of several sectors may be torn), and every later one fails.
void gantry_powercut_arm(uint64_t calls);

// Whether the power is cut.
int gantry_powercut_is_cut(void);

// Switches the power on again: every file gets its synced content and, chosen by the seed, none, all, the first or any of the writes
// behind it, torn at 512 bytes. Files must be closed. Returns how many files had writes that were not synced.
int gantry_powercut_settle(uint64_t seed);

// Writes, truncations, syncs and removals so far.
uint64_t gantry_powercut_calls(void);

#endif
