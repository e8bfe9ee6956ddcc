//! Parts of a file (RFC 9110, section 14). One range; of several, which a server may ignore, none.

/// What a `Range` header asks for of `length` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// All of it.
    All,
    /// `start` up to, but without, `end`.
    Part(u64, u64),
    /// Nothing that there is.
    Unsatisfiable,
}
pub fn parse(header: &str, length: u64) -> Range {
    let Some(range) = header.trim().strip_prefix("bytes=") else { return Range::All };
    let Some((first, last)) = range.split_once('-') else { return Range::All };
    let number = |text: &str| -> Option<u64> {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        // One too large to be told is beyond any end.
        digits.then(|| text.parse().unwrap_or(u64::MAX))
    };
    match (number(first), number(last)) {
        (None, Some(0)) if first.is_empty() => Range::Unsatisfiable,
        (None, Some(last)) if first.is_empty() && length > 0 => Range::Part(length.saturating_sub(last), length),
        (Some(first), last) if last.is_some() || range.ends_with('-') => match last {
            Some(last) if last < first => Range::All,
            _ if first >= length => Range::Unsatisfiable,
            last => Range::Part(first, last.map_or(length, |last| last.saturating_add(1).min(length))),
        },
        _ => Range::All,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ranges_of_the_specification() {
        for (header, range) in [
            ("bytes=0-499", Range::Part(0, 500)),
            ("bytes=500-999", Range::Part(500, 1000)),
            ("bytes=-500", Range::Part(9500, 10_000)),
            ("bytes=9500-", Range::Part(9500, 10_000)),
            ("bytes=0-0", Range::Part(0, 1)),
            ("bytes=-1", Range::Part(9999, 10_000)),
            ("bytes=0-99999", Range::Part(0, 10_000)),
            ("bytes=-99999", Range::Part(0, 10_000)),
            ("bytes=10000-", Range::Unsatisfiable),
            ("bytes=-0", Range::Unsatisfiable),
            ("bytes=99999999999999999999-", Range::Unsatisfiable),
        ] {
            assert_eq!(parse(header, 10_000), range, "{header}");
        }
    }
    #[test]
    fn what_is_no_range_asks_for_everything() {
        for header in
            ["", "bytes", "bytes=", "bytes=-", "bytes=a-b", "bytes=5-1", "lines=1-2", "bytes=0-1,5-6", "bytes=+1-2"]
        {
            assert_eq!(parse(header, 10_000), Range::All, "{header}");
        }
    }
    #[test]
    fn nothing_can_be_had_of_an_empty_file() {
        assert_eq!((parse("bytes=0-", 0), parse("bytes=-5", 0)), (Range::Unsatisfiable, Range::All));
    }
}
