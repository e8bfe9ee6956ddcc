//! Tests over a model of the controller's registers: one behaviour each, named after it.

use crate::{Dispatcher, PERMITS, Plic, Registers, SOURCES};
use abi::Error::*;

/// The registers that the dispatcher may use, with the effects that matter here.
struct Model {
    priority: [u32; SOURCES],
    enabled: [bool; SOURCES],
    /// The device asks.
    asking: [bool; SOURCES],
    claimed: std::cell::RefCell<[bool; SOURCES]>,
}
impl Model {
    fn new() -> Model {
        let claimed = std::cell::RefCell::new([false; SOURCES]);
        Model { priority: [0; SOURCES], enabled: [false; SOURCES], asking: [false; SOURCES], claimed }
    }
    fn pending(&self) -> Option<usize> {
        let claimed = self.claimed.borrow();
        (1..SOURCES).find(|&s| self.asking[s] && self.enabled[s] && self.priority[s] > 0 && !claimed[s])
    }
}
impl Registers for Model {
    fn read(&self, offset: usize) -> u32 {
        match offset {
            0x2080..0x2090 => (0..32).map(|bit| u32::from(self.enabled[(offset - 0x2080) * 8 + bit]) << bit).sum(),
            0x20_1004 => {
                let source = self.pending().unwrap_or(0);
                self.claimed.borrow_mut()[source] = source != 0;
                source as u32
            }
            _ => panic!("read at {offset:#x}"),
        }
    }
    fn write(&mut self, offset: usize, value: u32) {
        match offset {
            0x4..0x200 => self.priority[offset / 4] = value,
            0x2080..0x2090 => (0..32).for_each(|bit| self.enabled[(offset - 0x2080) * 8 + bit] = value >> bit & 1 != 0),
            0x20_1000 => assert_eq!(value, 0),
            0x20_1004 => {
                assert!(self.enabled[value as usize], "a completion of a disabled source is ignored");
                self.claimed.get_mut()[value as usize] = false;
            }
            _ => panic!("write at {offset:#x}"),
        }
    }
}
type Subject = Dispatcher<Plic<Model>>;
fn new() -> Subject {
    Dispatcher::new(Plic(Model::new()))
}
fn asks(subject: &mut Subject, source: usize, asking: bool) {
    subject.controller.0.asking[source] = asking;
}
fn pending(subject: &Subject) -> Option<usize> {
    subject.controller.0.pending()
}

#[test]
fn an_interrupt_posts_its_semaphore_once_until_done() {
    let mut subject = new();
    subject.permit(5, 0, 10).unwrap();
    subject.attach(5, 0, 77).unwrap();
    asks(&mut subject, 10, true);
    assert_eq!(subject.dispatch(), 77);
    assert_eq!(pending(&subject), None, "held back until it is done");
    subject.done(5, 0).unwrap();
    assert_eq!(pending(&subject), Some(10), "the device still asks");
    assert_eq!(subject.dispatch(), 77);
    asks(&mut subject, 10, false);
    subject.done(5, 0).unwrap();
    assert_eq!(subject.dispatch(), 0);
}
#[test]
fn a_spurious_interrupt_posts_nothing() {
    assert_eq!(new().dispatch(), 0);
}
#[test]
fn an_interrupt_that_nobody_is_attached_to_is_turned_off() {
    let mut subject = new();
    (subject.controller.0.priority[33], subject.controller.0.enabled[33]) = (1, true);
    asks(&mut subject, 33, true);
    assert_eq!(subject.dispatch(), 0);
    assert!(!subject.controller.0.enabled[33] && !subject.controller.0.claimed.borrow()[33]);
    subject.permit(5, 0, 33).unwrap();
    subject.attach(5, 0, 9).unwrap();
    assert_eq!(subject.dispatch(), 9, "it was not lost");
}
#[test]
fn attach_and_done_without_a_permit_are_eaccess() {
    let mut subject = new();
    subject.permit(5, 0, 10).unwrap();
    for (asid, device) in [(5, 1), (6, 0), (0, 0), (5 + (1 << 16), 0)] {
        assert_eq!(subject.attach(asid, device, 77), Err(EACCESS));
        assert_eq!(subject.done(asid, device), Err(EACCESS));
    }
}
#[test]
fn attach_to_no_semaphore_is_einval() {
    let mut subject = new();
    subject.permit(5, 0, 10).unwrap();
    assert_eq!(subject.attach(5, 0, 0), Err(EINVAL));
    assert_eq!(subject.attach(5, 0, usize::MAX), Err(EINVAL));
}
#[test]
fn done_without_an_interrupt_does_nothing() {
    let mut subject = new();
    subject.permit(5, 0, 10).unwrap();
    assert_eq!(subject.done(5, 0), Ok(()));
    subject.attach(5, 0, 77).unwrap();
    assert_eq!(subject.done(5, 0), Ok(()));
}
#[test]
fn a_second_attach_takes_over_and_gets_what_was_left() {
    let mut subject = new();
    subject.permit(5, 0, 10).unwrap();
    subject.attach(5, 0, 77).unwrap();
    asks(&mut subject, 10, true);
    assert_eq!(subject.dispatch(), 77);
    subject.attach(5, 0, 78).unwrap();
    assert_eq!(subject.dispatch(), 78);
}
#[test]
fn permits_are_checked() {
    let mut subject = new();
    for (asid, device, source) in [(0, 0, 1), (1 << 16, 0, 1), (1, 1 << 16, 1), (1, 0, 0), (1, 0, SOURCES)] {
        assert_eq!(subject.permit(asid, device, source), Err(EINVAL));
    }
    subject.permit(5, 0, 10).unwrap();
    assert_eq!(subject.permit(5, 0, 11), Err(EEXIST));
    assert_eq!(subject.permit(6, 0, 10), Err(EBUSY));
}
#[test]
fn permits_run_out_with_enfile() {
    let mut subject = new();
    for source in 1..=PERMITS {
        subject.permit(5, source, source).unwrap();
    }
    assert_eq!(subject.permit(5, PERMITS + 1, PERMITS + 1), Err(ENFILE));
}
#[test]
fn a_forgotten_domain_leaves_nothing_behind() {
    let mut subject = new();
    subject.permit(5, 0, 10).unwrap();
    subject.permit(6, 0, 11).unwrap();
    subject.permit(5, 1, 12).unwrap();
    subject.attach(5, 0, 77).unwrap();
    subject.attach(6, 0, 78).unwrap();
    asks(&mut subject, 10, true);
    assert_eq!(subject.dispatch(), 77);
    subject.forget(5);
    assert!(!subject.controller.0.enabled[10] && !subject.controller.0.claimed.borrow()[10]);
    assert_eq!(subject.done(5, 0), Err(EACCESS));
    assert_eq!(subject.done(5, 1), Err(EACCESS));
    asks(&mut subject, 11, true);
    assert_eq!(subject.dispatch(), 78, "others keep theirs");
    subject.permit(7, 0, 10).unwrap();
    subject.attach(7, 0, 79).unwrap();
    assert_eq!(subject.dispatch(), 79, "its interrupt may go to another");
}
