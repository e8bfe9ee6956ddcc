//! What all crates of an extension are compiled and linked with: part of the compiler's identity, so that what something else has made is known by it.

/// Of each crate.
pub const FIXED: [&str; 8] = [
    "--edition=2024",
    "-Cpanic=abort",
    "-Copt-level=2",
    "-Ccodegen-units=1",
    "-Cmetadata=pebble-extension",
    "-Zunstable-options",
    "-Zallow-features=",
    "--error-format=json",
];
/// Of the program around an extension.
pub const PROGRAM: [&str; 3] = ["-Clinker-flavor=ld.lld", "-Zemit-stack-sizes", "-Crelocation-model=static"];
/// Of the linker.
pub const LINK: [&str; 5] = ["--emit-relocs", "--no-relax", "--gc-sections", "--threads=1", "-entry=0"];
/// Text first, then slots by their interfaces and places, then what is read. Anything else that would be loaded is seen afterwards, as a section of its own.
pub const SCRIPT: &str = "
SECTIONS {
  .text 0 : { *(.text .text.*) }
  . = ALIGN(4096);
  .constants : { *(SORT(.slots.*)) *(.rodata .rodata.* .srodata .srodata.* .data.rel.ro .data.rel.ro.*) }
  /DISCARD/ : { *(.eh_frame .eh_frame_hdr .comment .note.*) }
}
";
