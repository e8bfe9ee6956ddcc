//! Spaces over fake RAM: what is mapped where, and that nothing is lost.

use crate::fake::Fake;
use crate::frames::Frames;
use crate::open_windows::OpenWindows;
use crate::ram::Ram;
use crate::space::{Shared, Spaces};
use crate::{stacks, tables};
use abi::Error;
use abi::address::*;
use abi::identity::{DomainId, Serials};
use abi::memory::Part;
use abi::nucleus::MAX_DOMAINS;
use abi::rights::Rights;
use arch::Marks;
use arch::paging::{Entry, index, supervisor_half};
use proptest::prelude::*;

const PAGES: usize = 4096;
/// No window shows anything.
pub(crate) const NONE: OpenWindows = OpenWindows::all(&[]);
/// Domain `number`, the first that has it.
pub(crate) fn id(number: usize) -> DomainId {
    DomainId::new(number, Serials::after(0).next().unwrap()).unwrap()
}

pub(crate) fn spaces() -> Box<Spaces<Fake>> {
    let mut s = Box::new(Spaces::new(Fake::new(PAGES)));
    s.frames = Frames::fake();
    s.frames.add(RAM_BASE, RAM_BASE + PAGES * PAGE);
    let code_l1 = s.frames.take_run(1).unwrap();
    let return_page = s.frames.take_run(1).unwrap();
    let service_l1 = s.frames.take_run(1).unwrap();
    s.ram.clear(service_l1);
    let bare = [(); 2].map(|_| s.frames.take_run(1).unwrap());
    bare.iter().for_each(|&table| s.ram.clear(table));
    s.ram.set_entry(bare[0] + 8 * index(RETURN_PAGE, 1), Entry::table(bare[1]));
    let entry = Entry::user(return_page, Rights::READ_EXECUTE, Marks::FOREIGN).in_all_spaces();
    s.ram.set_entry(bare[1] + 8 * index(RETURN_PAGE, 0), entry);
    s.shared = Shared { code_l1, bare, service_l1, first_frame: RAM_BASE };
    s
}
#[test]
fn a_new_space_has_the_return_page_and_the_supervisor_half() {
    let mut s = spaces();
    let root = s.create(id(7)).unwrap();
    let leaf = tables::leaf(&s.ram, root, RETURN_PAGE);
    assert_eq!(leaf, s.ram.entry(s.shared.bare[1] + 8 * index(RETURN_PAGE, 0)));
    assert_eq!((leaf.is_user(), leaf.rights()), (true, Rights::READ_EXECUTE));
    for (place, entry) in supervisor_half(s.shared.code_l1) {
        assert_eq!(s.ram.entry(root + 8 * place), entry);
    }
}
#[test]
fn registers_appear_at_a_second_place_of_their_driver_and_nowhere_else() {
    const REGISTERS: usize = 0x1000_0000;
    const PLACE: usize = 0x1900_0000;
    let mut s = spaces();
    let [root, other] = [1, 2].map(|asid| s.create(id(asid)).unwrap());
    s.map_device(1, DEVICE_VA, REGISTERS, PAGE).unwrap();
    s.map(1, PLACE, PAGE, Rights::READ_WRITE).unwrap();
    let free = s.frames.free();
    let page =
        |s: &mut Spaces<Fake>, asid, va, source, rights| s.page(1, (asid, va, Part::Ordinary), source, rights, NONE);
    assert_eq!(page(&mut s, 1, PLACE, DEVICE_VA, Rights::READ_WRITE), Ok(()));
    let leaf = tables::leaf(&s.ram, root, PLACE);
    assert_eq!((leaf.address(), leaf.rights(), leaf.marks()), (REGISTERS, Rights::READ_WRITE, Marks::FOREIGN));
    assert_eq!(page(&mut s, 2, PLACE, DEVICE_VA, Rights::READ_WRITE), Err(Error::EINVAL), "another's");
    assert_eq!(page(&mut s, 1, PLACE, DEVICE_VA, Rights::READ_EXECUTE), Err(Error::EINVAL), "code");
    assert_eq!(page(&mut s, 1, PLACE, DEVICE_VA + DMA_OFFSET, Rights::READ_WRITE), Err(Error::EINVAL), "its memory");
    assert_eq!(page(&mut s, 1, PLACE, DEVICE_VA + DEVICE_STRIDE, Rights::READ_WRITE), Err(Error::EFAULT), "none");
    assert_eq!(page(&mut s, 2, PLACE, PLACE, Rights::READ_WRITE), Err(Error::EFAULT), "by the second place");
    assert_eq!(s.share(1, 2, PLACE, 1).err(), Some(Error::EFAULT));
    assert_eq!(s.give(1, 2, PLACE, 1, NONE), Err(Error::EFAULT));
    s.copy(1, 2, NONE).unwrap();
    assert!([PLACE, DEVICE_VA].iter().all(|&va| tables::leaf(&s.ram, other, va).is_none()), "a copy of the domain");
    assert_eq!(page(&mut s, 1, PLACE, 0, Rights::NONE), Ok(()));
    assert!(tables::leaf(&s.ram, root, PLACE).is_none());
    page(&mut s, 1, PLACE, DEVICE_VA, Rights::READ_WRITE).unwrap();
    s.destroy(2).unwrap();
    s.destroy(1).unwrap();
    assert!(s.frames.free() > free);
}
#[test]
fn spaces_with_nothing_but_the_return_page_share_its_tables_and_no_others() {
    let mut s = spaces();
    let before = s.frames.free();
    let roots = [1, 2, 3].map(|asid| s.create(id(asid)).unwrap());
    // A root each, and the table of spaces.
    assert_eq!(s.frames.free(), before - 4);
    s.map(1, STACK_TOP - PAGE, PAGE, Rights::READ_WRITE).unwrap();
    s.map(2, IMAGE_VA, PAGE, Rights::READ).unwrap();
    for root in [roots[1], roots[2]] {
        assert!(tables::leaf(&s.ram, root, STACK_TOP - PAGE).is_none(), "the stack is another's");
    }
    assert!(tables::leaf(&s.ram, roots[2], IMAGE_VA).is_none(), "the image is another's");
    let shown = roots.map(|root| tables::leaf(&s.ram, root, RETURN_PAGE));
    assert!(shown[0] == shown[2] && shown[1] == shown[2] && shown[2].allows(Rights::EXECUTE));
    [1, 2, 3].into_iter().for_each(|asid| s.destroy(asid).unwrap());
    assert_eq!(s.frames.free(), before - 1);
    let root = s.create(id(4)).unwrap();
    assert_eq!(tables::leaf(&s.ram, root, RETURN_PAGE), shown[0], "it is everybody's still");
}
#[test]
fn an_asid_in_use_is_refused() {
    let mut s = spaces();
    s.create(id(7)).unwrap();
    assert_eq!(s.create(id(7)), Err(Error::EEXIST));
}
#[test]
fn an_asid_out_of_range_is_refused() {
    assert_eq!(spaces().create(id(MAX_DOMAINS)), Err(Error::EINVAL));
}
#[test]
fn an_unknown_space_is_refused() {
    assert_eq!(spaces().grow(9, 1), Err(Error::ESRCH));
}
#[test]
fn mapping_outside_the_private_part_is_refused() {
    let mut s = spaces();
    s.create(id(1)).unwrap();
    for (va, bytes) in
        [(0, PAGE), (IMAGE_VA + 1, PAGE), (RETURN_PAGE, PAGE), (usize::MAX - PAGE + 1, 2 * PAGE), (IMAGE_VA, 0)]
    {
        assert_eq!(s.map(1, va, bytes, Rights::READ), Err(Error::EINVAL), "{va:#x}");
    }
}
#[test]
fn a_fault_at_the_return_page_is_not_possible_later() {
    let mut s = spaces();
    s.create(id(1)).unwrap();
    s.make_supervisor(1).unwrap();
    for address in [RETURN_PAGE, RETURN_PAGE + PAGE - 1] {
        assert!(!s.resolve(1, address, Rights::EXECUTE) && !s.resolve(1, address, Rights::READ));
    }
}
#[test]
fn supervisor_rights_are_refused() {
    let mut s = spaces();
    s.create(id(1)).unwrap();
    assert_eq!(s.map(1, IMAGE_VA, PAGE, Rights::WRITE), Err(Error::EINVAL));
}
#[test]
fn mapping_over_a_mapping_is_refused_and_changes_nothing() {
    let mut s = spaces();
    s.create(id(1)).unwrap();
    s.map(1, IMAGE_VA + PAGE, PAGE, Rights::READ).unwrap();
    let free = s.frames.free();
    assert_eq!(s.map(1, IMAGE_VA, 2 * PAGE, Rights::READ), Err(Error::EEXIST));
    assert_eq!(s.frames.free(), free);
}
#[test]
fn a_heap_that_does_not_fit_is_refused_and_changes_nothing() {
    let mut s = spaces();
    s.create(id(1)).unwrap();
    let free = s.frames.free();
    assert_eq!(s.grow(1, PAGES), Err(Error::ENOMEM));
    assert_eq!(s.grow(1, usize::MAX), Err(Error::ENOMEM));
    // Page tables stay.
    assert!(free - s.frames.free() < 16);
    assert_eq!(s.space(1).unwrap().pages, 0);
}
#[test]
fn writing_to_a_read_only_page_is_refused() {
    let mut s = spaces();
    s.create(id(1)).unwrap();
    s.map(1, IMAGE_VA, PAGE, Rights::READ).unwrap();
    assert_eq!(s.write(1, IMAGE_VA, b"x"), Err(Error::EFAULT));
}
#[test]
fn bytes_are_written_across_pages() {
    let mut s = spaces();
    let root = s.create(id(1)).unwrap();
    s.map(1, IMAGE_VA, 2 * PAGE, Rights::READ_WRITE).unwrap();
    s.write(1, IMAGE_VA + PAGE - 2, b"abcd").unwrap();
    let second = tables::leaf(&s.ram, root, IMAGE_VA + PAGE).address();
    assert_eq!(s.ram.read(second) & 0xffff, u16::from_le_bytes(*b"cd") as u64);
}
#[test]
fn a_window_on_a_page_that_is_not_there_is_refused() {
    let mut s = spaces();
    s.create(id(1)).unwrap();
    s.create(id(2)).unwrap();
    s.map(1, IMAGE_VA, PAGE, Rights::READ).unwrap();
    // The first time, the callee gets a table for the thread's slots.
    assert_eq!(s.window(1, 2, IMAGE_VA + PAGE, false, 3), Ok(true));
    assert_eq!(s.window(1, 2, IMAGE_VA + PAGE, false, 3), Err(Error::EFAULT));
    assert_eq!(s.window(1, 2, IMAGE_VA, true, 3), Err(Error::EFAULT));
    assert_eq!(s.window(1, 2, usize::MAX, false, 3), Err(Error::EFAULT));
    assert_eq!(s.window(1, 2, IMAGE_VA, false, 3), Ok(false));
}
#[test]
fn a_window_on_a_promised_page_gets_it_a_frame() {
    let mut s = spaces();
    s.create(id(1)).unwrap();
    s.create(id(2)).unwrap();
    s.map(1, IMAGE_VA, 2 * PAGE, Rights::READ_WRITE).unwrap();
    assert_eq!(s.window(1, 2, IMAGE_VA, true, 3), Ok(true));
    for page in [IMAGE_VA, IMAGE_VA + PAGE] {
        assert_eq!(s.window(1, 2, page, true, 3), Ok(true));
        let root = s.space(1).unwrap().root;
        assert!(tables::leaf(&s.ram, root, page).allows(Rights::WRITE));
    }
}
#[test]
fn a_copy_has_its_own_pages_with_the_same_contents() {
    let mut s = spaces();
    let one = s.create(id(1)).unwrap();
    let two = s.create(id(2)).unwrap();
    s.map(1, IMAGE_VA, PAGE, Rights::READ_WRITE).unwrap();
    s.write(1, IMAGE_VA, b"original").unwrap();
    s.copy(1, 2, NONE).unwrap();
    s.write(1, IMAGE_VA, b"changed!").unwrap();
    let [a, b] = [one, two].map(|root| tables::leaf(&s.ram, root, IMAGE_VA).address());
    assert_ne!(a, b);
    assert_eq!(s.ram.read(b), u64::from_le_bytes(*b"original"));
}
#[test]
fn a_page_is_promised_until_it_is_touched() {
    let mut s = spaces();
    let root = s.create(id(1)).unwrap();
    s.map(1, IMAGE_VA, PAGE, Rights::READ_WRITE).unwrap();
    let free = s.frames.free();
    assert!(!tables::leaf(&s.ram, root, IMAGE_VA).is_present());
    assert!(s.resolve(1, IMAGE_VA + 8, Rights::READ));
    let leaf = tables::leaf(&s.ram, root, IMAGE_VA);
    assert!(leaf.allows_at_once(Rights::WRITE));
    assert_eq!((s.ram.read(leaf.address()), s.frames.free()), (0, free));
}
#[test]
fn an_access_without_the_right_is_refused() {
    let mut s = spaces();
    s.create(id(1)).unwrap();
    s.map(1, IMAGE_VA, PAGE, Rights::READ).unwrap();
    assert!(
        !s.resolve(1, IMAGE_VA, Rights::WRITE)
            && !s.resolve(1, IMAGE_VA, Rights::EXECUTE)
            && s.resolve(1, IMAGE_VA, Rights::READ)
    );
    assert!(!s.resolve(1, IMAGE_VA + PAGE, Rights::READ) && !s.resolve(1, usize::MAX - 8, Rights::READ));
}
#[test]
fn the_last_sharer_keeps_the_frame() {
    let mut s = spaces();
    let roots = [1, 2].map(|asid| s.create(id(asid)).unwrap());
    s.map(1, IMAGE_VA, PAGE, Rights::READ_WRITE).unwrap();
    s.write(1, IMAGE_VA, b"original").unwrap();
    s.copy(1, 2, NONE).unwrap();
    let frame = |s: &Spaces<Fake>, n: usize| tables::leaf(&s.ram, roots[n], IMAGE_VA).address();
    let shared = frame(&s, 0);
    assert_eq!(frame(&s, 1), shared);
    assert!(s.resolve(2, IMAGE_VA, Rights::READ) && frame(&s, 1) == shared, "reading shares on");
    assert!(s.resolve(2, IMAGE_VA, Rights::WRITE) && frame(&s, 1) != shared);
    assert!(s.resolve(1, IMAGE_VA, Rights::WRITE) && frame(&s, 0) == shared);
}
#[test]
fn a_frame_that_a_window_shows_is_not_shared() {
    let mut s = spaces();
    let roots = [1, 2].map(|asid| s.create(id(asid)).unwrap());
    s.map(1, IMAGE_VA, PAGE, Rights::READ_WRITE).unwrap();
    s.write(1, IMAGE_VA, b"original").unwrap();
    let frame = tables::leaf(&s.ram, roots[0], IMAGE_VA).address();
    s.copy(1, 2, OpenWindows::all(&[frame])).unwrap();
    let leaves = roots.map(|root| tables::leaf(&s.ram, root, IMAGE_VA));
    assert_eq!((leaves[0]).address(), frame);
    assert!(leaves.iter().all(|leaf| leaf.allows_at_once(Rights::WRITE)) && leaves[1].address() != frame);
    assert_eq!(s.ram.read((leaves[1]).address()), u64::from_le_bytes(*b"original"));
}
#[test]
fn a_copy_at_once_that_is_not_writable_holds_no_frame_back() {
    let mut s = spaces();
    let roots = [1, 2].map(|asid| s.create(id(asid)).unwrap());
    s.map(1, IMAGE_VA, 2 * PAGE, Rights::READ_WRITE).unwrap();
    s.write(1, IMAGE_VA, b"original").unwrap();
    let frame = tables::leaf(&s.ram, roots[0], IMAGE_VA).address();
    // The other page is promised, so that one promise too few shows.
    assert_eq!(s.frames.promised(), 1);
    s.page(1, (2, IMAGE_VA, Part::Ordinary), IMAGE_VA, Rights::READ, OpenWindows::all(&[frame])).unwrap();
    assert_eq!(s.frames.promised(), 1);
    let copy = tables::leaf(&s.ram, roots[1], IMAGE_VA);
    assert!(copy.allows_at_once(Rights::READ) && !copy.allows(Rights::WRITE));
}
#[test]
fn a_copy_of_the_archives_that_is_not_writable_is_nobodys_page() {
    let mut s = spaces();
    (1..3).for_each(|asid| assert!(s.create(id(asid)).is_ok()));
    let archive = s.frames.take_run(1).unwrap();
    s.shared.first_frame = archive + PAGE;
    s.map_image(1, IMAGE_VA, archive, PAGE, Rights::READ_WRITE).unwrap();
    s.page(1, (2, IMAGE_VA, Part::Ordinary), IMAGE_VA, Rights::READ, NONE).unwrap();
    assert_eq!(s.space(2).unwrap().pages, 0);
    assert_eq!(s.unmap(2, IMAGE_VA, NONE), Ok(true));
    assert_eq!((s.space(2).unwrap().pages, s.frames.promised()), (0, 1));
}
#[test]
fn stacks_have_a_guard_and_their_slots_are_used_again() {
    let mut s = spaces();
    let root = s.create(id(1)).unwrap();
    let first = s.stack(1, THREAD_STACK).unwrap();
    let second = s.stack(1, 100).unwrap();
    assert_eq!(first - second, THREAD_STACK + PAGE);
    assert!(tables::leaf(&s.ram, root, first - THREAD_STACK - PAGE).is_none());
    s.release_stack(1, first, NONE).unwrap();
    assert_eq!(s.stack(1, THREAD_STACK), Ok(first));
}
#[test]
fn releasing_what_is_no_stack_is_refused() {
    let mut s = spaces();
    s.create(id(1)).unwrap();
    assert_eq!(s.release_stack(1, stacks::top(0) - 8, NONE), Err(Error::EINVAL));
}

