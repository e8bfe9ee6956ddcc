//! The letters of a portal's specification string, and what can be said of a string before anybody registers it. What each letter means
//! is in the book, "The specification string"; `portal::specification` parses it.

/// The letters of each place: stack, state, arguments. Those of the arguments from `w` on have templates that servers register.
pub const LETTERS: [&[u8]; 3] = [b"snj", b"mpfx", b"ic=tahdwrWRS><k"];
use crate::lengths::ARGUMENTS;

/// Whether a specification has a known letter in each place: else at which one not, from 0, and why.
pub const fn check(text: &str) -> Result<(), (usize, &'static str)> {
    let bytes = text.as_bytes();
    if bytes.len() < 2 {
        return Err((bytes.len(), "it has a stack and a state letter at least, as \"np\""));
    }
    if !contains(LETTERS[0], bytes[0]) {
        return Err((0, "its first letter says which stack: s or n"));
    }
    if !contains(LETTERS[1], bytes[1]) {
        return Err((1, "its second letter says what is saved: m, p or f"));
    }
    let mut at = 2;
    while at < bytes.len() {
        if at == 2 + ARGUMENTS {
            return Err((at, "there are six arguments at most"));
        }
        if !contains(LETTERS[2], bytes[at]) {
            return Err((at, "this letter stands for no argument"));
        }
        // Of several pages: the next argument is the length.
        if (bytes[at] == b'W' || bytes[at] == b'R') && (at + 1 == bytes.len() || bytes[at + 1] != b'i') {
            return Err((at + 1, "behind W and R comes the length, an i"));
        }
        at += 1;
    }
    Ok(())
}
/// Stops the compiler with what is wrong with a specification.
pub const fn assert(text: &str) {
    if let Err((_, why)) = check(text) {
        panic!("{}", why);
    }
}
const fn contains(letters: &[u8], letter: u8) -> bool {
    let mut n = 0;
    while n < letters.len() {
        if letters[n] == letter {
            return true;
        }
        n += 1;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::check;
    #[test]
    fn each_place_has_letters_of_its_own() {
        assert_eq!(check("npiirWi"), Ok(()));
        let place = |text| check(text).unwrap_err().0;
        assert_eq!(["", "n", "ip", "ni", "npz", "npiiiiiii", "npW", "npWr"].map(place), [0, 1, 0, 1, 2, 8, 3, 3]);
    }
}
