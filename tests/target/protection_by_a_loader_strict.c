// system parts
// on strict
// slices 5
// timeout 120
// expect stdout loaded by another component: 1000 + 55 = 1055
// expect stdout its code is the loader's, which sees nothing here: -202, and is there again
// expect stdout what was shown: 7, and what was not: -202
// expect stdout the same for one in whose name nothing may be shown: -14, and its own memory is there: 1000
// expect stdout more rights than there are: -204; a page of the task's: -14; one that was touched: -11; to be written and executed: -22
// expect stdout more than was delegated: domains -23, memory -12, stacks -12
// expect stdout the loader's connection: -204; a portal of the task's passed: 0, and used: 0
// expect stdout for somebody else: -204; no delegation: -9; outside of a call: -22
// expect stdout withdrawn in a call of the module's: the call goes on: 0, and the loader has nothing: -9 -9 -9
// expect stdout withdrawn without a name for it: its call has -202
// expect stdout the loader killed in a call: -202, and what it gave goes on: 1055
// expect stdout the loader's end ends what only it had a name for: -202
// expect stdout a client that ends in its call: the loader goes on, and has nothing: -9
// expect stdout loaded and ended 200 times: nothing is left
/* "protection_by_a_loader" on the strict machine, preempted between any two instructions: translations and code that a fence has forgotten are found. */
#include "protection_by_a_loader.c"
