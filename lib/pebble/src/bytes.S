/* memcpy, memmove, memset, memcmp and bcmp, as the compiler calls them. Those that come with Rust move a word with five instructions, or eight
   where source and destination lie differently in their words; here it is little more than two, and five.

   Words are read and written where they are aligned, on every processor. Where the source lies otherwise, a word that has one of its bytes is
   read whole: it is in the same page. Loads of a block come before its stores, so memcpy is memmove where the destination is lower. */

    .macro FUNCTION name
    .section .text.\name, "ax", @progbits
    .globl \name
    .type \name, @function
    .balign 4
\name:
    .endm

    .macro COPY_WORDS at
    ld      t0, \at(a1)
    ld      t1, \at + 8(a1)
    ld      t2, \at + 16(a1)
    ld      t3, \at + 24(a1)
    ld      t4, \at + 32(a1)
    ld      t5, \at + 40(a1)
    ld      t6, \at + 48(a1)
    ld      a6, \at + 56(a1)
    sd      t0, \at(a5)
    sd      t1, \at + 8(a5)
    sd      t2, \at + 16(a5)
    sd      t3, \at + 24(a5)
    sd      t4, \at + 32(a5)
    sd      t5, \at + 40(a5)
    sd      t6, \at + 48(a5)
    sd      a6, \at + 56(a5)
    .endm

/* The word at \at of the destination, of \low, which was read before, and \high. t5, t6: by how much they are shifted. */
    .macro SHIFT_WORD at, low, high
    ld      \high, \at + 8(a1)
    srl     \low, \low, t5
    sll     t4, \high, t6
    or      \low, \low, t4
    sd      \low, \at(a5)
    .endm

/* a0: destination, a1: source, a2: bytes. a5: where the next byte goes. */
FUNCTION memcpy
    mv      a5, a0
    li      a3, 16
    bltu    a2, a3, .Lforward_rest
    neg     a3, a0
    andi    a3, a3, 7
    beqz    a3, .Lforward_aligned
    sub     a2, a2, a3
1:  lbu     t0, 0(a1)
    addi    a1, a1, 1
    sb      t0, 0(a5)
    addi    a5, a5, 1
    addi    a3, a3, -1
    bnez    a3, 1b
.Lforward_aligned:
    andi    a4, a1, 7
    bnez    a4, .Lforward_shifted
    andi    a3, a2, -128
    beqz    a3, 2f
    sub     a2, a2, a3
    add     a3, a3, a1
1:  COPY_WORDS 0
    COPY_WORDS 64
    addi    a1, a1, 128
    addi    a5, a5, 128
    bne     a1, a3, 1b
2:  andi    a3, a2, 64
    beqz    a3, 3f
    COPY_WORDS 0
    addi    a1, a1, 64
    addi    a5, a5, 64
3:  andi    a3, a2, 56
    andi    a2, a2, 7
    beqz    a3, .Lforward_rest
    add     a3, a3, a1
4:  ld      t0, 0(a1)
    addi    a1, a1, 8
    sd      t0, 0(a5)
    addi    a5, a5, 8
    bne     a1, a3, 4b
.Lforward_rest:
    beqz    a2, 6f
    add     a2, a2, a1
5:  lbu     t0, 0(a1)
    addi    a1, a1, 1
    sb      t0, 0(a5)
    addi    a5, a5, 1
    bne     a1, a2, 5b
6:  ret
/* a1 is a4 bytes into a word. */
.Lforward_shifted:
    sub     a1, a1, a4
    slli    t5, a4, 3
    neg     t6, t5
    ld      t0, 0(a1)
    andi    a3, a2, -64
    beqz    a3, 2f
    sub     a2, a2, a3
    add     a3, a3, a1
1:  SHIFT_WORD 0, t0, t1
    SHIFT_WORD 8, t1, t2
    SHIFT_WORD 16, t2, t3
    SHIFT_WORD 24, t3, t0
    SHIFT_WORD 32, t0, t1
    SHIFT_WORD 40, t1, t2
    SHIFT_WORD 48, t2, t3
    SHIFT_WORD 56, t3, t0
    addi    a1, a1, 64
    addi    a5, a5, 64
    bne     a1, a3, 1b
2:  andi    a3, a2, 56
    andi    a2, a2, 7
    beqz    a3, 4f
    add     a3, a3, a1
3:  SHIFT_WORD 0, t0, t1
    mv      t0, t1
    addi    a1, a1, 8
    addi    a5, a5, 8
    bne     a1, a3, 3b
4:  add     a1, a1, a4
    j       .Lforward_rest
    .size memcpy, . - memcpy

FUNCTION memmove
    sub     a3, a0, a1
    bltu    a3, a2, 1f
    tail    memcpy
