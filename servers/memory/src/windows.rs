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
use abi::address::{WINDOW_PAGES, WINDOW_STRIDE};
use abi::nucleus::{Thread, domain, fault};
use abi::template::{Letter, Part, Template, Word, choice, part};
use arch::riscv64::paging::lendable;
use core::mem::offset_of;
use portal::encode::*;
use portal::template::Writer;

const WINDOW: i32 = offset_of!(Thread, window) as i32;
/// The slots of one thread are a block of addresses of this size (log2).
const STRIDE: i32 = WINDOW_STRIDE.trailing_zeros() as i32;
/// One page: `lui` of it.
const PAGE: u32 = 1;
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

/// The root table of the caller, in `t3`; the mask of a table's offsets is in `t5`.
const fn root(w: &mut Writer) {
    w.plain(ld(T3, T2, domain::ROOT));
}
/// `t3` is an entry that must point to a table: makes it the table's supervisor address.
const fn descend(w: &mut Writer) {
    w.all([andi(T4, T3, 15), addi(T4, T4, -1)]);
    w.put(Word::new(bne(T4, ZERO, 0)).slow());
    w.all([srli(T3, T3, 10), slliw(T3, T3, 12)]);
}
/// `t3` is a table: makes it the address of the entry for what is at bit `shift + 3` of an address, which `load` loads shifted
/// right by `shift` into `t4`.
const fn index(w: &mut Writer, load: Word) {
    w.put(load);
    w.all([and(T4, T4, T5), add(T3, T3, T4)]);
}
/// Makes `t3` the last table of the argument's page.
const fn walk_argument(w: &mut Writer) {
    root(w);
    let shifts = [27, 18];
    let mut n = 0;
    while n < 2 {
        index(w, Word::new(srli(T4, ZERO, shifts[n])).rs1());
        w.plain(ld(T3, T3, 0));
        descend(w);
        n += 1;
    }
}
/// Ends where the argument lies where it may: in the private part, in the thread's slots, or in the common part. `t1`, where there
/// are several pages, is its last byte, and must be in the same. What is in the slots and alone may go on at the first of the
/// branches that this returns, with its last table in `t3`; 0: there is none.
const fn place(w: &mut Writer, several: bool) -> usize {
    w.put(Word::new(srli(T3, ZERO, PRIVATE)).rs1());
    let private = w.position();
    w.plain(beq(T3, ZERO, 0));
    w.put(Word::new(xor(T4, ZERO, T6)).rs1());
    if several {
        w.all([xor(T3, T1, T6), or(T4, T4, T3)]);
    }
    w.plain(srli(T4, T4, STRIDE));
    let mut found = 0;
    let slots = if several {
        let slots = w.position();
        w.plain(beq(T4, ZERO, 0));
        slots
    } else {
        let common = w.position();
        w.plain(bne(T4, ZERO, 0));
        w.put(Word::new(srli(T4, ZERO, 18)).rs1());
        w.all([and(T4, T4, T5), add(T4, T4, T2), ld(T3, T4, domain::WINDOW_TABLES)]);
        found = w.position();
        w.plain(bne(T3, ZERO, 0));
        let slots = w.position();
        w.plain(beq(ZERO, ZERO, 0));
        w.land(common);
        slots
    };
    w.put(Word::new(srli(T4, ZERO, END)).rs1());
    w.put(Word::new(bne(T4, ZERO, 0)).fail(Error::EFAULT));
    w.put(Word::new(srli(T4, ZERO, COMMON)).rs1());
    w.put(Word::new(beq(T4, ZERO, 0)).fail(Error::EFAULT));
    w.land(private);
    w.land(slots);
    found
}
/// The entry in `from` is checked, with `scratch`, and goes to own word `word`.
const fn lend(w: &mut Writer, from: Register, scratch: Register, word: i32) {
    may_lend(w, from, scratch);
    w.put(Word::new(andi(from, from, 0)).parameter(2));
    w.put(Word::new(ori(from, from, lendable(false).added as i32)).mode());
    w.put(Word::new(sd(from, T0, 8 * word)).own());
}
/// Ends, with `scratch`, where the entry in `from` does not have what it must.
const fn may_lend(w: &mut Writer, from: Register, scratch: Register) {
    w.put(Word::new(andi(scratch, from, 0)).parameter(0));
    w.put(Word::new(addi(scratch, scratch, 0)).parameter(1));
    w.put(Word::new(bne(scratch, ZERO, 0)).slow());
}
/// Makes `t4` the place of page `t1` among those that the caller has lent last.
const fn lent_place(w: &mut Writer) {
    w.all([andi(T4, T1, domain::LENT_PAGES - 1), slli(T4, T4, 4), add(T4, T4, T2)]);
}
/// One page. Its entry may be known from the last time; else, where it is in the private part, it is known from now on.
const fn check_page(w: &mut Writer) -> Part {
    let first = w.position();
    w.put(Word::new(srli(T1, ZERO, 12)).rs1());
    lent_place(w);
    w.plain(ld(T3, T4, domain::LENT));
    let known = w.position();
    w.plain(beq(T3, T1, 0));
    let table = place(w, false);
    walk_argument(w);
    w.land(table);
    index(w, Word::new(srli(T4, ZERO, 9)).rs1());
    w.plain(ld(T3, T3, 0));
    may_lend(w, T3, T4);
    w.put(Word::new(srli(T4, ZERO, PRIVATE)).rs1());
    let elsewhere = w.position();
    w.plain(bne(T4, ZERO, 0));
    lent_place(w);
    w.all([sd(T1, T4, domain::LENT), sd(T3, T4, domain::LENT + 8)]);
    let found = w.position();
    w.plain(beq(ZERO, ZERO, 0));
    w.land(known);
    w.plain(ld(T3, T4, domain::LENT + 8));
    w.land(elsewhere);
    w.land(found);
    lend(w, T3, T4, 0);
    w.all([lui(T4, PAGE), add(T6, T6, T4)]);
    w.part(first)
}
/// Several pages. `a6`: how many follow the one that is looked at.
const fn check_pages(w: &mut Writer) -> Part {
    let pages = WINDOW_PAGES as i32;
    let first = w.position();
    w.plain(addi(A6, ZERO, 0));
    let mut n = 0;
    while n < pages {
        w.put(Word::new(sd(ZERO, T0, 8 * n)).own());
        n += 1;
    }
    let nothing = w.position();
    w.put(Word::new(beq(ZERO, ZERO, 0)).length_rs1());
    w.put(Word::new(srli(T3, ZERO, 16)).length_rs1());
    w.put(Word::new(bne(T3, ZERO, 0)).fail(Error::EINVAL));
    // The last byte, in the same gigabyte.
    w.put(Word::new(add(T1, ZERO, ZERO)).rs1().length_rs2());
    w.plain(addi(T1, T1, -1));
    w.put(Word::new(xor(T3, ZERO, T1)).rs1());
    w.plain(srli(T3, T3, PRIVATE));
    w.put(Word::new(bne(T3, ZERO, 0)).fail(Error::EFAULT));
    place(w, true);
    // Its table. The one above it, which the first page has too, is kept where that page's entry comes.
    root(w);
    index(w, Word::new(srli(T4, T1, 27)));
    w.plain(ld(T3, T3, 0));
    descend(w);
    w.put(Word::new(sd(T3, T0, 0)).own());
    index(w, Word::new(srli(T4, T1, 18)));
    w.plain(ld(T3, T3, 0));
    descend(w);
    w.put(Word::new(sd(T3, T0, 8 * pages)).own());
    w.put(Word::new(srli(T3, ZERO, 12)).rs1());
    w.all([srli(T4, T1, 12), sub(A6, T4, T3), sltiu(T3, A6, pages)]);
    w.put(Word::new(beq(T3, ZERO, 0)).fail(Error::EINVAL));
    // The slots that they take.
    w.all([addi(T1, A6, 1), slli(T1, T1, 12), add(T6, T6, T1)]);
    w.put(Word::new(ld(T3, T0, 0)).own());
    index(w, Word::new(srli(T4, ZERO, 18)).rs1());
    w.plain(ld(T3, T3, 0));
    descend(w);
    index(w, Word::new(srli(T4, ZERO, 9)).rs1());
    let mut ends = [0; WINDOW_PAGES];
    let mut n = 0;
    while n < pages {
        w.plain(ld(T4, T3, 0));
        lend(w, T4, T1, n);
        if n + 1 < pages {
            ends[n as usize] = w.position();
            // The next entry, which may be the first of the last page's table.
            w.all([beq(A6, ZERO, 0), addi(A6, A6, -1), addi(T3, T3, 8), slli(T1, T3, 52), bne(T1, ZERO, 8)]);
            w.put(Word::new(ld(T3, T0, 8 * pages)).own());
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
    // t5: the mask; t6: the next slot's address.
    let at = w.position();
    w.all([lui(T5, PAGE), addi(T5, T5, -8), ld(T6, TP, WINDOW)]);
    let p = w.part(at);
    w.before(part::CHECK, p);
    let (one, all) = (check_page(w), check_pages(w));
    let at = w.position();
    w.put(Word::new(addi(T1, ZERO, 0)).rs1());
    let slow_one = w.part(at);
    let at = w.position();
    w.put(Word::new(add(T1, ZERO, ZERO)).rs1().length_rs2());
    w.all([addi(T1, T1, -1), slli(T3, A6, 12), sub(T1, T1, T3)]);
    let slow_all = w.part(at);
    Checks { one, all, slow_one, slow_all }
}
/// All slots that the call takes are the thread's; `t1` is the first one's address, which is kept.
const fn take_slots(w: &mut Writer) {
    w.all([ld(T1, TP, WINDOW), xor(T4, T1, T6), srli(T4, T4, STRIDE)]);
    w.put(Word::new(bne(T4, ZERO, 0)).fail(Error::EWINDOW));
    w.put(Word::new(sd(T1, T0, 8)).common());
}
/// Makes the argument the address in the slot at `t4`.
const fn in_slot(w: &mut Writer) {
    w.put(Word::new(slli(ZERO, ZERO, 52)).rd().rs1());
    w.put(Word::new(srli(ZERO, ZERO, 52)).rd().rs1());
    w.put(Word::new(add(ZERO, ZERO, T4)).rd().rs1());
}
/// The next slot is free from now on for the thread's other calls: its address is in `t4`.
const fn keep_next(w: &mut Writer) {
    let at = w.position();
    w.plain(sd(T4, TP, WINDOW));
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
/// Makes `register` the address in the thread that the words of slots are relative to, for the slot at `from`.
const fn thread_slot(w: &mut Writer, register: Register, from: Register) {
    // The slot's number in its thread, times 8.
    w.all([
        slli(register, from, 63 - STRIDE + 1),
        srli(register, register, 63 - STRIDE + 1 + 9),
        add(register, register, TP),
    ]);
}
const SLOTS: i32 = offset_of!(Thread, slots) as i32;
/// Bit of a slot's word from which on the callee's ASID is.
pub const CALLEE: i32 = 54;

/// The entry in `t5` goes to the next slot, at `t3`: to the callee's table, or, with the callee's ASID (`a6`), to the thread.
const fn fill(w: &mut Writer, choice: u32) {
    if choice == choice::AT_TOUCH {
        w.all([or(T5, T5, A6), sd(T5, T3, SLOTS)]);
    } else {
        w.plain(sd(T5, T3, 0));
    }
}
/// The parts that make the arguments, for one page and for several.
const fn pass(w: &mut Writer, choice: u32) -> [Part; 2] {
    let at = w.position();
    w.put(Word::new(ld(T5, T0, 0)).own());
    in_slot(w);
    fill(w, choice);
    w.all([lui(T5, PAGE), add(T4, T4, T5)]);
    w.more([addi(T3, T3, 8)]);
    let one = w.part(at);
    let at = w.position();
    in_slot(w);
    w.plain(lui(T1, PAGE));
    let mut ends = [0; WINDOW_PAGES];
    let mut n = 0;
    while n < WINDOW_PAGES {
        w.put(Word::new(ld(T5, T0, 8 * n as i32)).own());
        ends[n] = w.position();
        w.plain(beq(T5, ZERO, 0));
        fill(w, choice);
        w.all([addi(T3, T3, 8), add(T4, T4, T1)]);
        n += 1;
    }
    land_all(w, ends);
    [one, w.part(at)]
}
/// The slot at `t1` is free: its entry in the callee's table (`t5`: ASID) is cleared, or, where it is in the thread, what was
/// mapped at the first access.
const fn close(w: &mut Writer, choice: u32) {
    if choice == choice::AT_TOUCH {
        w.all([ld(A6, T1, SLOTS), sd(ZERO, T1, SLOTS), bge(A6, ZERO, 12), sd(ZERO, A6, 0), sfence_vma(T4, T5)]);
    } else {
        w.all([sd(ZERO, T1, 0), sfence_vma(T4, T5)]);
    }
}
/// The parts that close the windows, of one page and of several.
const fn back(w: &mut Writer, choice: u32) -> [Part; 2] {
    let next = [lui(A6, PAGE), add(T4, T4, A6), addi(T1, T1, 8)];
    let at = w.position();
    close(w, choice);
    w.more(next);
    let one = w.part(at);
    let at = w.position();
    let mut ends = [0; WINDOW_PAGES];
    let mut n = 0;
    while n < WINDOW_PAGES {
        w.put(Word::new(ld(A6, T0, 8 * n as i32)).own());
        ends[n] = w.position();
        w.plain(beq(A6, ZERO, 0));
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

    // t3: the next slot's word; t4: its address; a6: the callee's ASID in its place.
    let at = w.position();
    w.put(Word::new(ld(T4, T0, 8)).common());
    w.put(Word::new(addi(A6, ZERO, 0)).asid());
    w.plain(slli(A6, A6, CALLEE));
    thread_slot(&mut w, T3, T4);
    let p = w.part(at);
    w.before(part::PASS, p);
    let pass = pass(&mut w, choice::AT_TOUCH);
    keep_next(&mut w);

    // t1: the next slot's word; t4: its address; t5: the callee's ASID.
    let at = w.position();
    w.put(Word::new(ld(T4, T0, 8)).common());
    w.put(Word::new(addi(T5, ZERO, 0)).asid());
    w.plain(sd(T4, TP, WINDOW));
    thread_slot(&mut w, T1, T4);
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
    w.put(Word::new(lui(T6, 0)).callee());
    w.all([srli(T4, T1, 18), and(T4, T4, T5), add(T6, T6, T4), ld(T3, T6, domain::WINDOW_TABLES)]);
    let known = w.position();
    w.plain(bne(T3, ZERO, 0));
    w.put(Word::new(lui(T3, 0)).callee());
    w.all([ld(T3, T3, domain::ROOT), ld(T3, T3, 8)]);
    descend(&mut w);
    index(&mut w, Word::new(srli(T4, T1, 18)));
    w.plain(ld(T3, T3, 0));
    descend(&mut w);
    w.plain(sd(T3, T6, domain::WINDOW_TABLES));
    w.land(known);
    index(&mut w, Word::new(srli(T4, T1, 9)));
    w.put(Word::new(sd(T3, T0, 0)).common());
    let p = w.part(at);
    w.after(part::CHECK, p);

    // t3: the next slot's entry; t4: its address.
    let at = w.position();
    w.put(Word::new(ld(T3, T0, 0)).common());
    w.put(Word::new(ld(T4, T0, 8)).common());
    let p = w.part(at);
    w.before(part::PASS, p);
    let pass = pass(&mut w, choice::AT_CALL);
    keep_next(&mut w);

    // t1: the next slot's entry; t4: its address; t5: the callee's ASID.
    let at = w.position();
    w.put(Word::new(ld(T1, T0, 0)).common());
    w.put(Word::new(ld(T4, T0, 8)).common());
    w.put(Word::new(addi(T5, ZERO, 0)).asid());
    w.plain(sd(T4, TP, WINDOW));
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
        assert_eq!(portal::template::check(&at_call()), Ok(()));
        assert_eq!(portal::template::check(&at_touch()), Ok(()));
    }
}
