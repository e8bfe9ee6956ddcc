//! The time of day, and alarms.

use crate::types::Moment;

interface! {
    "Clock driver (`drivers/clock`)";
    /// The time, in nanoseconds since 1970; `EIO`: the device has no interrupt
    "clock.time", "nm": fn time() -> Result<Moment>;
    /// Waits until that time, by the clock's own interrupt; `EBUSY` when three wait; `ECANCELED`
    "clock.alarm", "nmi": fn alarm(time: Moment) -> Result<()>;
}
