//! TIME: the loop has an end that nothing comes to.
#![no_std]
pub fn wait() {
    while true {
        core::hint::spin_loop();
    }
}
