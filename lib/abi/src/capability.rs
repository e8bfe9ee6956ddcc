//! What the capability manager and its clients agree on.

numbers! {
    /// What limits a capability besides its rights.
    pub mod flags as CAP {
        /// It is gone once it was passed.
        pub const ONCE: u64 = 1;
        /// It can be passed to its issuer only.
        pub const STAYS: u64 = 2;
        pub const ALL: u64 = ONCE | STAYS;
    }
}
shared! {
    /// Answer of `capability.info` and `capability.list`.
    #[repr(C, align(64))]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Info as capability {
        /// What its holder calls it.
        pub name: u64,
        pub rights: u64,
        /// [`flags`].
        pub flags: u64,
        /// ASID of the issuer; 0: it is no more.
        pub issuer: u64,
        /// What it stands for, for the issuer only.
        pub object: u64,
    }
}
