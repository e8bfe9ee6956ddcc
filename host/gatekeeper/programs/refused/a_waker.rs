//! ASYNC, NAME: a table of functions in a value.
#![no_std]
use core::task::Waker;
pub fn waker() -> Waker {
    Waker::noop().clone()
}
