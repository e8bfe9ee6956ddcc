//! The time of day as `date` says it.

use alloc::string::{String, ToString};
use jiff::Timestamp;
use jiff::fmt::strtime;

/// A time in nanoseconds since 1970, as POSIX's `date` says it of UTC; `None`: out of the calendar.
pub fn of(nanoseconds: i64) -> Option<String> {
    let time = Timestamp::from_nanosecond(nanoseconds.into()).ok()?;
    Some(strtime::format("%a %b %e %H:%M:%S UTC %Y", time).ok()?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_time_is_said_as_posix_does() {
        assert_eq!(of(0).unwrap(), "Thu Jan  1 00:00:00 UTC 1970");
        assert_eq!(of(1_709_164_799_999_999_999).unwrap(), "Wed Feb 28 23:59:59 UTC 2024");
        assert_eq!(of(1_709_164_800_000_000_000).unwrap(), "Thu Feb 29 00:00:00 UTC 2024");
        assert_eq!(of(i64::MAX).unwrap(), "Fri Apr 11 23:47:16 UTC 2262");
    }
}
