//! RULESAFETY as Horn clauses (Popeea, Rybalchenko and Wilhelm, *Reduction for compositional verification of multi-threaded
//! programs*, FMCAD 2014, Fig. 2).
//!
//! | unknown | over | says |
//! |---|---|---|
//! | `IR T n` | globals, locals of `T` live at `n`, positions of the others | what holds when thread `T` is at node `n`, outside of blocks |
//! | `LStep T n m` | the same at the block's entry `n`, and now, at the cut `m` | what the block has done so far |
//!
//! | the paper | here |
//! |---|---|
//! | S1 | the initial state for the main thread; a creation for every other one |
//! | S2, S3 | segments that end at a cut: `LStep` |
//! | S4, S5 | segments that end outside: `IR` of the thread itself |
//! | S6 | the same segments, for every node of every other thread: `IR` of the other one, while it stands there |
//! | S7 | segments that end in a violation: there must be none |
//!
//! # Deviations
//! - The paper's `IStep` is no unknown: it stands for the body that it is derived from, its strongest solution.
//! - Locations are in the names of predicates, not in their arguments; the *other* threads' are arguments (their positions).
//! - Other instances of a template interfere, too: the same clauses with that instance's variables renamed.
//! - `IR` does not mention locals of other threads. That is weaker than the paper's rule, never stronger.
//!
//! # Requires
//! That the blocks are reducible. [`rule`] takes them as they are given.

use super::{
    Blocks, Model, Segment, SegmentEnd, Target, Template, TemplateId, TemplateLocation, TemplateNodeId,
};
use crate::encoding::encode::SuccessorKind;
use base::{Idx, IdxVec, Inconclusive, id_type};
use logic::chc::{Atom, Clause, PredId, Predicate, System};
use logic::path::SymbolicStore;
use logic::{Symbol, Term, Terms};
use program::Property;
use rustc_hash::FxHashMap;

id_type!(
    /// A step that others see.
    MoveId,
    "m"
);

/// The clauses of a program.
pub struct Rule {
    /// The clauses.
    pub system: System,
    /// What each query is about: nothing for a violation of the property, otherwise why there is no verdict once it is reachable.
    pub queries: FxHashMap<usize, Option<Inconclusive>>,
    /// `IR` by template and node.
    pub invariants: FxHashMap<TemplateLocation, PredId>,
    /// The steps that others see.
    pub moves: IdxVec<MoveId, Move>,
    /// What they do to others.
    pub interferences: Vec<Interference>,
}

/// The values of variables: those that are not there are themselves.
pub type Values = FxHashMap<Symbol, Term>;

/// A step of a thread that others see: the paper's `IStep`, as the body that it is derived from.
#[derive(Clone)]
pub struct Move {
    /// Whose.
    pub template: TemplateId,
    /// The node outside of blocks where it begins,
    pub from: TemplateNodeId,
    /// and the one where it ends, unless the thread ends.
    pub to: Option<TemplateNodeId>,
    /// The templates of the threads that it starts.
    pub creates: Vec<TemplateId>,
    /// What is given,
    pub body: Vec<Atom>,
    /// and this.
    pub constraint: Term,
    /// The state before it, of the variables of `IR` there.
    pub before: Values,
    /// The state after it.
    pub after: Values,
}

/// A thread stands at a node while another one takes a step.
pub struct Interference {
    /// The step.
    pub by: MoveId,
    /// The template of the one that stands,
    pub template: TemplateId,
    /// and its node.
    pub node: TemplateNodeId,
    /// What is given,
    pub body: Vec<Atom>,
    /// and this.
    pub constraint: Term,
    /// The state before it, as the one that stands sees it.
    pub before: Values,
    /// The state after it.
    pub after: Values,
}

