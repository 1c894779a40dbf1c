//! Thread-modular invariants, compared with executions of the whole program.
//!
//! The rest of the check shares with the engine how a program is taken apart into threads (`semantics::modular`): a mistake there would be one of both.
//! Here nothing is taken apart. The interpreter runs the program along random schedules with random inputs; whenever every thread is at a
//! place outside of blocks, each thread's invariant must hold of the interpreter's state. A state that refutes one refutes the proof: the model,
//! the reduction or the clauses miss an execution.
//!
//! This is a test, not a proof: it can refuse a wrong proof and never makes one right. The first one it refused was of
//! `tests/programs/redcomp/used_by_another_only_broken.c`, whose model missed what one thread allocates and only another one uses.
//!
//! | the proof speaks of | in the interpreter's state that is |
//! |---|---|
//! | a position | whether the thread has not started, runs and where, has ended, was joined |
//! | a register or memory of a thread | that of the thread, or of the instance that the template stands for here |
//! | a handle | the thread's |
//! | the owner of a flag | nothing: some owner, of those that there were, must make all invariants true |
//! | anything indeterminate | any value |

use base::convert::{index, low8};
use base::{Budget, Inconclusive, Random};
use logic::chc::Solution;
use logic::{ArrayValue, Model as Values, Sort, Symbol, Term, Terms, Value};
use program::interp::{
    Choice, Chooser, Identity, Interp, NoObserver, Place, State, Status, StepResult, ThreadId, Wakeups,
};
use program::{Action, Op, Property, Width};
use rustc_hash::FxHashMap;
use semantics::analysis::{MemoryPartition, PointsTo, SitePartition};
use semantics::encoding::control::Frame;
use semantics::encoding::objects::site_of;
use semantics::encoding::{Encoder, Name};
use semantics::modular::{
    Blocks, FINISHED, JOINED, Model, PerTemplate, Rule, Template, TemplateId, TemplateNodeId, UNSTARTED,
};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How many executions are tried,
const RUNS: u64 = 24;
/// how long each one is at most,
const STEPS: usize = 400;
/// and how many threads are alive before the main thread, which creates them, waits.
const MANY_THREADS: usize = 5;
/// States with more possible owners than this are not looked at,
const MAX_OWNERS: usize = 256;
/// nor those with larger objects of which the invariants speak.
const MAX_BYTES: usize = 4096;

/// What the invariants are, and about which program.
pub(super) struct Claims<'a, 'p> {
    pub encoder: &'a Encoder<'p>,
    pub model: &'a Model,
    pub blocks: &'a Blocks,
    pub rule: &'a Rule,
    pub solution: &'a Solution,
    pub terms: &'a Terms,
    /// What the clauses take for granted of handles and flags.
    pub facts: Term,
    pub property: Property,
}

/// A thread that is alive, its template, and its node.
type Standing = (ThreadId, TemplateId, TemplateNodeId);

/// Runs the program and refuses the proof if an execution contradicts it.
pub(super) fn check(claims: &Claims<'_, '_>, budget: &Budget) -> Result<(), Inconclusive> {
    let program = claims.encoder.interp().program();
    let layout = MemoryPartition::of(program, &PointsTo::of(program));
    let places: PerTemplate<Places<'_>> = claims.model.templates.iter().map(places_of).collect();
    for run in 0..RUNS {
        budget.check()?;
        Runner::new(claims, &layout, &places, Random(run.wrapping_mul(0x51ed_270b_9f2c_4d37))).run()?;
    }
    Ok(())
}

/// The nodes of a template by call stack; several where what it has allocated tells them apart.
type Places<'a> = FxHashMap<&'a [Frame], Vec<TemplateNodeId>>;

fn places_of(template: &Template) -> Places<'_> {
    let mut places = Places::default();
    for (n, node) in template.nodes.iter_enumerated() {
        places.entry(&node.frames[..]).or_default().push(n);
    }
    places
}

fn refuted<T>(why: String) -> Result<T, Inconclusive> {
    Err(Inconclusive::CheckFailed(format!("an execution contradicts the proof: {why}")))
}

/// Answers at random; small numbers pass more of a program's own checks.
struct Inputs<'a>(&'a mut Random);

impl Chooser for Inputs<'_> {
    fn choose(&mut self, width: Width, what: &Choice) -> Option<u128> {
        Some(match what {
            Choice::Waiter { n_waiters } => u128::from(self.0.below(*n_waiters as u64)),
            Choice::Leave { n_leaving, .. } => u128::from(self.0.below(1 + *n_leaving as u64)),
            _ if self.0.below(4) == 0 => width.truncate(u128::from(self.0.number())),
            _ => width.truncate(u128::from(self.0.below(3))),
        })
    }
}

