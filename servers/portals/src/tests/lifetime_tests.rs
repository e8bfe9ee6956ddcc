//! One behaviour each, named after it: what ends, and what is left.

use super::world::{Returned, World, registration, wanted};
use crate::fake::{INIT, INIT_THREAD, PORTALS};
use abi::Error;
use abi::nucleus::MAX_DOMAINS;
use abi::system::{self, Ended, FIRST_FREE, GRANTS_OF_ONE, ended};
use account::Account;

#[test]
fn a_system_that_has_started_keeps_the_invariants() {
    World::new().check();
}
#[test]
fn a_portal_leads_to_what_was_registered() {
    let (mut world, server, thread) = World::with_component();
    world.register(thread, "t.add", "npii").unwrap();
    let (client, other) = world.component("client", 2);
    let number = world.open(other, "t.add").unwrap();
    assert_eq!((number, world.leads(client, number)), (FIRST_FREE, Some((server, 0x20000))));
    world.check();
}
/// Where the code of portal `number` of `asid` is.
fn code(world: &World, asid: usize, number: usize) -> u64 {
    world.manager.domain(asid).expect("the domain").table.entry(number)
}
#[test]
fn who_opens_the_same_for_the_same_account_gets_the_same_code() {
    let (mut world, server, thread) = World::with_component();
    world.register(thread, "t.add", "npii").unwrap();
    let (client, one) = world.component("client", 2);
    let number = world.open(one, "t.add").unwrap();
    let first = code(&world, client, number);
    let used = world.counts();
    let (another, two) = world.component("another", 2);
    let others = world.open(two, "t.add").unwrap();
    assert_eq!((code(&world, another, others), world.leads(another, others)), (first, Some((server, 0x20000))));
    world.check();
    // Neither's end or letting go is the other's.
    world.close(one, number).unwrap();
    world.check();
    assert_eq!(world.leads(another, others), Some((server, 0x20000)));
    let again = world.open(one, "t.add").unwrap();
    assert_eq!(code(&world, client, again), first);
    world.kill(another).unwrap();
    world.check();
    assert_eq!(world.leads(client, again), Some((server, 0x20000)));
    world.bury(thread);
    // Blocks, their bytes, those that nothing leads to, and entries.
    assert_eq!(world.counts()[4..8], used[4..8]);
}
#[test]
fn code_that_nobody_calls_by_is_taken_back_by_who_opens_the_same() {
    let (mut world, server, thread) = World::with_component();
    world.register(thread, "t.add", "npii").unwrap();
    let (client, one) = world.component("client", 2);
    let number = world.open(one, "t.add").unwrap();
    let first = code(&world, client, number);
    world.kill(client).unwrap();
    world.check();
    let (another, two) = world.component("another", 2);
    let others = world.open(two, "t.add").unwrap();
    assert_eq!((code(&world, another, others), world.leads(another, others)), (first, Some((server, 0x20000))));
    world.check();
}
#[test]
fn no_code_that_another_account_pays_for_is_shared() {
    let (mut world, _, thread) = World::with_component();
    world.register(thread, "t.add", "npii").unwrap();
    let (client, one) = world.component("client", 2);
    let (another, two) = world.component("another", 3);
    let (number, others) = (world.open(one, "t.add").unwrap(), world.open(two, "t.add").unwrap());
    assert_ne!(code(&world, client, number), code(&world, another, others));
    world.check();
}
#[test]
fn a_server_that_opens_its_own_portal_shares_no_code_with_its_clients() {
    let (mut world, server, thread) = World::with_component();
    world.register(thread, "t.add", "npii").unwrap();
    let (client, one) = world.component("client", world.account(server));
    let (number, own) = (world.open(one, "t.add").unwrap(), world.open(thread, "t.add").unwrap());
    assert_ne!(code(&world, client, number), code(&world, server, own));
    world.check();
}
#[test]
fn no_more_than_some_entries_are_opened_to_one_piece_of_code() {
    let (mut world, _, thread) = World::with_component();
    world.register(thread, "t.add", "npii").unwrap();
    let clients: Vec<(usize, usize)> = (0..17).map(|_| world.component("client", 2)).collect();
    let codes: Vec<u64> = clients
        .iter()
        .map(|&(client, own)| {
            let number = world.open(own, "t.add").unwrap();
            code(&world, client, number)
        })
        .collect();
    assert!(codes[..16].iter().all(|&code| code == codes[0]));
    assert_ne!(codes[16], codes[0]);
    world.check();
    clients.into_iter().for_each(|(client, _)| world.kill(client).unwrap());
    world.check();
}
#[test]
fn code_that_a_call_still_returns_through_is_taken_back_too() {
    let (mut world, server, thread) = World::with_component();
    world.register(thread, "t.add", "npii").unwrap();
    let (client, other) = world.component("client", 2);
    let number = world.open(other, "t.add").unwrap();
    let first = code(&world, client, number);
    assert!(world.enter(other, number));
    world.manager.uninstall(client, number).unwrap();
    world.check();
    assert_eq!(world.inside(other), server);
    assert_eq!(world.leave(other), Returned::Goes);
    let again = world.open(other, "t.add").unwrap();
    assert_eq!(code(&world, client, again), first);
    world.check();
}
#[test]
fn a_name_that_is_not_there_is_enoent() {
    let (mut world, _, thread) = World::with_component();
    assert_eq!(world.open(thread, "t.add"), Err(Error::ENOENT));
    assert_eq!(world.open(thread, "domain.destroy"), Err(Error::EACCESS));
}
#[test]
fn a_specification_with_an_unknown_letter_is_refused_with_its_place() {
    let (mut world, _, thread) = World::with_component();
    assert_eq!(
        world.register(thread, "t.add", "npiqi").unwrap(),
        portal::Rejected { reason: portal::Reason::UnknownArgument, position: 3 }.code()
    );
    world.check();
}
#[test]
fn the_end_of_a_server_turns_its_callers_away() {
    let (mut world, server, thread) = World::with_component();
    world.register(thread, "t.add", "npii").unwrap();
    let (client, other) = world.component("client", 2);
    let before = world.counts();
    let number = world.open(other, "t.add").unwrap();
    assert!(world.enter(other, number));
    assert_eq!(world.inside(other), server);
    world.kill(server).unwrap();
    world.check();
    // Its thread is on its way to the graveyard's, and the client's comes back.
    assert_eq!(world.leave(other), Returned::Goes);
    assert_eq!(world.inside(other), client);
    assert_eq!(world.leads(client, number), Some((0, 0)), "the answer for the dead");
    world.close(other, number).unwrap();
    world.check();
    assert_eq!(world.counts()[4], before[4], "portal code of the dead is kept");
}
#[test]
fn the_end_of_a_caller_lets_its_call_end_first() {
    let (mut world, server, thread) = World::with_component();
    world.register(thread, "t.add", "npii").unwrap();
    let before = world.counts();
    let (client, other) = world.component("client", 2);
    let number = world.open(other, "t.add").unwrap();
    assert!(world.enter(other, number));
    world.kill(client).unwrap();
    world.check();
    assert_eq!(world.inside(other), server);
    assert_eq!(world.leave(other), Returned::Ended);
    let waiting = world.call(INIT_THREAD, system::DOMAIN_WAIT, |manager, caller| {
        let waiting = manager.wait_begin(caller, client)?;
        manager.wait_end(&waiting)
    });
    let ended = waiting.unwrap();
    assert_eq!((ended.number(), ended.account), (client, 2), "whose account has paid is told");
    world.check();
    // The name server, and whoever opens names, keep nothing of it.
    assert_eq!(world.counts(), before);
}
#[test]
fn a_later_call_with_its_frame_in_the_same_place_keeps_nothing_of_the_dead() {
    let (mut world, _, thread) = World::with_component();
    world.register(thread, "t.show", "npw").unwrap();
    let (_, home) = world.component("home", 2);
    let middle = |world: &mut World, name| {
        let (asid, own) = world.component("middle", 2);
        world.register(own, name, "npi").unwrap();
        (asid, world.open(own, "t.show").unwrap(), world.open(home, name).unwrap())
    };
    let shows = |world: &mut World, portal, show| {
        assert!(world.enter(home, portal));
        world.enter_lending(home, show);
        world.page(home).invocation()
    };
    let [(first, show, portal), (second, other_show, other_portal)] =
        ["t.first", "t.second"].map(|name| middle(&mut world, name));
    let place = shows(&mut world, portal, show);
    world.kill(first).unwrap();
    world.check();
    assert_eq!(world.manager.remains.zombies.len(), 1, "a window shows its memory");
    assert_eq!(world.leave(home), Returned::Goes);
    // One that lives shows a page, and then the next of the dead.
    assert_eq!(shows(&mut world, other_portal, other_show), place);
    world.check();
    world.kill(second).unwrap();
    world.check();
    let left: Vec<usize> = world.manager.remains.zombies.iter().map(|zombie| zombie.asid).collect();
    assert_eq!(left, [second]);
}
#[test]
fn what_a_call_has_lent_that_is_turned_away_from_who_lives_stays_its_lenders() {
    let (mut world, _, thread) = World::with_component();
    world.register(thread, "t.show", "npw").unwrap();
    let (lender, home) = world.component("lender", 2);
    let show = world.open(home, "t.show").unwrap();
    world.enter_lending(home, show);
    // It has ended itself in a call that was made to it meanwhile.
    world.manager.divert_thread(home, lender).unwrap();
    world.manager.freeze(lender);
    assert_eq!(world.manager.open_windows.count(), 1, "its page may be given away");
    world.manager.thaw(lender);
    world.kill(lender).unwrap();
    assert!(!world.manager.remains.zombies[0].space_destroyed, "its page is another's");
    assert_eq!(world.leave(home), Returned::Ended);
    world.check();
    assert!(world.manager.remains.zombies.is_empty() && !world.manager.remains.unclaimed);
}
#[test]
fn a_number_is_not_given_away_before_its_end_is_asked_for() {
    let mut world = World::new();
    let (first, thread) = world.component("first", 1);
    world.kill(first).unwrap();
    world.manager.sweep();
    assert_eq!(thread, 2);
    for _ in 0..1200 {
        let (asid, _) = world.component("next", 2);
        assert_ne!(asid, first);
        world.kill(asid).unwrap();
        world.manager.forget_end(asid);
        while world.manager.events.queue.pop_front().is_some() {}
        // Its threads are turned away, and end.
        let dead: Vec<usize> =
            world.manager.threads.living().map(|(index, ..)| index).filter(|&index| index > thread).collect();
        for index in dead {
            super::world::World::bury(&mut world, index);
        }
    }
    world.check();
}
#[test]
fn the_last_entry_takes_a_semaphore_with_it() {
    let (mut world, _, thread) = World::with_component();
    let before = world.counts();
    let p = world.semaphore(thread).unwrap();
    world.check();
    world.close(thread, p).unwrap();
    world.check();
    world.close(thread, p + 1).unwrap();
    world.check();
    assert_eq!(world.counts(), before);
}
#[test]
fn nobody_closes_or_ends_what_all_need() {
    let (mut world, _, thread) = World::with_component();
    assert_eq!(world.close(thread, system::PORTAL_OPEN), Err(Error::EPORTAL));
    assert_eq!(world.kill(PORTALS), Err(Error::EACCESS));
}
#[test]
fn who_is_ended_by_an_identity_is_nobody_else_with_the_number() {
    let (mut world, first, _) = World::with_component();
    let meant = world.manager.domain(first).unwrap().id.word() as usize;
    let stranger = abi::identity::Serials::after(meant as u64 >> 16).next().unwrap();
    let other = abi::identity::DomainId::new(first, stranger).unwrap().word() as usize;
    assert_eq!(world.kill(other), Err(Error::ESRCH));
    assert!(world.manager.domain(first).is_ok());
    world.kill(meant).unwrap();
    assert_eq!(world.kill(meant), Err(Error::ESRCH));
    world.check();
}
#[test]
fn a_child_in_a_sandbox_has_stubs_only() {
    let (mut world, parent, thread) = World::with_component();
    world.register(thread, "t.add", "npii").unwrap();
    let number = world.open(thread, "t.add").unwrap();
    let (child, its) = world.fork(thread, 0x30000).unwrap();
    world.check();
    for n in 1..=number {
        assert_eq!(world.leads(child, n), Some((parent, 0x30000)), "{n}");
    }
    assert_eq!(world.leads(child, number + 1), None, "what its parent does not have");
    // What it closes through its parent, the parent keeps: it has it itself.
    assert!(world.enter(its, system::PORTAL_CLOSE));
    world.close(its, number).unwrap();
    assert_eq!(world.leads(parent, number), Some((parent, 0x20000)));
    assert_eq!(world.leave(its), Returned::Goes);
    world.kill(parent).unwrap();
    world.check();
    assert!(world.manager.domain(child).is_err(), "who is in a sandbox ends with it");
}
#[test]
fn a_number_whose_stubs_have_passed_words_leads_to_no_portal_with_windows() {
    let (mut world, parent, thread) = World::with_component();
    world.register(thread, "t.words", "npii").unwrap();
    world.register(thread, "t.others", "npiii").unwrap();
    let (child, its) = world.fork(thread, 0x30000).unwrap();
    let opened = |world: &mut World, name| {
        assert!(world.enter(its, system::PORTAL_OPEN));
        let number = world.open(its, name).unwrap();
        world.leave(its);
        number
    };
    let passes = |world: &World, asid: usize, number: usize, spec: &str| {
        world.manager.domain(asid).unwrap().sandbox.passed.suits(number, Some(&world.manager.parse(spec).unwrap()))
    };
    let words = opened(&mut world, "t.words");
    assert_eq!(world.leads(child, words), Some((parent, 0x30000)), "a stub, though its parent has made none");
    assert!(world.enter(its, system::PORTAL_CLOSE));
    world.close(its, words).unwrap();
    world.leave(its);
    // A call that has come by the stub may be on its way.
    assert!(world.leads(child, words).is_some());
    assert!(passes(&world, parent, words, "sm=iiiii") && !passes(&world, parent, words, "sm=r"));
    assert!(!world.manager.suits_stubs(parent, words, &world.manager.parse("npr").unwrap()));
    assert!(world.manager.suits_stubs(parent, words + 1, &world.manager.parse("npr").unwrap()), "it had no stubs");
    assert_eq!(opened(&mut world, "t.others"), words, "other words");
    world.kill(child).unwrap();
    assert!(
        !world.manager.suits_stubs(parent, words, &world.manager.parse("npr").unwrap()),
        "nor did who is dead return"
    );
    world.check();
}
#[test]
fn a_portal_whose_window_no_stub_can_pass_has_none() {
    let (mut world, parent, thread) = World::with_component();
    world.register(thread, "t.words", "npii").unwrap();
    world.register(thread, "t.long", "npiiiiRi").unwrap();
    world.register(thread, "t.last", "npiiiiir").unwrap();
    let before = world.open(thread, "t.long").unwrap();
    let (child, its) = world.fork(thread, 0x30000).unwrap();
    assert_eq!(world.leads(child, before), None);
    let opened = |world: &mut World, name| {
        assert!(world.enter(its, system::PORTAL_OPEN));
        let number = world.open(its, name).unwrap();
        world.leave(its);
        number
    };
    let words = opened(&mut world, "t.words");
    assert!(world.enter(its, system::PORTAL_CLOSE));
    world.close(its, words).unwrap();
    world.leave(its);
    for name in ["t.long", "t.last"] {
        let number = opened(&mut world, name);
        assert!(number != words, "calls with words may be on their way there");
        assert_eq!(world.leads(child, number), None, "{name}");
        assert!(world.leads(parent, number).is_some());
    }
    world.check();
}
#[test]
fn a_server_grants_to_who_calls_it_and_no_more_than_it_may() {
    let (mut world, server, thread) = World::with_component();
    world.register(thread, "t.open", "npii").unwrap();
    let (client, other) = world.component("client", 2);
    let number = world.open(other, "t.open").unwrap();
    assert_eq!(world.grant(thread, 1), Err(Error::EINVAL), "outside a call");
    assert!(world.enter(other, number));
    for n in 0..GRANTS_OF_ONE {
        let granted = world.grant(other, n as u64).unwrap();
        assert_eq!(world.leads(client, granted), Some((server, 0x40000)));
    }
    assert_eq!(world.grant(other, 0), Err(Error::EMFILE));
    world.check();
    assert_eq!(world.leave(other), Returned::Goes);
    world.kill(client).unwrap();
    world.check();
}

