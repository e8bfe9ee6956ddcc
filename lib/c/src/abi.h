/* Portals, structures and numbers that the C library shares with the system. Written by ./pebble manual, from lib/abi. */
#ifndef PEBBLE_ABI_H
#define PEBBLE_ABI_H

#include <pebble.h>

/* Numbers of the portals that every domain has. */
#define SYS_THREAD_EXIT 2
#define SYS_THREAD_CREATE 3
#define SYS_SLEEP 5
#define SYS_SEM_CREATE 9
#define SYS_SEM_DESTROY 10
#define SYS_PORTAL_REGISTER 11
#define SYS_PORTAL_UNREGISTER 12
#define SYS_PORTAL_OPEN 13
#define SYS_PORTAL_CLOSE 14
#define SYS_PORTAL_CREATE_CHILD 15
#define SYS_PORTAL_NOTIFY 16
#define SYS_PORTAL_INFO 17
#define SYS_DOMAIN_FORK 18
#define SYS_DOMAIN_WAIT 19
#define SYS_DOMAIN_KILL 20
#define SYS_GROW 21
#define SYS_SET_PRIORITY 22
#define SYS_THREAD_JOIN 23
#define SYS_SET_TP 24
#define SYS_STACK 25
#define SYS_INTERRUPT 26
#define SYS_INTERRUPT_DONE 27
#define SYS_PAGER 28
#define SYS_PAGE 29
#define SYS_GRANT 30
#define SYS_GRANTED 31
#define SYS_THREAD_CANCEL 32
#define SYS_PORTAL_CALLERS 33
#define SYS_PORTAL_GONE 34
#define SYS_LOCK_WAIT 35
#define SYS_LOCK_RELEASE 36
#define SYS_PORTAL_ADMIT 37
#define SYS_FIRST_FREE 40 /* the first that portal_open gives out */
#define NODE_OF_DISK (1ul << 62) /* in the numbers of the disk's nodes */
#define PAGE 4096ul
#define THREAD_STACK 32768ul
#define MAIN_STACK 65536ul
#define KIND_CONSOLE 0
#define KIND_SOCKET 4

/* What errors that POSIX does not name mean: ERROR_TEXTS(X) is X(name, text) for each. */
#define ERROR_TEXTS(X) \
    X(EPORTAL, "no such portal") \
    X(EDEAD, "the other side died") \
    X(ENOSTACK, "the callee has no stack") \
    X(EACCESS, "not allowed by the manifest") \
    X(EDEPTH, "too many nested calls") \
    X(EWINDOW, "too many open windows")

