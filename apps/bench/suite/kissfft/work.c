#include "suite.h"
#include <kiss_fft.h>
#include <stdlib.h>

enum { POINTS = 3000 };

void work(void)
{
    static kiss_fft_cpx in[POINTS], out[POINTS];
    for (int n = 0; n < POINTS; n++)
        in[n] = (kiss_fft_cpx){ (float)(suite_random() % 2000) - 1000, 0 };
    kiss_fft_cfg there = kiss_fft_alloc(POINTS, 0, NULL, NULL), back = kiss_fft_alloc(POINTS, 1, NULL, NULL);
    if (!there || !back)
        abort();
    for (int n = 0; n < 4; n++) {
        kiss_fft(there, in, out);
        kiss_fft(back, out, in);
        for (int k = 0; k < POINTS; k++)
            in[k].r /= POINTS, in[k].i /= POINTS;
    }
    suite_result(out, sizeof out);
    free(there), free(back);
}
