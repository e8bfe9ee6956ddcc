//! Setting the time of day: of the clock's driver where its argument says so, and of whoever is to be trusted with that.

use crate::types::Moment;

interface! {
    "Setting the clock (`drivers/clock`, where its argument is `settable`)";
    /// The time of day is that from now on; who waits for a time that it is then, or was before, is woken. `EINVAL`: it is before 1970
    "time.set", "npi": fn set(time: Moment) -> Result<()>;
}
