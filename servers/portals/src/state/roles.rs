//! Which of the first components does what the portal manager relies on. It follows from what they provide, so that another component
//! can have the role.

/// Numbers of components and of registrations.
pub struct Roles {
    /// The portal manager's own domain, and the memory manager's.
    pub own: usize,
    pub memory: usize,
    /// Who starts all other components.
    pub start: usize,
    /// The registration of `domain.destroy`.
    pub destroy: usize,
    /// The scheduler's registrations of P and V.
    pub semaphore_entries: [usize; 2],
}
impl Roles {
    pub const NONE: Roles = Roles { own: 0, memory: 0, start: 0, destroy: 0, semaphore_entries: [0; 2] };
}
