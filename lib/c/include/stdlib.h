/* Characters are UTF-8 in each locale (picolibc's are bytes). */
#include_next <stdlib.h>
#undef MB_CUR_MAX
#define MB_CUR_MAX 4
