//! What the different kinds of proofs claim, in one shape: at each of these controls one of its labels holds.

use super::names::threads;
use base::Idx;
use evidence::{CutProof, InvariantProof, ModularProof, TreeProof};
use logic::{Sort, Symbol, Term, Terms};
use program::interp::{Identities, ThreadId};
use program::{FuncId, Program, Property};
use rustc_hash::FxHashMap;
use semantics::encoding::control::Thread;
use semantics::encoding::{Encoder, GlobalLocation};
use semantics::modular::{Blocks, FINISHED, FIRST_NODE, JOINED, Model, Template, UNSTARTED, rule};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a proof claims.
pub struct Claims {
    /// The terms of its labels.
    pub terms: Terms,
    /// What the numbers in controls stand for.
    pub identities: Identities,
    /// The labels of controls; a control may have several, of which one holds.
    pub labels: Vec<(Arc<GlobalLocation>, Term)>,
    /// Other terms that are shown.
    pub ranks: Vec<Term>,
    /// Where steps begin, and who takes them: variables get their names where they are met.
    pub steps: Vec<(Arc<GlobalLocation>, ThreadId)>,
    /// If labels are about one thread each, whatever the others do: a thread of each kind.
    pub kinds: Vec<ThreadId>,
    /// How large the proof is.
    pub n_nodes: usize,
}

impl Claims {
    /// Where threads start.
    pub fn starts(&self) -> BTreeMap<ThreadId, FuncId> {
        let threads = self.labels.iter().flat_map(|(control, _)| &control.threads);
        threads.filter_map(|t| Some((t.id, t.frames.first()?.func))).collect()
    }

    /// Of a labelled tree: nodes that say what is reachable. Neither they nor an ancestor is covered, and their labels are not false.
    pub fn of_tree(tree: &TreeProof) -> Self {
        let mut covered = vec![false; tree.nodes.len()];
        let mut labels = Vec::new();
        for (n, node) in tree.nodes.iter().enumerate() {
            covered[n] =
                node.covered_by.is_some() || node.parent.is_some_and(|(parent, _, _)| covered[parent]);
            if !covered[n] && tree.terms.as_bool(node.label) != Some(false) {
                labels.push((Arc::clone(&node.control), node.label));
            }
        }
        Self { n_nodes: tree.nodes.len(), ..Self::with_steps_of(tree, labels) }
    }

    /// Of an inductive invariant.
    pub fn of_invariants(proof: &InvariantProof) -> Self {
        let one = |(control, labels): &(Arc<GlobalLocation>, Vec<Term>)| {
            labels.iter().map(|label| (Arc::clone(control), *label)).collect::<Vec<_>>()
        };
        Self::with_steps_of(&proof.steps, proof.labels.iter().flat_map(one).collect())
    }

    fn with_steps_of(tree: &TreeProof, labels: Vec<(Arc<GlobalLocation>, Term)>) -> Self {
        Self {
            terms: (*tree.terms).clone(),
            identities: tree.identities.clone(),
            n_nodes: labels.len(),
            labels,
            steps: tree.runs.keys().map(|(control, thread)| (Arc::clone(control), *thread)).collect(),
            kinds: Vec::new(),
            ranks: Vec::new(),
        }
    }

    /// Of labels of cut points.
    pub fn of_cuts(proof: &CutProof) -> Self {
        let mut labels = Vec::new();
        let mut steps = Vec::new();
        for point in &proof.points {
            labels.extend(point.labels.iter().map(|label| (Arc::clone(&point.control), *label)));
            steps.extend(point.control.movable().map(|thread| (Arc::clone(&point.control), thread)));
        }
        Self {
            terms: (*proof.terms).clone(),
            identities: proof.identities.clone(),
            n_nodes: proof.points.len(),
            labels,
            steps,
            kinds: Vec::new(),
            ranks: Vec::new(),
        }
    }