/* What `PORTAL_ADMIT` changes. */
#define ADMIT_ALL 0 /* Everybody may open it, as when it was registered. */
#define ADMIT_LISTED 1 /* Only who is admitted may; domain `asid` is from now on, or nobody where that is 0. */
#define ADMIT_WITHDRAWN 2 /* Domain `asid` is no longer admitted, or nobody where that is 0, and what portals they have open answer `EDEAD`. Calls that have begun go on. */
#define ADMIT_ASKED 3 /* The portal with that number, in place of an ASID, of the caller's own table is asked at each open, on the thread that opens: with the number and the identity of who wants to, and the token. 0: that one may; an error is the answer to the open. */
#define ADMIT_MOST 64 /* Most domains that are admitted to one name. */
#define ADMIT_FIRST 10 /* Most of them that a registration itself admits. */
#define ADMIT_WORDS 3 /* Most words that the portal that is asked may take: as many as it is asked with. */
/* What becomes of the portal table in a `DOMAIN_FORK` without interposition. */
#define FORK_COPIED 0 /* The child has a copy. */
#define FORK_SHARED 1 /* Parent and child share it: changes show in both. */
/* Values of `Ended::kind`. */
#define ENDED_EXIT 1
#define ENDED_FAULT 2
#define ENDED_KILLED 3
/* What `protection.operate` is asked for, with a handle and three more words. */
#define PROTECTION_REGISTER 1 /* `(entry, procedures, stacks)`: an entry point, with so many procedures behind it; stacks for the domain's queue. */
#define PROTECTION_CONNECT 2 /* `(entry)`: the number of the portal to that entry point, which is opened if none in the task is. */
#define PROTECTION_SHOW 3 /* `(start, bytes, rights)`: the pages are visible with these rights; 0: invisible. */
#define PROTECTION_PASS 4 /* `(portal)`: the domain has the caller's portal, at the same number. */
#define PROTECTION_WITHDRAW 5 /* `(portal)`: the domain has that portal no more. */
#define PROTECTION_DESTROY 6 /* `()`: the domain ends, and the handle with it. */
#define PROTECTION_NUMBER 7 /* `()`: the domain's number, while it lives. */
#define PROTECTION_DELEGATE 8 /* `(portal, domains, pages)`: whom the portal leads to may make so many domains of protection in the caller's task, of so many pages together, in the name of the handle's domain, or, with handle 0, of the caller: a delegation, an entry of the caller's table. `DESTROY` withdraws it. */
#define PROTECTION_ACCEPT 9 /* `()`: the handle is a delegation in the table of who makes the call that is being served: the caller has it from now on, too. */
#define PROTECTION_TAKE 10 /* `(bytes)`: the domain takes so much memory; where it begins. */
#define PROTECTION_GIVE 11 /* `()`: who delegated has a handle of the domain, too; its number there. */
/* What each of a descriptor's consecutive portals does, from its first on. */
#define PORTAL_READ 0
#define PORTAL_WRITE 1
#define PORTAL_SEEK 2
#define PORTAL_CONTROL 3
#define PORTAL_COUNT 4
/* Operations of the control portal: `(operation, page)`, with something to write to in every case. */
#define CONTROL_DUPLICATE 1 /* Four more portals to the same control block; the first one's number. */
#define CONTROL_STATUS 2 /* Writes a `Status`. */
#define CONTROL_NEXT 3 /* Writes the next `Entry` of a directory; 1, or 0 after the last. */
#define CONTROL_TRUNCATE 4 /* Reads a word: the file has so many bytes from now on, zeros where there were none. */
#define CONTROL_SYNC 5 /* What was written lasts. */
#define CONTROL_HAND 6 /* Reads a `Hand`(super::Hand): that domain may have four portals to the same control block, once, by `files.inherit`. `EINVAL`: a number alone is nobody. */
#define CONTROL_REOPEN 7 /* Four portals to a control block of its own for the same file, open for reading, at its start; the first one's number. `EBADF`: this one is not open for reading; `EISDIR`; `EINVAL`: it is no file. */
#define CONTROL_LOCK 8 /* Reads a `Lock`(super::Lock), and writes it where that asks. */
#define CONTROL_LOCKER 9 /* Four portals to a control block of its own for the same file, for nothing but locks; the first one's number. `EISDIR`; `EINVAL`: it is no file. */
#define CONTROL_LEFT_OUT 10 /* How many names of a directory `NEXT` has left out since its start, since they can not be written as a `Name`(crate::name::Name). */
/* Values of `Status::kind`. */
#define KIND_FILE 1
#define KIND_DIRECTORY 2
#define KIND_PIPE 3
#define KIND_LINK 5 /* Of a disk, as what follows: a symbolic link. */
#define KIND_CHARACTER_DEVICE 6
#define KIND_BLOCK_DEVICE 7
/* What `Status::version` says of a pipe: the sides that nobody has any more. */
#define PIPE_NO_READERS 1
#define PIPE_NO_WRITERS 2
/* Values of `Lock::kind`. */
#define LOCK_NONE 0 /* What the control block has of these bytes goes. */
#define LOCK_SHARED 1 /* Others may have it too. `EBADF`: the control block is not open for reading; so for ranges, as POSIX has it. */
#define LOCK_EXCLUSIVE 2 /* `EBADF`: not open for writing; so for ranges. */
/* Bits of `Lock::how`. */
#define LOCK_WHOLE 1 /* On all of the file, whatever the range; such locks and those on ranges do not see each other. */
#define LOCK_WAIT 2 /* Waits as long as it takes, where `EAGAIN` would be the answer. `EDEADLK`: for ever; `EBUSY`: too many wait already, and who calls again some time later does the same as if it had waited. */
#define LOCK_ASK 4 /* Only says what is in the way. */
/* Values of `internet.socket`'s argument. */
#define SOCKETS_TCP 1
#define SOCKETS_UDP 2
/* Operations of a socket's control portal beside those of files: `(operation, window)`. */
#define SOCKET_BIND 16 /* Reads an `Address`: the socket's own from now on. Its address is not looked at, a port 0 is any. */
#define SOCKET_CONNECT 17 /* Reads an `Address`: TCP connects to it, and waits unless told not to; of UDP it is the one that `write` sends to. */
#define SOCKET_LISTEN 18 /* Reads a word: how many connections may wait to be accepted. */
#define SOCKET_ACCEPT 19 /* Waits for a connection, writes the other side's `Address`; the first of the new socket's portals. */
#define SOCKET_SHUTDOWN 20 /* Nothing more will be written: the other side sees the end. */
#define SOCKET_LOCAL 21 /* Writes the `Address` of this side. */
#define SOCKET_REMOTE 22 /* Writes the `Address` of the other side. */
#define SOCKET_NONBLOCKING 23 /* Reads a word: whether calls wait (0) or answer `EAGAIN` (1), or what of the two they do (2); which, from now on. */
#define SOCKET_SEND 24 /* Reads a `super::Datagram`, and behind it as many bytes as it says in the same page, and sends them; where its address has no family, to the one that was connected to. */
#define SOCKET_RECEIVE 25 /* Writes a datagram in the same form; reads how many bytes there is room for. */
#define SOCKET_ERROR 26 /* What has become of it that nobody was told yet, as an error's number; 0: nothing. Takes nothing off it but that. */
/* Values of `Address::family`. */
#define FAMILY_NONE 0
#define FAMILY_IPV4 4
#define FAMILY_IPV6 6
/* What can be waited for. */
#define READY_READ 1 /* Reading or accepting would not wait. */
#define READY_WRITE 2 /* Writing would not wait, or the connection is made. */
#define READY_CLOSED 4 /* The connection is no more. Always waited for. */
#define READY_INVALID 8 /* There is no such socket, or it is not the caller's. Always waited for. */

