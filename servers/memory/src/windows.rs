//! The letters of memory windows: `w`, `r`, `W` and `R`.
//!
//! The check walks the caller's page tables, and keeps in the frame a copy of each page's entry, without execution and with
//! no more rights than the letter says; so nothing can be lent but what the caller may touch. Pages of the private part that were
//! lent alone, and the callee's tables, are found without a walk the next time: the domains' records have them
//! (`domain::LENT`). An entry that has been lent changes only while the portal manager keeps the domain from lending, which
//! forgets them. When the call is committed the
//! copies go to slots of the calling thread in the callee's tables. The return clears the slots and drops their
//! translations. What is not there, or not the caller's alone, is raised as a fault to [`crate::space::Spaces::window`].
//!
//! The other way, where the manifest says so: the call leaves the copies in the thread, and the callee's first access to a slot
//! faults and has its entry made ([`crate::space::Spaces::touch`]); the return clears those that were touched.
//!
//! Common words of the frame: the address of the first slot's entry, the slot's address. Each letter's own: the entries, and for
//! several pages the table that has the last one's.

use abi::Error;
use abi::address::{WINDOW_PAGES, WINDOW_STRIDE, WINDOW_VA};
use abi::nucleus::{Thread, domain, fault};
use abi::step::places::*;
use abi::step::*;
use abi::template::{Letter, Part, Template, choice, part};
use arch::paging::{LEVELS, WALK, lendable};
use core::mem::offset_of;
use portal::Writer;

const WINDOW: i32 = offset_of!(Thread, window) as i32;
/// The slots of one thread are a block of addresses of this size (log2).
const STRIDE: i32 = WINDOW_STRIDE.trailing_zeros() as i32;
/// One page.
const PAGE: i32 = 1;
/// What may be lent lies in the private part (bits from here up are 0), in the thread's slots, or in the common part.
const PRIVATE: i32 = 30;
const COMMON: i32 = 36;
const END: i32 = 38;

/// What an entry must have, what it is compared with, and what is kept of it.
const fn parameters(write: bool) -> [i16; 3] {
    let entry = lendable(write);
    [entry.looked_at as i16, -(entry.wanted as i16), entry.kept as i16]
}
const fn letter(letter: u8, write: bool, length: bool, parts: [Part; 5]) -> Letter {
    let lent = if length { WINDOW_PAGES as u8 } else { 1 };
    Letter {
        letter,
        length: length as u8,
        words: lent + length as u8,
        lent,
        fault: if write { fault::WINDOW_WRITE } else { fault::WINDOW } as u8,
        parameters: parameters(write),
        parts,
        ..Letter::NONE
    }
}

