/*
 * Protected modules: a domain of protection that is entered through its procedures alone (the book, "Domains of protection"). An interface is
 * a list of procedures, each with the type of its result, its name, and its parameters:
 *
 *     #define COUNTER(procedure, module)                                     \
 *         procedure(module, long, add, (long, amount), (const long *, more)) \
 *         procedure(module, long, value)
 *     DP_INTERFACE(counter, COUNTER)               -- for callers: counter_add(&client, &result, amount, more)
 *     DP_IMPLEMENTATION(counter, COUNTER, &state)  -- for the module: header and jump table, which call add(client, amount, more)
 *
 * A call's frame, with the arguments and the result, lies in an A-stack, memory that both see: one for each concurrent call. Where
 * the module sees the caller's stack, it lies there. The header copies it once, and looks at the copy. A client's frames lie nowhere but where the
 * module was told that this client's may: a result is written to a frame, and a client that chose its place could have the module write over its own memory,
 * or read and write over another client's. The password comes in registers, not in memory that the module sees: to know where it lies is not to have it.
 */
#ifndef PROTECTED_H
#define PROTECTED_H

#include <pebble.h>
#include <stdatomic.h>

/* Who has these 128 random bits may call. */
struct dp_password {
    uint64_t words[2];
};
enum { DP_CLIENTS = 32 };
/* What a module knows of its clients: in pages that are shown to it, to be read and written, and to nobody else. */
struct dp_module {
    struct dp_password passwords[DP_CLIENTS];
    atomic_uint admitted[DP_CLIENTS]; /* enum dp_admitted_ */
    /* Where each client's frames may lie: the first page's number, and below it in 32 bits how many pages. One word, so that a call which
       comes while it changes finds the old place or the new one, and never the start of one with the length of the other. */
    atomic_ulong stacks[DP_CLIENTS];
    /* Who goes on in the name of each place, whoever's it is by then: it is nobody else's before they are done. */
    atomic_uint calls[DP_CLIENTS];
};
/* Whose the place of a client is: nobody's, a client's, or of a thread that makes it one or the other. */
enum dp_admitted_ { DP_NOBODYS_, DP_CLIENTS_OWN_, DP_CHANGING_ };
enum { DP_PAGE_LOG2_ = 12 };
/* A caller's side. */
struct dp_client {
    int dp;
    dp_entry *entry;
    struct dp_password password;
    char *stacks;
    size_t each;
    atomic_ulong free; /* bit n: A-stack n is free */
};
/* A new client's password, from the machine's source of random bytes; the client's number, which procedures get. Its frames may lie nowhere yet.
   -EIO: there is no source, or the manifest does not let this component have it; -ENFILE: there are DP_CLIENTS, or calls of those who were. */
int dp_admit(struct dp_module *module, struct dp_password *password);
/* The same with a password that has been drawn. */
int dp_admit_drawn_(struct dp_module *module, const struct dp_password *drawn);
/* From now on its password is nobody's, and no call of its begins. One that has begun goes on, and nobody has its number before it returns: a thread that ends
   in a call keeps it. -ENOENT: there is no such client. */
int dp_withdraw(struct dp_module *module, int client);
/* This client has its frames in `bytes` at `stacks`, whole pages, which the module's domain sees from now on: A-stacks, or the stacks of its
   own threads. NULL: nowhere. Clients that do not trust each other have pages of their own. Calls may be under way, and other threads may set them: then those
   are the client's that were set last. What dp_make_visible refuses; -ENOENT: there is no such client, or it is withdrawn meanwhile; -EINVAL: `module` lies among them. */
int dp_set_stacks(struct dp_module *module, int dp, int client, void *stacks, size_t bytes);
/* A caller's side, with a password, and with `count` A-stacks of the module's, at most 64, in `bytes` at `stacks`; NULL: none, its frames
   lie on its thread's stack.
   -EINVAL. */
