//! Interrupts of devices.

use crate::types::{DomainNumber, SemaphoreId};

interface! {
    "Interrupt dispatcher (`servers/interrupts`, masked)";
    /// External interrupt (cause 9)
    "interrupt.dispatch", "sx": fn dispatch() -> Result<()>;
    /// That domain may attach to the interrupt of its device; init
    "interrupt.permit", "smiii": fn permit(domain: DomainNumber, device: usize, interrupt: usize) -> Result<()>;
    /// The device's interrupt posts that semaphore; portal manager
    "interrupt.attach_for", "smiii":
        fn attach_for(domain: DomainNumber, device: usize, semaphore: SemaphoreId) -> Result<()>;
    /// Completes the device's interrupt at the controller; portal manager
    "interrupt.done_for", "smii": fn done_for(domain: DomainNumber, device: usize) -> Result<()>;
    /// Nothing is passed on to that domain any more; portal manager
    "interrupt.forget", "smi": fn forget(domain: DomainNumber) -> Result<()>;
}
