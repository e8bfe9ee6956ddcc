//! Who gives way where all connections that are served at a time are taken, and one more has come.
//!
//! A client that was answered and asks nothing more gives way to whoever comes, as RFC 9112 (section 9.3) lets a server do at any time. One that has
//! not asked yet does so after a while, which is short where its host has more places than the newcomer's would have; and there one that is being
//! answered, too. Of several, one of the host that has the most goes, and of that the one that has waited longest. So a host that takes all
//! places keeps those of others waiting for a moment, not for as long as it likes.

pub use abi::internet::Host;

/// Microseconds for which a client that is expected to send something keeps its place: where it is its host's due, and where it is not.
pub const TIME_TO_ASK: u64 = 10_000_000;
pub const GRACE: u64 = 1_000_000;

/// What a connection waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The client's first request, or the rest of one.
    Asking,
    /// Its next request.
    Idle,
    /// That the client takes its answer.
    Answering,
}
/// A connection that has a place.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub host: Host,
    pub standing: Standing,
    /// Since when, in microseconds.
    pub since: u64,
}
/// Which of the connections gives way to one of `newcomer`. `None`: it waits.
pub fn gives_way(held: &[Held], newcomer: Host, now: u64) -> Option<usize> {
    let count = |host| held.iter().filter(|one| one.host == host).count();
    let has_more = |one: &Held| count(one.host) > count(newcomer) + 1;
    let late = |one: &Held| {
        let grace = match one.standing {
            Standing::Answering => return false,
            Standing::Asking if !has_more(one) => TIME_TO_ASK,
            Standing::Asking | Standing::Idle => GRACE,
        };
        now.saturating_sub(one.since) >= grace
    };
    let longest = |wanted: &dyn Fn(&Held) -> bool| {
        let wanted = held.iter().enumerate().filter(|(_, one)| wanted(one));
        wanted.max_by_key(|(_, one)| (count(one.host), u64::MAX - one.since)).map(|(n, _)| n)
    };
    longest(&late).or_else(|| longest(&has_more))
}

#[cfg(test)]
mod tests {
    use super::Standing::*;
    use super::*;
    use core::net::IpAddr;
    const NOW: u64 = 60_000_000;

    fn host(n: u8) -> Host {
        IpAddr::from([10, 0, 0, n]).into()
    }
    fn held(n: u8, standing: Standing, seconds: u64) -> Held {
        Held { host: host(n), standing, since: NOW - seconds * 1_000_000 }
    }

    #[test]
    fn who_has_asked_nothing_for_longest_gives_way() {
        let all = [held(1, Idle, 3), held(1, Idle, 5), held(1, Answering, 50)];
        assert_eq!(gives_way(&all, host(1), NOW), Some(1));
        assert_eq!(gives_way(&all, host(2), NOW), Some(1));
    }
    #[test]
    fn who_has_asked_nothing_yet_gives_way_after_a_while() {
        assert_eq!(gives_way(&[held(1, Answering, 9), held(1, Asking, 9)], host(1), NOW), None);
        assert_eq!(gives_way(&[held(1, Answering, 9), held(1, Asking, 10)], host(1), NOW), Some(1));
    }
    #[test]
    fn it_gives_way_soon_where_its_host_has_more_than_its_share() {
        let all = [held(1, Asking, 2), held(1, Asking, 3), held(2, Asking, 4)];
        assert_eq!(gives_way(&all, host(3), NOW), Some(1));
        assert_eq!(gives_way(&all, host(2), NOW), None);
    }
    #[test]
    fn who_has_just_come_keeps_its_place() {
        assert_eq!(gives_way(&[held(1, Idle, 0), held(1, Asking, 0)], host(1), NOW), None);
    }
    #[test]
    fn of_two_hosts_the_one_with_more_places_gives_way() {
        let all = [held(1, Idle, 9), held(2, Idle, 2), held(2, Idle, 3)];
        assert_eq!(gives_way(&all, host(1), NOW), Some(2));
    }
    #[test]
    fn who_takes_answers_slowly_gives_way_to_hosts_with_fewer_places() {
        let all = [held(1, Answering, 1), held(1, Answering, 30), held(2, Answering, 40)];
        assert_eq!(gives_way(&all, host(3), NOW), Some(1), "it has two, the newcomer would have one");
        assert_eq!(gives_way(&all, host(2), NOW), None, "each would have as many");
        assert_eq!(gives_way(&all, host(1), NOW), None);
    }
    #[test]
    fn whatever_is_held_somebody_comes_in_after_a_while_who_has_no_place() {
        // All of one host, in every state.
        for standing in [Idle, Asking, Answering] {
            assert!(gives_way(&[held(1, standing, 2); 30], host(2), NOW).is_some());
        }
    }
}