struct Runner<'a, 'p> {
    claims: &'a Claims<'a, 'p>,
    interp: &'a Interp<'p>,
    layout: &'a MemoryPartition,
    /// By template.
    places: &'a PerTemplate<Places<'a>>,
    random: Random,
    /// All threads there were, and whether they were detached when last seen.
    seen: BTreeMap<ThreadId, bool>,
    /// What threads ended with: the proof remembers it after they were joined.
    results: BTreeMap<ThreadId, u128>,
}

impl<'a, 'p> Runner<'a, 'p> {
    fn new(
        claims: &'a Claims<'a, 'p>,
        layout: &'a MemoryPartition,
        places: &'a PerTemplate<Places<'a>>,
        random: Random,
    ) -> Self {
        Self {
            claims,
            interp: claims.encoder.interp(),
            layout,
            places,
            random,
            seen: BTreeMap::new(),
            results: BTreeMap::new(),
        }
    }

    fn run(&mut self) -> Result<(), Inconclusive> {
        let mut state = self.interp.initial();
        let mut last = ThreadId::MAIN;
        for _ in 0..STEPS {
            self.seen.extend(state.threads().map(|(id, t)| (id, t.is_detached())));
            self.results.extend(state.threads().filter_map(|(id, t)| match t.status() {
                Status::Finished(result) => Some((id, result?)),
                _ => None,
            }));
            if state.atomic_owner().is_none() {
                self.compare(&state)?;
            }
            let Some(thread) = self.next(&state, last) else { return Ok(()) };
            last = thread;
            let detaches = self.detaches(&state, thread);
            let before: Vec<ThreadId> = state.threads().map(|(id, _)| id).collect();
            let mut inputs = Inputs(&mut self.random);
            match self.interp.step(&mut state, thread, &mut inputs, &mut NoObserver) {
                StepResult::Continue | StepResult::Blocked => {
                    // A thread that had ended is gone once it is detached, and was not joined.
                    let gone = before.into_iter().filter(|id| detaches && state.thread(*id).is_none());
                    self.seen.extend(gone.map(|id| (id, true)));
                }
                StepResult::Violation { property, message, .. } if property == self.claims.property => {
                    return refuted(format!("{message}, in {thread}"));
                }
                _ => return Ok(()),
            }
        }
        Ok(())
    }

    /// Returns true if a thread's next action detaches another one.
    fn detaches(&self, state: &State, thread: ThreadId) -> bool {
        let top = state.thread(thread).and_then(|t| t.frames().last());
        let function = |func| &self.interp.program().functions[func];
        let action = top.map(|frame| &function(frame.func()).locations[frame.loc()].action);
        matches!(action, Some(Action::Ops { ops, .. }) if ops.iter().any(|op| matches!(op, Op::Detach { .. })))
    }

    /// The thread that moves: often the one that moved last, and the main thread only if there are not many others.
    fn next(&mut self, state: &State, last: ThreadId) -> Option<ThreadId> {
        let mut able = self.interp.runnable(state, Wakeups::Spurious);
        if able.len() > MANY_THREADS {
            able.retain(|t| *t != ThreadId::MAIN);
        }
        if able.contains(&last) && self.random.below(2) == 0 {
            return Some(last);
        }
        let n = self.random.index(able.len());
        able.get(n).copied()
    }

    /// The template of a thread: created at the same place, by a thread of the creator's template.
    fn template_of(&self, thread: ThreadId) -> Option<TemplateId> {
        let templates = &self.claims.model.templates;
        if let Some(c) = templates.ids().find(|c| templates[*c].thread == thread) {
            return Some(c);
        }
        let origin = self.interp.origin(thread)?;
        let creator = self.template_of(origin.creator)?;
        templates.ids().find(|c| {
            let c = &templates[*c];
            let shown = self.interp.origin(c.thread).filter(|_| c.replicated);
            shown.is_some_and(|o| o.site == origin.site && self.template_of(o.creator) == Some(creator))
        })
    }

    /// Each thread that is alive with its template and node; `None` if some thread is inside a block, or its node is not certain.
    fn places(&self, state: &State) -> Result<Option<Vec<Standing>>, Inconclusive> {
        let mut places = Vec::new();
        for (thread, running) in state.threads().filter(|(_, t)| !t.is_finished()) {
            let Some(template) = self.template_of(thread) else {
                return refuted(format!("{thread} is no thread of it"));
            };
            let frames: Vec<Frame> =
                running.frames().map(|f| Frame { func: f.func(), loc: f.loc() }).collect();
            match self.places[template].get(&frames[..]).map(Vec::as_slice) {
                None => return refuted(format!("{thread} is at a place that it does not have")),
                Some(&[n]) if self.claims.blocks.outside[template][n] => places.push((thread, template, n)),
                Some(_) => return Ok(None),
            }
        }
        Ok(Some(places))
    }

