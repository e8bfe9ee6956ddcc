//! Address spaces and what is in them.

use crate::types::{Address, Alleged, DomainNumber, Identity, PageRights, Physical, ThreadIndex};
use abi::system::Ended;

interface! {
    "Memory manager (`servers/memory`, trusted)";
    /// Exceptions of all domains but masked ones and the trusted base; faults `WINDOW`, `WINDOW_WRITE`, `TRANSFER`
    "memory.fault", "sx": fn fault [cause: usize, value: usize, pc: usize, executing: Identity, thread: ThreadIndex] () -> Result<()>;
    /// The address space of a new domain, for which an account pays → its root table (supervisor half and return page in place); portal manager
    "memory.space_create", "smii": fn space_create(domain: Identity, account: usize) -> Result<Physical>;
    /// An account may have so many pages; init
    "memory.limit", "smii": fn limit(account: usize, pages: usize) -> Result<()>;
    /// Copies the private part, its limits included; with the frames that windows show, and their number; portal manager
    "memory.space_copy", "smiiri":
        fn space_copy(from: DomainNumber, to: DomainNumber, frames: Alleged<usize>, count: usize) -> Result<()>;
    /// Gives back all that is in it; portal manager
    "memory.space_destroy", "smi": fn space_destroy(domain: DomainNumber) -> Result<()>;
    /// A view of a space for a new domain → its root table; portal manager
    "memory.view_create", "smiii": fn view_create(domain: Identity, space: DomainNumber, account: usize) -> Result<Physical>;
    /// The view sees as much of its space as the model of that which it is a copy of; portal manager
    "memory.view_model", "smii": fn view_model(view: DomainNumber, model: DomainNumber) -> Result<()>;
    /// The view goes, with what its domain has taken in the space; with the frames that windows show; portal manager
    "memory.view_destroy", "smiri": fn view_destroy(view: DomainNumber, frames: Alleged<usize>, count: usize) -> Result<()>;
    /// Who shows, to which view and with which rights (`abi::memory::Shown`); with the frames that windows show; portal manager
    "memory.view_show", "smiiiri":
        fn view_show(shown: usize, start: Address, bytes: usize, frames: Alleged<usize>, count: usize) -> Result<()>;
    /// Calls of the view's domain to its task, whose portal table is the second argument, patch pages (`abi::patch`), or (1) as many as are worth it; with
    /// the frames that windows show → the patch; portal manager
    "memory.view_patch", "smiiiri":
        fn view_patch(view: DomainNumber, callee: usize, cheapest: usize, frames: Alleged<usize>, count: usize) -> Result<Physical>;
    /// Service stacks become visible; portal manager
    "memory.trust", "smi": fn trust(domain: DomainNumber) -> Result<()>;
    /// What the domain, which has no memory yet, gets is supervisor mode's; portal manager
    "memory.make_supervisor", "smi": fn make_supervisor(domain: DomainNumber) -> Result<()>;
    /// Maps the thread's service stack, if it is not; portal manager
    "memory.service_stack", "smi": fn service_stack(thread: ThreadIndex) -> Result<()>;
    /// At most 8 consecutive zeroed pages in the first GiB, mapped in the portal manager at `nucleus_view`; portal manager
    "memory.nucleus_pages", "smi": fn nucleus_pages(count: usize) -> Result<Physical>;
    /// Takes them back; portal manager
    "memory.nucleus_free", "smii": fn nucleus_free(first: Physical, count: usize) -> Result<()>;
    /// More heap → the old end of it; trusted components
    "memory.grow_for", "smii": fn grow_for(domain: DomainNumber, pages: usize) -> Result<Address>;
    /// The top of a new stack with a guard page below; portal manager
    "memory.stack_for", "smii": fn stack_for(domain: DomainNumber, bytes: usize) -> Result<Address>;
    /// Takes it back; portal manager
    "memory.stack_release", "smii": fn stack_release(domain: DomainNumber, top: Address) -> Result<()>;
    /// Where the domain's heap starts; init
    "memory.set_heap", "smii": fn set_heap(domain: DomainNumber, start: Address) -> Result<()>;
    /// Zeroed pages; init
    "memory.map", "smiiii": fn map(domain: DomainNumber, start: Address, bytes: usize, rights: PageRights) -> Result<()>;
    /// Pages of the archive: its own where they are read-only, copies of those to be written; init
    "memory.map_image", "smiiiii":
        fn map_image(domain: DomainNumber, start: Address, offset: usize, bytes: usize, rights: PageRights) -> Result<()>;
    /// A segment of an image of the archive in place of pages that a domain of protection has taken and nobody has touched, the image being at `start`: what depends on the address is put right; init
    "memory.place", "smiiii": fn place(domain: DomainNumber, image: usize, segment: usize, start: Address) -> Result<()>;
    /// A copy of bytes of one page, and zeros behind them, in place of a page that a domain of protection has taken and nobody has touched; portal manager
    "memory.place_page", "smiiiri":
        fn place_page(domain: DomainNumber, at: Address, rights: PageRights, from: Alleged<u8>, bytes: usize) -> Result<()>;
    /// Copies into mapped memory → the bytes; init
    "memory.write", "smiiri": fn write(domain: DomainNumber, to: Address, from: Alleged<u8>, bytes: usize) -> Result<usize>;
    /// Maps the registers of the device whose node or unit has this name → `bytes << 16 \| interrupt number`; init
    "memory.map_device", "smiiri":
        fn map_device(domain: DomainNumber, device: usize, name: Alleged<u8>, length: usize) -> Result<usize>;
    /// Eight pages for a device of the manifest entry, by the number of their chunk: see [Drivers](network.md); `EACCESS` (no such device), `EINVAL`, `ENOMEM`, `ENFILE`; drivers
    "memory.dma", "smaii": fn dma [domain: DomainNumber] (device: usize, chunk: usize) -> Result<Physical>;
    /// Pages: 0: of RAM, 1: free ones, 2: of a domain, 3: promised, 4 and 5: that an account has, and may have; shell, init and portal manager
    "memory.info", "smii": fn info(what: usize, of: usize) -> Result<usize>;
    /// 0, or minus (kind · 2¹⁶ + domain) of what does not hold of the page tables (`servers/memory/src/invariants.rs`), or `EAGAIN`; portal manager
    "memory.check", "sm": fn check() -> Result<usize>;
    /// Whether a window slot has this entry (0: not touched yet), `EFAULT`: it has not, and its lender the page that the call lends there, `EACCESS`; portal manager
    "memory.window", "smiiiii":
        fn window(domain: DomainNumber, slot: Address, mapped: usize, shown: usize, lender: DomainNumber) -> Result<()>;
    /// Open window slots; portal manager
    "memory.windows", "smi": fn windows(domain: DomainNumber) -> Result<usize>;
    /// Closes the windows of a domain that has ended; portal manager
    "memory.windows_close", "smi": fn windows_close(domain: DomainNumber) -> Result<()>;
    /// Faults of the client in a range (0 bytes: everywhere) are answered by a portal of the memory manager's that leads to `pager`; portal manager
    "memory.pager_for", "smiiiii":
        fn pager_for(client: Identity, start: Address, bytes: usize, portal: usize, pager: Identity) -> Result<()>;
    /// No more → the portal's number; portal manager
    "memory.pager_remove", "smii": fn pager_remove(client: Identity, start: Address) -> Result<usize>;
    /// A domain that has ended is neither; portal manager
    "memory.pager_forget", "smi": fn pager_forget(ended: Identity) -> Result<()>;
    /// Whether that portal is about to be called by the memory manager, or was and has not returned; portal manager
    "memory.pager_pending", "smi": fn pager_pending(portal: usize) -> Result<bool>;
    /// So many seconds have gone by → the identity of a domain whose pager has taken too long, and how it ends; 2: somebody waits for an answer; 0; portal manager
    "memory.pager_overdue", "smiw": fn pager_overdue(seconds: usize, how: Alleged<Ended>) -> Result<usize>;
    /// What `page_map` does (`abi::memory::Replacement`); portal manager
    "memory.page_for", "smiiiii":
        fn page_for(by: Identity, client: Identity, at: Address, source: Address, with: usize) -> Result<usize>;
    /// The same, with who does it for whom (`abi::memory::Parties`) and the frames that windows show; portal manager
    "memory.page_among", "smiiiiri":
        fn page_among(parties: usize, at: Address, source: Address, with: usize, frames: Alleged<usize>, count: usize) -> Result<usize>;
    /// A segment of a fault domain's of that domain begins there (`abi::memory::NEW_SEGMENT`); portal manager
    "memory.segment_for", "smii": fn segment_for(domain: DomainNumber, base: Address) -> Result<()>;
    /// The frame that the domain has to itself there; portal manager
    "memory.frame_of", "smii": fn frame_of(domain: DomainNumber, at: Address) -> Result<Physical>;
    /// What was shared or moved for a call of the thread that is not made comes back; portal manager
    "memory.undo_transfers", "smi": fn undo_transfers(thread: ThreadIndex) -> Result<()>;
}
