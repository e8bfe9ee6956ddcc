//! A way to keep domains apart that there is for tests only. All that is known of it is here: what its domains are made in, their ends of
//! connections, what is released, and what is told of them.

use super::world::World;
use crate::Result;
use crate::fake::{Fake, INIT};
use crate::machine::neighbours::Neighbours;
use crate::manager::Manager;
use crate::mechanism::Mechanism;
use crate::state::enclosure::Enclosure;
use abi::Error;
use abi::identity::DomainId;
use account::Account;
use portal::End;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// No mechanism of [`abi::isolation`] has this number.
const NUMBER: u64 = 77;
thread_local! {
    /// The domains that are made and not released.
    static MADE: RefCell<BTreeSet<usize>> = const { RefCell::new(BTreeSet::new()) };
}

pub struct Elsewhere;
impl Mechanism<Fake> for Elsewhere {
    fn number(&self) -> u64 {
        NUMBER
    }
    fn make(&self, manager: &Manager<Fake>, id: DomainId, account: Account) -> Result<usize> {
        let root = manager.machine.space_create(id, account)?;
        // One of a system of the same test that is no more may have had the number.
        MADE.with_borrow_mut(|made| made.insert(id.number()));
        Ok(root)
    }
    fn connect(&self, manager: &Manager<Fake>, asid: usize) -> Result<End> {
        let d = manager.domain(asid)?;
        assert!(MADE.with_borrow(|made| made.contains(&asid)), "{asid} is connected, and not made");
        Ok(End { table: d.table.address(), asid: asid as u64, flags: d.flags })
    }
    fn end(&self, manager: &mut Manager<Fake>, asid: usize) {
        assert!(MADE.with_borrow_mut(|made| made.remove(&asid)), "{asid} is released, and not made");
        manager.machine.space_destroy(asid);
    }
    fn within(&self) -> u64 {
        INIT as u64
    }
}

#[test]
fn it_is_asked_for_by_its_number_told_of_and_released() {
    let (mut world, asid, _) = World::with_component();
    assert_eq!(world.manager.enclosure(INIT, NUMBER, 0), Ok(Enclosure::Other(0)));
    assert_eq!(world.manager.enclosure(INIT, NUMBER, 1), Err(Error::EINVAL), "it is within nothing that one chooses");
    assert_eq!(world.manager.enclosure(INIT, NUMBER + 1, 0), Err(Error::EINVAL), "no such mechanism");
    let told = world.manager.inspect_domain(asid).unwrap();
    assert_eq!((told.isolation, told.within), (NUMBER, INIT as u64));
    assert!(MADE.with_borrow(|made| made.contains(&asid)));
    world.kill(asid).unwrap();
    assert!(MADE.with_borrow(BTreeSet::is_empty), "what it was made in is released");
}
