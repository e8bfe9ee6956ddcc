//! DYN: the word is made by no macro of the library.
#![no_std]
macro_rules! shown {
    ($object:tt $name:ident) => {
        pub fn shown(value: &$object $name) -> usize {
            size_of_val(value)
        }
    };
}
shown!(dyn Send);
