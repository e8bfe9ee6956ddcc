//! Who waits for whom: calls that wait in a component, and circles of waits.

use crate::views::{domain, name, one_portal};
use crate::{Lent, println};
use abi::activity::{Activity, Call, Doing, GRANTED, What};
use abi::section::text;
use alloc::format;
use alloc::string::String;
use pebble::Result;
use pebble::interfaces::inspect;
use pebble::interfaces::types::{Alleged, ThreadIndex};
use waits::{Picture, Thread};

/// The name of the domain whose identity that is the word of.
fn whose(identity: u64) -> String {
    let asid = identity as u16 as usize;
    match domain(asid) {
        Ok(domain) if domain.identity == identity => text(&domain.name).into(),
        _ => "(ended)".into(),
    }
}
/// The server of a call, and what it was called by.
fn called(call: &Call) -> String {
    let server = whose(call.server);
    match one_portal(0, call.registration as usize) {
        Ok(portal) if call.registration < GRANTED => format!("{server} ({})", text(&portal.name)),
        _ => server,
    }
}
fn with_thread(index: usize) -> Option<Activity> {
    let mut found = Lent(Activity::NONE);
    let index = inspect::thread(ThreadIndex(index), 0, Alleged::lend_to_write(&mut found.0)).ok()?;
    (index.0 as u64 == found.0.index).then_some(found.0)
}
/// Shows each thread that waits in another domain than its own, by the calls that it is in, the outermost first; and the circles.
pub fn show() -> Result<()> {
    let mut picture = Picture::new();
    let mut next = 1;
    while let Some(activity) = with_thread(next) {
        next = activity.index as usize + 1;
        picture.add(&activity)?;
        let doing = Doing::of(activity.doing).what();
        let waits = !matches!(doing, What::Runs | What::Ready | What::Ended);
        let for_a_stack = matches!(doing, What::Stack(_));
        if waits && (!activity.calls().is_empty() || for_a_stack) {
            show_one(&activity, doing);
        }
    }
    picture.finish()?;
    for circle in picture.circles() {
        show_circle(&picture, picture.circle_of(circle));
    }
    Ok(())
}
fn show_one(activity: &Activity, doing: What) {
    let mut way = String::new();
    for call in activity.calls().iter().rev() {
        way += &format!(" in {}", called(call));
    }
    let why = match doing {
        What::Lock(holder) => match with_thread(holder).filter(|other| other.index as usize == holder) {
            Some(holder) => format!(", for a lock of {}", whose(holder.home)),
            None => ", for a lock".into(),
        },
        What::Joins(_) => ", for the end of a thread".into(),
        What::Stack(number) => format!(", for a stack of {}", name(number)),
        _ => String::new(),
    };
    println!("waiting: {}{way}{why}", whose(activity.home));
}
fn show_circle<'a>(picture: &Picture, circle: impl Iterator<Item = &'a Thread>) {
    let mut line = String::new();
    for thread in circle {
        let (index, home, inside) = (thread.index, whose(thread.home), whose(picture.inside(thread)));
        let before = if line.is_empty() { "" } else { "," };
        line += &format!("{before} thread {index} of {home}");
        if home != inside {
            line += &format!(" in {inside}");
        }
    }
    println!("circle:{line}, which wait for each other");
}
