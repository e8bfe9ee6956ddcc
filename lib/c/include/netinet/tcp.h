/* Options of TCP. */
#ifndef PEBBLE_NETINET_TCP_H
#define PEBBLE_NETINET_TCP_H

/* It is always on: what is written is sent. */
#define TCP_NODELAY 1

#endif
