//! What the cross compiler makes, rewritten and linked, is accepted by the verifier, in all forms. The verifier is the test's, not the
//! rewriter's.

use rewriter::{CALL_SYMBOL, Options, rewrite};
use std::path::Path;
use std::process::Command;
use verifier::{Form, Segment, verify};

/// What compilers do with registers, stacks and jumps.
const SOURCE: &str = r#"
typedef long word;
__thread int variable;
extern int missing(void) __attribute__((weak));
word table[64], (*functions[4])(word);
struct { word a, b, c; char d[3000]; } far_members;

word system_call(word n) { register word a7 __asm__("a7") = n; register word a0 __asm__("a0"); __asm__ volatile("ecall" : "=r"(a0) : "r"(a7) : "memory"); return a0; }
word indirect(word n) { return functions[n & 3](n) + 1; }
word tail(word n) { return functions[n & 3](n); }
word choose(word n) { switch (n) { case 0: return 5; case 1: return 77; case 2: return variable; case 3: return 9; case 4: return 12; case 5: return 3; } return 0; }
void many(word *p) { for (int i = 0; i < 8; i++) p[i] = i; far_members.d[2900] = 1; far_members.b = 2; variable = 3; }
word big_frame(word n) { volatile char buffer[100000]; buffer[n] = 1; return buffer[n + 1]; }
word alloca_frame(word n) { volatile char *p = __builtin_alloca(n); p[0] = 1; many((word *)p); return p[0]; }
word leaf_frame(word n) { volatile word x[4]; x[n & 3] = n; return x[0]; }
float floats(float *p, double d) { p[1] = d; return p[0] * 2 + d; }
int atomics(int *p) { return __atomic_fetch_add(p, 1, 5) + __atomic_exchange_n(p, 2, 5) + __atomic_compare_exchange_n(p, &variable, 3, 0, 5, 5); }
word eight(word a, word b, word c, word d, word e, word f, word g, word h) { return a + b * c - d / (e | 1) + (f << g) + h + table[a & 63]; }
void _start(void) {
    word w[8];
    many(w);
    if (missing) missing();
    table[0] = indirect(1) + tail(2) + choose(w[0]) + big_frame(3) + alloca_frame(100) + leaf_frame(1) + system_call(8) + atomics((int *)w);
    floats((float *)w, eight(1, 2, 3, 4, 5, 6, 7, 8));
    for (;;) table[1]++;
}
"#;
const SCRIPT: &str = "ENTRY(_start) SECTIONS { . = 0x10004; .table (NOLOAD) : { __fault_domain_call = .; . += 4092; } . = 0x20000; .text : { *(.text*) } . = 0x100000; .rodata : { *(.rodata*) } .data : { *(.data*) *(.got*) *(.sdata*) } .tbss : { *(.tbss*) } .bss : { *(.bss*) *(.sbss*) } /DISCARD/ : { *(.eh_frame*) *(.comment) *(.riscv.attributes) } }";

fn run(command: &mut Command) {
    assert!(command.status().unwrap().success(), "{command:?}");
}
/// The words of code that `options` of the compiler lead to.
fn code(folder: &Path, compile: &[&str], options: &Options) -> Vec<u32> {
    let path = |name: &str| folder.join(name);
    std::fs::write(path("program.c"), SOURCE).unwrap();
    std::fs::write(path("link.ld"), SCRIPT).unwrap();
    let mut compiler = Command::new("riscv64-unknown-elf-gcc");
    compiler.args(["-ffunction-sections", "-mabi=lp64d", "-mcmodel=medany", "-ffreestanding", "-c"]).args(compile);
    run(compiler.arg(path("program.c")).arg("-o").arg(path("program.o")));
    let object = std::fs::read(path("program.o")).unwrap();
    let (object, growth) = rewrite(&object, options).unwrap();
    assert!(growth.words > growth.instructions);
    std::fs::write(path("rewritten.o"), object).unwrap();
    let mut linker = Command::new("ld.lld-19");
    linker.args(["-pie", "--no-relax", "-z", "norelro", "-z", "notext", "-T"]).arg(path("link.ld"));
    run(linker.arg(path("rewritten.o")).arg("-o").arg(path("program")));
    let mut copy = Command::new("riscv64-unknown-elf-objcopy");
    run(copy.args(["-O", "binary", "-j", ".text"]).arg(path("program")).arg(path("code")));
    let bytes = std::fs::read(path("code")).unwrap();
    bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}
fn accepted(name: &str, compile: &[&str]) {
    let folder = std::env::temp_dir().join(format!("rewriter-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for way in 0..12 {
        let [loads, matching] = [1, 2].map(|bit| way & bit != 0);
        let (kept, form, base, bits) = match way / 4 {
            0 => (rewriter::Form::Masks, Form::Mask, 0x1800_0000, 26),
            1 => (rewriter::Form::AddUnsignedWord, Form::AddUnsignedWord, 0x18_0000_0000, 32),
            _ => (rewriter::Form::Or, Form::Or, 0x3f_c000_0000, 30),
        };
        let segment = Segment { base, bits, form, loads };
        let words = code(&folder, compile, &Options { form: kept, loads, matching });
        if let Err(rejection) = verify(&segment, base + 0x2_0000, &words) {
            panic!("{form:?}, loads {loads}, matching {matching}: {rejection}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn code_that_knows_of_the_registers_is_accepted() {
    accepted("knows", &["-O2", "-march=rv64imafd", "-ffixed-x29", "-ffixed-x30", "-ffixed-x31"]);
}
#[test]
fn compressed_code_that_does_not_is_accepted() {
    accepted("compressed", &["-O2", "-march=rv64gc"]);
}
#[test]
fn code_without_optimization_is_accepted() {
    accepted("plain", &["-O0", "-march=rv64gc"]);
}
#[test]
fn code_that_writes_the_base_is_refused_with_its_place() {
    let folder = std::env::temp_dir().join(format!("rewriter-refused-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (source, object) = (folder.join("a.s"), folder.join("a.o"));
    std::fs::write(&source, ".section .text.f\nf: nop\nmv gp, a0\nret\n").unwrap();
    run(Command::new("riscv64-unknown-elf-as").arg(&source).arg("-o").arg(&object));
    let file = std::fs::read(&object).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let error = rewrite(&file, &Options { form: rewriter::Form::AddUnsignedWord, loads: false, matching: false })
        .unwrap_err()
        .to_string();
    assert!(error.starts_with(".text.f+0x") && error.contains("gp"), "{error}");
    assert!(!CALL_SYMBOL.is_empty());
}
