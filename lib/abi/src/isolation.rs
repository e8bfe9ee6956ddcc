//! How a component is kept apart from others: the mechanisms, by the numbers that requests and answers have them by.

macro_rules! mechanisms {
    ($($(#[$doc:meta])* $mechanism:ident = $number:literal, $name:literal;)*) => {
        /// A mechanism.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Isolation { $($(#[$doc])* $mechanism = $number,)* }
        impl Isolation {
            /// The mechanism with this number.
            pub fn of(number: u64) -> Option<Isolation> {
                match number { $($number => Some(Isolation::$mechanism),)* _ => None }
            }
            /// As a manifest says it.
            pub fn name(self) -> &'static str {
                match self { $(Isolation::$mechanism => $name,)* }
            }
        }
    };
}

mechanisms! {
    /// Its own page table over its own addresses.
    Domain = 0, "domain";
    /// A domain of protection: its own page table over the addresses of a task, of which it sees a part.
    Dp = 1, "dp";
    /// A software fault domain: verified machine code in a segment of its host's space.
    Sfi = 2, "sfi";
    /// A supervisor domain: its own page table, and supervisor mode.
    Supervisor = 3, "supervisor";
}