/// A server that grants portals, a client that is in a call of it, and the words of what is granted.
fn granting() -> (World, usize, usize, usize) {
    let (mut world, server, thread) = World::with_component();
    world.register(thread, "t.open", "npii").unwrap();
    let (client, other) = world.component("client", 2);
    let number = world.open(other, "t.open").unwrap();
    assert!(world.enter(other, number));
    (world, server, client, other)
}
fn words(world: &World, code: u64) -> Vec<u32> {
    world.manager.code.words(code).1.collect()
}
#[test]
fn what_is_granted_again_is_the_block_that_was_closed_with_the_new_constant() {
    for (before, now, same) in [(0x5001, 0x9007, true), (5, 6, true), (0x5000, 0x6000, true), (0x5000, 0x6001, false)] {
        let generated = {
            let (mut world, _, client, other) = granting();
            let number = world.grant(other, now).unwrap();
            words(&world, code(&world, client, number))
        };
        let (mut world, server, client, other) = granting();
        let first = world.grant(other, before).unwrap();
        let block = code(&world, client, first);
        world.manager.uninstall(client, first).unwrap();
        let second = world.grant(other, now).unwrap();
        assert_eq!(world.leads(client, second), Some((server, 0x40000)));
        assert_eq!(code(&world, client, second) == block, same, "{before:x} {now:x}");
        world.check();
        assert_eq!(
            world.manager.domain(server).unwrap().grants.iter().filter(|(_, n)| *n > 0).collect::<Vec<_>>(),
            [(now as u32, 1)]
        );
        assert_eq!(words(&world, code(&world, client, second)), generated);
        // One that is still there is not touched.
        let third = world.grant(other, before).unwrap();
        assert_ne!(code(&world, client, third), code(&world, client, second));
        assert_eq!(words(&world, code(&world, client, second)), generated);
        world.check();
    }
}
#[test]
fn what_another_server_or_account_was_granted_is_not_granted_again() {
    let (mut world, _, client, other) = granting();
    let number = world.grant(other, 0x5001).unwrap();
    let block = code(&world, client, number);
    world.manager.uninstall(client, number).unwrap();
    // Who would pay for it is not who does.
    let (third, its) = world.component("third", 3);
    let open = world.open(its, "t.open").unwrap();
    assert!(world.enter(its, open));
    let number = world.grant(its, 0x5002).unwrap();
    assert_ne!(code(&world, third, number), block);
    // The same entry, specification and client, and another server.
    let (_, server) = world.component("server", 1);
    world.register(server, "t.other", "npii").unwrap();
    let (fourth, its) = world.component("client", 2);
    let open = world.open(its, "t.other").unwrap();
    assert!(world.enter(its, open));
    let number = world.grant(its, 0x5003).unwrap();
    assert_ne!(code(&world, fourth, number), block);
    world.check();
}
#[test]
fn what_a_server_granted_that_has_died_is_nobodys_again() {
    let (mut world, server, client, other) = granting();
    let number = world.grant(other, 0x5001).unwrap();
    let block = code(&world, client, number);
    world.kill(server).unwrap();
    world.check();
    let (again, thread) = world.component("again", 1);
    world.register(thread, "t.open", "npii").unwrap();
    let (third, its) = world.component("third", 2);
    let open = world.open(its, "t.open").unwrap();
    assert!(world.enter(its, open));
    let number = world.grant(its, 0x5002).unwrap();
    assert_eq!(world.leads(third, number), Some((again, 0x40000)));
    assert!(again != server || code(&world, third, number) != block);
    world.check();
}

