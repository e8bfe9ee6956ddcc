//! Services that charge the accounts of who calls them.

use super::world::{Returned, World};
use crate::failing::with_only;
use abi::Error;
use abi::account::Resource;
use abi::system::{self, Ended, ended};

/// What a service calls stands for: any portal that leads into the portal manager.
const CALL: usize = system::PORTAL_OPEN;
const FILES: usize = Resource::Files as usize;

/// A service with its thread, a client with its own, and the client's portal to the service.
fn scene() -> (World, [usize; 2], [usize; 2], usize) {
    let (mut world, server, its) = World::with_component();
    world.register(its, "t.keep", "smi").unwrap();
    let (client, other) = world.component("client", 2);
    let portal = world.open(other, "t.keep").unwrap();
    (world, [server, its], [client, other], portal)
}
impl World {
    fn payer(&mut self, thread: usize, who: usize) -> Result<isize, Error> {
        self.call(thread, CALL, |manager, caller| manager.payer(caller, thread, who))
    }
    fn charges(&mut self, thread: usize, account: usize, resource: usize, amount: usize) -> Result<isize, Error> {
        let result =
            self.call(thread, CALL, |manager, caller| manager.charge_for_service(caller, account, resource, amount));
        self.check();
        result
    }
    fn refunds(&mut self, thread: usize, account: usize, resource: usize, amount: usize) -> Result<isize, Error> {
        let result =
            self.call(thread, CALL, |manager, caller| manager.refund_for_service(caller, account, resource, amount));
        self.check();
        result
    }
    fn used(&self, account: usize, resource: usize) -> u32 {
        self.manager.report(account).unwrap().used[resource]
    }
    pub fn account(&self, asid: usize) -> usize {
        self.manager.domain(asid).unwrap().account.number()
    }
}
#[test]
fn whose_account_pays_is_who_has_called() {
    let (mut world, [_, its], [client, other], portal) = scene();
    let account = world.account(client) as isize;
    assert_eq!(world.payer(its, 0), Err(Error::EINVAL), "nobody has called");
    assert!(world.enter(other, portal));
    assert_eq!(world.payer(other, 0), Ok(account));
    assert_eq!(world.leave(other), Returned::Goes);
    assert_eq!(world.payer(other, 0), Err(Error::EINVAL), "the client serves nobody");
}
#[test]
fn the_dead_pay_for_nothing_more() {
    let (mut world, [_, its], [client, other], portal) = scene();
    let id = world.manager.domain(client).unwrap().id.word() as usize;
    assert_eq!(world.payer(its, id), Ok(world.account(client) as isize));
    assert!(world.enter(other, portal));
    world.manager.end_domain(client, Ended { kind: ended::KILLED, ..Ended::default() });
    assert_eq!(world.payer(other, 0), Err(Error::EDEAD));
    assert_eq!(world.payer(its, id), Err(Error::ESRCH));
    assert_eq!(world.payer(its, client), Err(Error::EINVAL), "a number is nobody");
}
#[test]
fn a_limit_that_is_reached_is_an_error_until_something_comes_back() {
    let (mut world, [_, its], [client, _], _) = scene();
    let account = world.account(client);
    let limit = world.manager.report(account).unwrap().limits[FILES] as usize;
    assert_eq!(world.charges(its, account, FILES, limit), Ok(0));
    assert_eq!(world.charges(its, account, FILES, 1), Err(Error::ENFILE));
    assert_eq!(world.refunds(its, account, FILES, 1), Ok(0));
    assert_eq!(world.charges(its, account, FILES, 1), Ok(0));
    assert_eq!(world.used(account, FILES) as usize, limit);
}
#[test]
fn what_is_not_kept_by_services_can_not_be_charged() {
    let (mut world, [_, its], [client, _], _) = scene();
    let account = world.account(client);
    for resource in Resource::ALL.into_iter().filter(|resource| !resource.is_of_services()) {
        assert_eq!(world.charges(its, account, resource as usize, 1), Err(Error::EINVAL), "{}", resource.text());
        assert_eq!(world.refunds(its, account, resource as usize, 1), Err(Error::EINVAL), "{}", resource.text());
    }
    assert_eq!(world.charges(its, account, 1000, 1), Err(Error::EINVAL));
    assert_eq!(world.charges(its, abi::account::ACCOUNTS, FILES, 1), Err(Error::EINVAL));
    assert_eq!(world.charges(its, account, FILES, 1 << 16), Err(Error::EINVAL));
}
#[test]
fn nobody_gives_back_what_another_has_charged() {
    let (mut world, [_, its], [client, other], _) = scene();
    let account = world.account(client);
    assert_eq!(world.charges(its, account, FILES, 3), Ok(0));
    assert_eq!(world.refunds(other, account, FILES, 1), Err(Error::EINVAL));
    assert_eq!(world.refunds(its, account, FILES, 4), Err(Error::EINVAL));
    assert_eq!(world.used(account, FILES), 3);
}
#[test]
fn all_comes_back_when_the_service_ends() {
    let (mut world, [server, its], [client, _], _) = scene();
    let account = world.account(client);
    for (resource, amount) in [(FILES, 3), (Resource::Capabilities as usize, 200), (FILES, 4)] {
        assert_eq!(world.charges(its, account, resource, amount), Ok(0));
    }
    world.manager.end_domain(server, Ended { kind: ended::KILLED, ..Ended::default() });
    assert_eq!((world.used(account, FILES), world.used(account, Resource::Capabilities as usize)), (0, 0));
    world.check();
}
#[test]
fn a_charge_without_memory_is_refused_and_leaves_nothing() {
    let (mut world, [_, its], [client, _], _) = scene();
    let account = world.account(client);
    assert_eq!(with_only(0, || world.charges(its, account, FILES, 1)), Err(Error::ENOMEM));
    assert_eq!(world.used(account, FILES), 0);
    assert_eq!(world.charges(its, account, FILES, 1), Ok(0));
    assert_eq!(with_only(0, || world.charges(its, account, FILES, 1)), Ok(0), "the sum is there");
    assert_eq!(with_only(0, || world.refunds(its, account, FILES, 2)), Ok(0));
}
