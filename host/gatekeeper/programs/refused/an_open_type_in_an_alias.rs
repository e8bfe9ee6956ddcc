//! RIGID: under another name.
#![no_std]
pub type Next<I> = <I as Iterator>::Item;
