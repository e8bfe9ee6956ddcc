#![no_std]
#![no_main]
#![allow(unused_unsafe, unused_parens)]
extern crate alloc;
extern crate extension;

struct Arena;
// SAFETY: what the host gives is so large, so aligned and nobody else's, or 0.
unsafe impl core::alloc::GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: core::alloc::Layout) -> *mut u8 {
        core::ptr::with_exposed_provenance_mut(extension_runtime::allocate(layout.size() as u64, layout.align() as u64) as usize)
    }
    unsafe fn dealloc(&self, address: *mut u8, layout: core::alloc::Layout) {
        extension_runtime::release(address.expose_provenance() as u64, layout.size() as u64, layout.align() as u64);
    }
}
#[global_allocator]
static ARENA: Arena = Arena;

#[panic_handler]
fn panicked(info: &core::panic::PanicInfo) -> ! {
    match info.location() {
        Some(place) => extension_runtime::panicked(place.file().as_bytes(), place.line()),
        None => extension_runtime::panicked(&[], 0),
    }
    // A host that came back from that: its deadline ends this.
    loop {
        core::hint::spin_loop();
    }
}
