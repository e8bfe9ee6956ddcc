//! A portal that is asked who may open a name, and what may become of all that have to do with it meanwhile.

use super::world::{Returned, World};
use crate::failing::with_only;
use crate::fake::Fake;
use crate::state::registrations::NameIs;
use abi::Error;
use abi::account::Resource;
use abi::name::Name;
use abi::system::{self, admission};

/// A server of `t.add`, which has a judge's portal open, and their clients.
struct Scene {
    world: World,
    server: usize,
    its: usize,
    judge: usize,
    judges: usize,
    client: usize,
    other: usize,
    /// The server's portal to the judge.
    portal: usize,
}
fn scene() -> Scene {
    let (mut world, server, its) = World::with_component();
    world.register(its, "t.add", "npii").unwrap();
    let (judge, judges) = world.component("judge", 2);
    world.register(judges, "t.judge", "npciii").unwrap();
    let portal = world.open(its, "t.judge").unwrap();
    let (client, other) = world.component("client", 3);
    Scene { world, server, its, judge, judges, client, other, portal }
}
impl Scene {
    fn asks(&mut self) -> Result<isize, Error> {
        self.world.admit_with(self.its, "t.add", (self.portal, 77), admission::ASKED)
    }
    fn refuses(&mut self, spec: &str, error: Error) {
        self.world.register(self.judges, "t.other", spec).unwrap();
        let portal = self.world.open(self.its, "t.other").unwrap();
        assert_eq!(self.world.admit(self.its, "t.add", portal, admission::ASKED), Err(error));
        assert!(self.world.open(self.other, "t.add").is_ok(), "what is refused changes nothing");
    }
}
#[test]
fn the_portal_is_asked_at_each_open() {
    let mut s = scene();
    assert_eq!(s.asks(), Ok(0));
    for answer in [0, Error::EBUSY.code(), 0] {
        assert_eq!(s.world.open(s.other, "t.add"), Err(Error::EAGAIN), "without having asked");
        let asking = s.world.ask(s.other, "t.add").unwrap();
        assert_eq!(s.world.inside(s.other), s.judge);
        let id = s.world.manager.domain(s.client).unwrap().id;
        assert_eq!(asking.words(), [s.client, id.word() as usize, 77]);
        s.world.check();
        let opened = s.world.answer(s.other, "t.add", &asking, answer);
        match answer {
            0 => assert_eq!(s.world.leads(s.client, opened.unwrap()), Some((s.server, 0x20000))),
            _ => assert_eq!(opened, Err(Error::EBUSY)),
        }
        assert_eq!(s.world.inside(s.other), s.client);
        s.world.check();
    }
    assert_eq!(s.world.admit(s.its, "t.add", 0, admission::ALL), Ok(0));
    assert!(s.world.open(s.other, "t.add").is_ok());
    assert!(s.world.manager.upcalls.is_empty());
}
#[test]
fn an_answer_that_is_no_error_refuses_too() {
    let mut s = scene();
    s.asks().unwrap();
    for answer in [1, isize::MAX, isize::MIN, -70_000] {
        let asking = s.world.ask(s.other, "t.add").unwrap();
        assert_eq!(s.world.answer(s.other, "t.add", &asking, answer), Err(Error::EACCESS));
    }
}
#[test]
fn a_server_asks_itself() {
    let mut s = scene();
    s.world.register(s.its, "t.own", "nmi").unwrap();
    let own = s.world.open(s.its, "t.own").unwrap();
    assert_eq!(s.world.admit(s.its, "t.add", own, admission::ASKED), Ok(0));
    let asking = s.world.ask(s.other, "t.add").unwrap();
    assert_eq!(s.world.inside(s.other), s.server);
    assert!(s.world.answer(s.other, "t.add", &asking, 0).is_ok());
}
#[test]
fn a_registration_asks_from_the_start() {
    let mut s = scene();
    let mut request = super::world::registration("t.sub", "npii");
    (request.admission, request.asked, request.token) = (admission::ASKED as u64, s.portal as u64, 5);
    s.world.call(s.its, system::PORTAL_REGISTER, |m, caller| m.register(caller, &request)).unwrap();
    let asking = s.world.ask(s.other, "t.sub").unwrap();
    assert_eq!(asking.words()[2], 5);
    assert!(s.world.answer(s.other, "t.sub", &asking, 0).is_ok());
    request.name[2..5].copy_from_slice(b"add");
    let taken = s.world.call(s.its, system::PORTAL_REGISTER, |m, caller| m.register(caller, &request));
    assert_eq!(taken, Err(Error::EEXIST));
    request.asked = 500;
    request.name[2..5].copy_from_slice(b"mul");
    let wrong = s.world.call(s.its, system::PORTAL_REGISTER, |m, caller| m.register(caller, &request));
    assert_eq!(wrong, Err(Error::EPORTAL));
    s.world.check();
    s.world.kill(s.server).unwrap();
    assert!(s.world.manager.upcalls.is_empty());
}
#[test]
fn names_with_the_same_judge_cost_one_question() {
    let mut s = scene();
    let used = |s: &Scene| s.world.manager.accounts.used(account::Account::new(1).unwrap(), Resource::Pagers);
    s.asks().unwrap();
    for name in ["t.sub", "t.mul"] {
        s.world.register(s.its, name, "npii").unwrap();
        assert_eq!(s.world.admit_with(s.its, name, (s.portal, 8), admission::ASKED), Ok(0));
    }
    assert_eq!(used(&s), 1);
    // Once more the same, with another token.
    assert_eq!(s.asks(), Ok(0));
    let asking = s.world.ask(s.other, "t.sub").unwrap();
    assert_eq!(asking.words()[2], 8);
    assert!(s.world.answer(s.other, "t.sub", &asking, 0).is_ok());
    assert_eq!(s.world.admit(s.its, "t.add", 0, admission::LISTED), Ok(0));
    let name = Name::of("t.sub").unwrap();
    s.world.call(s.its, system::PORTAL_UNREGISTER, |m, caller| m.unregister(caller, &name)).unwrap();
    assert_eq!(used(&s), 1);
    assert_eq!(s.world.admit(s.its, "t.mul", 0, admission::ALL), Ok(0));
    let opened =
        s.world.manager.registrations.iter().any(|(_, r)| r.admission.is_some() && r.name_is == NameIs::Withdrawn);
    assert_eq!(used(&s), opened as usize, "a name that is withdrawn stays registered while it is open");
}
#[test]
fn enfile_more_questions_than_the_limit() {
    let mut s = scene();
    let limits = abi::account::Limits(Resource::ALL.map(|r| if r == Resource::Pagers { 1 } else { 10_000 }));
    s.world.manager.accounts.set(account::Account::new(1).unwrap(), &limits);
    s.asks().unwrap();
    s.refuses_beyond();
}
impl Scene {
    fn refuses_beyond(&mut self) {
        self.world.register(self.its, "t.sub", "npii").unwrap();
        self.world.register(self.judges, "t.other", "npii").unwrap();
        let portal = self.world.open(self.its, "t.other").unwrap();
        assert_eq!(self.world.admit(self.its, "t.sub", portal, admission::ASKED), Err(Error::ENFILE));
        assert!(self.world.open(self.other, "t.sub").is_ok());
        self.world.check();
    }
}
#[test]
fn einval_a_question_that_takes_windows() {
    scene().refuses("npri", Error::EINVAL);
}
#[test]
fn einval_a_question_that_takes_more_words() {
    scene().refuses("npiiii", Error::EINVAL);
}
#[test]
fn einval_a_question_that_is_told_who_calls() {
    scene().refuses("npia", Error::EINVAL);
}
#[test]
fn einval_a_semaphore_is_nobodys_question() {
    let mut s = scene();
    let semaphore = s.world.semaphore(s.its).unwrap();
    assert_eq!(s.world.admit(s.its, "t.add", semaphore, admission::ASKED), Err(Error::EINVAL));
}
#[test]
fn eportal_a_question_that_is_not_open() {
    let mut s = scene();
    for number in [0, 3, 39, 300, 512, usize::MAX] {
        assert_eq!(s.world.admit(s.its, "t.add", number, admission::ASKED), Err(Error::EPORTAL));
    }
}
#[test]
fn eaccess_one_of_the_first_components_is_asked() {
    let mut s = scene();
    Fake.allow(s.server, "domain.destroy", false);
    let portal = s.world.open(s.its, "domain.destroy").unwrap();
    assert_eq!(s.world.admit(s.its, "t.add", portal, admission::ASKED), Err(Error::EACCESS));
}
#[test]
fn a_server_in_a_sandbox_has_its_controlling_domain_asked() {
    let mut s = scene();
    let (_, inside) = s.world.fork(s.its, 0x30000).unwrap();
    assert!(s.world.enter(inside, system::PORTAL_REGISTER));
    s.world.register(inside, "t.sub", "npii").unwrap();
    s.world.admit(inside, "t.sub", s.portal, admission::ASKED).unwrap();
    let upcall = s.world.manager.upcalls.first().unwrap();
    assert_eq!((upcall.to.number(), s.world.manager.upcalls.len()), (s.server, 1), "not who is behind it");
    let asking = s.world.ask(s.other, "t.sub").unwrap();
    s.world.answer(s.other, "t.sub", &asking, 0).unwrap();
    s.world.check();
    s.world.kill(s.server).unwrap();
    assert!(s.world.manager.upcalls.is_empty());
}
#[test]
fn eportal_a_question_at_a_number_that_only_others_have_in_the_sandbox() {
    let mut s = scene();
    let (_, inside) = s.world.fork(s.its, 0x30000).unwrap();
    assert!(s.world.enter(inside, system::PORTAL_REGISTER));
    s.world.register(inside, "t.sub", "npii").unwrap();
    for number in [system::FIRST_FREE + 400, 5, 0, 512] {
        assert_eq!(s.world.admit(inside, "t.sub", number, admission::ASKED), Err(Error::EPORTAL), "{number}");
    }
    s.world.check();
}
#[test]
fn edead_a_judge_that_is_no_more() {
    let mut s = scene();
    s.asks().unwrap();
    s.world.kill(s.judge).unwrap();
    assert_eq!(s.world.ask(s.other, "t.add"), Err(Error::EDEAD));
    assert_eq!(s.asks(), Err(Error::EDEAD));
    // Whoever has its number in the portal manager's table now is not asked.
    s.world.call(s.other, system::PORTAL_NOTIFY, |m, caller| m.set_notify(caller, 0x50000)).unwrap();
    assert_eq!(s.world.ask(s.other, "t.add"), Err(Error::EDEAD));
    s.world.check();
}
#[test]
fn a_judge_dies_while_it_is_asked() {
    let mut s = scene();
    s.asks().unwrap();
    let asking = s.world.ask(s.other, "t.add").unwrap();
    s.world.kill(s.judge).unwrap();
    s.world.check();
    assert_eq!(s.world.manager.upcalls.len(), 1, "its number is nobody else's while a call is pending");
    assert_eq!(s.world.answer(s.other, "t.add", &asking, Error::EDEAD.code()), Err(Error::EDEAD));
    assert!(s.world.manager.upcalls.is_empty());
    s.world.check();
}
#[test]
fn a_server_dies_while_its_judge_is_asked() {
    let mut s = scene();
    s.asks().unwrap();
    let asking = s.world.ask(s.other, "t.add").unwrap();
    s.world.kill(s.server).unwrap();
    assert_eq!(s.world.answer(s.other, "t.add", &asking, 0), Err(Error::ENOENT));
    assert!(s.world.manager.upcalls.is_empty());
    s.world.check();
}
#[test]
fn an_opener_dies_while_it_asks() {
    let mut s = scene();
    s.asks().unwrap();
    let asking = s.world.ask(s.other, "t.add").unwrap();
    s.world.kill(s.client).unwrap();
    assert_eq!(s.world.leave(s.other), Returned::Goes);
    s.world.manager.upcall_returned(asking.upcall);
    assert_eq!(s.world.manager.caller(s.other).map(|_| ()), Err(Error::EDEAD));
    assert_eq!(s.world.leave(s.other), Returned::Ended);
    s.world.check();
}
#[test]
fn eagain_another_is_to_be_asked_by_the_time_of_the_answer() {
    let mut s = scene();
    s.asks().unwrap();
    let asking = s.world.ask(s.other, "t.add").unwrap();
    s.world.register(s.judges, "t.other", "npii").unwrap();
    let portal = s.world.open(s.its, "t.other").unwrap();
    assert_eq!(s.world.admit_with(s.its, "t.add", (portal, 77), admission::ASKED), Ok(0));
    assert_eq!(s.world.answer(s.other, "t.add", &asking, 0), Err(Error::EAGAIN));
    // The same again is another question, although it has the first one's number.
    let asking = s.world.ask(s.other, "t.add").unwrap();
    assert_eq!(s.asks(), Ok(0));
    assert_eq!(s.world.admit_with(s.its, "t.add", (portal, 77), admission::ASKED), Ok(0));
    assert_eq!(s.world.answer(s.other, "t.add", &asking, 0), Err(Error::EAGAIN));
    let asking = s.world.ask(s.other, "t.add").unwrap();
    assert_eq!(s.world.admit(s.its, "t.add", 0, admission::LISTED), Ok(0));
    assert_eq!(s.world.answer(s.other, "t.add", &asking, 0), Err(Error::EAGAIN));
    s.world.check();
}
#[test]
fn a_judge_opens_the_name_while_it_is_asked() {
    let mut s = scene();
    s.asks().unwrap();
    let outer = s.world.ask(s.other, "t.add").unwrap();
    let inner = s.world.ask(s.other, "t.add").unwrap();
    assert_eq!(inner.words()[0], s.judge, "the judge is who opens then");
    s.world.check();
    assert!(s.world.answer(s.other, "t.add", &inner, 0).is_ok());
    assert!(s.world.answer(s.other, "t.add", &outer, 0).is_ok());
    s.world.check();
}
#[test]
fn each_thing_that_asking_takes_can_fail() {
    for n in 0.. {
        let mut s = scene();
        let name = Name::of("t.add").unwrap();
        let with = (s.portal, 77);
        let admit =
            |w: &mut World| w.call(s.its, system::PORTAL_ADMIT, |m, c| m.admit(c, &name, with, admission::ASKED));
        let result = with_only(n, || admit(&mut s.world));
        s.world.check();
        if result.is_ok() {
            assert!(n > 0);
            break;
        }
        assert_eq!(result, Err(Error::ENOMEM));
        assert!(s.world.open(s.other, "t.add").is_ok());
        assert_eq!(s.asks(), Ok(0));
    }
    let mut s = scene();
    s.asks().unwrap();
    with_only(0, || s.world.kill(s.server)).expect("an end needs nothing");
    s.world.check();
}