#[test]
fn code_is_not_taken_back_by_another_name_of_the_same_number() {
    let (mut world, server, thread) = World::with_component();
    world.register(thread, "t.add", "npii").unwrap();
    let (client, other) = world.component("client", 2);
    let number = world.open(other, "t.add").unwrap();
    let first = code(&world, client, number);
    let name = abi::name::Name::new(&registration("t.add", "npii").name).unwrap();
    world.call(thread, system::PORTAL_UNREGISTER, |manager, caller| manager.unregister(caller, &name)).unwrap();
    world.close(other, number).unwrap();
    world.register(thread, "t.sub", "npi").unwrap();
    let number = world.open(other, "t.sub").unwrap();
    assert_ne!(code(&world, client, number), first);
    assert_eq!(world.leads(client, number).map(|(to, _)| to), Some(server));
    world.check();
}
#[test]
fn code_is_not_taken_back_once_it_was_freed() {
    let (mut world, _, thread) = World::with_component();
    world.register(thread, "t.add", "npii").unwrap();
    let (client, other) = world.component("client", 2);
    let number = world.open(other, "t.add").unwrap();
    world.close(other, number).unwrap();
    world.manager.free_retired();
    world.check();
    // Its place is another's now.
    let (_, third) = world.component("third", 2);
    world.open(third, "t.add").unwrap();
    let number = world.open(other, "t.add").unwrap();
    assert_ne!(code(&world, client, number), 0);
    world.check();
}