proptest! {
    #![proptest_config(properties::config(256))]
    #[test]
    fn whatever_a_space_does_its_end_gives_all_back(steps in proptest::collection::vec((0u8..7, 1usize..20, 0usize..64), 0..40)) {
        let mut s = spaces();
        // The counts of sharers stay, and the page of spaces.
        s.create(id(1)).unwrap();
        s.destroy(1).unwrap();
        let frame = s.frames.take_run(1).unwrap();
        assert!(s.shares.add(&mut s.ram, &mut s.frames, frame));
        let free = s.frames.free();
        s.create(id(1)).unwrap();
        s.set_heap(1, IMAGE_VA + 64 * PAGE).unwrap();
        let mut tops = Vec::new();
        for (what, n, at) in steps {
            match what {
                0 => { let _ = s.grow(1, n); }
                1 => { let _ = s.map(1, IMAGE_VA + at * PAGE, n * PAGE, Rights::READ_WRITE); }
                2 => { let _ = s.stack(1, n * 3000).map(|top| tops.push(top)); }
                3 => if let Some(top) = tops.pop() { s.release_stack(1, top, NONE).unwrap(); },
                4 => { let _ = s.window(1, 1, IMAGE_VA + at * PAGE, false, n); }
                5 => { s.resolve(1, IMAGE_VA + at * PAGE + 8 * n, [Rights::READ, Rights::WRITE][n % 2]); }
                _ => {
                    s.create(id(2)).unwrap();
                    let _ = s.copy(1, 2, NONE);
                    for page in at..at + n {
                        s.resolve(2, IMAGE_VA + page * PAGE, Rights::WRITE);
                        s.resolve(1, IMAGE_VA + page * PAGE, Rights::WRITE);
                    }
                    s.destroy(2).unwrap();
                }
            }
        }
        s.destroy(1).unwrap();
        prop_assert_eq!(s.frames.free(), free);
    }
}