/// The root table of the caller, in `V2`; the mask of a table's offsets is in `V4`.
const fn root(w: &mut Writer) {
    w.put(load(V2, caller(domain::ROOT)));
}
/// `V2` is an entry that must point to a table: makes it the table's supervisor address.
const fn descend(w: &mut Writer) {
    w.all([and_number(V3, V2, WALK.looked_at), add_number(V3, V3, -WALK.table)]);
    w.put(different(V3, ZERO).slow());
    w.all([shift_right(V2, V2, WALK.frame), shift_left_32(V2, V2, 12)]);
}
/// The bit from which on an address has its place in a table of `level`, less the three by which an entry is 8 bytes.
const fn shift(level: usize) -> i32 {
    12 + 9 * level as i32 - 3
}
/// `V2` is a table of `level`: makes it the address of its entry for `address`. Uses `V3`.
const fn index(w: &mut Writer, address: Place, level: usize) {
    w.put(shift_right(V3, address, shift(level)));
    w.all([and(V3, V3, V4), add(V2, V2, V3)]);
}
/// `V2` is a table of level `from`: makes it that of level `to` which `address` leads to.
const fn walk(w: &mut Writer, address: Place, from: usize, to: usize) {
    let mut level = from;
    while level > to {
        index(w, address, level);
        w.put(load(V2, table(V2, 0)));
        descend(w);
        level -= 1;
    }
}
/// Ends where the argument lies where it may: in the private part, in the thread's slots, or in the common part. `V1`, where there
/// are several pages, is its last byte, and must be in the same. What is in the slots and alone may go on at the first of the
/// branches that this returns, with its last table in `V2`; 0: there is none.
const fn place(w: &mut Writer, several: bool) -> usize {
    w.put(shift_right(V2, ARGUMENT, PRIVATE));
    let private = w.branch(equal(V2, ZERO));
    w.put(xor(V3, ARGUMENT, V5));
    if several {
        w.all([xor(V2, V1, V5), or(V3, V3, V2)]);
    }
    w.put(shift_right(V3, V3, STRIDE));
    let mut found = 0;
    let slots = if several {
        w.branch(equal(V3, ZERO))
    } else {
        let common = w.branch(different(V3, ZERO));
        w.put(shift_right(V3, ARGUMENT, shift(1)));
        w.all([and(V3, V3, V4), add(V3, V3, CALLER), load(V2, caller_at(V3, domain::WINDOW_TABLES))]);
        found = w.branch(different(V2, ZERO));
        let slots = w.branch(always());
        w.land(common);
        slots
    };
    w.put(shift_right(V3, ARGUMENT, END));
    w.put(different(V3, ZERO).fail(Error::EFAULT));
    w.put(shift_right(V3, ARGUMENT, COMMON));
    w.put(equal(V3, ZERO).fail(Error::EFAULT));
    w.land(private);
    w.land(slots);
    found
}
/// The entry in `from` is checked, with `scratch`, and goes to own word `word`.
const fn lend(w: &mut Writer, from: Place, scratch: Place, word: i32) {
    may_lend(w, from, scratch);
    w.put(and_number(from, from, 0).with(Fill::PARAMETER_2));
    w.put(or_number(from, from, lendable(false).added as i32).with(Fill::MODE));
    w.put(store(from, own(word)));
}
/// Ends, with `scratch`, where the entry in `from` does not have what it must.
const fn may_lend(w: &mut Writer, from: Place, scratch: Place) {
    w.put(and_number(scratch, from, 0).with(Fill::PARAMETER_0));
    w.put(add_number(scratch, scratch, 0).with(Fill::PARAMETER_1));
    w.put(different(scratch, ZERO).slow());
}
/// Makes `V3` the place of page `V1` among those that the caller has lent last.
const fn lent_place(w: &mut Writer) {
    w.all([and_number(V3, V1, domain::LENT_PAGES - 1), shift_left(V3, V3, 4), add(V3, V3, CALLER)]);
}
/// One page. Its entry may be known from the last time; else, where it is in the private part, it is known from now on.
const fn check_page(w: &mut Writer) -> Part {
    let first = w.position();
    w.put(shift_right(V1, ARGUMENT, 12));
    lent_place(w);
    w.put(load(V2, caller_at(V3, domain::LENT)));
    let known = w.branch(equal(V2, V1));
    let in_slots = place(w, false);
    root(w);
    walk(w, ARGUMENT, LEVELS - 1, 0);
    w.land(in_slots);
    index(w, ARGUMENT, 0);
    w.put(load(V2, table(V2, 0)));
    may_lend(w, V2, V3);
    w.put(shift_right(V3, ARGUMENT, PRIVATE));
    let elsewhere = w.branch(different(V3, ZERO));
    lent_place(w);
    w.all([store(V1, caller_at(V3, domain::LENT)), store(V2, caller_at(V3, domain::LENT + 8))]);
    let found = w.branch(always());
    w.land(known);
    w.put(load(V2, caller_at(V3, domain::LENT + 8)));
    w.land(elsewhere);
    w.land(found);
    lend(w, V2, V3, 0);
    w.all([pages(V3, PAGE), add(V5, V5, V3)]);
    w.part(first)
}
/// Several pages. `V6`: how many follow the one that is looked at.
const fn check_pages(w: &mut Writer) -> Part {
    let most = WINDOW_PAGES as i32;
    let first = w.position();
    w.put(number(V6, 0));
    let mut n = 0;
    while n < most {
        w.put(store(ZERO, own(n)));
        n += 1;
    }
    let nothing = w.branch(equal(LENGTH, ZERO));
    w.put(shift_right(V2, LENGTH, 16));
    w.put(different(V2, ZERO).fail(Error::EINVAL));
    // The last byte, in the same gigabyte.
    w.put(add(V1, ARGUMENT, LENGTH));
    w.put(add_number(V1, V1, -1));
    w.put(xor(V2, ARGUMENT, V1));
    w.put(shift_right(V2, V2, PRIVATE));
    w.put(different(V2, ZERO).fail(Error::EFAULT));
    place(w, true);
    // Its table. The one above it, which the first page has too, is kept where that page's entry comes.
    root(w);
    walk(w, V1, LEVELS - 1, 1);
    w.put(store(V2, own(0)));
    walk(w, V1, 1, 0);
    w.put(store(V2, own(most)));
    w.put(shift_right(V2, ARGUMENT, 12));
    w.all([shift_right(V3, V1, 12), subtract(V6, V3, V2), below_number(V2, V6, most)]);
    w.put(equal(V2, ZERO).fail(Error::EINVAL));
    // The slots that they take.
    w.all([add_number(V1, V6, 1), shift_left(V1, V1, 12), add(V5, V5, V1)]);
    w.put(load(V2, own(0)));
    walk(w, ARGUMENT, 1, 0);
    index(w, ARGUMENT, 0);
    let mut ends = [0; WINDOW_PAGES];
    let mut n = 0;
    while n < most {
        w.put(load(V3, table(V2, 0)));
        lend(w, V3, V1, n);
        if n + 1 < most {
            ends[n as usize] = w.position();
            // The next entry, which may be the first of the last page's table.
            w.all([
                equal(V6, ZERO),
                add_number(V6, V6, -1),
                add_number(V2, V2, 8),
                shift_left(V1, V2, 52),
                different(V1, ZERO).on(2),
            ]);
            w.put(load(V2, own(most)));
        }
        n += 1;
    }
    let mut n = 0;
    while n < WINDOW_PAGES - 1 {
        w.land(ends[n]);
        n += 1;
    }
    w.land(nothing);
    w.part(first)
}

