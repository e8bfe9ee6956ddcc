/* The server of the oracle's calls as a component of its own, trusted or not as its manifest says: `oracle_server NAME`. */
#include "../include/server.h"

int main(int argc, char **argv) { return argc < 2 || serve(argv[1], 0); }
