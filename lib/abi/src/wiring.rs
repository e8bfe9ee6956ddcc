//! Where the entries of every domain's tables lead before it opens a portal. The image builder makes those of the first domains, the portal
//! manager all others.

use crate::boot::Symbols;
use crate::nucleus::fault;

/// The portal that exceptions of domains go to, which are neither masked nor of the trusted base. Of an illegal instruction the nucleus sees first whether it
/// is floating point's.
pub const EXCEPTIONS: &str = "memory.fault";
/// That exception's cause.
pub const ILLEGAL: usize = 2;
/// The portals that faults go to which portal code raises.
pub const RAISED: [(usize, &str); 7] = [
    (fault::NO_STACK, "domain.no_stack"),
    (fault::RESERVE_FREE, "domain.reserve_free"),
    (fault::WINDOW, EXCEPTIONS),
    (fault::WINDOW_WRITE, EXCEPTIONS),
    (fault::STACK_FREE, "scheduler.stack_free"),
    (fault::TRANSFER, EXCEPTIONS),
    (fault::ARGUMENT, "portal.argument"),
];
/// The portals that interrupts go to, by their causes: all others stop the system.
pub const INTERRUPTS: [(usize, &str); 2] = [(5, "scheduler.tick"), (9, "interrupt.dispatch")];

impl Symbols {
    /// The portals that the nucleus answers itself, without going into a domain.
    const fn portals(&self) -> [(&'static str, u64); 10] {
        [
            ("nucleus.asid", self.asid),
            ("nucleus.thread", self.thread),
            ("nucleus.hrtime", self.hrtime),
            ("nucleus.switch", self.switch),
            ("nucleus.idle", self.idle),
            ("nucleus.timer_set", self.timer_set),
            ("nucleus.code_sync", self.code_sync),
            ("nucleus.tlb_flush", self.tlb_flush),
            ("nucleus.tlb_flush_asid", self.tlb_flush_asid),
            ("nucleus.interrupts_mask", self.interrupts_mask),
        ]
    }
    /// Code of the one of that name.
    pub fn portal(&self, name: &str) -> Option<u64> {
        self.portals().iter().find(|(known, _)| *known == name).map(|(_, code)| *code)
    }
    /// The name of the one with this code.
    pub fn portal_name(&self, code: u64) -> Option<&'static str> {
        self.portals().iter().find(|(_, known)| *known == code).map(|(name, _)| *name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nucleuss_portals_are_found_by_name_and_by_code() {
        let symbols = Symbols { asid: 0x40, interrupts_mask: 0x80, ..Symbols::default() };
        assert_eq!(
            (symbols.portal("nucleus.asid"), symbols.portal_name(0x80)),
            (Some(0x40), Some("nucleus.interrupts_mask"))
        );
        assert_eq!((symbols.portal("names.lookup"), symbols.portal_name(0x44)), (None, None));
    }
    #[test]
    fn each_fault_that_portal_code_raises_goes_somewhere() {
        let numbers: Vec<usize> = RAISED.iter().map(|(number, _)| *number).collect();
        assert_eq!(numbers, [24, 25, 26, 27, 28, 29, 30]);
    }
    #[test]
    fn what_every_domain_has_of_the_nucleus_the_nucleus_has() {
        let symbols = Symbols::default();
        for (_, name) in crate::system::ALL.iter().filter(|(_, name)| name.starts_with("nucleus.")) {
            assert!(symbols.portal(name).is_some(), "{name}");
        }
    }
}
