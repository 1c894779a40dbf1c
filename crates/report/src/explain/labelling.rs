//! What the different kinds of proofs say, in one shape: at each of these global locations one of its labels holds.

use super::names::threads;
use base::Idx;
use evidence::{
    CommitPhase, CutProof, FormulaId, Formulas, InvariantProof, LocationId, Locations, ModularProof, Product,
    TreeProof,
};
use logic::{Sort, Symbol, Term, Terms};
use program::interp::{Identities, ThreadId};
use program::{FuncId, Program, Property};
use rustc_hash::FxHashMap;
use semantics::encoding::control::Thread;
use semantics::encoding::{Encoder, GlobalLocation};
use semantics::modular::{
    Blocks, FINISHED, JOINED, Model, PerTemplate, Template, TemplateId, TemplateNodeId, UNSTARTED, rule,
};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a proof says about global locations.
pub struct Labelling {
    /// The terms of its labels.
    pub terms: Terms,
    /// What the numbers in global locations stand for.
    pub identities: Identities,
    /// The labels of global locations; a location may have several, of which one holds.
    pub labels: Vec<(Arc<GlobalLocation>, Term)>,
    /// Ranking functions, which are shown too.
    pub ranking: Vec<Term>,
    /// Where steps begin, and which threads take them: the encoder names a variable when it first meets it.
    pub steps: Vec<(Arc<GlobalLocation>, ThreadId)>,
    /// If labels are about one thread each, whatever the others do: a thread of each template.
    pub templates: PerTemplate<ThreadId>,
    /// The number of nodes of the proof.
    pub n_nodes: usize,
}

impl Labelling {
    /// Where threads start.
    pub fn starts(&self) -> BTreeMap<ThreadId, FuncId> {
        let threads = self.labels.iter().flat_map(|(control, _)| &control.threads);
        threads.filter_map(|t| Some((t.id, t.frames.first()?.func))).collect()
    }

    /// Of a labelled tree: nodes that say what is reachable. Neither they nor an ancestor is covered, and their labels are not false.
    pub fn of_tree(tree: &TreeProof) -> Option<Self> {
        let mut covered = vec![false; tree.nodes.len()];
        let mut labels = Vec::new();
        for (n, node) in tree.nodes.iter().enumerate() {
            covered[n] =
                node.covered_by.is_some() || node.parent.is_some_and(|(parent, _, _)| covered[parent]);
            if !covered[n] {
                labels.push((node.location, node.label));
            }
        }
        let mut labelling = Self::of_product(&tree.product, &labels, &[])?;
        labelling.labels.retain(|(_, label)| labelling.terms.as_bool(*label) != Some(false));
        Some(Self { n_nodes: tree.nodes.len(), ..labelling })
    }

    /// Of an inductive invariant, and of ranking functions over it.
    pub fn of_invariants(proof: &InvariantProof, ranking: &[FormulaId]) -> Option<Self> {
        let one = |(location, labels): &(LocationId, Vec<FormulaId>)| {
            let location = *location;
            labels.iter().map(move |label| (location, *label)).collect::<Vec<_>>()
        };
        let labels: Vec<_> = proof.labels.iter().flat_map(one).collect();
        Self::of_product(&proof.product, &labels, ranking)
    }

    fn of_product(
        product: &Product,
        labels: &[(LocationId, FormulaId)],
        ranking: &[FormulaId],
    ) -> Option<Self> {
        let steps = product.transactions.iter().map(|t| (t.from, t.thread)).collect();
        let Product { identities, formulas, locations, .. } = product;
        Self::of_labels(identities, formulas, locations, labels, ranking, steps)
    }

    fn of_labels(
        identities: &Identities,
        formulas: &Formulas,
        locations: &Locations,
        labels: &[(LocationId, FormulaId)],
        ranking: &[FormulaId],
        steps: Vec<(LocationId, ThreadId)>,
    ) -> Option<Self> {
        let mut terms = Terms::new();
        formulas.declare(&mut terms);
        let rebuilt = formulas.rebuild(&mut terms).ok()?;
        let location = |id: LocationId| locations.get(id).map(Arc::clone);
        let label = |(at, id): &(LocationId, FormulaId)| Some((location(*at)?, rebuilt.get(*id).ok()?));
        Some(Self {
            identities: identities.clone(),
            n_nodes: labels.len(),
            labels: labels.iter().map(label).collect::<Option<_>>()?,
            steps: steps
                .into_iter()
                .map(|(at, thread)| Some((location(at)?, thread)))
                .collect::<Option<_>>()?,
            templates: PerTemplate::new(),
            ranking: ranking.iter().map(|id| rebuilt.get(*id).ok()).collect::<Option<_>>()?,
            terms,
        })
    }

