//! The time of an answer, as its head says it (RFC 9110, section 5.6.7).

use core::fmt::{self, Display, Formatter};

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
/// Of 400 years, which repeat.
const DAYS_OF_400: u64 = 146_097;

/// Seconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Date(pub u64);
impl Display for Date {
    fn fmt(&self, f: &mut Formatter) -> fmt::Result {
        let (days, second) = (self.0 / 86_400, self.0 % 86_400);
        // Years begin in March, so that the day that some have more is their last: 719,468 days before 1970 is the first of March of the year 0.
        let (era, day) = ((days + 719_468) / DAYS_OF_400, (days + 719_468) % DAYS_OF_400);
        let year = (day - day / 1_460 + day / 36_524 - day / (DAYS_OF_400 - 1)) / 365;
        let day = day - (365 * year + year / 4 - year / 100);
        // Months of 31 and 30 days in turn, five of them 153 days.
        let month = (5 * day + 2) / 153;
        let day = day - (153 * month + 2) / 5 + 1;
        let month = if month < 10 { month + 2 } else { month - 10 };
        let year = 400 * era + year + u64::from(month < 2);
        let (weekday, month) = (DAYS[(days % 7) as usize], MONTHS[month as usize]);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        write!(f, "{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::string::ToString;
    #[test]
    fn dates_are_as_the_calendar_has_them() {
        for (seconds, text) in [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (951_868_799, "Tue, 29 Feb 2000 23:59:59 GMT"),
            (1_709_251_200, "Fri, 01 Mar 2024 00:00:00 GMT"),
            (1_798_761_599, "Thu, 31 Dec 2026 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
        ] {
            assert_eq!(Date(seconds).to_string(), text);
        }
    }
    /// Day after day, by the rule that each follows the one before.
    #[test]
    fn no_day_of_400_years_is_left_out_or_twice() {
        let (mut year, mut month, mut day) = (1970, 0, 1);
        for days in 0..DAYS_OF_400 {
            let text = Date(days * 86_400).to_string();
            assert_eq!(text[5..16], format!("{day:02} {} {year}", MONTHS[month]), "{text}");
            let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
            let last = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month];
            day = day % last + 1;
            month = (month + usize::from(day == 1)) % 12;
            year += u64::from(day == 1 && month == 0);
        }
    }
}