/// RULESAFETY for a property that actions violate.
pub fn rule(model: &Model, blocks: &Blocks, terms: &mut Terms, property: Property) -> Rule {
    let rule = Rule {
        system: System::default(),
        queries: FxHashMap::default(),
        invariants: FxHashMap::default(),
        moves: IdxVec::new(),
        interferences: Vec::new(),
    };
    let handles = model.handle_facts(terms);
    let mut writer = Writer { model, blocks, terms, property, rule, steps: FxHashMap::default(), handles };
    writer.declare();
    writer.initial();
    for (c, segments) in blocks.segments.iter_enumerated() {
        for segment in segments {
            writer.segment(c, segment);
        }
    }
    writer.rule
}

struct Writer<'a> {
    model: &'a Model,
    blocks: &'a Blocks,
    terms: &'a mut Terms,
    property: Property,
    rule: Rule,
    /// `LStep` by template and place.
    steps: FxHashMap<(TemplateId, SegmentEnd), PredId>,
    /// What is known of handles.
    handles: Term,
}

impl Writer<'_> {
    fn template(&self, c: TemplateId) -> &Template {
        &self.model.templates[c]
    }

    /// What `IR` of a template at a node is about.
    fn seen(&self, c: TemplateId, node: TemplateNodeId) -> Vec<Symbol> {
        let template = self.template(c);
        let globals = self.model.globals.iter().copied().filter(|x| template.position != Some(*x));
        globals.chain(template.nodes[node].live.iter().copied()).collect()
    }

    fn declare(&mut self) {
        for c in self.model.templates.ids() {
            for node in self.blocks.reached(c) {
                let name = format!("IR {} {node}", self.template(c).name);
                let params = self.seen(c, node);
                let pred = self.rule.system.predicates.push(Predicate { name, params, family: c.index() });
                self.rule.invariants.insert((c, node), pred);
            }
            for segment in &self.blocks.segments[c] {
                let place @ SegmentEnd::Inside { entry, at } = segment.from else { continue };
                if self.steps.contains_key(&(c, place)) {
                    continue;
                }
                let name = format!("LStep {} {entry} {at}", self.template(c).name);
                let mut params = Vec::new();
                for x in self.seen(c, entry) {
                    let before = entry_value(self.terms, x);
                    params.extend(self.terms.as_var(before));
                }
                params.extend(self.seen(c, at));
                let family = self.model.templates.len() + c.index();
                let pred = self.rule.system.predicates.push(Predicate { name, params, family });
                self.steps.insert((c, place), pred);
            }
        }
    }

    /// S1 for the main thread: all other threads have not started.
    fn initial(&mut self) {
        let mut store = SymbolicStore::default();
        let conditions = store.run(self.terms, &self.model.init);
        let mut values = store.values().clone();
        for template in &self.model.templates {
            let unstarted = self.terms.constant(super::UNSTARTED, super::POSITION_WIDTH);
            template.position.map(|x| values.insert(x, unstarted));
        }
        let head = self.invariant(TemplateId::MAIN, TemplateNodeId::START, &values);
        self.clause(Vec::new(), conditions, Some(head));
    }

    fn clause(&mut self, body: Vec<Atom>, mut conditions: Vec<Term>, head: Option<Atom>) {
        conditions.push(self.handles);
        let constraint = self.terms.and(&conditions);
        if self.terms.as_bool(constraint) != Some(false) {
            self.rule.system.clauses.push(Clause { body, constraint, head });
        }
    }

    /// `IR` of a template at a node, in a state.
    fn invariant(&self, c: TemplateId, node: TemplateNodeId, values: &Values) -> Atom {
        let pred = self.rule.invariants[&(c, node)];
        let params = &self.rule.system.predicates[pred].params;
        Atom { pred, args: params.iter().map(|x| value(self.terms, values, *x)).collect() }
    }

    /// What a segment means for the thread itself and for all others.
    fn segment(&mut self, c: TemplateId, segment: &Segment) {
        let (entry, mut start) = (entry_of(segment.from), Values::default());
        if let SegmentEnd::Inside { .. } = segment.from {
            // At a cut, the variables mean the state there; the state at the block's entry has names of its own.
            for x in self.seen(c, entry) {
                let before = entry_value(self.terms, x);
                start.insert(x, before);
            }
        }
        let mut store = SymbolicStore::default();
        let conditions = store.run(self.terms, &segment.block);
        let after = store.values().clone();
        let premises = self.premises(c, segment.from, &start);
        match &segment.target {
            Target::TemplateNode(m) if segment.inside => {
                let to = SegmentEnd::Inside { entry, at: *m };
                let body = match segment.from {
                    SegmentEnd::Outside(_) => premises,
                    SegmentEnd::Inside { .. } => vec![self.step(c, segment.from, &start, &Values::default())],
                };
                let head = self.step(c, to, &start, &after);
                self.clause(body, conditions, Some(head));
            }
            Target::Stops(kind) => self.query(kind, premises, conditions),
            Target::TemplateNode(_) | Target::Finished => {
                self.visible(c, segment, &start, premises, conditions, after);
            }
        }
    }

    /// `IR` at the block's entry, and `LStep` since.
    fn premises(&self, c: TemplateId, from: SegmentEnd, start: &Values) -> Vec<Atom> {
        let own = self.invariant(c, entry_of(from), start);
        match from {
            SegmentEnd::Outside(_) => vec![own],
            SegmentEnd::Inside { .. } => vec![own, self.step(c, from, start, &Values::default())],
        }
    }

    /// `LStep` from the state at the entry to another.
    fn step(&self, c: TemplateId, to: SegmentEnd, start: &Values, now: &Values) -> Atom {
        let SegmentEnd::Inside { entry, at } = to else { unreachable!("a relation should end at a cut") };
        let pred = self.steps[&(c, to)];
        let before = self.seen(c, entry).into_iter().map(|x| value(self.terms, start, x));
        let after = self.seen(c, at).into_iter().map(|x| value(self.terms, now, x));
        Atom { pred, args: before.chain(after).collect() }
    }

    /// S7, or something that has no meaning.
    fn query(&mut self, kind: &SuccessorKind, body: Vec<Atom>, conditions: Vec<Term>) {
        let stop = match kind {
            SuccessorKind::Violation(property, _) if self.property.includes(*property) => None,
            SuccessorKind::Violation(..) | SuccessorKind::Ended | SuccessorKind::Continue => return,
            other => other.stop(),
        };
        let before = self.rule.system.clauses.len();
        self.clause(body, conditions, None);
        if self.rule.system.clauses.len() > before {
            self.rule.queries.insert(before, stop);
        }
    }

    /// S4 and S5, creations, and S6.
    fn visible(
        &mut self,
        c: TemplateId,
        segment: &Segment,
        start: &Values,
        premises: Vec<Atom>,
        conditions: Vec<Term>,
        mut after: Values,
    ) {
        if let (Some(position), Target::TemplateNode(m)) = (self.template(c).position, &segment.target) {
            let there = self.terms.constant(m.position(), super::POSITION_WIDTH);
            after.insert(position, there);
        }
        let mut conditions = conditions;
        for child in segment.creates.iter().filter(|k| self.model.templates[**k].replicated) {
            // The new instance's handle is a handle, too.
            let handle =
                self.terms.as_var(self.template(*child).handle).expect("a template's handle is a variable");
            let new = FxHashMap::from_iter([(handle, value(self.terms, &after, handle))]);
            conditions.push(self.terms.substitute(self.handles, &new));
        }
        if let Target::TemplateNode(m) = segment.target {
            let head = self.invariant(c, m, &after);
            self.clause(premises.clone(), conditions.clone(), Some(head));
        }
        for child in &segment.creates {
            let head = self.invariant(*child, TemplateNodeId::START, &after);
            self.clause(premises.clone(), conditions.clone(), Some(head));
        }
        let mut known = conditions.clone();
        known.push(self.handles);
        let by = self.rule.moves.push(Move {
            template: c,
            from: entry_of(segment.from),
            to: if let Target::TemplateNode(m) = segment.target { Some(m) } else { None },
            creates: segment.creates.clone(),
            body: premises,
            constraint: self.terms.and(&known),
            before: start.clone(),
            after,
        });
        for k in self.model.templates.ids() {
            if k != c || self.template(k).replicated {
                for node in self.blocks.reached(k) {
                    self.interfere(by, (k, node), &conditions);
                }
            }
        }
    }

    /// The values of the position variables of two threads that stand at these nodes. Neither has moved since the block was
    /// entered.
    fn where_both_are(&mut self, (c, from): TemplateLocation, (k, node): TemplateLocation) -> Values {
        let mut here: Values = Values::default();
        let positions = [(self.template(c).position, from), (self.template(k).position, node)];
        for (position, at) in positions {
            if let Some(position) = position {
                let at = self.terms.constant(at.position(), super::POSITION_WIDTH);
                here.insert(position, at);
                let before = entry_value(self.terms, position);
                self.terms.as_var(before).map(|before| here.insert(before, at));
            }
        }
        here
    }

    /// S6: a thread of template `k` stands at a node while another one takes a step, under these conditions.
    fn interfere(&mut self, by: MoveId, (k, node): TemplateLocation, conditions: &[Term]) {
        let Move { template: c, from, .. } = self.rule.moves[by];
        if !self.model.may_meet((c, from), (k, node)) {
            return;
        }
        let here = self.where_both_are((c, from), (k, node));
        let mut conditions: Vec<Term> = conditions.iter().map(|t| self.terms.substitute(*t, &here)).collect();
        if conditions.iter().any(|t| self.terms.as_bool(*t) == Some(false)) {
            return;
        }
        // The other one's variables: renamed if they are those of the same template.
        let Move { mut before, after: mut then, body: premises, .. } = self.rule.moves[by].clone();
        for x in self.template(k).locals.clone() {
            let theirs = if k == c { sibling(self.terms, x) } else { self.terms.var_of(x) };
            before.insert(x, theirs);
            then.insert(x, theirs);
        }
        if self.template(k).replicated && self.template(c).replicated {
            let mine = self.template(c).handle;
            let symbol =
                self.terms.as_var(self.template(k).handle).expect("a template's handle is a variable");
            let theirs = before[&symbol];
            conditions.push(self.model.different(self.terms, mine, theirs));
        }
        let mut body = vec![self.invariant(k, node, &before)];
        body.extend(premises);
        let head = self.invariant(k, node, &then);
        let there = |terms: &mut Terms, atom: Atom| Atom {
            pred: atom.pred,
            args: atom.args.iter().map(|a| terms.substitute(*a, &here)).collect(),
        };
        let body: Vec<Atom> = body.into_iter().map(|a| there(self.terms, a)).collect();
        let head = there(self.terms, head);
        if !body.contains(&head) {
            let (before, after) = (at(self.terms, &before, &here), at(self.terms, &then, &here));
            let mut known = conditions.clone();
            known.push(self.handles);
            self.rule.interferences.push(Interference {
                by,
                template: k,
                node,
                body: body.clone(),
                constraint: self.terms.and(&known),
                before,
                after,
            });
            self.clause(body, conditions, Some(head));
        }
    }
}

/// Values where positions are known to be `here`.
fn at(terms: &mut Terms, values: &Values, here: &Values) -> Values {
    let mut all = here.clone();
    all.extend(values.iter().map(|(x, v)| (*x, terms.substitute(*v, here))));
    all
}

fn entry_of(place: SegmentEnd) -> TemplateNodeId {
    match place {
        SegmentEnd::Outside(n) | SegmentEnd::Inside { entry: n, .. } => n,
    }
}

fn value(terms: &Terms, values: &Values, x: Symbol) -> Term {
    values.get(&x).copied().unwrap_or_else(|| terms.var_of(x))
}

/// A variable's value when the block was entered.
fn entry_value(terms: &mut Terms, x: Symbol) -> Term {
    let (name, sort) = (format!("{}'entry", terms.name(x)), terms.sort(terms.var_of(x)));
    terms.var(&name, sort)
}

/// The same variable of another instance.
fn sibling(terms: &mut Terms, x: Symbol) -> Term {
    let (name, sort) = (format!("{}'sibling", terms.name(x)), terms.sort(terms.var_of(x)));
    terms.var(&name, sort)
}