/* The destination's start lies in the source: from the end on. */
1:  add     a5, a0, a2
    add     a1, a1, a2
    li      a3, 16
    bltu    a2, a3, 7f
    andi    a3, a5, 7
    sub     a2, a2, a3
    beqz    a3, 3f
2:  lbu     t0, -1(a1)
    addi    a1, a1, -1
    sb      t0, -1(a5)
    addi    a5, a5, -1
    addi    a3, a3, -1
    bnez    a3, 2b
3:  andi    a4, a1, 7
    andi    a3, a2, -8
    andi    a2, a2, 7
    beqz    a3, 7f
    bnez    a4, 5f
    sub     a3, a5, a3
4:  ld      t0, -8(a1)
    addi    a1, a1, -8
    sd      t0, -8(a5)
    addi    a5, a5, -8
    bne     a5, a3, 4b
    j       7f
5:  sub     a1, a1, a4
    slli    t5, a4, 3
    neg     t6, t5
    ld      t0, 0(a1)
    sub     a3, a5, a3
6:  ld      t1, -8(a1)
    sll     t0, t0, t6
    srl     t2, t1, t5
    or      t0, t0, t2
    sd      t0, -8(a5)
    mv      t0, t1
    addi    a1, a1, -8
    addi    a5, a5, -8
    bne     a5, a3, 6b
    add     a1, a1, a4
7:  beqz    a2, 9f
    sub     a2, a1, a2
8:  lbu     t0, -1(a1)
    addi    a1, a1, -1
    sb      t0, -1(a5)
    addi    a5, a5, -1
    bne     a1, a2, 8b
9:  ret
    .size memmove, . - memmove

/* a0: destination, a1: the byte, a2: bytes. */
FUNCTION memset
    mv      a5, a0
    li      a3, 16
    bltu    a2, a3, 5f
    andi    a1, a1, 255
    slli    a4, a1, 8
    or      a1, a1, a4
    slli    a4, a1, 16
    or      a1, a1, a4
    slli    a4, a1, 32
    or      a1, a1, a4
    neg     a3, a0
    andi    a3, a3, 7
    beqz    a3, 2f
    sub     a2, a2, a3
1:  sb      a1, 0(a5)
    addi    a5, a5, 1
    addi    a3, a3, -1
    bnez    a3, 1b
2:  andi    a3, a2, -64
    beqz    a3, 4f
    sub     a2, a2, a3
    add     a3, a3, a5
3:  sd      a1, 0(a5)
    sd      a1, 8(a5)
    sd      a1, 16(a5)
    sd      a1, 24(a5)
    sd      a1, 32(a5)
    sd      a1, 40(a5)
    sd      a1, 48(a5)
    sd      a1, 56(a5)
    addi    a5, a5, 64
    bne     a5, a3, 3b
4:  andi    a3, a2, 56
    andi    a2, a2, 7
    beqz    a3, 5f
    add     a3, a3, a5
1:  sd      a1, 0(a5)
    addi    a5, a5, 8
    bne     a5, a3, 1b
5:  beqz    a2, 7f
    add     a2, a2, a5
6:  sb      a1, 0(a5)
    addi    a5, a5, 1
    bne     a5, a2, 6b
7:  ret
    .size memset, . - memset

/* a0, a1: what is compared, a2: bytes. The result is the difference of the first bytes that differ. */
FUNCTION memcmp
    .globl bcmp
    .type bcmp, @function
bcmp:
    li      a3, 16
    bltu    a2, a3, 3f
    xor     a4, a0, a1
    andi    a4, a4, 7
    bnez    a4, 3f
    neg     a3, a0
    andi    a3, a3, 7
    beqz    a3, 2f
    sub     a2, a2, a3
1:  lbu     t0, 0(a0)
    lbu     t1, 0(a1)
    bne     t0, t1, 6f
    addi    a0, a0, 1
    addi    a1, a1, 1
    addi    a3, a3, -1
    bnez    a3, 1b
2:  andi    a3, a2, -8
    beqz    a3, 3f
    add     a3, a3, a0
    add     a2, a2, a0
1:  ld      t0, 0(a0)
    ld      t1, 0(a1)
    bne     t0, t1, 2f
    addi    a0, a0, 8
    addi    a1, a1, 8
    bne     a0, a3, 1b
2:  sub     a2, a2, a0
3:  beqz    a2, 5f
    add     a2, a2, a0
4:  lbu     t0, 0(a0)
    lbu     t1, 0(a1)
    bne     t0, t1, 6f
    addi    a0, a0, 1
    addi    a1, a1, 1
    bne     a0, a2, 4b
5:  li      a0, 0
    ret
6:  sub     a0, t0, t1
    ret
    .size memcmp, . - memcmp
    .text
