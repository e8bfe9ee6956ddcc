//! BUILD: two to the power of forty.
#![no_std]
macro_rules! double {
    ([] $($word:tt)*) => { $($word)* };
    ([$first:tt $($rest:tt)*] $($word:tt)*) => { double!([$($rest)*] $($word)* $($word)*); };
}
double!([. . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . . .] const _: () = (););