    /// Of invariants of single threads, where these are outside of reducible blocks: each label is about a control of nothing but its thread.
    pub fn of_threads(program: &Program, property: Property, proof: &ModularProof) -> Option<Self> {
        let mut terms = (*proof.terms).clone();
        let mut encoder =
            Encoder::with_identities(&semantics::Analysis::of(program), &proof.identities).ok()?;
        let model = Model::of(&mut encoder, &mut terms).ok()?;
        let outside =
            |c: &Vec<evidence::CommitPhase>| c.iter().map(|n| *n == evidence::CommitPhase::Outside).collect();
        let blocks = Blocks::of(&model, proof.claims.iter().map(outside).collect());
        let rule = rule(&model, &blocks, &mut terms, property);
        let mut places: Vec<_> = rule.invariants.iter().collect();
        places.sort_unstable();
        let start = |c: &Template| Some((c.thread, c.nodes.first()?.frames.first()?.func));
        let names = threads(program, model.templates.iter().filter_map(start).collect());
        let positions = Positions { program, model: &model, names };
        let mut labels = Vec::new();
        for (&(template, node), &pred) in places {
            let frames = model.templates[template].nodes[node].frames.clone();
            let id = model.templates[template].thread;
            let thread = Thread { id, frames, detached: false, counts: Vec::new() };
            let control =
                GlobalLocation { threads: vec![Arc::new(thread)], atomic: None, objects: Vec::new() };
            let (control, label) = (Arc::new(control), proof.solution.get(pred.index()).copied()?);
            for case in cases(&mut terms, label) {
                labels.push((Arc::clone(&control), positions.in_words(&mut terms, template, case)));
            }
        }
        let (identities, kinds) =
            (proof.identities.clone(), model.templates.iter().map(|c| c.thread).collect());
        let n_nodes = rule.invariants.len();
        Some(Self { terms, identities, n_nodes, labels, steps: Vec::new(), kinds, ranks: Vec::new() })
    }
}

/// More cases than this are not worth reading.
const MOST_CASES: usize = 32;

/// The cases of a label that is nothing but a choice between several; or the label itself.
fn cases(terms: &mut Terms, label: Term) -> Vec<Term> {
    let cases = terms.disjuncts(label);
    if cases.len() > MOST_CASES { vec![label] } else { cases }
}

/// Where other threads are is a number in an invariant of one thread, and lines in its explanation.
struct Positions<'a> {
    program: &'a Program,
    model: &'a Model,
    names: FxHashMap<ThreadId, String>,
}

impl Positions<'_> {
    /// What is said of the position of a thread as one fact, of which the words are the name.
    fn in_words(&self, terms: &mut Terms, template: usize, label: Term) -> Term {
        let mut facts = terms.conjuncts(label);
        for (n, other) in self.model.singles().filter(|(n, _)| *n != template) {
            let Some(position) = other.position else { continue };
            let is_about = |terms: &Terms, fact: Term| terms.free_vars(fact)[..] == [position];
            let (about, rest): (Vec<Term>, Vec<Term>) = facts.iter().partition(|f| is_about(terms, **f));
            facts = rest;
            let about = terms.and(&about);
            facts.extend(self.places(terms, n, position, about).map(|text| terms.var(&text, Sort::Bool)));
        }
        terms.and(&facts)
    }

    /// The places of a thread that a fact about its position allows; nothing if it could be anywhere.
    fn places(&self, terms: &Terms, template: usize, position: Symbol, fact: Term) -> Option<String> {
        let allows = |place: u128| {
            let mut model = logic::Model::default();
            model.set(position, logic::Value::Bits(place));
            terms.eval(fact, &model).truth()
        };
        let template = &self.model.templates[template];
        let nodes = (0..template.nodes.len()).filter(|n| !template.nodes[*n].statuses.is_empty());
        let (inside, outside): (Vec<usize>, Vec<usize>) =
            nodes.partition(|n| allows(FIRST_NODE + *n as u128));
        let lines = |nodes: &[usize]| -> BTreeSet<u32> {
            let line = |n: &usize| super::line(self.program, &template.nodes[*n].frames);
            nodes.iter().filter_map(line).map(|(_, line)| line).collect()
        };
        let mut places = Vec::new();
        let mut missing = !outside.is_empty();
        for (place, text) in [(UNSTARTED, "not started"), (FINISHED, "over"), (JOINED, "joined")] {
            match allows(place) {
                true if template.thread == ThreadId::MAIN => {}
                true => places.push(text.to_owned()),
                false => missing |= template.thread != ThreadId::MAIN,
            }
        }
        if !inside.is_empty() {
            let lines: Vec<String> = lines(&inside).iter().map(u32::to_string).collect();
            places.push(format!("at {}", lines.join(", ")));
        }
        let name = self.names.get(&template.thread).unwrap_or(&template.name);
        missing.then(|| format!("{name} is {}", places.join(" or ")))
    }
}
