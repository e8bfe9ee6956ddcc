/* Everything that a program asks of the servers: it says what came of it, and returns 0 if it was asked for. */
#pragma once
#include <pebble.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void *thread(void *argument)
{
    *(int *)argument = 42;
    return 0;
}
static word add(word a, word b)
{
    return a + b;
}
static int status_of_a_child(int faults)
{
    int asid = domain_fork(0), status = 0;
    if (asid == 0) {
        if (faults)
            *(volatile char *)8 = 1;
        exit(7);
    }
    return domain_wait(asid, &status) < 0 ? -1 : status;
}
static int ask_all_servers(void)
{
    FILE *file = fopen("/some", "w+");
    char text[8] = "";
    if (!file || fputs("kept", file) < 0 || fseek(file, 0, SEEK_SET) || !fgets(text, sizeof text, file))
        return 1;
    printf("a file: %s\n", text);

    int result = 0;
    pthread_t made;
    if (pthread_create(&made, 0, thread, &result) || pthread_join(made, 0))
        return 2;
    printf("a thread: %d\n", result);

    if (portal_register("app.add", "npii", add, 0, 1) < 0)
        return 3;
    printf("a call: %ld\n", (long)invoke_portal(portal_open("app.add"), 2, 3));

    int ended = status_of_a_child(0);
    printf("a child that ended with %d, and one that store faults ended: %d\n", ended, -status_of_a_child(1));

    time_t before = time(0);
    clock_t start = clock();
    while (clock() - start < CLOCKS_PER_SEC / 100) {
    }
    if (time(0) >= before)
        puts("the clock goes on");
    return 0;
}
