//! What a walk along each thread's edges tells: constants, and who can be running meanwhile.
//!
//! | | is known at a node | because |
//! |---|---|---|
//! | constants | values of the thread's own variables | no other thread changes them |
//! | [`Statuses`] | whether each thread that is created once has not started, runs, has ended, was joined | only its creator starts it, only itself ends it, only joins join it |
//!
//! Both make guards true or false: a guard that is true is dropped, an edge whose guard is false goes. What is left of a join of a
//! thread that has been started and not joined yet is one edge.
//!
//! # Direction of error
//! A variable is no constant and a status possible, in doubt.

use super::{
    FINISHED, FIRST_NODE, JOINED, Model, PerNode, PerTemplate, Target, TemplateId, TemplateLocation,
    TemplateNodeId, UNSTARTED,
};
use base::Idx;
use logic::path::Cmd;
use logic::{Symbol, Term, Terms};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// What a thread can be doing, as bits: not started, ended, joined, running.
pub type Statuses = u8;
/// The bit of a thread that runs.
pub const RUNNING: Statuses = 1 << FIRST_NODE;
const ALL: Statuses = 0b1111;

// ---- constants ----------------------------------------------------------------------------------------------

type Known = FxHashMap<Symbol, Term>;

/// Puts constants into the edges, and drops edges that cannot be taken.
pub(super) fn constants(model: &mut Model, terms: &mut Terms) {
    for c in model.templates.ids() {
        let own = model.templates[c].locals.clone();
        let start = if c == TemplateId::MAIN {
            after(terms, &own, &Known::default(), &model.init)
        } else {
            Some(Known::default())
        };
        let n_nodes = model.templates[c].nodes.len();
        let mut known: PerNode<Option<Known>> = PerNode::of(None, n_nodes);
        known[TemplateNodeId::START] = start;
        let mut queue = VecDeque::from([TemplateNodeId::START]);
        while let Some(n) = queue.pop_front() {
            let here = known[n].clone().unwrap_or_default();
            for edge in &model.templates[c].nodes[n].edges {
                let (Target::TemplateNode(m), Some(there)) =
                    (&edge.target, after(terms, &own, &here, &edge.block))
                else {
                    continue;
                };
                let joined = match &known[*m] {
                    None => there,
                    Some(old) => {
                        old.iter().filter(|(x, v)| there.get(x) == Some(v)).map(|(x, v)| (*x, *v)).collect()
                    }
                };
                if known[*m].as_ref() != Some(&joined) {
                    known[*m] = Some(joined);
                    queue.push_back(*m);
                }
            }
        }
        for (node, known) in model.templates[c].nodes.iter_mut().zip(known) {
            let Some(known) = known else {
                node.edges.clear(); // never reached
                continue;
            };
            node.edges.retain_mut(|edge| match with(terms, &known, &edge.block) {
                None => false,
                Some(block) => {
                    edge.block = block;
                    true
                }
            });
        }
    }
}

fn is_constant(terms: &Terms, t: Term) -> bool {
    terms.as_const(t).is_some() || terms.as_bool(t).is_some()
}

/// The constants after a block; `None` if it cannot be taken.
fn after(terms: &mut Terms, own: &[Symbol], known: &Known, block: &[Cmd]) -> Option<Known> {
    let mut now = known.clone();
    run(terms, &mut now, block)?;
    now.retain(|x, value| own.binary_search(x).is_ok() && is_constant(terms, *value));
    Some(now)
}

/// A block with constants put in; `None` if it cannot be taken.
fn with(terms: &mut Terms, known: &Known, block: &[Cmd]) -> Option<Vec<Cmd>> {
    run(terms, &mut known.clone(), block)
}

