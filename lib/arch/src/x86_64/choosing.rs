//! How it is found who is entered: absent still.

use crate::landing::{Code, Compared, Read};

unsafe extern "C" fn absent() {
    unimplemented!("x86-64: extensions are absent")
}
pub fn reader(_word: usize, _read: Read) -> Code {
    absent
}
pub fn comparison(_compared: Compared, _signed: bool) -> Code {
    absent
}
