//! Domains of protection in a manifest: what `isolation = "dp"` and `task` ask for, and can not have.

use super::document::{Fault, meant};
use manifest::{Component, Isolation, System};

/// What is wrong with the tasks that a system's components say they are in.
pub fn faults(system: &System) -> Vec<Fault> {
    let all = &system.components;
    let mut faults = Vec::new();
    for (n, component) in all.iter().enumerate() {
        let fault = |text: String| Fault::of(n, format!("component \"{}\": {text}", component.name));
        match (component.isolation == Isolation::Dp, component.task.as_str()) {
            (false, "") => {}
            (false, task) => {
                let help = "say isolation = \"dp\" too, or leave `task` out".to_string();
                faults
                    .push(fault(format!("only a domain of protection is in a task, \"{task}\"")).at("task").help(help));
            }
            (true, "") => {
                let help = "name the component in whose address space it is: task = \"…\"".to_string();
                faults.push(fault("a domain of protection is in a task".into()).at("isolation").help(help));
            }
            (true, task) => {
                faults.extend(own(component, &fault));
                faults.extend(of_task(all, n, task, &fault));
            }
        }
    }
    faults
}
/// Domains of protection whose programs can not be placed where their tasks have room.
pub fn immovable(system: &System, programs: &crate::build::Programs) -> Vec<Fault> {
    let parts = system.components.iter().enumerate().filter(|(_, component)| component.isolation == Isolation::Dp);
    let faults = parts.filter_map(|(n, component)| {
        let error = image::relocations(&component.image, programs.get(&component.image)?).err()?;
        Some(Fault::of(n, format!("component \"{}\": {error}", component.name)).at("image"))
    });
    faults.collect()
}
/// What a domain of protection can not be or have, whatever its task.
fn own(component: &Component, fault: &dyn Fn(String) -> Fault) -> Vec<Fault> {
    let flags = [
        (component.boot, "boot", "a boot component is laid out before there are tasks"),
        (component.trusted, "trusted", "a trusted component is in no task: it sees the service stacks of all"),
    ];
    let flags = flags.into_iter().filter(|(wrong, ..)| *wrong).map(|(_, key, text)| fault(text.into()).at(key));
    let devices = (!component.devices.is_empty()).then(|| {
        let help = "give the device to a driver of its own, which it opens".to_string();
        fault("a domain of protection has no devices: all of its task would see them".into()).at("devices").help(help)
    });
    flags.chain(devices).collect()
}
/// What is wrong with the task that component `n` names.
fn of_task(all: &[Component], n: usize, name: &str, fault: &dyn Fn(String) -> Fault) -> Option<Fault> {
    let at = |text: String, help: Option<String>| Some(fault(text).at("task").help(help));
    let Some(place) = all.iter().position(|other| other.name == name) else {
        let names = all.iter().filter(|c| !c.boot && c.isolation != Isolation::Dp).map(|c| c.name.as_str());
        return at(format!("there is no component \"{name}\", which it is to be in"), meant(name, names));
    };
    let (component, task) = (&all[n], &all[place]);
    let limit = |c: &Component| c.limits.memory;
    if task.boot {
        at(format!("\"{name}\" is a boot component, which is no task"), None)
    } else if task.isolation == Isolation::Dp {
        let help = if task.task.is_empty() { None } else { Some(format!("say task = \"{}\"", task.task)) };
        at(format!("\"{name}\" is a domain of protection itself, and has none in it"), help)
    } else if task.trusted {
        at(format!("\"{name}\" is trusted, and a trusted component is no task"), None)
    } else if task.on_request && !component.on_request {
        let help = "say on_request = true of both, or of none".to_string();
        at(format!("\"{name}\" is started on request, and would not be there"), Some(help))
    } else if place > n && !component.on_request {
        let help = format!("move its block behind that of \"{name}\"");
        at(format!("\"{name}\" is started after it"), Some(help))
    } else if let (Some(own), Some(most)) = (limit(component), limit(task))
        && own > most
    {
        let text = format!("limits: {own} percent of the memory, of which its task \"{name}\" has {most}");
        Some(fault(text).at("limits"))
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use image::Program;
    use std::path::Path;
    use std::process::Command;

    /// Pointers, tables, strings, a switch, what nobody defines, and numbers that the linker computes.
    const SOURCE: &str = r#"
        extern int nobody __attribute__((weak)); extern char __tls_size[], __text_end[]; void gone(void) __attribute__((weak));
        static int variable = 3, *pointer = &variable; __thread long local = 7; int common[100];
        static const char *const strings[] = {"a", "bc", "def"};
        static long one(long n) { return n + 1; } static long two(long n) { return n * (long)&variable; }
        long (*const functions[])(long) = {one, two};
        struct __attribute__((packed)) { char byte; int *crossing; } packed[700] = {[0 ... 699] = {1, &variable}};
        long main(long n) {
            if (gone) gone();
            switch (n) { case 0: return *pointer; case 1: return (long)strings[n]; case 2: return (long)&nobody;
                         case 3: return (long)__tls_size; case 4: return local; case 5: return common[n]; case 6: return (long)__text_end; }
            return functions[n & 1](n) + (long)packed[n].crossing;
        }
        __attribute__((section(".text.start"))) void _start(void) { main(1); }
    "#;
    fn linked(folder: &Path, options: &[&str], start: &str) -> Vec<u8> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let script = std::fs::read_to_string(root.join("lib/c/link.ld")).unwrap().replacen("0x10000", start, 1);
        let at = |name: &str| folder.join(name);
        std::fs::write(at("link.ld"), script).unwrap();
        std::fs::write(at("a.c"), SOURCE).unwrap();
        let mut compiler = Command::new("riscv64-unknown-elf-gcc");
        compiler.args(["-O2", "-march=rv64gc", "-mabi=lp64d", "-mno-relax", "-nostdlib", "-Wl,--no-relax", "-w"]);
        compiler.args(options).arg("-T").arg(at("link.ld")).arg(at("a.c")).arg("-o").arg(at("a"));
        assert!(compiler.status().unwrap().success());
        std::fs::read(at("a")).unwrap()
    }
    #[test]
    fn a_program_that_is_moved_is_what_is_linked_there() {
        for model in [&["-mcmodel=medany"][..], &["-mcmodel=medlow"], &["-mcmodel=medany", "-fPIC"]] {
            let folder = tempfile::tempdir().unwrap();
            let options = [model, &["-Wl,--emit-relocs"]].concat();
            let here = linked(folder.path(), &options, "0x10000");
            let there = linked(folder.path(), &options, "0x3abcd000");
            let distance = 0x3abcd000 - 0x10000;
            let relocations = image::relocations("a", &here).unwrap();
            assert!(relocations.len() > 700, "{model:?}: {}", relocations.len());
            let [mut moved, wanted] = [&here, &there].map(|file| Program::parse("a", file).unwrap());
            let start = moved.start();
            for relocation in relocations {
                let at = start + relocation.offset() as u64;
                let segment = moved.segments.iter_mut().find(|s| (s.va..s.va + s.memory_bytes).contains(&at)).unwrap();
                let place = (at - segment.va) as usize;
                relocation.apply(&mut segment.bytes[place..place + relocation.kind().bytes()], distance);
            }
            assert_eq!(wanted.start(), start + distance as u64);
            for (moved, wanted) in moved.segments.iter().zip(&wanted.segments) {
                let differs = moved.bytes.iter().zip(&wanted.bytes).position(|(one, other)| one != other);
                assert_eq!(differs.map(|at| format!("{:#x}", moved.va as usize + at)), None, "{model:?}");
                assert_eq!(moved.bytes.len(), wanted.bytes.len());
            }
        }
    }
    #[test]
    fn a_program_without_relocations_can_not_be_moved() {
        let folder = tempfile::tempdir().unwrap();
        let program = linked(folder.path(), &["-mcmodel=medany"], "0x10000");
        let error = image::relocations("a", &program).unwrap_err().to_string();
        assert!(error.contains("no relocations") && error.contains("--emit-relocs"), "{error}");
    }
}
