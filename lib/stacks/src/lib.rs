//! What trusted servers take of the service stack of the thread that calls one of them, which they all run on.
//!
//! A call goes from function to function, and through portals from server to server, all on one stack. Who calls whom stands in the programs: so the
//! deepest way is found for each entry point, before the system runs. A component that is not trusted has stacks of its own. Where a trusted one calls
//! it, it may call trusted ones again, on the same service stack: where more than [`BELOW`] bytes are in use, it does not call (`pebble::portal::call_back`).

mod code;
mod frames;

use abi::address::{SERVICE_ASKER, SERVICE_CALL, SERVICE_PAGER};
use code::{Function, Functions};
pub use frames::largest_frame;
use image::Program;
use image::declared;
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that a call of a trusted component may take, with all that it calls of others: a quarter of the stack is for what is in use where untrusted code
/// that a trusted component has called makes a call.
pub const MOST: usize = SERVICE_CALL;
/// And what is in use at most where one of the first calls back, and where that is to ask a pager.
pub const BELOW: usize = SERVICE_ASKER;
pub const BELOW_PAGER: usize = SERVICE_PAGER;

/// Bytes that a function may take by itself where nothing else is known: half of what there is for a call, so that who it calls has the other.
pub const LARGEST: usize = MOST / 2;

/// A function that calls itself, by way of others or not: how often at most, and why not more often.
pub struct Recursive {
    pub function: &'static str,
    pub times: usize,
    pub why: &'static str,
}
/// Those that are known. None is as deep as a client likes.
pub const RECURSIVE: &[Recursive] = &[
    Recursive { function: "core::fmt::write", times: 2, why: "what is written has parts, and these have none" },
    Recursive {
        function: "find_node",
        times: 16,
        why: "the device tree is the machine's, and is looked through before anybody calls",
    },
    Recursive { function: "skip_current_node", times: 16, why: "as find_node" },
    Recursive {
        function: "Spaces<memory::Physical>>::grow",
        times: 1,
        why: "of a view: that of its space, which is none",
    },
    Recursive { function: "Spaces<memory::Physical>>::stack", times: 1, why: "as grow" },
    Recursive { function: "Emitter>::long_constant", times: 5, why: "of 64 bits, it takes twelve or more with each" },
    Recursive {
        function: "::forget_unused",
        times: 1,
        why: "what asked who may open a registration leads to no registration",
    },
];

/// Portals by which a component says where it is called back.
const CALL_BACK: [&str; 3] = ["portal.template", "portal.notify", "memory.pager"];

/// Portals of those that call who is not trusted: the portal manager's, and the memory manager's, which asks pagers.
const CALLS_BACK: [&str; 2] = ["portal.template", "memory.fault"];

