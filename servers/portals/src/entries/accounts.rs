//! For services: whose account pays, and charging it.

use crate::seldom_with_caller;
use pebble::interfaces::types::{Identity, ThreadIndex};

#[optimize(size)]
pub extern "C" fn account_of(thread: ThreadIndex, who: Identity) -> isize {
    seldom_with_caller(thread, |manager, caller| manager.payer(caller, thread.0, who.0))
}
#[optimize(size)]
pub extern "C" fn account_charge(thread: ThreadIndex, account: usize, resource: usize, amount: usize) -> isize {
    seldom_with_caller(thread, |manager, caller| manager.charge_for_service(caller, account, resource, amount))
}
#[optimize(size)]
pub extern "C" fn account_refund(thread: ThreadIndex, account: usize, resource: usize, amount: usize) -> isize {
    seldom_with_caller(thread, |manager, caller| manager.refund_for_service(caller, account, resource, amount))
}
