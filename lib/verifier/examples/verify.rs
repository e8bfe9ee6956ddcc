//! Verifies the words of a file: `cargo run -p verifier --example verify -- zba|top|mask [loads] START FILE`, START the offset in the segment, in
//! hexadecimal.

use verifier::{Form, Segment, verify};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [forms @ .., start, name] = &arguments[..] else { panic!("zba|top|mask [loads] START FILE") };
    let has = |word: &str| forms.iter().any(|form| form == word);
    let loads = has("loads");
    let segment = if has("zba") {
        Segment { base: 0x18_0000_0000, bits: 32, form: Form::AddUnsignedWord, loads }
    } else if has("top") {
        Segment { base: 0x3f_c000_0000, bits: 30, form: Form::Or, loads }
    } else {
        Segment { base: 0x1800_0000, bits: 26, form: Form::Mask, loads }
    };
    let start = u64::from_str_radix(start.trim_start_matches("0x"), 16).expect("START");
    let bytes = std::fs::read(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    let words: Vec<u32> = bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
    match verify(&segment, segment.base + start, &words) {
        Ok(changes) => println!("{} words; changes {changes:x?}", words.len()),
        Err(rejection) => {
            println!("{rejection}");
            std::process::exit(1);
        }
    }
}
