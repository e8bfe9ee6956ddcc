// system bench-isolation
// icount
// timeout 60
// expect stdout row table=isolation operation=domain specification=smciii measure=round-trip value=149
// expect stdout row table=isolation operation=domain specification=nmri measure=round-trip value=197
// expect stdout row table=isolation operation=domain specification=npiii measure=round-trip value=148
// expect stdout row table=isolation operation=domain specification=npr measure=64-bytes value=246
// expect stdout row table=isolation operation=domain specification=npRi measure=4096-bytes value=2829
// expect stdout row table=isolation operation=trusted specification=smciii measure=round-trip value=76
// expect stdout row table=isolation operation=trusted specification=nmri measure=round-trip value=124
// expect stdout row table=isolation operation=trusted specification=npiii measure=round-trip value=109
// expect stdout row table=isolation operation=trusted specification=npr measure=64-bytes value=206
// expect stdout row table=isolation operation=trusted specification=npRi measure=4096-bytes value=2790
// expect stdout row table=isolation operation=dp specification=smciii measure=round-trip value=149
// expect stdout row table=isolation operation=dp specification=nmri measure=round-trip value=197
// expect stdout row table=isolation operation=dp specification=npiii measure=round-trip value=148
// expect stdout row table=isolation operation=dp specification=npr measure=64-bytes value=246
// expect stdout row table=isolation operation=dp specification=npRi measure=4096-bytes value=2829
// expect stdout row table=isolation operation=dp specification=npii measure=64-bytes value=194
// expect stdout row table=isolation operation=dp specification=npii measure=4096-bytes value=2714
// expect stdout row table=isolation operation=supervisor specification=smciii measure=round-trip value=83
// expect stdout row table=isolation operation=supervisor specification=nmri measure=round-trip value=131
// expect stdout row table=isolation operation=supervisor specification=npiii measure=round-trip value=111
// expect stdout row table=isolation operation=supervisor specification=npr measure=64-bytes value=208
// expect stdout row table=isolation operation=supervisor specification=npRi measure=4096-bytes value=2792
// expect stdout row table=isolation operation=sfi specification=npiii measure=round-trip value=313
// expect stdout row table=isolation operation=sfi specification=npr measure=64-bytes value=3560
// expect stdout row table=isolation operation=sfi specification=npRi measure=4096-bytes value=6152
/* What a call costs by its callee's isolation, as the pages about domains of protection and supervisor domains say. */
#include "../../apps/bench/isolation.c"
