#include "suite.h"
#include <scheme-private.h>
#include <scheme.h>
#include <stdlib.h>

static const char program[] =
    "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))"
    "(define (range n) (let loop ((i n) (l '())) (if (= i 0) l (loop (- i 1) (cons i l)))))"
    "(define (map1 f l) (if (null? l) '() (cons (f (car l)) (map1 f (cdr l)))))"
    "(define (fold f a l) (if (null? l) a (fold f (f a (car l)) (cdr l))))"
    "(define (queens n) (define (ok? row dist placed) (cond ((null? placed) #t) ((= (car placed) (+ row dist)) #f) ((= (car placed) (- row dist)) #f) ((= (car placed) row) #f) (else (ok? row (+ dist 1) (cdr placed)))))"
    "  (define (try row placed k) (cond ((= k 0) 1) ((> row n) 0) (else (+ (if (ok? row 1 placed) (try 1 (cons row placed) (- k 1)) 0) (try (+ row 1) placed k))))) (try 1 '() n))"
    "(define result (+ (* 1000000 (fib 10)) (* 1000 (queens 4)) (fold + 0 (map1 (lambda (x) (quotient (* x x) 7)) (range 200)))))";

void work(void)
{
    scheme *machine = scheme_init_new();
    if (!machine)
        abort();
    scheme_load_string(machine, program);
    if (machine->retcode != 0)
        abort();
    pointer found = scheme_eval(machine, mk_symbol(machine, "result"));
    long value = ivalue(found);
    suite_result(&value, sizeof value);
    scheme_deinit(machine);
    free(machine);
}
