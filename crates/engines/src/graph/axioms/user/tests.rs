//! What is known about random models, against random executions.

use super::*;
use crate::graph::execution::{Event, Execution};
use base::{Idx, Random};
use program::interp::Identity;
use program::{MemoryModel, ObjectId, Width};
use semantics::alone::Cell;
use std::sync::Arc;

const THREADS: usize = 2;

/// A relation in cat, with differences.
fn relation(random: &mut Random, depth: u32) -> String {
    if depth == 0 || random.one_in(4) {
        return (*random.pick(&[
            "po", "rf", "co", "fr", "ext", "loc", "rmw", "addr", "ctrl", "id", "po-loc", "rfe", "[W]", "[R]",
            "[F]", "R * W", "_ * R",
        ]))
        .to_owned();
    }
    let mut next = || relation(random, depth - 1);
    let (left, right) = (next(), next());
    match random.index(9) {
        0 | 1 => format!("({left} | {right})"),
        2 => format!("({left} & {right})"),
        3 | 4 => format!("({left} ; {right})"),
        5 | 6 => format!("({left} \\ {right})"),
        7 => format!("{left}^-1"),
        _ => match random.index(4) {
            0 => format!("({left})^+"),
            1 => format!("({left})?"),
            2 => format!("[domain({left})]"),
            _ => format!("[range({left})]"),
        },
    }
}

fn model(random: &mut Random) -> Option<&'static UserModel> {
    let test = random.pick(&["acyclic", "irreflexive", "empty", "~empty"]);
    let rec = if random.one_in(4) {
        format!("let rec r = {} | {} ; r\n", relation(random, 1), relation(random, 1))
    } else {
        format!("let r = {}\n", relation(random, 2))
    };
    let text = format!("{rec}{test} {} | r", relation(random, 3));
    UserModel::read("m.cat", MemoryModel::C11, ("m.cat", text), &|_| None).ok()
}

fn event(thread: usize, kind: Kind, cell: usize) -> Event {
    Event {
        thread,
        origin: None,
        step: 0,
        kind,
        cell,
        value: None,
        order: Order::Relaxed,
        address: 0,
        data: 0,
        control: 0,
        atomic: false,
        read_part: None,
    }
}

/// An execution in the order in which its events came about; writes at any place of their coherence order. `sequential`: each read returns the last write, and writes come last.
fn execution(random: &mut Random, user: &'static UserModel, sequential: bool) -> Execution {
    let mut x = Execution::new(MemoryModel::User(user));
    for cell in 0..2 {
        let object = Identity::Static(ObjectId::new(cell));
        Arc::make_mut(&mut x.cells).push(Cell { object, offset: 0, width: Width::of_bytes(4) });
        let initial = x.add(event(0, Kind::Initial, cell), 0);
        x.coherence.push(Arc::new(vec![initial]));
    }
    let mut before = [0; THREADS];
    for _ in 0..random.between(3, 7) {
        let (thread, cell) = (random.index(THREADS), random.index(2));
        let earlier = x.select(|e| e.kind == Kind::Read) & before[thread];
        let kind = match random.index(5) {
            0 | 1 => Kind::Read,
            2 | 3 => Kind::Write,
            _ => Kind::Barrier(Barrier::Full),
        };
        let mut new = event(thread, kind, cell);
        if random.one_in(2) {
            (new.address, new.control) = (earlier & 0x55, earlier & 0x33);
        }
        let at = x.add(new, before[thread]);
        before[thread] |= 1 << at;
        let last = x.coherence[cell].len();
        match kind {
            Kind::Read => {
                let n = if sequential { last - 1 } else { random.index(last) };
                x.reads_from[at] = Some(x.coherence[cell][n]);
            }
            Kind::Write => {
                let n = if sequential { last } else { 1 + random.index(last) };
                Arc::make_mut(&mut x.coherence[cell]).insert(n, at);
            }
            _ => {}
        }
    }
    x
}

fn allowed(x: &Execution) -> bool {
    super::super::is_allowed_at_last(x)
}

/// The first `n` events; then some reads that have no write yet.
fn beginning(random: &mut Random, x: &Execution, n: usize) -> Execution {
    let mut y = x.clone();
    y.events.truncate(n);
    y.before.truncate(n);
    y.reads_from.truncate(n);
    y.coherence.iter_mut().for_each(|order| Arc::make_mut(order).retain(|write| *write < n));
    for from in &mut y.reads_from {
        if random.one_in(4) {
            *from = None;
        }
    }
    y
}

/// The execution without one read or fence.
fn without(x: &Execution, gone: usize) -> Execution {
    let mut y = Execution::new(x.model);
    y.cells.clone_from(&x.cells);
    let renumber = |n: usize| if n > gone { n - 1 } else { n };
    let set = |s: Set| (s & ((1 << gone) - 1)) | (s >> (gone + 1) << gone);
    for (n, e) in x.events.iter().enumerate().filter(|(n, _)| *n != gone) {
        let e = Event { address: set(e.address), data: set(e.data), control: set(e.control), ..*e };
        let at = y.add(e, set(x.before[n]));
        y.reads_from[at] = x.reads_from[n].map(renumber);
    }
    y.coherence =
        x.coherence.iter().map(|order| Arc::new(order.iter().map(|w| renumber(*w)).collect())).collect();
    y
}

/// What the search relies on, for random models and executions.
#[test]
fn what_is_known_about_a_model_holds() {
    let mut used = [0; 5];
    for seed in testkit::settings::seeds(3_000) {
        let mut random = Random(seed);
        let Some(user) = model(&mut random) else { continue };
        let facts = &user.model.facts;
        for _ in 0..6 {
            let sequential = random.one_in(3);
            let x = execution(&mut random, user, sequential);
            let context = || format!("seed {seed}: {:?} {:?}", user.model.axioms, x.events);
            if sequential && facts.allows_sequential {
                used[0] += 1;
                assert!(allowed(&x), "{}", context());
            }
            if !allowed(&x) {
                continue;
            }
            let n = random.index(x.events.len());
            let part = beginning(&mut random, &x, n);
            let y = Axioms { execution: &part, rel: part.relations() };
            let open =
                part.reads_from.iter().zip(&part.events).any(|(f, e)| f.is_none() && e.kind == Kind::Read);
            used[usize::from(open) + 1] += 1;
            let thin = facts.load_buffering && !comes_from_somewhere(&y);
            assert!(thin || can_be_allowed(user, &y), "{n} {}", context());
            let rel = x.relations();
            if !facts.load_buffering {
                used[3] += 1;
                assert!(rel.po.or(&rel.rf).is_acyclic(), "{}", context());
            }
            let silent = |e: &Event| matches!(e.kind, Kind::Read | Kind::Barrier(_));
            if let Some(gone) = x.events.iter().position(silent).filter(|_| facts.forgets_reads) {
                used[4] += 1;
                assert!(allowed(&without(&x, gone)), "without {gone} {}", context());
            }
        }
    }
    assert!(used[0] > 10 && used[1] > 50 && used[2] > 50 && used[4] > 20, "{used:?}");
}
