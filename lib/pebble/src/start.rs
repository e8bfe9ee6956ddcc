//! How a component starts: opens its imports, registers what it provides, and runs.

use abi::identity::DomainId;
use abi::section::{Imported, Provided, text};
use abi::start::{Start, StartDevice};
use core::ffi::CStr;
use core::sync::atomic::Ordering;

/// What the component was started with.
pub struct Env(*const Start);
impl Env {
    /// Number of arguments, the component's name included.
    pub fn len(&self) -> usize {
        // SAFETY: `_start` got the pointer from `init`, which laid the block out on this component's stack.
        if self.0.is_null() { 0 } else { unsafe { (*self.0).argc as usize } }
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Argument `n`; 0 is the component's name.
    pub fn argument(&self, n: usize) -> Option<&str> {
        if n >= self.len() {
            return None;
        }
        // SAFETY: as above; `argv` has `argc` pointers to 0-terminated strings.
        let string = unsafe { CStr::from_ptr(*((*self.0).argv as *const *const core::ffi::c_char).add(n)) };
        string.to_str().ok()
    }
    /// Takes over the standard streams that the starter hands over.
    fn inherit(&self) -> crate::Result<()> {
        // SAFETY: as above.
        unsafe { self.0.as_ref() }.map_or(Ok(()), crate::standard::inherit)
    }
    /// The domain that had it started, and a bit for each standard stream that this one hands over.
    pub fn starter(&self) -> (Option<DomainId>, u32) {
        // SAFETY: as above.
        unsafe { self.0.as_ref() }.map_or((None, 0), |start| (DomainId::of(start.starter), start.inherited))
    }
    /// The value of variable `name`.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables().find_map(|variable| variable.strip_prefix(name)?.strip_prefix('='))
    }
    /// All variables, as `NAME=value`.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        // SAFETY: as above; behind the arguments' null are pointers to 0-terminated strings up to a null.
        let mut next: *const *const core::ffi::c_char = if self.0.is_null() {
            core::ptr::null()
        } else {
            unsafe { ((*self.0).argv as *const *const core::ffi::c_char).add((*self.0).argc as usize + 1) }
        };
        core::iter::from_fn(move || {
            // SAFETY: as above; the null was not met yet.
            while !next.is_null() && !unsafe { *next }.is_null() {
                // SAFETY: as above.
                let string = unsafe { CStr::from_ptr(*next) };
                // SAFETY: as above.
                next = unsafe { next.add(1) };
                if let Ok(text) = string.to_str() {
                    return Some(text);
                }
            }
            None
        })
    }
    /// The registers of device `n` of the manifest entry.
    pub fn device(&self, n: usize) -> Option<StartDevice> {
        // SAFETY: as above.
        unsafe {
            if self.0.is_null() || n >= (*self.0).device_count as usize {
                return None;
            }
            Some(*((*self.0).devices as *const StartDevice).add(n))
        }
    }
}

unsafe extern "C" {
    static __imports_start: Imported;
    static __imports_end: Imported;
    static __provides_start: Provided;
    static __provides_end: Provided;
}
/// # Safety
/// The two mark the ends of an array.
unsafe fn slice<T>(start: &T, end: &T) -> &'static [T] {
    let count = (&raw const *end as usize - &raw const *start as usize) / size_of::<T>();
    // SAFETY: the linker script puts both around one section of `T`s.
    unsafe { core::slice::from_raw_parts(start, count) }
}

/// Opens the portals of the import section that are not open yet.
fn open_imports() {
    // SAFETY: symbols of the linker script.
    for import in unsafe { slice(&__imports_start, &__imports_end) } {
        if import.number.load(Ordering::Relaxed) == 0 {
            match open(text(&import.name)) {
                Ok(number) => import.number.store(number as u64, Ordering::Relaxed),
                // What could not be opened answers EPORTAL to every call.
                Err(_) => import.number.store(abi::nucleus::NPORTALS as u64, Ordering::Relaxed),
            }
        }
    }
}
pub use interfaces::import::open;

