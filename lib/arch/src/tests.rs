//! What every back end promises, asked of each.

use crate::{Lendable, Marks};
use abi::rights::Rights;

macro_rules! promises {
    ($($machine:ident)*) => { $(
        mod $machine {
            use super::*;
            use crate::$machine::paging::*;

            const PA: usize = 0x8765_4000;

            fn rights() -> impl Iterator<Item = Rights> {
                (0..16).filter_map(Rights::of_page)
            }
            fn marks() -> [Marks; 4] {
                [Marks::empty(), Marks::FOREIGN, Marks::LAZY, Marks::all()]
            }
            #[test]
            fn a_page_says_what_it_was_made_of() {
                for (rights, marks) in rights().flat_map(|r| marks().map(|m| (r, m))) {
                    let entry = Entry::user(PA, rights, marks);
                    assert_eq!((entry.address(), entry.rights(), entry.marks()), (PA, rights, marks));
                    assert!(entry.is_present() && entry.is_page() && entry.is_user());
                    assert!(!entry.is_table() && !entry.is_global() && !entry.is_none());
                    assert_eq!(Entry::of(entry.word()), entry);
                    let everywhere = entry.in_all_spaces();
                    assert!(everywhere.is_global() && everywhere.is_user() && everywhere.is_page());
                    assert_eq!((everywhere.address(), everywhere.rights(), everywhere.marks()), (PA, rights, marks));
                }
            }
            #[test]
            fn a_page_allows_its_rights_and_no_others() {
                for (has, wants) in rights().flat_map(|r| rights().map(move |w| (r, w))) {
                    for marks in marks() {
                        let entry = Entry::user(PA, has, marks);
                        assert_eq!(entry.allows(wants), has.contains(wants));
                        assert_eq!(entry.allows_at_once(wants), has.contains(wants) && !marks.contains(Marks::LAZY));
                    }
                    let moved = Entry::user(PA, has, Marks::FOREIGN).for_mode(true);
                    assert_eq!((moved.is_user(), moved.allows(wants)), (false, has.contains(wants)));
                    assert_eq!(moved.for_mode(false), Entry::user(PA, has, Marks::FOREIGN));
                    assert_eq!(Entry::NONE.for_mode(false), Entry::NONE);
                    assert!(!Entry::promised(has).allows(wants), "it is not there");
                }
            }
            #[test]
            fn a_promise_keeps_its_rights_and_is_not_there() {
                for rights in rights() {
                    let entry = Entry::promised(rights);
                    assert_eq!((entry.rights(), entry.marks()), (rights, Marks::LAZY));
                    assert!(!entry.is_present() && !entry.is_page() && !entry.is_table() && !entry.is_none());
                }
            }
            #[test]
            fn portal_code_finds_tables_and_what_may_be_lent() {
                let mode = |supervisor| mode(supervisor) as u64;
                for (rights, marks) in rights().flat_map(|r| marks().map(|m| (r, m))) {
                    let page = Entry::user(PA, rights, marks);
                    for write in [false, true] {
                        let Lendable { looked_at, wanted, kept, added } = lendable(write);
                        let lends = page.word() & looked_at == wanted;
                        assert_eq!(lends, page.allows_at_once(Rights::of_window(write)), "{page:?}");
                        let lent = Entry::of(page.word() & kept | added | mode(false));
                        assert_eq!(lent.address(), PA);
                        assert!(lent.has(Marks::FOREIGN) && lent.is_user() && !lent.is_global());
                        assert!(!lends || write || !lent.allows(Rights::WRITE));
                        assert_eq!(Entry::of(page.word() & kept | added | mode(true)).is_user(), false);
                        assert!([Entry::NONE, Entry::table(PA), Entry::promised(rights)]
                            .iter()
                            .all(|entry| entry.word() & looked_at != wanted));
                    }
                }
                let leads = |entry: Entry| entry.word() & WALK.looked_at as u64 == WALK.table as u64;
                for entry in rights().map(|r| Entry::user(PA, r, Marks::empty())).chain([Entry::NONE, Entry::table(PA)]) {
                    assert_eq!(leads(entry), entry.is_table(), "{entry:?}");
                }
                let found = ((Entry::table(PA).word() >> WALK.frame) as u32) << 12;
                assert_eq!(found as i32 as usize, abi::address::supervisor(PA));
            }
            #[test]
            fn a_table_is_no_page_and_nothing_is_neither() {
                let table = Entry::table(PA);
                assert!(table.is_table() && table.is_present() && !table.is_page());
                assert_eq!((table.address(), table.rights()), (PA, Rights::NONE));
                assert!(Entry::NONE.is_none() && Entry::NONE.word() == 0);
                assert!(!Entry::NONE.is_present() && !Entry::NONE.is_table() && !Entry::NONE.is_page());
            }
            #[test]
            fn what_is_changed_leaves_the_rest() {
                for (old, new) in rights().flat_map(|r| rights().map(move |n| (r, n))) {
                    let entry = Entry::user(PA, old, Marks::FOREIGN).with_rights(new).with(Marks::LAZY);
                    assert_eq!(entry, Entry::user(PA, new, Marks::all()));
                    assert_eq!(entry.without(Marks::FOREIGN), Entry::user(PA, new, Marks::LAZY));
                    assert!(entry.has(Marks::LAZY) && !entry.without(Marks::all()).has(Marks::all()));
                }
            }
            #[test]
            fn the_supervisor_half_is_not_user_modes() {
                let half = supervisor_half(PA);
                assert_eq!(half[1].1, Entry::table(PA));
                assert!(half[0].1.is_global() && !half[0].1.is_user());
                assert!(half.iter().all(|(place, _)| *place >= ENTRIES / 2));
            }
            #[test]
            fn a_page_fault_says_which_access() {
                use crate::$machine::trap::*;
                assert_eq!(access(page_fault(true)), Some(Rights::WRITE));
                assert_eq!(access(page_fault(false)), Some(Rights::READ));
                assert!((0..64).filter(|&cause| access(cause).is_some()).count() <= 3);
            }
            #[test]
            fn an_address_space_knows_its_root() {
                let space = AddressSpace::new(PA, 77);
                assert_eq!(space.number(), 77);
                assert_eq!(space.root(), abi::address::supervisor(PA));
                assert_ne!(space.word(), AddressSpace::new(PA, 78).word());
            }
        }
    )* };
}
promises! { riscv64 x86_64 }