/* At the initial stack pointer, aligned to 16. All pointers lie in the component's own memory, above it. */
struct start {
    uint64_t argc;
    char **argv; /* `argc` pointers to 0-terminated strings, then a null; behind it pointers to strings `NAME=value`, then a null. */
    uint32_t device_count;
    uint32_t inherited; /* Bit n: the starter hands over standard stream n, which `files.inherit` gives. */
    void *devices;
    uint64_t starter; /* The domain that had it started, by its identity's word; 0: init by itself. */
};
PEBBLE_LAYOUT_(sizeof(struct start) == 40 &&
               offsetof(struct start, argc) == 0 &&
               offsetof(struct start, argv) == 8 &&
               offsetof(struct start, device_count) == 16 &&
               offsetof(struct start, inherited) == 20 &&
               offsetof(struct start, devices) == 24 &&
               offsetof(struct start, starter) == 32)
/* Argument of `PORTAL_REGISTER`; must not cross a page boundary (so: is aligned to its size rounded up). */
struct registration {
    char name[NAMELEN];
    char spec[NAMELEN];
    uint64_t entry;
    uint64_t stacks; /* Stacks to add to the domain's queue. */
    uint64_t constants[6]; /* The values of the specification's `c`s, in their order. */
    uint64_t admission; /* Who may open it from the start: `admission::ALL`, `admission::LISTED` or `admission::ASKED`. */
    uint64_t asked; /* Where a portal is asked: its number, and what it is passed. */
    uint64_t token;
    uint32_t admitted[10]; /* Numbers of the domains that are listed; 0: none. */
} __attribute__((aligned(256)));
PEBBLE_LAYOUT_(sizeof(struct registration) == 256 &&
               offsetof(struct registration, name) == 0 &&
               offsetof(struct registration, spec) == 64 &&
               offsetof(struct registration, entry) == 128 &&
               offsetof(struct registration, stacks) == 136 &&
               offsetof(struct registration, constants) == 144 &&
               offsetof(struct registration, admission) == 192 &&
               offsetof(struct registration, asked) == 200 &&
               offsetof(struct registration, token) == 208 &&
               offsetof(struct registration, admitted) == 216)
