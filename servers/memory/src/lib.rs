//! The memory manager's logic: physical frames, Sv39 address spaces, stacks, devices. Free of hardware: all memory is
//! reached through [`ram::Ram`], which on the host is a vector.
#![cfg_attr(not(test), no_std)]
#![cfg_attr(target_os = "none", feature(optimize_attribute))]

pub mod accounts;
mod answers;
pub mod chains;
mod charges;
mod chunks;
mod copies;
pub mod devices;
pub mod dma;
pub mod doomed;
pub mod frames;
pub mod invariants;
mod mapping;
pub mod numbered;
pub mod open_windows;
pub mod pagers;
pub mod pages;
pub mod placing;
pub mod ram;
pub mod segments;
mod service_stacks;
pub mod shares;
pub mod space;
pub mod stacks;
pub mod tables;
pub mod transfer_letters;
mod transfers;
pub mod view;
mod view_copies;
pub mod views;
pub mod windows;

#[cfg(test)]
mod fake;
#[cfg(test)]
mod lifetime_tests;
#[cfg(test)]
mod patches_tests;
#[cfg(test)]
mod space_tests;
#[cfg(test)]
mod view_copies_tests;
#[cfg(test)]
mod views_tests;
