//! For services: whose account pays, and charging it.

use crate::with_caller;

#[optimize(size)]
pub extern "C" fn account_of(thread: usize, who: usize) -> isize {
    with_caller(thread, |manager, caller| manager.payer(caller, thread, who))
}
#[optimize(size)]
pub extern "C" fn account_charge(thread: usize, account: usize, resource: usize, amount: usize) -> isize {
    with_caller(thread, |manager, caller| manager.charge_for_service(caller, account, resource, amount))
}
#[optimize(size)]
pub extern "C" fn account_refund(thread: usize, account: usize, resource: usize, amount: usize) -> isize {
    with_caller(thread, |manager, caller| manager.refund_for_service(caller, account, resource, amount))
}