/// Parts that both ways of mapping have.
struct Checks {
    one: Part,
    all: Part,
    slow_one: Part,
    slow_all: Part,
}
/// The checks of the caller's pages, and what their faults say: the page that is looked at.
const fn checks(w: &mut Writer) -> Checks {
    // V4: the mask; V5: the next slot's address.
    let at = w.position();
    w.all([pages(V4, PAGE), add_number(V4, V4, -8), load(V5, thread(WINDOW))]);
    let p = w.part(at);
    w.before(part::CHECK, p);
    let (one, all) = (check_page(w), check_pages(w));
    let at = w.position();
    w.put(copy(V1, ARGUMENT));
    let slow_one = w.part(at);
    let at = w.position();
    w.put(add(V1, ARGUMENT, LENGTH));
    w.all([add_number(V1, V1, -1), shift_left(V2, V6, 12), subtract(V1, V1, V2)]);
    let slow_all = w.part(at);
    Checks { one, all, slow_one, slow_all }
}
/// All slots that the call takes are the thread's; `V1` is the first one's address, which is kept.
const fn take_slots(w: &mut Writer) {
    w.all([load(V1, thread(WINDOW)), xor(V3, V1, V5), shift_right(V3, V3, STRIDE)]);
    w.put(different(V3, ZERO).fail(Error::EWINDOW));
    w.put(store(V1, shared(1)));
}
/// Makes the argument the address in the slot at `V3`.
const fn in_slot(w: &mut Writer) {
    w.put(shift_left(ARGUMENT, ARGUMENT, 52));
    w.put(shift_right(ARGUMENT, ARGUMENT, 52));
    w.put(add(ARGUMENT, ARGUMENT, V3));
}
/// The next slot is free from now on for the thread's other calls: its address is in `V3`.
const fn keep_next(w: &mut Writer) {
    let at = w.position();
    w.put(store(V3, thread(WINDOW)));
    let p = w.part(at);
    w.after(part::PASS, p);
}
/// A template of the four letters from these parts.
const fn four(mut w: Writer, checks: Checks, pass: [Part; 2], back: [Part; 2], choice: u32) -> Template {
    let Checks { one, all, slow_one, slow_all } = checks;
    let (single, several) =
        ([one, pass[0], back[0], slow_one, Part::NONE], [all, pass[1], back[1], slow_all, Part::NONE]);
    w.letter(letter(b'w', true, false, single));
    w.letter(letter(b'r', false, false, single));
    w.letter(letter(b'W', true, true, several));
    w.letter(letter(b'R', false, true, several));
    Template { choice, ..w.finish(2) }
}
/// Makes `to` the address in the thread that the words of slots are relative to, for the slot at `from`.
const fn thread_slot(w: &mut Writer, to: Place, from: Place) {
    // The slot's number in its thread, times 8.
    w.all([shift_left(to, from, 63 - STRIDE + 1), shift_right(to, to, 63 - STRIDE + 1 + 9), add(to, to, THREAD)]);
}
const SLOTS: i32 = offset_of!(Thread, slots) as i32;
/// Bit of a slot's word from which on the callee's ASID is.
pub const CALLEE: i32 = 54;

