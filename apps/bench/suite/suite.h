/* What a program of the suite has to work on, and where its results go. The work is the same on every machine. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* The work; main.c has it done twice, and counts the second time. */
void work(void);

/* Numbers without end, the same in each work. */
uint32_t suite_random(void);
/* Fills `to` with words of a made-up language, `bytes` of them in all. */
void suite_text(char *to, size_t bytes);
/* Something of the result: all that is given is summed up, and what differs in one bit has another sum. */
void suite_result(const void *bytes, size_t count);