/// A trusted component that runs on service stacks: not one with interrupts off, which has a stack of its own.
#[derive(Clone, Copy)]
pub struct Component<'a> {
    pub name: &'a str,
    /// It is one of the first.
    pub boot: bool,
    /// Names of portals that it may open; `*` at the end matches any rest.
    pub opens: &'a [String],
    /// Its program's ELF file.
    pub file: &'a [u8],
}
struct Server<'a> {
    component: Component<'a>,
    functions: Functions,
    /// Its entry points, by the names of their portals.
    provides: BTreeMap<String, u64>,
    /// Names of the portals that it opens when it starts, by the addresses of their numbers.
    imports: BTreeMap<u64, String>,
    /// Functions that it may call through pointers which are in its data.
    addressed: BTreeSet<u64>,
    /// Where it starts.
    start: u64,
    /// Entry points, and functions that none of its own calls: where its threads start or others call it back.
    roots: BTreeSet<u64>,
    /// It says of itself where it is called back.
    called_back: bool,
    /// Its program says which portals it provides or opens. One in C does not: where it is entered, and whom it calls, is known when it runs.
    declares: bool,
}
impl<'a> Server<'a> {
    fn of(component: Component<'a>) -> Option<Server<'a>> {
        let program = Program::parse(component.name, component.file).ok()?;
        let provides =
            declared::provides(&program).into_iter().filter(|p| p.entry != 0).map(|p| (p.name, p.entry)).collect();
        let imports: BTreeMap<u64, String> =
            declared::imports(&program).into_iter().map(|i| (i.number, i.name)).collect();
        let functions = code::functions(component.file, &program, &imports.keys().copied().collect())?;
        if functions.is_empty() {
            // Without symbols nothing is known of it.
            return None;
        }
        let addressed = code::addressed(&program, &functions);
        Some(Server { addressed, ..Server::with(component, functions, provides, imports, program.entry) })
    }
    fn with(
        component: Component<'a>,
        functions: Functions,
        provides: BTreeMap<String, u64>,
        imports: BTreeMap<u64, String>,
        start: u64,
    ) -> Server<'a> {
        let called: BTreeSet<u64> = functions.values().flat_map(|function| function.calls.keys().copied()).collect();
        let roots = functions
            .keys()
            .copied()
            .filter(|at| !called.contains(at) || provides.values().any(|entry| entry == at))
            .collect();
        let mut server = Server {
            component,
            functions,
            provides,
            imports,
            addressed: BTreeSet::new(),
            start,
            roots,
            called_back: false,
            declares: false,
        };
        let asks = |function: &Function| server.called(function).iter().any(|name| CALL_BACK.contains(name));
        server.called_back = server.functions.values().any(asks);
        server.declares = !server.provides.is_empty() || !server.imports.is_empty();
        server
    }
    /// Names of the portals that a function calls.
    fn called<'s>(&'s self, function: &Function) -> BTreeSet<&'s str> {
        let system = |number: &u64| abi::system::ALL.iter().find(|(n, _)| *n as u64 == *number).map(|(_, name)| *name);
        let named = |number: &u64| self.imports.get(number).map(String::as_str).or_else(|| system(number));
        let mut called: BTreeSet<&str> = function.portals.iter().filter_map(named).collect();
        if function.any_portal && !self.component.boot {
            called.extend(self.imports.values().map(String::as_str));
        }
        called
    }
    /// Where its threads start, and a program that declares nothing is entered, only what functions take each by themselves is looked at: the one that takes most.
    fn largest(&self) -> Option<Entry<'a>> {
        let bounded = self.functions.values().filter(|function| function.frame < code::UNBOUNDED);
        let function = bounded.max_by_key(|function| function.frame)?;
        let way = Way { bytes: function.frame, functions: vec![format!("{}: {}", self.component.name, function.name)] };
        Some(Entry { component: self.component.name, portal: None, way, most: LARGEST })
    }
    /// Whether it may open a portal of this name itself, while it runs.
    fn may_open(&self, name: &str) -> bool {
        let matches =
            |pattern: &String| pattern.strip_suffix('*').map_or(pattern == name, |start| name.starts_with(start));
        self.component.opens.iter().any(matches)
    }
    /// Where it may be entered, with names where they are known: by portals that it registers while it runs, too.
    fn entered(&self) -> impl Iterator<Item = u64> {
        self.roots.iter().copied().filter(|at| *at != self.start)
    }
}
/// A way of calls, the deepest from where it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Way {
    pub bytes: usize,
    /// The functions on it, each with its component and frame.
    pub functions: Vec<String>,
}
impl Way {
    /// The same from a caller, which has taken `bytes` itself.
    fn below(mut self, bytes: usize) -> Way {
        self.bytes += bytes;
        self
    }
    /// This one, and then `other`.
    fn and(mut self, other: &Way) -> Way {
        self.functions.extend(other.functions.iter().cloned());
        self.below(other.bytes)
    }
    fn or(self, other: Way) -> Way {
        if other.bytes > self.bytes { other } else { self }
    }
}
/// The deeper of two ways that there may be.
fn deeper(one: Option<Way>, other: Option<Way>) -> Option<Way> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.or(other)),
        (one, other) => one.or(other),
    }
}
/// What is known of a function.
#[derive(Clone, Default)]
struct Deep {
    way: Way,
    /// The deepest way to where something is called through a pointer: that may be what a function refers to from which the way comes.
    pointer: Option<Way>,
    /// And nothing on its ways refers to what that could be.
    open: bool,
    /// The deepest way to where a portal is called by a number that is not in the program, in the same program.
    asks: Option<Way>,
}
/// A place where a component is entered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub component: &'a str,
    /// The portal that leads there. `None`: anywhere else.
    pub portal: Option<String>,
    pub way: Way,
    /// Bytes that there are for it.
    pub most: usize,
}

/// A function of a server, and whether a server is being called back already: such calls do not nest.
type Place = (usize, u64, bool);

