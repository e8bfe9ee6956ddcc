// system neighbours
// expect stdout before: 0
// expect stdout all taken
// timeout 60
#define TAKERS 14
#include "include/exhaust.h"
#include <fcntl.h>
#include <unistd.h>
static int take(int count)
{
    int ends[2];
    (void)count;
    return pipe(ends) == 0;
}
int main(void)
{
    return exhaust("pipes", 40);
}
