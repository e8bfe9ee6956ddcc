//! What is done about a difference that a server of NTP tells of. Free of portals, so that the host tests it.
#![cfg_attr(not(test), no_std)]

/// Microseconds that the clock may be put forward or back by, once it was set: a server that says more is wrong, or is none (RFC 5905's
/// reference implementation calls it the panic threshold).
pub const MOST: u64 = 1_000_000_000;
/// Microseconds from which on it is said that the clock was set.
pub const WORTH_SAYING: u64 = 1_000_000;

/// Whether the clock is right, as far as is known.
#[derive(Default)]
pub struct Trust {
    set: bool,
}
/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Have the clock say so many nanoseconds since 1970.
    Set(u64),
    /// Leave it: the server is too far off.
    Refuse,
}
impl Trust {
    /// The clock says `now`, in nanoseconds, and the server is `offset` microseconds ahead.
    pub fn decide(&mut self, now: u64, offset: i64) -> Decision {
        if self.set && offset.unsigned_abs() > MOST {
            return Decision::Refuse;
        }
        match offset.checked_mul(1000).and_then(|nanoseconds| now.checked_add_signed(nanoseconds)) {
            Some(time) if time <= i64::MAX as u64 => {
                self.set = true;
                Decision::Set(time)
            }
            _ => Decision::Refuse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn the_first_difference_is_believed_and_a_large_one_behind_it_is_not() {
        let mut trust = Trust::default();
        assert_eq!(trust.decide(5, 2_000_000_000), Decision::Set(2_000_000_000_005));
        assert_eq!(trust.decide(0, MOST as i64 + 1), Decision::Refuse);
        assert_eq!(trust.decide(1 << 60, -(MOST as i64) - 1), Decision::Refuse);
        assert_eq!(trust.decide(5_000, -5), Decision::Set(0));
    }
    #[test]
    fn a_time_before_1970_or_behind_2262_is_none() {
        for offset in [-2, i64::MIN, i64::MAX, i64::MAX / 1000] {
            assert_eq!(Trust::default().decide(1_000, offset), Decision::Refuse);
        }
    }
}