/// The entry in `V4` goes to the next slot, at `V2`: to the callee's table, or, with the callee's ASID (`V6`), to the thread.
const fn fill(w: &mut Writer, choice: u32) {
    if choice == choice::AT_TOUCH {
        w.all([or(V4, V4, V6), store(V4, thread_at(V2, SLOTS))]);
    } else {
        w.put(store(V4, table(V2, 0)));
    }
}
/// The parts that make the arguments, for one page and for several.
const fn pass(w: &mut Writer, choice: u32) -> [Part; 2] {
    let at = w.position();
    w.put(load(V4, own(0)));
    in_slot(w);
    fill(w, choice);
    w.all([pages(V4, PAGE), add(V3, V3, V4)]);
    w.more([add_number(V2, V2, 8)]);
    let one = w.part(at);
    let at = w.position();
    in_slot(w);
    w.put(pages(V1, PAGE));
    let mut ends = [0; WINDOW_PAGES];
    let mut n = 0;
    while n < WINDOW_PAGES {
        w.put(load(V4, own(n as i32)));
        ends[n] = w.branch(equal(V4, ZERO));
        fill(w, choice);
        w.all([add_number(V2, V2, 8), add(V3, V3, V1)]);
        n += 1;
    }
    land_all(w, ends);
    [one, w.part(at)]
}
/// The slot at `V1` is free: its entry in the callee's table (`V4`: ASID) is cleared, or, where it is in the thread, what was
/// mapped at the first access.
const fn close(w: &mut Writer, choice: u32) {
    if choice == choice::AT_TOUCH {
        w.all([
            load(V6, thread_at(V1, SLOTS)),
            store(ZERO, thread_at(V1, SLOTS)),
            not_less(V6, ZERO).on(3),
            store(ZERO, table(V6, 0)),
            forget(V3, V4),
        ]);
    } else {
        w.all([store(ZERO, table(V1, 0)), forget(V3, V4)]);
    }
}
/// The parts that close the windows, of one page and of several.
const fn back(w: &mut Writer, choice: u32) -> [Part; 2] {
    let next = [pages(V6, PAGE), add(V3, V3, V6), add_number(V1, V1, 8)];
    let at = w.position();
    close(w, choice);
    w.more(next);
    let one = w.part(at);
    let at = w.position();
    let mut ends = [0; WINDOW_PAGES];
    let mut n = 0;
    while n < WINDOW_PAGES {
        w.put(load(V6, own(n as i32)));
        ends[n] = w.branch(equal(V6, ZERO));
        close(w, choice);
        w.all(next);
        n += 1;
    }
    land_all(w, ends);
    [one, w.part(at)]
}
const fn land_all(w: &mut Writer, branches: [usize; WINDOW_PAGES]) {
    let mut n = 0;
    while n < WINDOW_PAGES {
        w.land(branches[n]);
        n += 1;
    }
}

