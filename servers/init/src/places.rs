//! Components that were loaded and wait for their starters' word: for whom each is, and how many each account may have.
//!
//! A place is taken before the component is loaded, which takes long, and is its starter's until that one has had it started or has ended.
//! Starters are identities: who has the number of one that has ended finds nothing here.

use abi::Error;
use abi::account::ACCOUNTS;
use abi::identity::DomainId;
use alloc::vec::Vec;
use fallible::TryPush;

/// Places that are kept for each account.
const KEPT: usize = 1;
/// Those beside, of which who takes all it can leaves half of what is left.
const COMMON: usize = 16;
/// Most components that wait at a time.
const MOST: usize = KEPT * ACCOUNTS + COMMON;

/// What a place has been taken for; no other has this number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ticket(u64);
struct Place<T> {
    ticket: Ticket,
    starter: DomainId,
    /// The number of its starter's account.
    account: usize,
    /// `None`: it is being loaded.
    loaded: Option<T>,
}
/// All places.
pub struct Places<T> {
    all: Vec<Place<T>>,
    taken: u64,
}
impl<T> Places<T> {
    /// With room for all there may be. `ENOMEM`.
    pub fn new() -> Result<Places<T>, Error> {
        let mut all = Vec::new();
        all.room_for(MOST)?;
        Ok(Places { all, taken: 0 })
    }
    /// A place for what `starter` has loaded, whose account is number `account`. `EBUSY`: that one has its share; `EINVAL`: there is no such account.
    pub fn take(&mut self, starter: DomainId, account: usize) -> Result<Ticket, Error> {
        let mut of = [0; ACCOUNTS];
        self.all.iter().for_each(|place| of[place.account % ACCOUNTS] += 1);
        let beyond = |own: usize| own.saturating_sub(KEPT);
        let left = COMMON.saturating_sub(of.iter().map(|&own| beyond(own)).sum());
        let own = *of.get(account).ok_or(Error::EINVAL)?;
        if own >= KEPT && beyond(own) >= left {
            return Err(Error::EBUSY);
        }
        self.taken += 1;
        let ticket = Ticket(self.taken);
        self.all.push_kept(Place { ticket, starter, account, loaded: None });
        Ok(ticket)
    }
    /// What the place was taken for is loaded. It comes back where the place is none any more: its starter has ended meanwhile.
    pub fn fill(&mut self, ticket: Ticket, loaded: T) -> Option<T> {
        match self.all.iter_mut().find(|place| place.ticket == ticket) {
            Some(place) => place.loaded.replace(loaded),
            None => Some(loaded),
        }
    }
    /// What the place was taken for is not loaded.
    pub fn give_up(&mut self, ticket: Ticket) {
        self.all.retain(|place| place.ticket != ticket);
    }
    /// What `starter` has loaded and `is` the one that is meant, for it to be started.
    pub fn start(&mut self, starter: DomainId, is: impl Fn(&T) -> bool) -> Option<T> {
        let meant = |place: &Place<T>| place.starter == starter && place.loaded.as_ref().is_some_and(&is);
        self.all.iter().position(meant).and_then(|n| self.all.swap_remove(n).loaded)
    }
    /// One of those that are for nobody since `domain` has ended: it was their starter, or `runs_in` it; repeated, each of them. What is being loaded
    /// for it has no place any more.
    pub fn of_the_dead(&mut self, domain: DomainId, runs_in: impl Fn(&T) -> bool) -> Option<T> {
        self.all.retain(|place| place.starter != domain || place.loaded.is_some());
        let gone = |place: &Place<T>| place.starter == domain || place.loaded.as_ref().is_some_and(&runs_in);
        self.all.iter().position(gone).and_then(|n| self.all.swap_remove(n).loaded)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use abi::identity::Serials;

    /// Number 9, which three have had one after the other.
    fn same_number() -> [DomainId; 3] {
        let mut serials = Serials::after(20);
        [(); 3].map(|()| DomainId::new(9, serials.next().unwrap()).unwrap())
    }
    fn all(places: &mut Places<u32>, starter: DomainId, account: usize) -> usize {
        (0..).find(|_| places.take(starter, account) == Err(Error::EBUSY)).unwrap()
    }
    #[test]
    fn who_takes_all_it_can_leaves_some_for_each_other() {
        let ([one, other, _], mut places) = (same_number(), Places::new().unwrap());
        assert_eq!(all(&mut places, one, 1), KEPT + COMMON / 2);
        assert_eq!(all(&mut places, other, 1), 0, "a share is an account's");
        let rest: usize =
            (2..ACCOUNTS).map(|account| all(&mut places, other, account)).inspect(|&own| assert!(own >= KEPT)).sum();
        assert!(places.all.len() == KEPT + COMMON / 2 + rest && places.all.len() <= MOST);
        assert_eq!(places.take(one, ACCOUNTS), Err(Error::EINVAL));
    }
    #[test]
    fn what_the_dead_had_comes_back_and_is_nobodys_that_has_the_number() {
        let ([dead, heir, _], mut places) = (same_number(), Places::new().unwrap());
        let [one, other] = [5, 6].map(|loaded| {
            let ticket = places.take(dead, 1).unwrap();
            assert_eq!(places.fill(ticket, loaded), None);
            loaded
        });
        assert_eq!(places.start(heir, |_| true), None);
        assert_eq!(places.of_the_dead(heir, |_| false), None);
        assert_eq!([(); 3].map(|()| places.of_the_dead(dead, |_| false)), [Some(one), Some(other), None]);
        assert_eq!(all(&mut places, heir, 1), KEPT + COMMON / 2);
    }
    #[test]
    fn what_is_loaded_when_its_starter_has_ended_comes_back() {
        let ([dead, heir, _], mut places) = (same_number(), Places::new().unwrap());
        let (ticket, its) = (places.take(dead, 1).unwrap(), places.take(heir, 1).unwrap());
        assert_eq!(places.of_the_dead(dead, |_| false), None);
        assert_eq!((places.fill(ticket, 5), places.fill(its, 6)), (Some(5), None));
        assert_eq!(places.start(heir, |&loaded| loaded == 6), Some(6));
        assert!(places.all.is_empty());
    }
    #[test]
    fn what_is_not_loaded_or_has_ended_takes_no_place() {
        let ([one, ..], mut places) = (same_number(), Places::new().unwrap());
        let ticket = places.take(one, 1).unwrap();
        places.give_up(ticket);
        let ticket = places.take(one, 1).unwrap();
        assert_eq!(places.fill(ticket, 5), None);
        let [_, other, _] = same_number();
        assert_eq!(places.of_the_dead(other, |&loaded| loaded == 5), Some(5), "what was loaded was ended");
        assert!(places.all.is_empty());
    }
}
