//! What the drivers of virtio devices share (OASIS, Virtual I/O Device 1.1, by `virtio-drivers`).
//!
//! A device is not trusted: what it says of its queues is checked against what it was given, and one that says what can not be has
//! told a [`Lie`], after which its driver ends. [`ring`] is that check; [`memory`] is where queues and buffers are; [`device`] is how a
//! driver finds its device and waits for it; `fake` is a device for tests, which lies where they want.
#![cfg_attr(not(any(test, feature = "fake")), no_std)]

extern crate alloc;

#[cfg(target_os = "none")]
pub mod device;
#[cfg(any(test, feature = "fake"))]
pub mod fake;
pub mod features;
#[cfg(target_os = "none")]
pub mod memory;
pub mod ring;

pub use features::Features;
pub use ring::{Lie, Place, Ring};
pub use virtio_drivers::transport::{DeviceType, Transport};
pub use virtio_drivers::{BufferDirection, Hal, PhysAddr};
