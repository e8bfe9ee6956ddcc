//! Prints the portal of a specification, from an application to a trusted server or to another application:
//! `cargo run -p portal --example show -- smcii trusted`.

use abi::boot::Symbols;
use abi::nucleus::{BLOCK_HEADER, flags};
use portal::{Connection, Count, End, Specification, Templates, disassemble, generate};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let text = arguments.next().unwrap_or("smcii".into());
    let trusted = arguments.next().is_none_or(|a| a == "trusted");
    let windows = portal::lower::template(&memory_logic::windows::at_call());
    let all = [&windows];
    let templates = Templates::new(&all);
    let specification = match Specification::parse(&text, false, &templates) {
        Ok(specification) => specification,
        Err(rejected) => return eprintln!("{text}: {:?} at position {}", rejected.reason, rejected.position),
    };
    let caller = End { table: 0xFFFF_FFFF_8050_1000, asid: 9, flags: 0 };
    let callee = End { table: 0xFFFF_FFFF_8060_1000, asid: 4, flags: if trusted { flags::TRUSTED } else { 0 } };
    let symbols = Symbols {
        raise: 0xFFFF_FFFF_C020_018A,
        complete: 0xFFFF_FFFF_C020_033E,
        floating_push: 0xFFFF_FFFF_C020_0712,
        no_stack: 0xFFFF_FFFF_C020_0840,
        stack_free: 0xFFFF_FFFF_C020_0880,
        ..Default::default()
    };
    let mut words = portal::emit::Buffer::EMPTY;
    let connection = Connection {
        specification: &specification,
        caller,
        callee,
        entry: 0x10840,
        constants: &[7; 6],
        short_circuit: None,
        templates,
        count: Count::Off,
        trace: None,
    };
    let block = generate(&connection, &symbols, &mut words).expect("it fits");
    let header = BLOCK_HEADER / 4;
    println!("portal \"{text}\": {} instructions, the return portal at {:#x}", words.0[1], words.0[3]);
    for (n, &word) in words.0[header..block.words].iter().enumerate() {
        let mut line = String::new();
        let _ = disassemble::line(4 * n as u64, word, &mut line);
        println!("{:4x}  {line}", 4 * n);
    }
}