    /// Of labels of cut points.
    pub fn of_cuts(proof: &CutProof) -> Option<Self> {
        let (mut labels, mut steps) = (Vec::new(), Vec::new());
        for point in &proof.points {
            labels.extend(point.labels.iter().map(|label| (point.location, *label)));
            let movable = proof.locations.get(point.location)?.movable();
            steps.extend(movable.map(|thread| (point.location, thread)));
        }
        let CutProof { identities, formulas, locations, .. } = proof;
        let labelling = Self::of_labels(identities, formulas, locations, &labels, &[], steps)?;
        Some(Self { n_nodes: proof.points.len(), ..labelling })
    }

    /// Of invariants of single threads, where these are outside of reducible blocks: each label is about a location of nothing but its thread.
    pub fn of_threads(
        program: &Program,
        property: Property,
        proof: &ModularProof,
        ranking: &[FormulaId],
    ) -> Option<Self> {
        let mut terms = Terms::new();
        let mut encoder =
            Encoder::with_identities(&semantics::Analysis::of(program), &proof.identities).ok()?;
        let model = Model::of(&mut encoder, &mut terms).ok()?;
        let blocks = Blocks::of(&model, CommitPhase::outside(&proof.commit_phases));
        let rule = rule(&model, &blocks, &mut terms, property);
        let rebuilt = proof.formulas.rebuild(&mut terms).ok()?;
        let ranking = ranking.iter().map(|id| rebuilt.get(*id).ok()).collect::<Option<_>>()?;
        let mut places: Vec<_> = rule.invariants.iter().collect();
        places.sort_unstable();
        let start = |c: &Template| Some((c.thread, c.nodes.get(TemplateNodeId::START)?.frames.first()?.func));
        let names = threads(program, model.templates.iter().filter_map(start).collect());
        let positions = Positions { program, model: &model, names };
        let mut labels = Vec::new();
        for (&(template, node), &pred) in places {
            let frames = model.templates[template].nodes[node].frames.clone();
            let id = model.templates[template].thread;
            let thread = Thread { id, frames, detached: false, counts: Vec::new() };
            let control =
                GlobalLocation { threads: vec![Arc::new(thread)], atomic: None, objects: Vec::new() };
            let (control, label) = (Arc::new(control), rebuilt.get(*proof.solution.get(pred.index())?).ok()?);
            for case in cases(&mut terms, label) {
                labels.push((Arc::clone(&control), positions.in_words(&mut terms, template, case)));
            }
        }
        let (identities, templates) =
            (proof.identities.clone(), model.templates.iter().map(|c| c.thread).collect());
        let n_nodes = rule.invariants.len();
        Some(Self { terms, identities, n_nodes, labels, steps: Vec::new(), templates, ranking })
    }
}

/// More cases than this are not worth reading.
const MAX_CASES: usize = 32;

/// The cases of a label that is nothing but a choice between several; or the label itself.
fn cases(terms: &mut Terms, label: Term) -> Vec<Term> {
    let cases = terms.disjuncts(label);
    if cases.len() > MAX_CASES { vec![label] } else { cases }
}

/// Where other threads are is a number in an invariant of one thread, and lines in its explanation.
struct Positions<'a> {
    program: &'a Program,
    model: &'a Model,
    names: FxHashMap<ThreadId, String>,
}

impl Positions<'_> {
    /// What is said of the position of a thread as one fact, of which the words are the name.
    fn in_words(&self, terms: &mut Terms, template: TemplateId, label: Term) -> Term {
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

    /// The places of a thread that a fact about its position allows; `None` if it could be anywhere.
    fn places(&self, terms: &Terms, template: TemplateId, position: Symbol, fact: Term) -> Option<String> {
        let allows = |place: u128| {
            let mut model = logic::Model::default();
            model.set(position, logic::Value::Bits(place));
            terms.eval(fact, &model).truth()
        };
        let template = &self.model.templates[template];
        let nodes = template.nodes.ids().filter(|n| !template.nodes[*n].statuses.is_empty());
        let (inside, outside): (Vec<_>, Vec<_>) = nodes.partition(|n| allows(n.position()));
        let lines = |nodes: &[TemplateNodeId]| -> BTreeSet<u32> {
            let line = |n: &TemplateNodeId| super::line(self.program, &template.nodes[*n].frames);
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