/// The trusted components of a system.
pub struct Servers<'a> {
    all: Vec<Server<'a>>,
    /// Components of which nothing is known: their files are no programs, or have no symbols.
    pub unreadable: Vec<&'a str>,
    /// `None`: it is being looked at.
    known: BTreeMap<Place, Option<Deep>>,
    /// The functions that are being looked at, each called by the one before.
    active: Vec<Place>,
    /// The first of those that what is being looked at has come to again.
    reached: usize,
    /// Circles of functions that call each other, the first of which is their name.
    circles: BTreeMap<String, String>,
}

impl<'a> Servers<'a> {
    pub fn of(components: impl IntoIterator<Item = Component<'a>>) -> Servers<'a> {
        let mut servers = Servers::new(Vec::new());
        for component in components {
            match Server::of(component) {
                Some(server) => servers.all.push(server),
                None => servers.unreadable.push(component.name),
            }
        }
        servers
    }
    fn new(all: Vec<Server<'a>>) -> Servers<'a> {
        let (known, circles) = (BTreeMap::new(), BTreeMap::new());
        Servers { all, unreadable: Vec::new(), known, active: Vec::new(), reached: usize::MAX, circles }
    }
    /// The deepest way from each entry point; and of each component that is none of the first, the function that takes most by itself.
    pub fn entries(&mut self) -> Vec<Entry<'a>> {
        let mut entries = Vec::new();
        for n in 0..self.all.len() {
            if !self.all[n].component.boot {
                entries.extend(self.all[n].largest());
            }
            let Server { component, provides, .. } = &self.all[n];
            let component = *component;
            let places: Vec<(u64, String)> = provides.iter().map(|(name, &at)| (at, name.clone())).collect();
            for (at, portal) in places {
                let Deep { mut way, pointer, open, .. } = self.way((n, at, false));
                if let Some(pointer) = pointer.filter(|_| open) {
                    way = way.or(pointer.and(&self.deepest_addressed(n)));
                }
                entries.push(Entry { component: component.name, portal: Some(portal), way, most: MOST });
            }
        }
        entries
    }
    /// From each entry point of those that are told whom to call back, the deepest way to where they call by a number that is not in their programs: to what is
    /// not trusted, among others.
    pub fn calls_back(&mut self) -> Vec<Entry<'a>> {
        let mut entries = Vec::new();
        for n in 0..self.all.len() {
            let Server { component, provides, .. } = &self.all[n];
            if !component.boot || !CALLS_BACK.iter().any(|name| provides.contains_key(*name)) {
                continue;
            }
            let component = component.name;
            let places: Vec<(u64, String)> = provides.iter().map(|(name, &at)| (at, name.clone())).collect();
            for (at, portal) in places {
                let Some(way) = self.way((n, at, false)).asks else { continue };
                let most = if portal.starts_with("memory.") { BELOW_PAGER } else { BELOW };
                entries.push(Entry { component, portal: Some(portal), way, most });
            }
        }
        entries
    }
    /// The deepest way from a function of server `n` that a pointer in its data leads to, entry points left out, which portals lead to.
    fn deepest_addressed(&mut self, n: usize) -> Way {
        let server = &self.all[n];
        let entry = |at: &u64| server.provides.values().any(|entry| entry == at);
        let addressed: Vec<u64> = server.addressed.iter().copied().filter(|at| !entry(at)).collect();
        addressed.into_iter().map(|at| self.way((n, at, false)).way).max_by_key(|way| way.bytes).unwrap_or_default()
    }
    /// Circles of functions that call each other of which it is not known that they end ([`RECURSIVE`]), the first function of each named once more. What they
    /// take counts once, and what the first takes as often as it says there.
    pub fn endless(&self) -> Vec<&str> {
        let known = |name: &str| RECURSIVE.iter().any(|known| name.contains(known.function));
        self.circles.iter().filter(|(name, _)| !known(name)).map(|(_, circle)| &circle[..]).collect()
    }
    fn way(&mut self, place: Place) -> Deep {
        match self.known.get(&place) {
            Some(Some(known)) => return known.clone(),
            Some(None) => return self.again(place),
            None => _ = self.known.insert(place, None),
        }
        let (before, depth) = (std::mem::replace(&mut self.reached, usize::MAX), self.active.len());
        self.active.push(place);
        let deep = self.look(place);
        self.active.pop();
        // What has come to one that is being looked at further out is less than all, and counts this time only.
        if self.reached < depth {
            self.known.remove(&place);
        } else {
            self.reached = usize::MAX;
            self.known.insert(place, Some(deep.clone()));
        }
        self.reached = self.reached.min(before);
        deep
    }
    /// A function is called that is being looked at.
    fn again(&mut self, place: Place) -> Deep {
        let begin = self.active.iter().position(|active| *active == place).unwrap_or(0);
        self.reached = self.reached.min(begin);
        let circle: Vec<String> = self.active[begin..].iter().map(|&place| self.name(place)).collect();
        let name = self.name(place);
        self.circles.insert(name.clone(), circle.join(" > "));
        let times = RECURSIVE.iter().find(|known| name.contains(known.function)).map_or(1, |known| known.times);
        let frame = self.all[place.0].functions.get(&place.1).map_or(0, |function| function.frame);
        Deep { way: Way { bytes: times * frame, functions: Vec::new() }, ..Deep::default() }
    }
    fn look(&mut self, place: Place) -> Deep {
        let (n, at, asked) = place;
        let server = &self.all[n];
        let Some(function) = server.functions.get(&at) else { return Deep::default() };
        let (frame, calls, refers) = (function.frame, function.calls.clone(), function.refers.clone());
        let own = Way { bytes: frame, functions: Vec::new() };
        let mut pointer = function.indirect.then(|| own.clone());
        let mut unknown = function.indirect && refers.is_empty();
        let mut asks = function.any_portal.then(|| own.clone());
        let mut further = self.by_portals(place);
        if function.indirect {
            further.extend(refers.iter().map(|&at| (n, at, asked)));
            asks = deeper(asks, self.pointed_asks(n, &refers, asked).map(|way| way.below(frame)));
        }
        let mut deepest = own;
        for place in further {
            deepest = deepest.or(self.way(place).way.below(frame));
        }
        for (callee, taken) in calls {
            let called = self.way((n, callee, asked));
            deepest = deepest.or(called.way.below(taken));
            asks = deeper(asks, called.asks.map(|way| way.below(taken)));
            let Some(there) = called.pointer.map(|way| way.below(taken)) else { continue };
            unknown |= called.open && refers.is_empty();
            let pointed = refers.iter().map(|&at| self.way((n, at, asked)).way).max_by_key(|way| way.bytes);
            if let Some(pointed) = pointed {
                deepest = deepest.or(there.clone().and(&pointed));
            }
            asks = deeper(asks, self.pointed_asks(n, &refers, asked).map(|way| there.clone().and(&way)));
            pointer = deeper(pointer, Some(there));
        }
        let name = format!("{} ({frame})", self.name(place));
        for way in [&mut deepest].into_iter().chain(&mut pointer).chain(&mut asks) {
            way.functions.insert(0, name.clone());
        }
        Deep { way: deepest, pointer, open: unknown, asks }
    }
    /// Of the functions that are referred to, what the deepest way takes to where one asks.
    fn pointed_asks(&mut self, n: usize, refers: &BTreeSet<u64>, asked: bool) -> Option<Way> {
        refers.iter().filter_map(|&at| self.way((n, at, asked)).asks).max_by_key(|way| way.bytes)
    }
    /// Where the portals lead that a function calls.
    fn by_portals(&self, (n, at, asked): Place) -> Vec<Place> {
        let server = &self.all[n];
        let function = &server.functions[&at];
        let provider =
            |name: &str| self.all.iter().enumerate().find_map(|(n, s)| Some((n, *s.provides.get(name)?, asked)));
        let mut places: Vec<Place> = server.called(function).into_iter().filter_map(provider).collect();
        if !function.any_portal {
            return places;
        }
        if !server.component.boot {
            // One that it has opened while it runs, of a component that says what it provides, or of one that does not.
            let others = self.all.iter().enumerate().filter(|(other, _)| *other != n);
            places.extend(others.flat_map(|(n, s)| {
                s.provides.iter().filter(|(name, _)| server.may_open(name)).map(move |(_, &at)| (n, at, asked))
            }));
        } else if !asked {
            let others = self.all.iter().enumerate().filter(|(_, s)| !s.component.boot && s.called_back && s.declares);
            places.extend(others.flat_map(|(n, s)| s.entered().map(move |at| (n, at, true))));
        }
        places
    }
    fn name(&self, (n, at, _): Place) -> String {
        let function = self.all[n].functions.get(&at).map_or("?", |f| &f.name);
        format!("{}: {function}", self.all[n].component.name)
    }
}

#[cfg(test)]
mod tests;