/// Stacks that a server component puts in its queue.
const STACKS: usize = 4;

fn register_provides() -> crate::Result<()> {
    // SAFETY: symbols of the linker script.
    crate::portal::register(unsafe { slice(&__provides_start, &__provides_end) }, STACKS)
}

/// Body of `_start` for a program: ends the domain with `main`'s status.
pub fn run_program(start: *const Start, main: fn(&Env) -> i32) -> ! {
    crate::sync::name_threads();
    open_imports();
    let env = Env(start);
    if let Err(error) = env.inherit() {
        crate::eprintln!("standard streams: {}", error.text());
        crate::thread::exit_domain(crate::standard::NOT_INHERITED);
    }
    crate::thread::exit_domain(main(&env))
}
/// Body of `_start` for the host of a component: what that one was started with is left to it.
pub fn run_host(start: *const Start, main: fn(&Env) -> i32) -> ! {
    crate::thread::exit_domain(main(&Env(start)))
}
/// Body of `_start` for a server: `main` initializes it, then its portals are registered and its first thread ends.
pub fn run_server(start: *const Start, main: fn(&Env)) -> ! {
    crate::sync::name_threads();
    open_imports();
    main(&Env(start));
    if let Err(error) = register_provides() {
        crate::thread::exit_domain(-error.code() as i32);
    }
    crate::thread::exit()
}
/// The same for a boot component, which has no start block: the image builder has opened and registered all portals.
pub fn run_boot_server(start: *const Start, main: fn(&Env)) -> ! {
    main(&Env(start));
    crate::thread::exit()
}

/// Names the start of a program: `program!(main)` with `fn main(env: &Env) -> i32`.
#[macro_export]
macro_rules! program {
    ($main:path) => {
        $crate::component!($crate::heap::Ordinary, $crate::run_program, $main, $crate::panic_on_console);
    };
}
/// Names the start of a server: `server!(main)` with `fn main(env: &Env)`. Its portals open once `main` returns. A panic is said in the
/// system log.
#[macro_export]
macro_rules! server {
    ($main:path) => {
        $crate::component!($crate::heap::Ordinary, $crate::run_server, $main, $crate::panic_on_log);
    };
}
/// The same for a trusted boot component, whose heap and locks use the trusted servers directly.
#[macro_export]
macro_rules! boot_server {
    ($main:path) => {
        $crate::component!($crate::heap::Boot, $crate::run_boot_server, $main, $crate::panic_silently);
    };
}
/// A component that runs with interrupts off, on one stack, and is only ever entered by its portals: no thread starts in it, it
/// has no heap, and a fault or a panic of its own stops the system, whose report names it.
#[macro_export]
macro_rules! masked_server {
    () => {
        const _: () = {
            #[repr(align(16))]
            struct Stack(#[allow(dead_code)] [u8; $crate::abi::address::MASKED_STACK]);
            #[used]
            #[unsafe(link_section = ".pebble.stack")]
            static mut STACK: Stack = Stack([0; $crate::abi::address::MASKED_STACK]);
        };
        #[unsafe(no_mangle)]
        #[unsafe(link_section = ".text.start")]
        extern "C" fn _start() -> ! {
            $crate::stop()
        }
        #[panic_handler]
        fn panic(_info: &core::panic::PanicInfo) -> ! {
            $crate::stop()
        }
        #[global_allocator]
        static NO_HEAP: $crate::heap::NoHeap = $crate::heap::NoHeap;
    };
}
#[doc(hidden)]
#[macro_export]
macro_rules! component {
    ($environment:ty, $run:path, $main:path, $panic:path) => {
        #[global_allocator]
        static HEAP: $crate::heap::Heap<$environment> = $crate::heap::Heap::new();
        #[unsafe(no_mangle)]
        #[unsafe(link_section = ".text.start")]
        extern "C" fn _start(start: *const $crate::abi::start::Start) -> ! {
            $run(start, $main)
        }
        #[panic_handler]
        fn panic(info: &core::panic::PanicInfo) -> ! {
            $panic(info)
        }
    };
}
