// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
#define _GNU_SOURCE
#include "CGantryPlatform.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

int64_t gantry_clock_nanoseconds(int which) {
    clockid_t clock = which == gantry_clock_boot ? CLOCK_BOOTTIME
                    : which == gantry_clock_wall ? CLOCK_REALTIME
                    : which == gantry_clock_thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void gantry_pause(int64_t milliseconds) {
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {}
}

int gantry_random(uint64_t *value) {
    for (;;) {
        // Requests of at most 256 bytes are never cut short.
        if (getrandom(value, sizeof *value, 0) == (ssize_t)sizeof *value) return 0;
        if (errno != EINTR) return -errno;
    }
}

int gantry_kill_timer_create(int64_t *timer) {
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGKILL;
    timer_t made;
    if (timer_create(CLOCK_BOOTTIME, &event, &made) != 0) return -errno;
    *timer = (int64_t)(intptr_t)made;
    return 0;
}

int gantry_kill_timer_set(int64_t timer, int64_t nanoseconds, int is_absolute) {
    struct itimerspec setting = {0};
    setting.it_value.tv_sec = nanoseconds / 1000000000;
    setting.it_value.tv_nsec = nanoseconds % 1000000000;
    return timer_settime((timer_t)(intptr_t)timer, is_absolute ? TIMER_ABSTIME : 0, &setting, NULL) == 0 ? 0 : -errno;
}

int gantry_kill_timer_delete(int64_t timer) {
    return timer_delete((timer_t)(intptr_t)timer) == 0 ? 0 : -errno;
}