#[test]
fn entries_of_sv39_are_as_its_specification_says() {
    use crate::riscv64::paging::*;
    // V R W U A D, physical page number 0x80400.
    assert_eq!(Entry::user(0x8040_0000, Rights::READ_WRITE, Marks::empty()).word(), 0x2010_00d7);
    assert_eq!(Entry::user(0x8040_0000, Rights::READ, Marks::FOREIGN).word(), 0x2010_01d3);
    assert_eq!(Entry::supervisor(0x8000_0000, Rights::READ_WRITE).word(), 0x2000_00e7);
    assert_eq!(Entry::table(0x8040_0000).word(), 0x2010_0001);
    assert_eq!(Entry::promised(Rights::READ_WRITE).word(), 0x216);
    assert_eq!(AddressSpace::new(0x8040_0000, 5).word(), 0x8000_5000_0008_0400);
    assert_eq!([2, 1, 0].map(|level| index(0x10_4060_3000, level)), [65, 3, 3]);
}
#[test]
fn entries_of_x86_64_are_as_its_manual_says() {
    use crate::x86_64::paging::*;
    assert_eq!(Entry::user(0x8040_0000, Rights::READ_WRITE, Marks::empty()).word(), 0x8000_0000_8040_0867);
    assert_eq!(Entry::user(0x8040_0000, Rights::READ_EXECUTE, Marks::empty()).word(), 0x8040_0865);
    assert_eq!(Entry::table(0x8040_0000).word(), 0x8040_0027);
    assert_eq!(AddressSpace::new(0x8040_0000, 5).word(), 0x8040_0005);
}
#[test]
fn what_a_window_shows_is_no_translation_of_all_spaces() {
    use crate::riscv64::paging::*;
    let page = Entry::user(0x8040_0000, Rights::READ_EXECUTE, Marks::FOREIGN).in_all_spaces();
    let lent = lendable(false);
    assert_eq!(page.word() & lent.looked_at, lent.wanted, "it may be lent");
    assert!(!Entry::of(page.word() & lent.kept | lent.added).is_global());
}