/// The template for windows that are mapped at the first access.
pub const fn at_touch() -> Template {
    let mut w = Writer::new();
    let checks = checks(&mut w);
    let at = w.position();
    take_slots(&mut w);
    let p = w.part(at);
    w.after(part::CHECK, p);

    // V2: the next slot's word; V3: its address; V6: the callee's ASID in its place.
    let at = w.position();
    w.put(load(V3, shared(1)));
    w.put(number(V6, 0).with(Fill::ASID));
    w.put(shift_left(V6, V6, CALLEE));
    thread_slot(&mut w, V2, V3);
    let p = w.part(at);
    w.before(part::PASS, p);
    let pass = pass(&mut w, choice::AT_TOUCH);
    keep_next(&mut w);

    // V1: the next slot's word; V3: its address; V4: the callee's ASID.
    let at = w.position();
    w.put(load(V3, shared(1)));
    w.put(number(V4, 0).with(Fill::ASID));
    w.put(store(V3, thread(WINDOW)));
    thread_slot(&mut w, V1, V3);
    let p = w.part(at);
    w.before(part::BACK, p);
    let back = back(&mut w, choice::AT_TOUCH);
    four(w, checks, pass, back, choice::AT_TOUCH)
}

/// The template for windows that are mapped when the call is made.
pub const fn at_call() -> Template {
    let mut w = Writer::new();
    let checks = checks(&mut w);
    // The slots are the thread's; their entries in the callee's tables: root entry 1, then by the first one's address.
    let at = w.position();
    take_slots(&mut w);
    // The last table is known from the first time.
    w.put(callee_record(V5));
    w.all([
        shift_right(V3, V1, shift(1)),
        and(V3, V3, V4),
        add(V5, V5, V3),
        load(V2, callee(V5, domain::WINDOW_TABLES)),
    ]);
    let known = w.branch(different(V2, ZERO));
    w.put(callee_record(V2));
    w.put(load(V2, callee(V2, domain::ROOT)));
    walk(&mut w, V1, LEVELS - 1, 2);
    // The gigabyte of slots.
    w.put(load(V2, table(V2, 8 * (WINDOW_VA >> 30) as i32)));
    descend(&mut w);
    walk(&mut w, V1, 1, 0);
    w.put(store(V2, callee(V5, domain::WINDOW_TABLES)));
    w.land(known);
    index(&mut w, V1, 0);
    w.put(store(V2, shared(0)));
    let p = w.part(at);
    w.after(part::CHECK, p);

    // V2: the next slot's entry; V3: its address.
    let at = w.position();
    w.put(load(V2, shared(0)));
    w.put(load(V3, shared(1)));
    let p = w.part(at);
    w.before(part::PASS, p);
    let pass = pass(&mut w, choice::AT_CALL);
    keep_next(&mut w);

    // V1: the next slot's entry; V3: its address; V4: the callee's ASID.
    let at = w.position();
    w.put(load(V1, shared(0)));
    w.put(load(V3, shared(1)));
    w.put(number(V4, 0).with(Fill::ASID));
    w.put(store(V3, thread(WINDOW)));
    let p = w.part(at);
    w.before(part::BACK, p);
    let back = back(&mut w, choice::AT_CALL);
    four(w, checks, pass, back, choice::AT_CALL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_template_may_be_used() {
        assert_eq!(portal::form::check(&at_call()), Ok(()));
        assert_eq!(portal::form::check(&at_touch()), Ok(()));
    }
}
