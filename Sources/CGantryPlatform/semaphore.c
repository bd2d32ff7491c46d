// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
#define _GNU_SOURCE
#include "CGantryPlatform.h"

#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

int64_t gantry_semaphore_make(void) {
    sem_t *made = malloc(sizeof *made);
    // Without some bytes of memory nothing goes on anyway.
    if (made == NULL || sem_init(made, 0, 0) != 0) abort();
    return (int64_t)(intptr_t)made;
}

void gantry_semaphore_free(int64_t semaphore) {
    sem_destroy((sem_t *)(intptr_t)semaphore);
    free((sem_t *)(intptr_t)semaphore);
}

void gantry_semaphore_signal(int64_t semaphore) {
    // It fails only at the top of the counter: nobody has to be woken then.
    sem_post((sem_t *)(intptr_t)semaphore);
}

void gantry_semaphore_wait(int64_t semaphore) {
    while (sem_wait((sem_t *)(intptr_t)semaphore) != 0 && errno == EINTR) {}
}

int gantry_semaphore_wait_until(int64_t semaphore, int64_t nanoseconds) {
    struct timespec deadline = {nanoseconds / 1000000000, nanoseconds % 1000000000};
    for (;;) {
        if (sem_clockwait((sem_t *)(intptr_t)semaphore, CLOCK_MONOTONIC, &deadline) == 0) return 1;
        if (errno != EINTR) return 0;
    }
}