    fn compare(&mut self, state: &State) -> Result<(), Inconclusive> {
        let Some(places) = self.places(state)? else { return Ok(()) };
        let mut facts = Vec::new();
        for (thread, template, node) in &places {
            let Some(pred) = self.claims.rule.invariants.get(&(*template, *node)) else {
                return refuted(format!("{thread} comes to place {node}, which no thread should reach"));
            };
            let meaning = self.claims.solution[*pred];
            let wanted: BTreeSet<Symbol> = [meaning, self.claims.facts]
                .into_iter()
                .flat_map(|t| self.claims.terms.free_vars(t))
                .collect();
            let Some(values) = self.values(state, &places, *thread, *template, &wanted) else {
                return Ok(());
            };
            facts.push((*thread, *node, meaning, values));
        }
        match self.owners() {
            Some(owners) => self.decide(&facts, owners),
            None => Ok(()),
        }
    }

    /// Returns true if some owners of flags make all invariants true.
    fn decide(
        &self,
        facts: &[(ThreadId, TemplateNodeId, Term, Values)],
        owners: Vec<Vec<(Symbol, u128)>>,
    ) -> Result<(), Inconclusive> {
        let mut wrong = None;
        for choice in owners {
            let broken = facts.iter().find(|(_, _, meaning, values)| {
                let mut values = values.clone();
                choice.iter().for_each(|(x, owner)| values.set(*x, Value::Bits(*owner)));
                let holds = |t: Term| self.claims.terms.eval(t, &values).truth();
                !holds(*meaning) || !holds(self.claims.facts)
            });
            match broken {
                None => return Ok(()),
                Some((thread, node, ..)) => wrong = Some((*thread, *node)),
            }
        }
        let (thread, node) = wrong.expect("some owners should have been tried");
        refuted(format!("the invariant of {thread} at place {node} does not hold"))
    }