/// Walks over a block; `now` holds constants only.
fn run(terms: &mut Terms, now: &mut Known, block: &[Cmd]) -> Option<Vec<Cmd>> {
    let mut result = Vec::new();
    for cmd in block {
        match *cmd {
            Cmd::Assume(guard) => {
                let guard = terms.substitute(guard, now);
                match terms.as_bool(guard) {
                    Some(false) => return None,
                    Some(true) => {}
                    None => result.push(Cmd::Assume(guard)),
                }
            }
            Cmd::Assign(x, value) => {
                let value = terms.substitute(value, now);
                if is_constant(terms, value) {
                    _ = now.insert(x, value)
                } else {
                    _ = now.remove(&x)
                }
                result.push(Cmd::Assign(x, value));
            }
            Cmd::Havoc(x) => {
                now.remove(&x);
                result.push(*cmd);
            }
        }
    }
    Some(result)
}

// ---- statuses -----------------------------------------------------------------------------------------------

/// The statuses at each node of each template.
type Found = PerTemplate<PerNode<PerTemplate<Statuses>>>;

struct Flow<'a> {
    model: &'a Model,
    terms: &'a mut Terms,
    /// By template: the templates that create it, and that join it.
    creators: PerTemplate<Vec<TemplateId>>,
    joiners: PerTemplate<Vec<TemplateId>>,
}

/// Finds statuses, drops edges that they exclude, and guards that they make true.
pub(super) fn statuses(model: &mut Model, terms: &mut Terms) {
    let n = model.templates.len();
    let mut creators: PerTemplate<Vec<TemplateId>> = PerTemplate::of(Vec::new(), n);
    let mut joiners = creators.clone();
    for (c, template) in model.templates.iter_enumerated() {
        for edge in template.nodes.iter().flat_map(|n| &n.edges) {
            edge.creates.iter().for_each(|k| creators[*k].push(c));
            for (k, other) in model.templates.iter_enumerated() {
                let joined = |cmd: &Cmd| {
                    matches!(cmd, Cmd::Assign(x, v)
                    if Some(*x) == other.position && terms.as_const(*v) == Some(JOINED))
                };
                if edge.block.iter().any(joined) {
                    joiners[k].push(c);
                }
            }
        }
    }
    let mut flow = Flow { model, terms, creators, joiners };
    let found = flow.run();
    let positions: PerTemplate<Option<Symbol>> = model.templates.iter().map(|k| k.position).collect();
    for (template, found) in model.templates.iter_mut().zip(found) {
        for (node, here) in template.nodes.iter_mut().zip(found) {
            node.edges.retain_mut(|edge| {
                let possible =
                    !here.is_empty() && after_edge(terms, &positions, &here, &edge.block).is_some();
                edge.block.retain(|cmd| !is_true(terms, &positions, &here, cmd));
                possible
            });
            node.statuses = here;
        }
    }
}

/// The template whose position a variable is.
fn template_at(positions: &PerTemplate<Option<Symbol>>, x: Symbol) -> Option<TemplateId> {
    positions.iter().position(|p| *p == Some(x)).map(TemplateId::new)
}

/// The statuses under which a guard about one position holds: nothing if it is about anything else.
fn allowed(
    terms: &mut Terms,
    positions: &PerTemplate<Option<Symbol>>,
    guard: Term,
) -> Option<(TemplateId, Statuses)> {
    let [x] = terms.free_vars(guard)[..] else { return None };
    let k = template_at(positions, x)?;
    let mut mask = 0;
    for status in [UNSTARTED, FINISHED, JOINED, FIRST_NODE] {
        let value = terms.constant(status, super::POSITION_WIDTH);
        let holds = terms.substitute(guard, &FxHashMap::from_iter([(x, value)]));
        if terms.as_bool(holds) != Some(false) {
            mask |= 1 << status;
        }
    }
    Some((k, mask))
}

