//! What the scheduler needs of the hart; the tests put a model in its place.

pub trait Machine {
    /// The `time` counter.
    fn now(&self) -> u64;
    /// The `cycle` counter.
    fn cycles(&self) -> u64;
    /// The timer interrupts once `time` is at least `deadline`; [`NEVER`](crate::NEVER): not at all.
    fn timer_set(&mut self, deadline: u64);
}
