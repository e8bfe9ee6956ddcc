//! What a look through all tables says where the memory manager, which looks for a part of it, says something else than that all holds.

use super::world::World;
use crate::fake::Fake;
use abi::Error;

#[test]
fn an_error_of_the_memory_manager_is_not_taken_for_nothing_found() {
    let (mut world, ..) = World::with_component();
    world.check();
    for (said, error) in
        [(Error::ENOTSUP, Error::ENOTSUP), (Error::EAGAIN, Error::EAGAIN), (Error::ENOMEM, Error::EAGAIN)]
    {
        Fake.set_memory_check(said.code());
        assert_eq!(world.manager.check().err(), Some(error));
    }
    // A kind of violation, and a domain's number.
    Fake.set_memory_check(-(2 << 16) - 7);
    let found = world.manager.check().unwrap();
    assert_eq!((found.what.starts_with(b"page tables"), found.at, found.number, found.value), (true, 7, 0, 2));
}
