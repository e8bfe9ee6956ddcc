//! HRTB: in a macro's arguments, which are put together there.
#![no_std]
macro_rules! bounded {
    ($word:tt $open:tt $life:lifetime $close:tt) => {
        pub fn bounded<T>(value: T) -> T
        where
            $word $open $life $close &$life T: Sized,
        {
            value
        }
    };
}
bounded!(for < 'any >);