    /// All combinations of owners; `None` if they are too many.
    fn owners(&self) -> Option<Vec<Vec<(Symbol, u128)>>> {
        let names = self.claims.encoder.names();
        let mut ghosts = BTreeSet::new();
        for link in &self.claims.model.links {
            ghosts
                .extend(self.claims.terms.free_vars(*link).into_iter().filter(|x| names.name(*x).is_none()));
        }
        let mut who: Vec<u128> =
            self.seen.keys().map(|t| Interp::handle(*t) & u128::from(u32::MAX)).collect();
        who.push(0);
        let mut all = vec![Vec::new()];
        for ghost in ghosts {
            let extend = |choice: &Vec<(Symbol, u128)>| {
                let choice = choice.clone();
                who.iter().map(move |w| [choice.clone(), vec![(ghost, *w)]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(extend).collect();
            if all.len() > MAX_OWNERS {
                return None;
            }
        }
        Some(all)
    }

    // ---- values of the proof's variables --------------------------------------------------------------------

    /// The values of the `wanted` variables as one thread sees them; `None` if one has no counterpart, as a variable of a frame that is gone.
    fn values(
        &mut self,
        state: &State,
        places: &[Standing],
        thread: ThreadId,
        template: TemplateId,
        wanted: &BTreeSet<Symbol>,
    ) -> Option<Values> {
        let mut values = Values::default();
        for x in wanted {
            if let Some(value) = self.special(state, places, thread, *x) {
                values.set(*x, value);
                continue;
            }
            // Owners of flags are set later.
            let Some(name) = self.claims.encoder.names().name(*x) else { continue };
            let name = self.of_instance(name, thread, template);
            values.set(*x, self.value(state, name, *x, thread, template)?);
        }
        Some(values)
    }

    /// Positions and handles.
    fn special(&self, state: &State, places: &[Standing], thread: ThreadId, x: Symbol) -> Option<Value> {
        let terms = self.claims.terms;
        for (k, template) in self.claims.model.templates.iter_enumerated() {
            if template.position == Some(x) {
                let running = places.iter().find(|(_, c, _)| *c == k).map(|(_, _, n)| n.position());
                let gone = || match (state.thread(template.thread), self.seen.get(&template.thread)) {
                    (Some(_), _) | (None, Some(true)) => FINISHED,
                    (None, Some(false)) => JOINED,
                    (None, None) => UNSTARTED,
                };
                return Some(Value::Bits(running.unwrap_or_else(gone)));
            }
            if template.replicated && terms.as_var(template.handle) == Some(x) {
                // Of another template than the thread's own, any instance will do: nothing is claimed but that it is none of the others.
                let who = if self.template_of(thread) == Some(k) { thread } else { template.thread };
                return Some(Value::Bits(Interp::handle(who)));
            }
        }
        None
    }

    /// What the template's thread calls its own is, here, the instance's.
    fn of_instance(&self, name: Name, thread: ThreadId, template: TemplateId) -> Name {
        let shown = self.claims.model.templates[template].thread;
        let own = |t: ThreadId| if t == shown { thread } else { t };
        match name {
            Name::Register { thread, depth, func, var } => {
                Name::Register { thread: own(thread), depth, func, var }
            }
            Name::Cell { object, offset, width } => Name::Cell { object: owned(object, own), offset, width },
            Name::Elements { object, start, width } => {
                Name::Elements { object: owned(object, own), start, width }
            }
            Name::Size(object) => Name::Size(owned(object, own)),
            Name::Alive(object) => Name::Alive(owned(object, own)),
            Name::IsSet { object, offset, width } => {
                Name::IsSet { object: owned(object, own), offset, width }
            }
            Name::AreSet { object, start, width } => {
                Name::AreSet { object: owned(object, own), start, width }
            }
            Name::Result(thread) => Name::Result(own(thread)),
            other => other,
        }
    }

    fn value(
        &mut self,
        state: &State,
        name: Name,
        x: Symbol,
        thread: ThreadId,
        template: TemplateId,
    ) -> Option<Value> {
        let sort = self.claims.terms.sort(self.claims.terms.var_of(x));
        let bits = match name {
            Name::Register { thread, depth, func, var } => {
                let frame = state.thread(thread).and_then(|t| t.frames().nth(depth as usize));
                frame.filter(|f| f.func() == func)?.register(var)
            }
            Name::Cell { object, offset, width } => {
                let bytes = self.interp.bytes(state, object)?;
                Some(self.word(&bytes, offset, width))
            }
            Name::Size(object) => Some(self.interp.bytes(state, object)?.len() as u128),
            Name::Alive(object) => Some(u128::from(self.interp.bytes(state, object).is_some())),
            Name::Result(thread) => self.results.get(&thread).copied(),
            Name::Elements { object, start, width } => {
                let Sort::Array { .. } = sort else { return None };
                let bytes = self.interp.bytes(state, object)?;
                if bytes.len() > MAX_BYTES {
                    return None;
                }
                let stride = self.stride(object, start)?;
                return Some(Value::Array(Rc::new(self.row(&bytes, start, stride, width))));
            }
            Name::Waiting(_)
            | Name::Scratch { .. }
            | Name::IsSet { .. }
            | Name::AreSet { .. }
            | Name::ScratchIsSet { .. } => return None,
        };
        let bits = bits.map(|b| self.as_shown(state, b, thread, template));
        Some(match (sort, bits) {
            (Sort::Bool, bits) => Value::Bool(bits.unwrap_or(u128::from(self.random.below(2))) != 0),
            (Sort::Bits(width), bits) => {
                Value::Bits(bits.unwrap_or_else(|| Width(width).truncate(u128::from(self.random.number()))))
            }
            (Sort::Array { .. }, _) => return None,
        })
    }

    /// An address of an instance's own object is, in the proof, that of the object of the thread that its template shows.
    fn as_shown(&self, state: &State, bits: u128, thread: ThreadId, template: TemplateId) -> u128 {
        let shown = self.claims.model.templates[template].thread;
        let Ok(address) = u64::try_from(bits) else { return bits };
        if thread == shown {
            return bits;
        }
        match self.interp.place_at(state, address) {
            Some(Place::Memory { object, offset }) => {
                let own = owned(object, |t| if t == thread { shown } else { t });
                let moved = (own != object).then(|| self.interp.address(own).ok()).flatten();
                moved.map_or(bits, |base| u128::from(base + offset))
            }
            _ => bits,
        }
    }

    /// A word of an object; bytes that were never written are anything.
    fn word(&mut self, bytes: &[Option<u8>], offset: u64, width: Width) -> u128 {
        let at = |n: u64| bytes.get(index(offset + n)).copied().flatten();
        (0..width.bytes()).fold(0, |word, n| {
            let byte = at(n).unwrap_or_else(|| low8(self.random.number()));
            word | u128::from(byte) << (8 * n)
        })
    }

    /// The words of a row of an object.
    fn row(&mut self, bytes: &[Option<u8>], start: u64, stride: u64, width: Width) -> ArrayValue {
        let mut row = ArrayValue { default: 0, entries: BTreeMap::new() };
        let end = (bytes.len() as u64 + 1).saturating_sub(width.bytes());
        for offset in (start..end).step_by(index(stride.max(1))) {
            let word = self.word(bytes, offset, width);
            row.set(u128::from(offset), word);
        }
        row
    }

    /// How far apart the words of a row are.
    fn stride(&self, object: Identity, start: u64) -> Option<u64> {
        match self.layout.site(site_of(object)) {
            SitePartition::Bytes => Some(1),
            SitePartition::Rows { rows, .. } => rows.iter().find(|r| r.start == start).map(|r| r.stride),
            SitePartition::Scalars(_) => None,
        }
    }
}

/// An object with another owner.
fn owned(object: Identity, own: impl Fn(ThreadId) -> ThreadId) -> Identity {
    match object {
        Identity::Static(_) => object,
        Identity::ThreadLocal(id, thread) => Identity::ThreadLocal(id, own(thread)),
        Identity::Local { thread, depth, func, var } => {
            Identity::Local { thread: own(thread), depth, func, var }
        }
        Identity::Heap { thread, site, count, room } => {
            Identity::Heap { thread: own(thread), site, count, room }
        }
        Identity::Alloca { thread, depth, site, count, room } => {
            Identity::Alloca { thread: own(thread), depth, site, count, room }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::Program;
    use semantics::modular::{PerNode, rule};

    /// Two threads, one of them created in a loop, that increment `x` under a lock.
    const TEXT: &str = "program lp64 object x: 4 = 0 object m: 4 = 0
        function main() -> 32 { reg h, g: 64 reg i: 32
                  h = create(&once, 0); i = 0
            loop: if i <s 3 then again else done
            again: g = create(&often, 0); i = i + 1 -> loop
            done: return 0
        }
        function once(arg: 64) -> 64 { reg t: 32
            guard [&m]:32 == 0; [&m]:32 = 1
            t = [&x]:32
            [&x]:32 = t + 1
            [&m]:32 = 0
            return 0
        }
        function often(arg: 64) -> 64 { reg t: 32
            guard [&m]:32 == 0; [&m]:32 = 1
            t = [&x]:32
            [&x]:32 = t + 1
            [&m]:32 = 0
            return 0
        }";

    /// What the check says if every invariant is `meaning` of `x`, and whether it should.
    fn check_with(meaning: impl Fn(&mut Terms, Term) -> Term) -> Result<(), Inconclusive> {
        let program: Program = program::text::parse(TEXT).expect("a test program should parse");
        let (mut terms, mut encoder) = (Terms::new(), Encoder::new(&semantics::Analysis::of(&program))?);
        let model = Model::of(&mut encoder, &mut terms)?;
        let outside = model.templates.iter().map(|c| PerNode::of(true, c.nodes.len())).collect();
        let blocks = Blocks::of(&model, outside);
        let rule = rule(&model, &blocks, &mut terms, Property::UnreachCall);
        let facts = model.handle_facts(&mut terms);
        // Nothing of `x` matters to the property, so that the model does without it; it is a variable all the same.
        let (id, _) = program.objects.iter_enumerated().find(|(_, o)| o.name == "x").expect("there is an x");
        let x = Name::Cell { object: Identity::Static(id), offset: 0, width: Width(32) };
        let x = encoder.names().known(x).expect("x should have a variable");
        let x = terms.var_of(x);
        let meaning = meaning(&mut terms, x);
        let solution: Solution = rule.system.predicates.iter().map(|_| meaning).collect();
        let property = Property::UnreachCall;
        let claims = Claims {
            encoder: &encoder,
            model: &model,
            blocks: &blocks,
            rule: &rule,
            solution: &solution,
            terms: &terms,
            facts,
            property,
        };
        check(&claims, &Budget::unlimited())
    }

    #[test]
    fn what_executions_contradict_is_refused() {
        assert_eq!(check_with(|terms, _| terms.tt()), Ok(()));
        let at_most = |n: u128| {
            move |terms: &mut Terms, x: Term| {
                let n = terms.constant(n, 32);
                terms.ule(x, n)
            }
        };
        assert_eq!(check_with(at_most(4)), Ok(()), "there are four increments");
        for n in 0..4 {
            assert!(
                matches!(check_with(at_most(n)), Err(Inconclusive::CheckFailed(_))),
                "x <= {n} should be refused"
            );
        }
        assert!(matches!(check_with(|terms, _| terms.ff()), Err(Inconclusive::CheckFailed(_))));
    }
}