int dp_attach(struct dp_client *client, int dp, dp_entry *entry, const struct dp_password *password, void *stacks, size_t bytes, int count);

/* An A-stack; NULL: all are in use, and a call ends with -ENOSTACK. */
static inline void *dp_stack_take_(struct dp_client *client)
{
    unsigned long free = atomic_load_explicit(&client->free, memory_order_relaxed);
    while (free)
        if (atomic_compare_exchange_weak_explicit(&client->free, &free, free & (free - 1), memory_order_acquire, memory_order_relaxed))
            return client->stacks + client->each * __builtin_ctzl(free);
    return NULL;
}
static inline void dp_stack_give_(struct dp_client *client, void *stack)
{
    unsigned long n = ((char *)stack - client->stacks) / client->each;
    atomic_fetch_or_explicit(&client->free, 1ul << n, memory_order_release);
}
/* 0: place `n` is a client's with this password; otherwise the highest bit is set. It takes as long either way. */
static inline uint64_t dp_differs_(const struct dp_module *module, long n, const struct dp_password *given)
{
    const volatile uint64_t *known = module->passwords[n].words;
    /* While it changes it is nobody's, whatever is in it by then. */
    uint64_t admitted = atomic_load(&module->admitted[n]) == DP_CLIENTS_OWN_;
    uint64_t differs = (known[0] ^ given->words[0]) | (known[1] ^ given->words[1]) | !admitted;
    return differs | -differs;
}
static inline void dp_leave_(struct dp_module *module, int client)
{
    atomic_fetch_sub_explicit(&module->calls[client], 1, memory_order_release);
}
/* The number of the client whose password this is, or -EACCESS, after a time that does not depend on either. */
static inline int dp_client_(const struct dp_module *module, const struct dp_password *given)
{
    long found = -EACCESS;
    for (long n = 0; n < DP_CLIENTS; n++) {
        /* All ones where nothing differs. */
        long same = (long)(dp_differs_(module, n, given) >> 63) - 1;
        found = (n & same) | (found & ~same);
    }
    return found;
}
/* The same for a call that begins now: until dp_leave_ the number is nobody else's. Between two looks the place may have become another client's. */
static inline int dp_enter_(struct dp_module *module, const struct dp_password *given)
{
    int client = dp_client_(module, given);
    if (client < 0)
        return client;
    atomic_fetch_add(&module->calls[client], 1);
    if (dp_differs_(module, client, given) == 0)
        return client;
    dp_leave_(module, client);
    return -EACCESS;
}
/* Whether a frame of so many bytes lies where this client's may. */
static inline int dp_reaches_(const struct dp_module *module, int client, word frame, size_t bytes)
{
    uint64_t stacks = atomic_load_explicit(&module->stacks[client], memory_order_acquire), all = (stacks & UINT32_MAX) << DP_PAGE_LOG2_;
    uint64_t offset = (uint64_t)frame - (stacks >> 32 << DP_PAGE_LOG2_);
    return offset <= all && bytes <= all - offset && offset % 16 == 0;
}

#define DP_SELECT_(a, b, c, d, e, f, g, h, name, ...) name
#define DP_EACH_(do, ...)                                                                                              \
    __VA_OPT__(DP_SELECT_(__VA_ARGS__, DP_8_, DP_7_, DP_6_, DP_5_, DP_4_, DP_3_, DP_2_, DP_1_)(do, __VA_ARGS__))
#define DP_1_(do, a) do a
#define DP_2_(do, a, ...) do a DP_1_(do, __VA_ARGS__)
#define DP_3_(do, a, ...) do a DP_2_(do, __VA_ARGS__)
#define DP_4_(do, a, ...) do a DP_3_(do, __VA_ARGS__)
#define DP_5_(do, a, ...) do a DP_4_(do, __VA_ARGS__)
#define DP_6_(do, a, ...) do a DP_5_(do, __VA_ARGS__)
#define DP_7_(do, a, ...) do a DP_6_(do, __VA_ARGS__)
#define DP_8_(do, a, ...) do a DP_7_(do, __VA_ARGS__)
#define DP_FIELD_(type, name) type name;
#define DP_PARAMETER_(type, name) , type name
#define DP_STORE_(type, name) frame_->name = name;
#define DP_ARGUMENT_(type, name) , copy_.name

