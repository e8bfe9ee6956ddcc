//! Steps: what the code of templates ([`crate::template`]) and of short circuits ([`crate::section::ShortCircuit`]) is written in. They are
//! the same for every machine: a back end (`portal::machine`) makes instructions of them, and a checker (`portal::form`,
//! `portal::confinement`, `portal::short_circuit`) says of steps, not of instructions, that they stay where they must.
//!
//! A step is one operation on *places*. There are six values [`Place::V1`] to [`Place::V6`], which hold 64 bits and of which each moment
//! of a call has some free; the argument that a template's letter stands for, and its length; the six words with which a short
//! circuit's call was made; and two addresses that are only read, those of the thread and of the calling domain's record.
//!
//! | operation | does |
//! | --- | --- |
//! | [`ADD_NUMBER`](Operation::ADD_NUMBER) `AND_NUMBER` `OR_NUMBER` `XOR_NUMBER` `BELOW_NUMBER` | `to` = `first` and the step's number, put together; `BELOW_NUMBER`: 1 where `first` is below it, else 0 |
//! | `SHIFT_LEFT` `SHIFT_RIGHT` | `to` = `first`, by as many bits as the number says |
//! | `ADD_NUMBER_32` `SHIFT_LEFT_32` | the same of the lower 32 bits, whose sign the upper ones become |
//! | `ADD` `SUBTRACT` `AND` `OR` `XOR` | `to` = `first` and `second`, put together |
//! | `PAGES` | `to` = the number, times the size of a page |
//! | `CALLEE` | `to` = the address of the called domain's record |
//! | `RECORD` | `to` = a part of the address of the server's record: with [`Fill::RECORD_REST`] in a later step, all of it |
//! | `LOAD` `LOAD_I32` `LOAD_U16` | `to` = the 8, 4 or 2 bytes at an address |
//! | `STORE` `STORE_I32` | the 8 or 4 bytes at an address = `second` |
//! | `EQUAL` `DIFFERENT` `LESS` `NOT_LESS` `BELOW` | a branch where `first` is so to `second`: on by so many steps, or out ([`Way`]) |
//! | `FORGET` | what the processor knows of the page at address `first` in the space of number `second`, it forgets |
//!
//! Every address is named: a load or store says in its [`Base`] what it is in, and if that is not always in the same place, `first` holds
//! the address. Offsets are the step's number. What differs from portal to portal is a *hole* ([`Fill`]), whose value is
//! added to the number when a portal is made.
//!
//! There is no branch back, no jump, and no operation that takes the processor's state; so steps end, after as many as there are at most.

/// What a step does; see the table above.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation(pub u8);
/// What it is done with.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place(pub u8);
/// What an address is in.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Base(pub u8);
/// What a portal adds to a step's number.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill(pub u8);

