/* Atomic operations on 8 and 16 bits, which the instruction set has for words only: a word is exchanged in which the rest stays as it is. The compiler
   calls these where it can not do better. */
#include <stdbool.h>
#include <stdint.h>

/* The word that a part is in, and where in it that begins. */
static inline uint32_t *word_of(volatile void *at, int *shift)
{
    *shift = ((uintptr_t)at & 3) * 8;
    return (uint32_t *)((uintptr_t)at & -4ul);
}
/* The part before; `changed` is what it is then, of `part`, the one before. */
#define CHANGE(at, type, changed)                                                                                           \
    int shift;                                                                                                              \
    uint32_t *word = word_of(at, &shift), mask = (uint32_t)(type)-1 << shift, before = __atomic_load_n(word, __ATOMIC_RELAXED), after; \
    type part;                                                                                                              \
    do {                                                                                                                    \
        part = before >> shift;                                                                                             \
        after = (before & ~mask) | (uint32_t)(type)(changed) << shift;                                                      \
    } while (!__atomic_compare_exchange_n(word, &before, after, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));                \
    return part;

#define OPERATION(bytes, type, name, changed)                                                                    \
    type __pebble_atomic_##name##_##bytes(volatile void *at, type value, int order) __asm__("__atomic_" #name "_" #bytes); \
    type __pebble_atomic_##name##_##bytes(volatile void *at, type value, int order)                              \
    {                                                                                                            \
        (void)order;                                                                                             \
        CHANGE(at, type, changed)                                                                                \
    }
#define OPERATIONS(bytes, type)                             \
    OPERATION(bytes, type, exchange, value)                 \
    OPERATION(bytes, type, fetch_add, part + value)         \
    OPERATION(bytes, type, fetch_sub, part - value)         \
    OPERATION(bytes, type, fetch_and, part & value)         \
    OPERATION(bytes, type, fetch_or, part | value)          \
    OPERATION(bytes, type, fetch_xor, part ^ value)         \
    OPERATION(bytes, type, fetch_nand, ~(part & value))     \
    COMPARISON(bytes, type)

#define COMPARISON(bytes, type)                                                                                                    \
    bool __pebble_atomic_compare_##bytes(volatile void *at, void *wanted, type value, bool weak, int order, int otherwise)          \
        __asm__("__atomic_compare_exchange_" #bytes);                                                                              \
    bool __pebble_atomic_compare_##bytes(volatile void *at, void *wanted, type value, bool weak, int order, int otherwise)          \
    {                                                                                                                              \
        (void)weak, (void)order, (void)otherwise;                                                                                  \
        int shift;                                                                                                                 \
        uint32_t *word = word_of(at, &shift), mask = (uint32_t)(type)-1 << shift, before = __atomic_load_n(word, __ATOMIC_RELAXED); \
        for (;;) {                                                                                                                 \
            type part = before >> shift;                                                                                           \
            if (part != *(type *)wanted) {                                                                                         \
                *(type *)wanted = part;                                                                                            \
                return false;                                                                                                      \
            }                                                                                                                      \
            if (__atomic_compare_exchange_n(word, &before, (before & ~mask) | (uint32_t)value << shift, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) \
                return true;                                                                                                       \
        }                                                                                                                          \
    }

OPERATIONS(1, uint8_t)
OPERATIONS(2, uint16_t)
