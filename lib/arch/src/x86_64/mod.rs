//! x86-64: page tables. Entry paths, portals and templates are absent still, and with them the nucleus.

#[cfg(all(target_arch = "x86_64", target_os = "none"))]
pub mod activation;
#[cfg(all(target_arch = "x86_64", target_os = "none"))]
pub mod choosing;
#[cfg(all(target_arch = "x86_64", target_os = "none"))]
pub mod component;
pub mod paging;
pub mod text;
pub mod trap;