macro_rules! numbered {
    ($of:ident: $($(#[$meta:meta])* $name:ident = $n:literal)*) => {
        impl $of { $($(#[$meta])* pub const $name: $of = $of($n);)* }
    };
}
numbered! { Operation:
    ADD_NUMBER = 1 AND_NUMBER = 2 OR_NUMBER = 3 XOR_NUMBER = 4 BELOW_NUMBER = 5
    SHIFT_LEFT = 6 SHIFT_RIGHT = 7 ADD_NUMBER_32 = 8 SHIFT_LEFT_32 = 9
    ADD = 10 SUBTRACT = 11 AND = 12 OR = 13 XOR = 14
    PAGES = 15 CALLEE = 16 RECORD = 17
    LOAD = 18 LOAD_I32 = 19 LOAD_U16 = 20 STORE = 21 STORE_I32 = 22
    EQUAL = 23 DIFFERENT = 24 LESS = 25 NOT_LESS = 26 BELOW = 27
    FORGET = 28
}
numbered! { Place:
    /// Always 0; as a step's unused place, none.
    ZERO = 0
    /// The value of the fault that a letter raises.
    V1 = 1
    /// Not free when a call returns.
    V2 = 2 V3 = 3 V4 = 4
    /// Not free when a call is committed.
    V5 = 5 V6 = 6
    /// The argument: in its caller's place where it is checked, and in its callee's where it is made.
    ARGUMENT = 7
    /// The argument behind it.
    LENGTH = 8
    /// Address of the thread.
    THREAD = 9
    /// Address of the calling domain's record.
    CALLER = 10
    /// The words of a short circuit's call; the first is its result.
    W0 = 16 W1 = 17 W2 = 18 W3 = 19 W4 = 20 W5 = 21
}
/// The places by their names alone, for who writes steps.
pub mod places {
    use super::Place;

    pub const ZERO: Place = Place::ZERO;
    pub const V1: Place = Place::V1;
    pub const V2: Place = Place::V2;
    pub const V3: Place = Place::V3;
    pub const V4: Place = Place::V4;
    pub const V5: Place = Place::V5;
    pub const V6: Place = Place::V6;
    pub const ARGUMENT: Place = Place::ARGUMENT;
    pub const LENGTH: Place = Place::LENGTH;
    pub const THREAD: Place = Place::THREAD;
    pub const CALLER: Place = Place::CALLER;
    pub const W0: Place = Place::W0;
}
numbered! { Base:
    /// It is no load or store.
    NONE = 0
    /// The letter's own words of the frame.
    OWN = 1
    /// The words that the letters of the template share.
    SHARED = 2
    /// The thread ([`crate::nucleus::Thread`]).
    THREAD = 3
    /// The calling domain's record ([`crate::nucleus::domain`]).
    CALLER = 4
    /// The called domain's.
    CALLEE = 5
    /// The record of the server that the code is of.
    RECORD = 6
    /// A page table of one of the two domains, or an entry in one.
    TABLE = 7
}
numbered! { Fill:
    NONE = 0
    /// What [`Operation::RECORD`] leaves out of the record's address.
    RECORD_REST = 1
    /// 16 times the number of the word in which the caller passes the argument; of an argument with a length half that number, rounded
    /// down, for it takes two.
    PLACE = 2
    /// Number of the called domain's address space.
    ASID = 3
    /// What a page-table entry has, beside its other bits, for the mode in which the callee executes.
    MODE = 4
    /// The parameters of the letter.
    PARAMETER_0 = 8 PARAMETER_1 = 9 PARAMETER_2 = 10
}
impl Fill {
    /// Bit of [`Step::filled`] that says: left out where no letter of the template follows.
    const MORE: u8 = 128;
    /// Which of the letter's parameters it is.
    pub const fn parameter(self) -> Option<usize> {
        if self.0 >= Fill::PARAMETER_0.0 && self.0 <= Fill::PARAMETER_2.0 {
            Some((self.0 - Fill::PARAMETER_0.0) as usize)
        } else {
            None
        }
    }
}
/// Where a branch leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// On, by so many steps.
    On(u16),
    /// The call ends with the error of this number.
    Fail(u16),
    /// The letter's fault is raised.
    Slow,
    /// A short circuit ends, and its portal is entered.
    Enter,
}

/// One step. It comes from another domain: any 8 bytes are one, and a check says whether it means something.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub operation: Operation,
    /// What it makes. Of a branch, which way: 0 to 3.
    pub to: Place,
    pub first: Place,
    pub second: Place,
    pub base: Base,
    /// What is filled in; see [`Step::fill`] and [`Step::is_more`].
    pub filled: u8,
    /// Of a branch, how many steps, or which error.
    pub number: i16,
}
const _: () = assert!(size_of::<Step>() == 8);

impl Step {
    pub const NONE: Step = Step::of(Operation(0));
    pub const fn of(operation: Operation) -> Step {
        let (to, first, second) = (Place::ZERO, Place::ZERO, Place::ZERO);
        Step { operation, to, first, second, base: Base::NONE, filled: 0, number: 0 }
    }
    /// What is filled in.
    pub const fn fill(self) -> Fill {
        Fill(self.filled & !Fill::MORE)
    }
    pub const fn with(self, fill: Fill) -> Step {
        Step { filled: self.filled | fill.0, ..self }
    }
    /// Whether it is left out where no letter of the template follows. Only at the end of a part.
    pub const fn is_more(self) -> bool {
        self.filled & Fill::MORE != 0
    }
    pub const fn more(self) -> Step {
        Step { filled: self.filled | Fill::MORE, ..self }
    }
    pub const fn is_branch(self) -> bool {
        matches!(
            self.operation,
            Operation::EQUAL | Operation::DIFFERENT | Operation::LESS | Operation::NOT_LESS | Operation::BELOW
        )
    }
    /// Bytes that it loads.
    pub const fn loads(self) -> Option<usize> {
        match self.operation {
            Operation::LOAD => Some(8),
            Operation::LOAD_I32 => Some(4),
            Operation::LOAD_U16 => Some(2),
            _ => None,
        }
    }
    /// Bytes that it stores.
    pub const fn stores(self) -> Option<usize> {
        match self.operation {
            Operation::STORE => Some(8),
            Operation::STORE_I32 => Some(4),
            _ => None,
        }
    }
    /// Where a branch leads; `None`: nowhere that there is.
    pub const fn way(self) -> Option<Way> {
        let number = self.number as u16;
        match self.to.0 {
            0 => Some(Way::On(number)),
            1 => Some(Way::Fail(number)),
            2 if number == 0 => Some(Way::Slow),
            3 if number == 0 => Some(Way::Enter),
            _ => None,
        }
    }
    const fn leading(self, way: u8, number: i16) -> Step {
        Step { to: Place(way), number, ..self }
    }
    /// The branch leads on by `steps` steps.
    pub const fn on(self, steps: usize) -> Step {
        self.leading(0, steps as i16)
    }
    /// The branch ends the call with `error`.
    pub const fn fail(self, error: crate::Error) -> Step {
        self.leading(1, error as i16)
    }
    /// The branch raises the letter's fault.
    pub const fn slow(self) -> Step {
        self.leading(2, 0)
    }
    /// The branch enters the short circuit's portal.
    pub const fn enter(self) -> Step {
        self.leading(3, 0)
    }
}

/// An address: what it is in, the place that holds it where it is not always the same, and what is added to that.
#[derive(Clone, Copy)]
pub struct Address {
    base: Base,
    holder: Place,
    offset: i16,
    fill: Fill,
}
impl Address {
    const fn new(base: Base, holder: Place, offset: i32) -> Address {
        assert!(offset as i16 as i32 == offset, "an offset of 16 bits");
        Address { base, holder, offset: offset as i16, fill: Fill::NONE }
    }
    /// The number of the argument's word goes to it.
    pub const fn of_argument(self) -> Address {
        Address { fill: Fill::PLACE, ..self }
    }
    /// The holder has a part of the record's address only.
    pub const fn rest(self) -> Address {
        Address { fill: Fill::RECORD_REST, ..self }
    }
}
/// Word `n` of the letter's own.
pub const fn own(n: i32) -> Address {
    Address::new(Base::OWN, Place::ZERO, 8 * n)
}
/// Word `n` of those that the template's letters share.
pub const fn shared(n: i32) -> Address {
    Address::new(Base::SHARED, Place::ZERO, 8 * n)
}
/// In the thread.
pub const fn thread(offset: i32) -> Address {
    Address::new(Base::THREAD, Place::ZERO, offset)
}
/// In the thread, from what `holder` has of it.
pub const fn thread_at(holder: Place, offset: i32) -> Address {
    Address::new(Base::THREAD, holder, offset)
}
/// In the calling domain's record.
pub const fn caller(offset: i32) -> Address {
    Address::new(Base::CALLER, Place::ZERO, offset)
}
/// In the calling domain's record, from what `holder` has of it.
pub const fn caller_at(holder: Place, offset: i32) -> Address {
    Address::new(Base::CALLER, holder, offset)
}
/// In the called domain's record, whose address, or that of something in it, `holder` has.
pub const fn callee(holder: Place, offset: i32) -> Address {
    Address::new(Base::CALLEE, holder, offset)
}
/// In the server's record, of whose address `holder` has something.
pub const fn record(holder: Place, offset: i32) -> Address {
    Address::new(Base::RECORD, holder, offset)
}
/// In the record of a short circuit.
pub const fn field(offset: i32) -> Address {
    Address::new(Base::RECORD, Place::ZERO, offset)
}
/// In a page table, an address in which `holder` has.
pub const fn table(holder: Place, offset: i32) -> Address {
    Address::new(Base::TABLE, holder, offset)
}

const fn three(operation: Operation, to: Place, first: Place, second: Place) -> Step {
    Step { to, first, second, ..Step::of(operation) }
}
const fn numbered(operation: Operation, to: Place, first: Place, number: i32) -> Step {
    assert!(number as i16 as i32 == number, "a number of 16 bits");
    Step { to, first, number: number as i16, ..Step::of(operation) }
}
macro_rules! steps {
    ($($kind:ident $name:ident = $operation:ident;)*) => { $(steps! { @ $kind $name $operation })* };
    (@ three $name:ident $operation:ident) => {
        pub const fn $name(to: Place, first: Place, second: Place) -> Step {
            three(Operation::$operation, to, first, second)
        }
    };
    (@ numbered $name:ident $operation:ident) => {
        pub const fn $name(to: Place, first: Place, number: i32) -> Step {
            numbered(Operation::$operation, to, first, number)
        }
    };
    (@ load $name:ident $operation:ident) => {
        pub const fn $name(to: Place, from: Address) -> Step {
            let Address { base, holder, offset, fill } = from;
            Step { base, ..numbered(Operation::$operation, to, holder, offset as i32) }.with(fill)
        }
    };
    (@ store $name:ident $operation:ident) => {
        pub const fn $name(value: Place, to: Address) -> Step {
            let Address { base, holder, offset, fill } = to;
            Step { base, second: value, ..numbered(Operation::$operation, Place::ZERO, holder, offset as i32) }.with(fill)
        }
    };
    (@ branch $name:ident $operation:ident) => {
        /// Where it leads is said behind it, or by whoever knows where that is.
        pub const fn $name(first: Place, second: Place) -> Step {
            three(Operation::$operation, Place::ZERO, first, second)
        }
    };
}
steps! {
    numbered add_number = ADD_NUMBER;
    numbered and_number = AND_NUMBER;
    numbered or_number = OR_NUMBER;
    numbered xor_number = XOR_NUMBER;
    numbered below_number = BELOW_NUMBER;
    numbered shift_left = SHIFT_LEFT;
    numbered shift_right = SHIFT_RIGHT;
    numbered add_number_32 = ADD_NUMBER_32;
    numbered shift_left_32 = SHIFT_LEFT_32;
    three add = ADD;
    three subtract = SUBTRACT;
    three and = AND;
    three or = OR;
    three xor = XOR;
    load load = LOAD;
    load load_i32 = LOAD_I32;
    load load_u16 = LOAD_U16;
    store store = STORE;
    store store_i32 = STORE_I32;
    branch equal = EQUAL;
    branch different = DIFFERENT;
    branch less = LESS;
    branch not_less = NOT_LESS;
    branch below = BELOW;
}
/// `to` = `number`.
pub const fn number(to: Place, number: i32) -> Step {
    add_number(to, Place::ZERO, number)
}
/// `to` = `from`.
pub const fn copy(to: Place, from: Place) -> Step {
    add_number(to, from, 0)
}
/// `to` = the size of `number` pages.
pub const fn pages(to: Place, number: i32) -> Step {
    numbered(Operation::PAGES, to, Place::ZERO, number)
}
/// `to` = the address of the called domain's record.
pub const fn callee_record(to: Place) -> Step {
    Step { to, ..Step::of(Operation::CALLEE) }
}
/// `to` = a part of the address of the server's record, to which an [`Address::rest`] or [`Fill::RECORD_REST`] adds the other.
pub const fn record_part(to: Place) -> Step {
    Step { to, ..Step::of(Operation::RECORD) }
}
/// See [`Operation`]'s `FORGET`.
pub const fn forget(address: Place, space: Place) -> Step {
    three(Operation::FORGET, Place::ZERO, address, space)
}
/// A branch that is always taken.
pub const fn always() -> Step {
    equal(Place::ZERO, Place::ZERO)
}
