/* A program of several files. */
#include "greeting.h"

int main(int count, char **arguments)
{
    greet(count > 1 ? arguments[1] : "nobody");
    return 3;
}
