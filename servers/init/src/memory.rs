//! How the memory is shared out: what the system keeps for itself, and how much each component may have.

/// Pages that a thread takes beside its stack: its own page, and its service stack.
const THREAD: usize = 3;
/// Pages that a domain takes beside its memory and the tables of that: its root table, and its block, with counters or without.
const fn domain(counters: bool) -> usize {
    1 + abi::nucleus::domain::pages(counters)
}
/// Pages for the servers' own tables.
const SERVERS: usize = 512;

/// Of `free` pages, those for the components, where there can be so many threads and domains. The system keeps what these take, but
/// on a small machine no more than a quarter: there the machine may have no room for all threads that the limits allow.
pub fn for_components(free: usize, threads: usize, domains: usize, counters: bool) -> usize {
    free - (threads * THREAD + domains * domain(counters) + SERVERS).min(free / 4)
}
/// Of the `pages` that the component with the files may have, those for what its clients keep there: the rest is for what it needs
/// besides, for each file and for each that is open.
pub fn for_files(pages: usize) -> usize {
    pages / 4 * 3
}
/// Pages of the `all` that a component may have: `percent` of them; or an even share of what is left where all that say have `given`
/// percent together and `others` do not say.
pub fn share(all: usize, percent: Option<u32>, given: u32, others: usize) -> usize {
    match percent {
        Some(percent) => all * percent as usize / 100,
        None => all * 100usize.saturating_sub(given as usize) / 100 / others.max(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn the_shares_are_never_more_than_there_is() {
        for given in [0, 10, 33, 99, 100] {
            for others in 0..9 {
                let sum = share(30_000, Some(given), given, others) + others * share(30_000, None, given, others);
                assert!(sum <= 30_000, "{given} percent and {others} more");
            }
        }
    }
    #[test]
    fn the_system_keeps_what_threads_and_domains_take() {
        assert_eq!(for_components(32_000, 1000, 100, false), 32_000 - 3000 - 200 - SERVERS);
        assert_eq!(for_components(32_000, 1000, 100, true), 32_000 - 3000 - 300 - SERVERS);
        assert_eq!(for_components(8_000, 2000, 400, false), 6_000);
    }
}
