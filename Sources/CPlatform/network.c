// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
#define _GNU_SOURCE
#include "CPlatform.h"

#include <arpa/inet.h>

int gantry_ip_address(const char *text, uint8_t bytes[16]) {
    if (inet_pton(AF_INET, text, bytes) == 1) return 4;
    return inet_pton(AF_INET6, text, bytes) == 1 ? 16 : 0;
}