/* Argument of `PORTAL_CREATE_CHILD`. */
struct child {
    char spec[NAMELEN];
    uint64_t asid;
    uint64_t portal;
    uint64_t constant;
    uint64_t entry;
} __attribute__((aligned(128)));
PEBBLE_LAYOUT_(sizeof(struct child) == 128 &&
               offsetof(struct child, spec) == 0 &&
               offsetof(struct child, asid) == 64 &&
               offsetof(struct child, portal) == 72 &&
               offsetof(struct child, constant) == 80 &&
               offsetof(struct child, entry) == 88)
/* Result of `PORTAL_INFO`. */
struct description {
    char spec[NAMELEN];
    char name[NAMELEN];
} __attribute__((aligned(128)));
PEBBLE_LAYOUT_(sizeof(struct description) == 128 &&
               offsetof(struct description, spec) == 0 &&
               offsetof(struct description, name) == 64)
/* How a domain ended: result of `DOMAIN_WAIT`, and an event of the portal manager. */
struct ended {
    uint64_t identity; /* Which domain: the word of its identity (`crate::identity::DomainId`), whose number is in the lowest 16 bits. */
    uint64_t kind; /* One of `ended`. */
    int64_t status; /* The exit status; for a fault, minus the cause. */
    uint64_t cause; /* Of a fault: cause, faulting address, program counter. Of a domain of protection that was killed because its task ended: `cause` is the task's ASID, else 0. */
    uint64_t address;
    uint64_t pc;
    uint64_t pager; /* ASID of the domain that answers for the address and did not make the access possible, or 0. */
    uint32_t account; /* Number of the account that has paid for it; 0: nobody's. */
    uint32_t waited; /* Seconds after which the pager was not waited for any longer, or 0. */
} __attribute__((aligned(64)));
PEBBLE_LAYOUT_(sizeof(struct ended) == 64 &&
               offsetof(struct ended, identity) == 0 &&
               offsetof(struct ended, kind) == 8 &&
               offsetof(struct ended, status) == 16 &&
               offsetof(struct ended, cause) == 24 &&
               offsetof(struct ended, address) == 32 &&
               offsetof(struct ended, pc) == 40 &&
               offsetof(struct ended, pager) == 48 &&
               offsetof(struct ended, account) == 56 &&
               offsetof(struct ended, waited) == 60)
/* What a file is; must not cross a page boundary (so: is aligned to its size rounded up). */
struct status {
    uint64_t kind; /* One of `kind`. */
    uint64_t bytes; /* In the file, or in the pipe. */
    uint64_t node; /* No other of the same kind has this number. */
    uint64_t version; /* No other contents of a file, of this one or another, before or after, have this number. Of a pipe: see `pipe`. */
} __attribute__((aligned(32)));
PEBBLE_LAYOUT_(sizeof(struct status) == 32 &&
               offsetof(struct status, kind) == 0 &&
               offsetof(struct status, bytes) == 8 &&
               offsetof(struct status, node) == 16 &&
               offsetof(struct status, version) == 24)
/* A name in a directory. */
struct entry {
    struct status status;
    char name[NAMELEN]; /* Filled up with zeros. */
} __attribute__((aligned(128)));
PEBBLE_LAYOUT_(sizeof(struct entry) == 128 &&
               offsetof(struct entry, status) == 0 &&
               offsetof(struct entry, name) == 32)
/* Who is to have what is handed over, and as which of its standard streams. */
struct hand {
    uint64_t domain; /* Its identity's word. */
    uint64_t stream;
} __attribute__((aligned(16)));
PEBBLE_LAYOUT_(sizeof(struct hand) == 16 &&
               offsetof(struct hand, domain) == 0 &&
               offsetof(struct hand, stream) == 8)
/* A lock on bytes of a file, which the control block has through which it was taken. */
struct lock {
    uint64_t kind; /* One of `lock`. */
    uint64_t how; /* Of `lock_how`. */
    uint64_t start; /* Its first byte. */
    uint64_t end; /* The byte behind it; all ones: none, however long the file becomes. */
    uint64_t holder; /* Answer of `lock_how::ASK`: the number of the domain whose lock is in the way, and is told in the fields above; where none is, the kind is `lock::NONE`. */
} __attribute__((aligned(64)));
PEBBLE_LAYOUT_(sizeof(struct lock) == 64 &&
               offsetof(struct lock, kind) == 0 &&
               offsetof(struct lock, how) == 8 &&
               offsetof(struct lock, start) == 16 &&
               offsetof(struct lock, end) == 24 &&
               offsetof(struct lock, holder) == 32)
