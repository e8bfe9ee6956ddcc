//! The feature bits that the drivers here accept; each takes those of its device. Suppressing notifications by index
//! (`VIRTIO_F_EVENT_IDX`) is not among them: `virtio-drivers` 0.13 forgets a notification when the index wraps.

use bitflags::bitflags;

bitflags! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Features: u64 {
        /// Console (section 5.3.3): it has ports that are opened and closed.
        const PORTS = 1 << 1;
        /// Network (section 5.1.3): the device has an address.
        const ADDRESS = 1 << 5;
        /// Block (section 5.2.3): the disk can not be written; it says what its blocks are; what was written can be made to last.
        const READ_ONLY = 1 << 5;
        const BLOCK_SIZE = 1 << 6;
        const FLUSH = 1 << 9;
        /// It is no legacy device (section 6).
        const VERSION_1 = 1 << 32;
    }
}
