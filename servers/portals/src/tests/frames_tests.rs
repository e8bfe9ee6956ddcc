//! Looks at the frames of a thread that runs in the middle of them: what it has been in all the time is found, whatever else it leaves
//! where its frames were.

use super::world::World;
use crate::fake::Fake;
use crate::machine::nucleus_memory::NucleusMemory;
use abi::address::PAGE;

/// What is in a thread's page.
fn words(world: &World, thread: usize) -> Vec<u64> {
    let page = world.page(thread).address();
    (0..PAGE as u64 / 8).map(|n| Fake.read(page + 8 * n)).collect()
}
fn put(page: u64, words: &[u64]) {
    words.iter().enumerate().for_each(|(n, &word)| Fake.write(page + 8 * n as u64, word));
}
#[test]
fn who_calls_a_server_is_found_while_it_runs() {
    let (mut world, server, its) = World::with_component();
    for (name, spec) in [("t.add", "npii"), ("t.small", "smi"), ("t.large", "nfiri")] {
        world.register(its, name, spec).unwrap();
    }
    let (other, others) = world.component("other", 2);
    world.register(others, "t.on", "npi").unwrap();
    let (_, thread) = world.component("client", 3);
    let call = world.open(thread, "t.add").unwrap();
    let [on, small] = ["t.on", "t.small"].map(|name| world.open(its, name).unwrap());
    let large = world.open(others, "t.large").unwrap();
    // The client's call stays. In it the thread is in one call of the server's first, and in others of other sizes then.
    assert!(world.enter(thread, call));
    assert!(world.enter(thread, on));
    assert!(world.enter(thread, large));
    let first = words(&world, thread);
    world.leave(thread);
    world.leave(thread);
    assert!(world.enter(thread, small));
    assert!(world.enter(thread, on));
    let second = words(&world, thread);
    let page = world.page(thread).address();
    let mut reads = 0;
    for (one, two) in [(first.clone(), second.clone()), (second, first)] {
        for n in 0.. {
            put(page, &one);
            let two = two.clone();
            Fake.interrupt_after(n, move || put(page, &two));
            let found = world.manager.next_caller(other, 0).map(|(index, call)| (index, call.asid as usize));
            assert_eq!(found, Some((thread, server)), "interrupted after {n} words");
            if Fake.is_interrupt_left() {
                reads = n;
                break;
            }
        }
    }
    assert!(reads > 10);
}