/// Returns true if a guard says no more than the statuses at the start of an edge. (Positions are tested before they are set.)
fn is_true(
    terms: &mut Terms,
    positions: &PerTemplate<Option<Symbol>>,
    here: &PerTemplate<Statuses>,
    cmd: &Cmd,
) -> bool {
    let Cmd::Assume(guard) = *cmd else { return false };
    // Running threads are at different nodes, of which the test saw one: only tests that exclude running or take no notice are dropped.
    match allowed(terms, positions, guard) {
        Some((k, mask)) => here.get(k).is_some_and(|s| s & !mask == 0 && s & RUNNING == 0),
        None => false,
    }
}

impl Flow<'_> {
    fn run(&mut self) -> Found {
        let model = self.model;
        let n = model.templates.len();
        let mut found: Found =
            model.templates.iter().map(|c| PerNode::of(PerTemplate::new(), c.nodes.len())).collect();
        let positions: PerTemplate<Option<Symbol>> = model.templates.iter().map(|k| k.position).collect();
        let mut queue = VecDeque::new();
        let mut start: PerTemplate<Statuses> = PerTemplate::of(1 << UNSTARTED, n);
        start[TemplateId::MAIN] = RUNNING;
        self.join(&mut found, &mut queue, (TemplateId::MAIN, TemplateNodeId::START), start);
        while let Some((c, at)) = queue.pop_front() {
            for edge in &model.templates[c].nodes[at].edges {
                let here = &found[c][at];
                let Some(there) = after_edge(self.terms, &positions, here, &edge.block) else { continue };
                for child in &edge.creates {
                    let mut seen = there.clone();
                    seen[*child] = RUNNING;
                    seen[c] |= RUNNING;
                    self.join(&mut found, &mut queue, (*child, TemplateNodeId::START), seen);
                }
                if let Target::TemplateNode(m) = edge.target {
                    self.join(&mut found, &mut queue, (c, m), there);
                }
            }
        }
        found
    }

    /// Adds what is possible at a node, and what the others can make of it.
    fn join(
        &mut self,
        found: &mut Found,
        queue: &mut VecDeque<TemplateLocation>,
        (c, at): TemplateLocation,
        mut seen: PerTemplate<Statuses>,
    ) {
        let replicated = self.model.templates[c].replicated;
        let by_others = |who: &[TemplateId]| who.iter().any(|k| *k != c || replicated);
        for (k, status) in self.model.templates.ids().zip(&mut seen) {
            if self.model.templates[k].replicated {
                *status = ALL;
                continue;
            }
            if k == c {
                *status = RUNNING;
                continue;
            }
            if *status & 1 << UNSTARTED != 0 && by_others(&self.creators[k]) {
                *status |= RUNNING;
            }
            if *status & RUNNING != 0 {
                *status |= 1 << FINISHED;
            }
            if *status & 1 << FINISHED != 0 && by_others(&self.joiners[k]) {
                *status |= 1 << JOINED;
            }
        }
        let known = &mut found[c][at];
        let joined: PerTemplate<Statuses> = match known.is_empty() {
            true => seen,
            false => known.iter().zip(&seen).map(|(old, new)| old | new).collect(),
        };
        if *known != joined {
            *known = joined;
            queue.push_back((c, at));
        }
    }
}

/// The statuses after a block; `None` if they exclude it.
fn after_edge(
    terms: &mut Terms,
    positions: &PerTemplate<Option<Symbol>>,
    here: &PerTemplate<Statuses>,
    block: &[Cmd],
) -> Option<PerTemplate<Statuses>> {
    let mut now = here.clone();
    for cmd in block {
        match *cmd {
            Cmd::Assume(guard) => {
                if let Some((k, mask)) = allowed(terms, positions, guard) {
                    now[k] &= mask;
                    if now[k] == 0 {
                        return None;
                    }
                }
            }
            Cmd::Assign(x, value) => {
                if let Some(k) = template_at(positions, x) {
                    now[k] = match terms.as_const(value) {
                        Some(v) => 1 << v.min(FIRST_NODE),
                        None => ALL,
                    };
                }
            }
            Cmd::Havoc(_) => {}
        }
    }
    Some(now)
}