/* Numbers, frames, and a caller for each: 0, or an error; the result is written to where `result_` points. */
#define DP_NUMBER_(module, type, name, ...) module##_##name##_number_,
#define DP_FRAME_(module, type, name, ...)                                                                             \
    struct module##_##name##_frame_ {                                                                                  \
        type result_;                                                                                                  \
        DP_EACH_(DP_FIELD_, __VA_ARGS__)                                                                               \
    } __attribute__((aligned(16)));
#define DP_CALLER_(module, type, name, ...)                                                                            \
    static inline word module##_##name(struct dp_client *client_, type *result_ DP_EACH_(DP_PARAMETER_, __VA_ARGS__))  \
    {                                                                                                                  \
        struct module##_##name##_frame_ own_, *frame_ = &own_;                                                         \
        if (client_->stacks && (sizeof own_ > client_->each || !(frame_ = dp_stack_take_(client_))))                   \
            return -ENOSTACK;                                                                                          \
        DP_EACH_(DP_STORE_, __VA_ARGS__)                                                                               \
        const uint64_t *words_ = client_->password.words;                                                              \
        word done_ = dp_call(client_->dp, client_->entry, module##_##name##_number_, (word)frame_, words_[0], words_[1]); \
        if (done_ == 0)                                                                                                \
            *result_ = frame_->result_;                                                                                \
        if (client_->stacks)                                                                                           \
            dp_stack_give_(client_, frame_);                                                                           \
        return done_;                                                                                                  \
    }
#define DP_INTERFACE(module, PROCEDURES)                                                                               \
    enum { PROCEDURES(DP_NUMBER_, module) module##_procedures };                                                       \
    dp_entry module;                                                                                                   \
    PROCEDURES(DP_FRAME_, module)                                                                                      \
    PROCEDURES(DP_CALLER_, module)

/* What the header does for each procedure. */
#define DP_BODY_(module, type, name, ...)                                                                              \
    static type name(int client DP_EACH_(DP_PARAMETER_, __VA_ARGS__));                                                 \
    static word module##_##name##_enter_(const struct dp_module *state_, int client_, word at_)                        \
    {                                                                                                                  \
        if (!dp_reaches_(state_, client_, at_, sizeof(struct module##_##name##_frame_)))                               \
            return -EFAULT;                                                                                            \
        struct module##_##name##_frame_ *frame_ = (struct module##_##name##_frame_ *)at_, copy_ = *frame_;             \
        __asm__ volatile("" : "+m"(copy_)); /* not read again */                                                       \
        frame_->result_ = name(client_ DP_EACH_(DP_ARGUMENT_, __VA_ARGS__));                                           \
        return 0;                                                                                                      \
    }
#define DP_ENTRY_(module, type, name, ...) module##_##name##_enter_,
#define DP_IMPLEMENTATION(module, PROCEDURES, state)                                                                   \
    PROCEDURES(DP_BODY_, module)                                                                                       \
    word module(word procedure, word frame, word a, word b, word c, word d)                                            \
    {                                                                                                                  \
        static word (*const table[])(const struct dp_module *, int, word) = {PROCEDURES(DP_ENTRY_, module)};           \
        int client = dp_enter_(state, &(struct dp_password){{a, b}});                                                  \
        (void)c, (void)d;                                                                                              \
        if (client < 0)                                                                                                \
            return client;                                                                                             \
        word done_ = table[procedure](state, client, frame);                                                           \
        dp_leave_(state, client);                                                                                      \
        return done_;                                                                                                  \
    }

#endif
