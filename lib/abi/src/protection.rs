//! Domains of protection: what their handles are good for. See the book, "Domains of protection".

numbers! {
    /// What `protection.operate` is asked for, with a handle and three more words.
    pub mod operation as PROTECTION {
        /// `(entry, procedures, stacks)`: an entry point, with so many procedures behind it; stacks for the domain's queue.
        pub const REGISTER: usize = 1;
        /// `(entry)`: the number of the portal to that entry point, which is opened if none in the task is.
        pub const CONNECT: usize = 2;
        /// `(start, bytes, rights)`: the pages are visible with these rights; 0: invisible.
        pub const SHOW: usize = 3;
        /// `(portal)`: the domain has the caller's portal, at the same number.
        pub const PASS: usize = 4;
        /// `(portal)`: the domain has that portal no more.
        pub const WITHDRAW: usize = 5;
        /// `()`: the domain ends, and the handle with it.
        pub const DESTROY: usize = 6;
        /// `()`: the domain's number, while it lives.
        pub const NUMBER: usize = 7;
        /// `(portal, domains, pages)`: whom the portal leads to may make so many domains of protection in the caller's task, of so many pages
        /// together, in the name of the handle's domain, or, with handle 0, of the caller: a delegation, an entry of the caller's table.
        /// [`DESTROY`] withdraws it.
        pub const DELEGATE: usize = 8;
        /// `()`: the handle is a delegation in the table of who makes the call that is being served: the caller has it from now on, too.
        pub const ACCEPT: usize = 9;
        /// `(bytes)`: the domain takes so much memory; where it begins.
        pub const TAKE: usize = 10;
        /// `()`: who delegated has a handle of the domain, too; its number there.
        pub const GIVE: usize = 11;
    }
}
/// Most entry points of one domain, and most procedures behind one: the portal compares with an immediate.
pub const ENTRIES: usize = 16;
pub const PROCEDURES: usize = 2047;
/// The specification of a protected procedure call: procedure, capability and four arguments.
pub const SPECIFICATION: &str = "npiiiiii";
