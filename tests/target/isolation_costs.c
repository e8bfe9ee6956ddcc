// system bench-isolation
// icount
// timeout 60
// expect stdout row table=isolation operation=domain specification=smciii measure=round-trip value=149
// expect stdout row table=isolation operation=trusted specification=smciii measure=round-trip value=76
// expect stdout row table=isolation operation=supervisor specification=smciii measure=round-trip value=83
// expect stdout row table=isolation operation=supervisor specification=npiii measure=round-trip value=111
// expect stdout row table=isolation operation=supervisor specification=nmri measure=round-trip value=131
/* What a call costs by its callee's isolation, as the page about supervisor domains says. */
#include "../../apps/bench/isolation.c"
