//! What is in code: absent still.

pub fn has_floating_point(_text: &[u8]) -> bool {
    unimplemented!("x86-64: extensions are absent")
}
