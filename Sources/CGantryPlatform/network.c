// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
#define _GNU_SOURCE
#include "CGantryPlatform.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int gantry_ip_address(const char *text, uint8_t bytes[16]) {
    if (inet_pton(AF_INET, text, bytes) == 1) return 4;
    return inet_pton(AF_INET6, text, bytes) == 1 ? 16 : 0;
}

int gantry_host_addresses(const char *host, char *texts, int capacity) {
    struct addrinfo hints, *found = NULL;
    memset(&hints, 0, sizeof hints);
    hints.ai_socktype = SOCK_STREAM;
    int code = getaddrinfo(host, NULL, &hints, &found);
    if (code != 0) return code < 0 ? code : -code;
    int count = 0;
    for (struct addrinfo *one = found; one != NULL && count < capacity; one = one->ai_next) {
        const void *bytes = NULL;
        if (one->ai_family == AF_INET) bytes = &((struct sockaddr_in *)one->ai_addr)->sin_addr;
        if (one->ai_family == AF_INET6) bytes = &((struct sockaddr_in6 *)one->ai_addr)->sin6_addr;
        if (bytes != NULL && inet_ntop(one->ai_family, bytes, texts + count * gantry_address_text_size, gantry_address_text_size) != NULL) count++;
    }
    freeaddrinfo(found);
    return count;
}