/* In front of the strings, which are 0-terminated and follow each other: the component's name, its arguments, and then its environment, each as `NAME=value`. */
struct load {
    uint64_t words; /* How many of the strings are the name and arguments. */
    uint64_t inherited; /* Bit n: standard stream n is handed over. */
};
PEBBLE_LAYOUT_(sizeof(struct load) == 16 &&
               offsetof(struct load, words) == 0 &&
               offsetof(struct load, inherited) == 8)
/* Where a socket is. Of IPv4 the first four bytes count. Must not cross a page boundary (so: is aligned to its size). */
struct address {
    uint8_t bytes[16];
    uint16_t family;
    uint16_t port;
    uint32_t unused[3];
} __attribute__((aligned(32)));
PEBBLE_LAYOUT_(sizeof(struct address) == 32 &&
               offsetof(struct address, bytes) == 0 &&
               offsetof(struct address, family) == 16 &&
               offsetof(struct address, port) == 18 &&
               offsetof(struct address, unused) == 20)
/* What precedes the bytes of a datagram. */
struct datagram {
    struct address address; /* Of the other side. */
    uint64_t bytes;
    uint64_t unused[3];
} __attribute__((aligned(64)));
PEBBLE_LAYOUT_(sizeof(struct datagram) == 64 &&
               offsetof(struct datagram, address) == 0 &&
               offsetof(struct datagram, bytes) == 32 &&
               offsetof(struct datagram, unused) == 40)
/* One socket of `internet.poll`'s list. */
struct interest {
    uint64_t node; /* The socket, by its `node` of `crate::file::Status`. */
    uint32_t wanted; /* Bits of `event`. */
    uint32_t ready; /* Bits of `event`, written by `internet.poll`. */
};
PEBBLE_LAYOUT_(sizeof(struct interest) == 16 &&
               offsetof(struct interest, node) == 0 &&
               offsetof(struct interest, wanted) == 8 &&
               offsetof(struct interest, ready) == 12)
/* Addresses of a machine's name: written by `internet.resolve`. As many of them as it says are there, those of IPv4 first. */
struct found {
    struct address addresses[8];
    uint64_t count;
    uint64_t unused[31];
} __attribute__((aligned(512)));
PEBBLE_LAYOUT_(sizeof(struct found) == 512 &&
               offsetof(struct found, addresses) == 0 &&
               offsetof(struct found, count) == 256 &&
               offsetof(struct found, unused) == 264)
/* How the machine is connected: written by `internet.status`. */
struct configuration {
    uint8_t card[8]; /* The card's. */
    uint8_t address[4]; /* The first IPv4 address, and bits of its network; 0: there is none yet. */
    uint32_t prefix;
    uint8_t gateway[4];
    uint8_t name_server[4];
    uint64_t sockets; /* Sockets that there are, and frames that came in and went out. */
    uint64_t received;
    uint64_t sent;
} __attribute__((aligned(128)));
PEBBLE_LAYOUT_(sizeof(struct configuration) == 128 &&
               offsetof(struct configuration, card) == 0 &&
               offsetof(struct configuration, address) == 8 &&
               offsetof(struct configuration, prefix) == 12 &&
               offsetof(struct configuration, gateway) == 16 &&
               offsetof(struct configuration, name_server) == 20 &&
               offsetof(struct configuration, sockets) == 24 &&
               offsetof(struct configuration, received) == 32 &&
               offsetof(struct configuration, sent) == 40)
/* Answer of `capability.info` and `capability.list`. */
struct capability {
    uint64_t name; /* What its holder calls it. */
    uint64_t rights;
    uint64_t flags; /* `flags`. */
    uint64_t issuer; /* ASID of the issuer; 0: it is no more. */
    uint64_t object; /* What it stands for, for the issuer only. */
} __attribute__((aligned(64)));
PEBBLE_LAYOUT_(sizeof(struct capability) == 64 &&
               offsetof(struct capability, name) == 0 &&
               offsetof(struct capability, rights) == 8 &&
               offsetof(struct capability, flags) == 16 &&
               offsetof(struct capability, issuer) == 24 &&
               offsetof(struct capability, object) == 32)
#endif