#[test]
fn threads_are_named_in_who_asks_for_it_until_it_has_a_pointer_of_its_own() {
    use abi::nucleus::{domain, flags::NAMED};
    use abi::system::TP_IS_THREAD;
    let (mut world, asid, _) = World::with_component();
    let seen = |world: &World| {
        let table = world.manager.domain(asid).unwrap().table;
        (table.field(domain::FLAGS) & NAMED, table.field(domain::TP))
    };
    world.manager.set_thread_pointer(asid, 0x5000).unwrap();
    assert_eq!(seen(&world), (0, 0x5000));
    world.manager.set_thread_pointer(asid, TP_IS_THREAD).unwrap();
    assert_eq!(seen(&world), (NAMED, 0));
    world.check();
    world.manager.set_thread_pointer(asid, 0x5000).unwrap();
    assert_eq!(seen(&world), (0, 0x5000));
    world.check();
}

#[test]
fn einval_a_trusted_component_has_its_callers_thread_pointer() {
    use abi::nucleus::{domain, flags::TRUSTED};
    let mut world = World::new();
    let wanted = super::world::wanted("trusted", TRUSTED, account::Account::SYSTEM);
    let asid = world.manager.create_domain(&wanted).unwrap();
    assert_eq!(world.manager.set_thread_pointer(asid, abi::system::TP_IS_THREAD), Err(Error::EINVAL));
    assert_eq!(world.manager.domain(asid).unwrap().table.field(domain::FLAGS), TRUSTED);
}
/// The numbers of as many components as there are numbers, each made and ended before the next.
fn numbers_given(world: &mut World) -> Vec<usize> {
    let one = |world: &mut World| {
        let asid = world.manager.create_domain(&wanted("passing", 0, Account::SYSTEM)).expect("a number");
        world.kill(asid).unwrap();
        world.manager.forget_end(asid);
        while world.manager.events.queue.pop_front().is_some() {}
        asid
    };
    (0..MAX_DOMAINS).map(|_| one(world)).collect()
}
#[test]
fn the_number_of_a_component_that_is_being_made_is_nobody_elses() {
    let (mut world, other, _) = World::with_component();
    let make = |world: &mut World| {
        let asid = world.manager.create_component(INIT, &wanted("made", 0, Account::SYSTEM)).unwrap();
        (asid, world.manager.domain(asid).unwrap().id)
    };
    let (asid, id) = make(&mut world);
    world.check();
    // Somebody ends it, and takes its end.
    world.manager.end_domain(asid, Ended { kind: ended::KILLED, ..Ended::default() });
    world.manager.forget_end(asid);
    assert!(!numbers_given(&mut world).contains(&asid));
    // Another than its maker does not give it up, and its maker not by its number alone.
    assert!(world.manager.kill(other, id.word() as usize).is_err() && world.manager.kill(INIT, asid).is_err());
    assert!(!numbers_given(&mut world).contains(&asid));
    assert_eq!(world.manager.kill(INIT, id.word() as usize), Err(Error::ESRCH));
    assert!(numbers_given(&mut world).contains(&asid));
    // One that has been started is as any other.
    let (asid, _) = make(&mut world);
    world.manager.start_component(asid, 0x10000, 0x20000, 0, 10).unwrap();
    world.kill(asid).unwrap();
    world.manager.forget_end(asid);
    assert!(world.manager.domains.making.is_empty());
    world.check();
}
#[test]
fn what_a_component_makes_is_given_up_with_its_own_end() {
    let (mut world, maker, _) = World::with_component();
    let asid = world.manager.create_component(maker, &wanted("made", 0, Account::SYSTEM)).unwrap();
    world.kill(maker).unwrap();
    assert!(world.manager.domains.making.is_empty() && world.manager.domain(asid).is_ok());
    world.check();
}
