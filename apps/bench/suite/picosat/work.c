#include "suite.h"
#include <picosat.h>

/* Random formulas of three literals a clause, near where half of them can be true. */
enum { VARIABLES = 60, CLAUSES = 255, FORMULAS = 8 };

void work(void)
{
    for (int formula = 0; formula < FORMULAS; formula++) {
        PicoSAT *solver = picosat_init();
        for (int n = 0; n < CLAUSES; n++) {
            for (int k = 0; k < 3; k++) {
                int variable = 1 + (int)(suite_random() % VARIABLES);
                picosat_add(solver, suite_random() & 1 ? variable : -variable);
            }
            picosat_add(solver, 0);
        }
        int answer = picosat_sat(solver, -1);
        suite_result(&answer, sizeof answer);
        for (int n = 1; n <= VARIABLES && answer == PICOSAT_SATISFIABLE; n++) {
            int value = picosat_deref(solver, n);
            suite_result(&value, sizeof value);
        }
        picosat_reset(solver);
    }
}
