// system renamed
// expect stdout a file: kept
// expect stdout a thread: 42
// expect stdout a call: 5
// expect stdout a child that ended with 7, and one that store faults ended: 15
// expect stdout the clock goes on
/* Everything that a program asks of the servers, where none has its usual name: whoever relies on one knows it by its role or by its
   portals' names. */
#include "include/servers.h"

int main(void)
{
    return ask_all_servers();
}
