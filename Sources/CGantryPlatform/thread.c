// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
#define _GNU_SOURCE
#include "CGantryPlatform.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

struct start {
    void (*body)(void *);
    void *argument;
    char name[16];
};

static void *run(void *raw) {
    struct start start = *(struct start *)raw;
    free(raw);
    pthread_setname_np(pthread_self(), start.name);
    start.body(start.argument);
    return NULL;
}

// Signals that mean a fault of the thread itself stay deliverable; every other one is for another thread.
static void fill_mask(sigset_t *mask) {
    sigfillset(mask);
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
    for (size_t index = 0; index < sizeof faults / sizeof *faults; index++) sigdelset(mask, faults[index]);
}

int gantry_thread_start(const char *name, size_t stack_size, void (*body)(void *), void *argument, uint64_t *thread) {
    pthread_attr_t attributes;
    int code = pthread_attr_init(&attributes);
    if (code != 0) return -code;
    if (stack_size < (size_t)PTHREAD_STACK_MIN) stack_size = (size_t)PTHREAD_STACK_MIN;
    code = pthread_attr_setstacksize(&attributes, stack_size);
    struct start *start = malloc(sizeof *start);
    if (start == NULL) code = ENOMEM;
    if (code == 0) {
        start->body = body;
        start->argument = argument;
        snprintf(start->name, sizeof start->name, "%s", name);
        sigset_t blocked, before;
        fill_mask(&blocked);
        pthread_sigmask(SIG_BLOCK, &blocked, &before);
        pthread_t made;
        code = pthread_create(&made, &attributes, run, start);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (code == 0) *thread = (uint64_t)made;
    }
    if (code != 0) free(start);
    pthread_attr_destroy(&attributes);
    return -code;
}

int gantry_thread_join(uint64_t thread) {
    return -pthread_join((pthread_t)thread, NULL);
}

int gantry_thread_detach(uint64_t thread) {
    return -pthread_detach((pthread_t)thread);
}
