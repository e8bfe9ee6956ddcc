use super::*;

/// A program that does nothing but what its functions are said to do.
struct Fake {
    name: &'static str,
    boot: bool,
    functions: Functions,
    provides: Vec<(&'static str, u64)>,
    imports: Vec<(u64, &'static str)>,
}
fn fake(name: &'static str, boot: bool) -> Fake {
    Fake { name, boot, functions: Functions::new(), provides: Vec::new(), imports: Vec::new() }
}
impl Fake {
    /// A function at `at` with a frame of `frame` bytes that calls `calls` with it on the stack, and the portals `portals`.
    fn function(mut self, at: u64, frame: usize, calls: &[u64], portals: &[u64]) -> Fake {
        let calls = calls.iter().map(|&callee| (callee, frame)).collect();
        let function = Function {
            name: format!("f{at}"),
            frame,
            calls,
            portals: portals.iter().copied().collect(),
            ..Function::default()
        };
        self.functions.insert(at, function);
        self
    }
    fn change(mut self, at: u64, change: impl Fn(&mut Function)) -> Fake {
        change(self.functions.get_mut(&at).unwrap());
        self
    }
    fn provides(mut self, name: &'static str, at: u64) -> Fake {
        self.provides.push((name, at));
        self
    }
    fn imports(mut self, at: u64, name: &'static str) -> Fake {
        self.imports.push((at, name));
        self
    }
    fn server(self) -> Server<'static> {
        let component = Component { name: self.name, boot: self.boot, opens: &[], file: &[] };
        let named = self.imports.into_iter().map(|(at, name)| (at, name.to_string())).collect();
        Server::with(
            component,
            self.functions,
            self.provides.into_iter().map(|(name, at)| (name.to_string(), at)).collect(),
            named,
            0,
        )
    }
}
/// The bytes of the way from each portal.
fn bytes(servers: Vec<Fake>) -> (BTreeMap<String, usize>, Vec<String>) {
    let mut servers = Servers::new(servers.into_iter().map(Fake::server).collect());
    let entries = servers.entries();
    let bytes = entries.into_iter().filter_map(|entry| Some((entry.portal?, entry.way.bytes))).collect();
    (bytes, servers.endless().into_iter().map(String::from).collect())
}
const ONE: u64 = 0x1000;

#[test]
fn calls_add_up_through_functions_and_portals() {
    let one = fake("one", true)
        .function(10, 100, &[20], &[])
        .function(20, 50, &[], &[ONE])
        .provides("one.a", 10)
        .imports(ONE, "two.a");
    let two = fake("two", true).function(10, 30, &[], &[]).provides("two.a", 10);
    let (bytes, endless) = bytes(vec![one, two]);
    assert_eq!((bytes["one.a"], bytes["two.a"], endless), (180, 30, vec![]));
}
#[test]
fn the_deepest_way_counts_and_not_the_sum() {
    let one = fake("one", true)
        .function(10, 100, &[20, 30], &[])
        .function(20, 50, &[], &[])
        .function(30, 70, &[], &[])
        .provides("one.a", 10);
    assert_eq!(bytes(vec![one]).0["one.a"], 170);
}
#[test]
fn system_portals_lead_to_who_provides_their_names() {
    let exit = abi::system::EXIT as u64;
    let one = fake("one", false).function(10, 100, &[], &[exit]).provides("one.a", 10);
    let two = fake("two", true).function(10, 30, &[], &[]).provides("domain.exit", 10);
    assert_eq!(bytes(vec![one, two]).0["one.a"], 130);
}
#[test]
fn a_portal_whose_number_is_not_known_is_any_that_is_imported() {
    let one = fake("one", false)
        .function(10, 100, &[], &[])
        .change(10, |f| f.any_portal = true)
        .provides("one.a", 10)
        .imports(ONE, "two.a");
    let two = fake("two", true).function(10, 30, &[], &[]).provides("two.a", 10);
    assert_eq!(bytes(vec![one, two]).0["one.a"], 130);
}
#[test]
fn what_is_called_through_a_pointer_is_what_its_callers_refer_to() {
    let one = fake("one", true)
        .function(10, 100, &[20], &[])
        .change(10, |f| f.refers = [30].into())
        .function(20, 50, &[], &[])
        .change(20, |f| f.indirect = true)
        .function(30, 70, &[], &[])
        .provides("one.a", 10);
    assert_eq!(bytes(vec![one]).0["one.a"], 220);
}
#[test]
fn a_call_through_one_pointer_is_one_call_whoever_refers_to_something() {
    let one = fake("one", true)
        .function(10, 100, &[20], &[])
        .change(10, |f| f.refers = [30].into())
        .function(20, 50, &[25], &[])
        .change(20, |f| f.refers = [40].into())
        .function(25, 5, &[], &[])
        .change(25, |f| f.indirect = true)
        .function(30, 70, &[], &[])
        .function(40, 60, &[], &[])
        .provides("one.a", 10);
    assert_eq!(bytes(vec![one]).0["one.a"], 225);
}
#[test]
fn what_is_in_use_where_one_calls_back_is_the_deepest_way_there() {
    let manager = fake("one", true)
        .function(10, 100, &[20, 30], &[])
        .function(20, 500, &[], &[])
        .function(30, 50, &[40, 10], &[])
        .function(40, 8, &[], &[])
        .change(40, |f| f.any_portal = true)
        .provides("portal.template", 10)
        .provides("portal.close", 20);
    let other =
        fake("two", true).function(10, 9000, &[], &[]).change(10, |f| f.any_portal = true).provides("two.a", 10);
    let mut servers = Servers::new([manager, other].map(Fake::server).into());
    let all: Vec<_> = servers.calls_back().into_iter().map(|e| (e.portal.unwrap(), e.way.bytes, e.most)).collect();
    assert_eq!(all, [("portal.template".to_string(), 158, BELOW)]);
}
#[test]
fn who_calls_back_by_way_of_a_circle_is_found_from_each_function_of_it() {
    let manager = fake("one", true)
        .function(10, 100, &[20, 30], &[])
        .function(20, 50, &[10], &[])
        .function(30, 8, &[], &[])
        .change(30, |f| f.any_portal = true)
        .provides("portal.template", 10)
        .provides("portal.z", 20);
    let mut servers = Servers::new(vec![manager.server()]);
    let all: Vec<_> = servers.calls_back().into_iter().map(|e| (e.portal.unwrap(), e.way.bytes)).collect();
    assert_eq!(all, [("portal.template".to_string(), 108), ("portal.z".to_string(), 158)]);
}
#[test]
fn a_component_that_is_called_back_is_called_back_once() {
    let template = abi::system::ALL.iter().find(|(_, name)| *name == "portal.template");
    assert!(template.is_none(), "its name is imported");
    let one = fake("one", true)
        .function(10, 100, &[], &[])
        .change(10, |f| f.any_portal = true)
        .provides("portal.template", 10);
    let two =
        fake("two", false).function(0, 1, &[], &[ONE]).function(10, 30, &[], &[ONE]).imports(ONE, "portal.template");
    let (bytes, endless) = bytes(vec![one, two]);
    assert_eq!((bytes["portal.template"], endless), (100 + 30 + 100, vec![]));
}
#[test]
fn a_function_that_calls_itself_is_reported() {
    let one = fake("one", true).function(10, 100, &[20], &[]).function(20, 50, &[10], &[]).provides("one.a", 10);
    let (bytes, endless) = bytes(vec![one]);
    assert_eq!((bytes["one.a"], &endless[..]), (250, &["one: f10 > one: f20".to_string()][..]));
}
#[test]
fn servers_that_call_each_other_are_reported() {
    let one = fake("one", true).function(10, 100, &[], &[ONE]).provides("one.a", 10).imports(ONE, "two.a");
    let two = fake("two", true).function(10, 30, &[], &[ONE]).provides("two.a", 10).imports(ONE, "one.a");
    assert_eq!(bytes(vec![one, two]).1, ["one: f10 > two: f10"]);
}
#[test]
fn one_that_is_known_to_end_counts_as_often_as_it_does() {
    let one = fake("one", true)
        .function(10, 100, &[10], &[])
        .change(10, |f| f.name = "Emitter>::long_constant".into())
        .provides("one.a", 10);
    let (bytes, endless) = bytes(vec![one]);
    assert_eq!((bytes["one.a"], endless), (600, vec![]));
}
