//! The questions behind movers: who holds which lock where, and which pairs of actions can be exchanged.

use super::Mover;
use base::Inconclusive;
use logic::path::{Cmd, SymbolicStore};
use logic::{Embedded, Limits, Solver, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::encoding::SuccessorKind;
use semantics::modular::{
    Edge, HeldLocks, Model, POSITION_WIDTH, PerNode, PerTemplate, Target, TemplateId, TemplateNodeId,
};
use semantics::transition::{Exchange, Footprint};
use std::collections::{BTreeSet, VecDeque};

/// Two blocks, what is given, and whether the second one ends the execution.
type Pair = (Vec<Cmd>, Vec<Cmd>, Vec<Term>, bool);

/// Asks the solver about locks and pairs of actions.
pub(super) struct Prover<'a> {
    model: &'a Model,
    pub(super) terms: &'a mut Terms,
    solver: Embedded,
    limits: &'a Limits,
    handles: Term,
    /// Answers about pairs of blocks.
    known: FxHashMap<Pair, bool>,
}

/// An action of an instance.
#[derive(Clone, Copy)]
pub(super) struct InstanceAction<'a> {
    pub(super) template: TemplateId,
    pub(super) node: TemplateNodeId,
    pub(super) edge: &'a Edge,
}

impl<'a> Prover<'a> {
    pub(super) fn new(model: &'a Model, terms: &'a mut Terms, limits: &'a Limits) -> Self {
        let handles = model.handle_facts(terms);
        Prover { model, terms, solver: Embedded::new(), limits, handles, known: FxHashMap::default() }
    }
}

impl Prover<'_> {
    // ---- locks ----------------------------------------------------------------------------------------------

    /// Words of memory that are set to a thread's handle somewhere.
    fn candidates(&mut self) -> BTreeSet<Symbol> {
        let mut found = BTreeSet::new();
        for template in &self.model.templates {
            let handle = own_word(self.terms, template.handle);
            for cmd in template.nodes.iter().flat_map(|n| &n.edges).flat_map(|e| &e.block) {
                if let Cmd::Assign(x, value) = cmd
                    && self.model.globals.contains(x)
                    && self.terms.sort(*value) == self.terms.sort(handle)
                    && self.terms.subterms(&[*value]).contains(&handle)
                {
                    found.insert(*x);
                }
            }
        }
        found
    }

    /// That a template's thread holds a lock.
    fn holds(&mut self, template: TemplateId, lock: Symbol) -> Term {
        let handle = own_word(self.terms, self.model.templates[template].handle);
        let word = self.terms.var_of(lock);
        self.terms.eq(word, handle)
    }

    /// The locks held at each node of each template.
    pub(super) fn locks(&mut self) -> Result<HeldLocks, Inconclusive> {
        let mut locks = self.candidates();
        loop {
            let mut held = PerTemplate::new();
            for c in self.model.templates.ids() {
                held.push(self.held_by(c, &locks)?);
            }
            let mut broken = None;
            for lock in &locks {
                if !self.is_stable(*lock, &held)? {
                    broken = Some(*lock);
                    break;
                }
            }
            match broken {
                Some(lock) => _ = locks.remove(&lock),
                None => return Ok(held),
            }
        }
    }

    /// The greatest solution of the data flow along one thread's edges.
    fn held_by(
        &mut self,
        c: TemplateId,
        locks: &BTreeSet<Symbol>,
    ) -> Result<PerNode<BTreeSet<Symbol>>, Inconclusive> {
        let template = &self.model.templates[c];
        let mut held: PerNode<Option<BTreeSet<Symbol>>> = PerNode::of(None, template.nodes.len());
        held[TemplateNodeId::START] = Some(BTreeSet::new());
        let mut queue = VecDeque::from([TemplateNodeId::START]);
        while let Some(n) = queue.pop_front() {
            let here = held[n].clone().unwrap_or_default();
            for edge in &template.nodes[n].edges {
                let Target::TemplateNode(m) = edge.target else { continue };
                let mut there = BTreeSet::new();
                for lock in locks {
                    if self.holds_after(c, &here, edge, *lock)? {
                        there.insert(*lock);
                    }
                }
                let joined = match &held[m] {
                    None => there,
                    Some(old) => old.intersection(&there).copied().collect(),
                };
                if held[m].as_ref() != Some(&joined) {
                    held[m] = Some(joined);
                    queue.push_back(m);
                }
            }
        }
        Ok(held.into_iter().map(Option::unwrap_or_default).collect())
    }

    fn holds_after(
        &mut self,
        c: TemplateId,
        here: &BTreeSet<Symbol>,
        edge: &Edge,
        lock: Symbol,
    ) -> Result<bool, Inconclusive> {
        if !writes(&edge.block, lock) {
            return Ok(here.contains(&lock));
        }
        let given = self.facts(c, here);
        let goal = self.holds(c, lock);
        self.triple(&[given], &edge.block, goal)
    }

    pub(super) fn facts(&mut self, c: TemplateId, held: &BTreeSet<Symbol>) -> Term {
        let facts: Vec<Term> = held.iter().map(|lock| self.holds(c, *lock)).collect();
        self.terms.and(&facts)
    }

    pub(super) fn triple(&mut self, given: &[Term], block: &[Cmd], goal: Term) -> Result<bool, Inconclusive> {
        let pre = self.terms.and(given);
        let pre = self.terms.and2(pre, self.handles);
        logic::path::valid(&mut self.solver, self.terms, pre, block, goal, self.limits)
    }

    /// Returns true if no thread takes a lock away from its holder.
    fn is_stable(&mut self, lock: Symbol, held: &HeldLocks) -> Result<bool, Inconclusive> {
        for c in self.model.templates.ids() {
            if held[c].iter().all(|locks| !locks.contains(&lock)) {
                continue;
            }
            for (k, other) in self.model.templates.iter_enumerated() {
                if k == c && !other.replicated {
                    continue;
                }
                for (node, locks) in other.nodes.iter().zip(&held[k]) {
                    for edge in node.edges.iter().filter(|e| writes(&e.block, lock)) {
                        let theirs = self.facts(k, locks);
                        let (mut mine, mut apart) = (self.holds(c, lock), self.terms.tt());
                        if k == c {
                            mine = self.renamed_term(c, mine);
                        }
                        if other.replicated && self.model.templates[c].replicated {
                            let holder = self.model.templates[c].handle;
                            let holder = if k == c { self.renamed_term(c, holder) } else { holder };
                            apart = self.model.different(self.terms, holder, other.handle);
                        }
                        let zero = self.terms.constant(0, 32);
                        let word = self.terms.var_of(lock);
                        let taken = self.terms.ne(word, zero);
                        if !self.triple(&[theirs, mine, apart, taken], &edge.block, mine)? {
                            return Ok(false);
                        }
                    }
                }
            }
        }
        Ok(true)
    }

    // ---- movers ---------------------------------------------------------------------------------------------

    /// The globals that each edge touches.
    pub(super) fn footprints(&self) -> Footprints {
        let globals: FxHashSet<Symbol> = self.model.globals.iter().copied().collect();
        let of = |edge: &Edge| Footprint::of(self.terms, &edge.block, |x| globals.contains(x));
        let templates = self.model.templates.iter();
        templates.map(|c| c.nodes.iter().map(|n| n.edges.iter().map(of).collect()).collect()).collect()
    }

    pub(super) fn mover(
        &mut self,
        of: InstanceAction<'_>,
        held: &HeldLocks,
        footprints: &Footprints,
    ) -> Result<Mover, Inconclusive> {
        let goes = matches!(of.edge.target, Target::TemplateNode(_) | Target::Finished);
        let mut mover = Mover { right: goes && of.edge.creates.is_empty(), left: goes, possible: true };
        let model = self.model;
        let at =
            model.templates[of.template].nodes[of.node].edges.iter().position(|e| std::ptr::eq(e, of.edge));
        let mine = &footprints[of.template][of.node][at.expect("an edge should be one of its node's")];
        if mine.touches_nothing() {
            return Ok(mover);
        }
        for (k, template) in model.templates.iter_enumerated() {
            if k == of.template && !template.replicated {
                continue;
            }
            for (n, node) in template.nodes.iter_enumerated() {
                if !(mover.right || mover.left) {
                    return Ok(mover);
                }
                if !model.may_meet((of.template, of.node), (k, n))
                    || !held[of.template][of.node].is_disjoint(&held[k][n])
                {
                    continue; // they cannot be there at once
                }
                for (edge, theirs) in node.edges.iter().zip(&footprints[k][n]) {
                    if !mine.conflicts_with(theirs) {
                        continue;
                    }
                    let other = InstanceAction { template: k, node: n, edge };
                    mover.right = mover.right && self.commute(of, other, true, held)?;
                    mover.left = mover.left && self.commute(of, other, false, held)?;
                }
            }
        }
        Ok(mover)
    }

    /// Returns true if `one` (first, if so) and then `other` can be exchanged.
    fn commute(
        &mut self,
        one: InstanceAction<'_>,
        other: InstanceAction<'_>,
        one_first: bool,
        held: &HeldLocks,
    ) -> Result<bool, Inconclusive> {
        let mut given = vec![self.facts(one.template, &held[one.template][one.node])];
        let mut theirs = self.facts(other.template, &held[other.template][other.node]);
        let mut block = other.edge.block.clone();
        if other.template == one.template {
            theirs = self.renamed_term(other.template, theirs);
            block = self.renamed(other.template, &block);
        }
        given.extend([theirs, self.handles]);
        self.positions(one, other, &mut given);
        let (first, second) = match one_first {
            true => (&one.edge.block, &block),
            false => (&block, &one.edge.block),
        };
        let (first_edge, second_edge) =
            if one_first { (one.edge, other.edge) } else { (other.edge, one.edge) };
        let ends = |edge: &Edge| edge.target == Target::Stops(SuccessorKind::Ended);
        if ends(first_edge) || ends(second_edge) {
            return Ok(true); // no execution that violates the property has such a step
        }
        let exchange = Exchange { given: &given, first, second };
        if let Target::Stops(_) = first_edge.target {
            // If an end comes in the middle of a block, the block is finished first.
            return exchange.ends_later(&mut self.solver, self.terms, self.limits);
        }
        let stops = matches!(second_edge.target, Target::Stops(_));
        let key = (first.clone(), second.clone(), given.clone(), stops);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known);
        }
        let result = match stops {
            true => exchange.ends_earlier(&mut self.solver, self.terms, self.limits)?,
            false => exchange.commutes(&mut self.solver, self.terms, self.limits)?,
        };
        self.known.insert(key, result);
        Ok(result)
    }

    /// Where both are, and that they are two.
    fn positions(&mut self, one: InstanceAction<'_>, other: InstanceAction<'_>, given: &mut Vec<Term>) {
        let (mine, theirs) = (&self.model.templates[one.template], &self.model.templates[other.template]);
        for (template, node) in [(mine, one.node), (theirs, other.node)] {
            if let Some(position) = template.position {
                let now = self.terms.var_of(position);
                let at = self.terms.constant(node.position(), POSITION_WIDTH);
                given.push(self.terms.eq(now, at));
            }
        }
        if mine.replicated && theirs.replicated {
            let same_template = one.template == other.template;
            let handle =
                if same_template { self.renamed_term(other.template, theirs.handle) } else { theirs.handle };
            given.push(self.model.different(self.terms, mine.handle, handle));
            if same_template {
                let facts = self.renamed_term(other.template, self.handles);
                given.push(facts);
            }
        }
    }

    /// Returns true if there is a state at a node in which no edge can be taken.
    pub(super) fn may_be_stuck(
        &mut self,
        c: TemplateId,
        n: TemplateNodeId,
        held: &BTreeSet<Symbol>,
    ) -> Result<bool, Inconclusive> {
        let mut cases = Vec::new();
        for edge in &self.model.templates[c].nodes[n].edges {
            let mut store = SymbolicStore::default();
            let conditions = store.run(self.terms, &edge.block);
            let condition = self.terms.and(&conditions);
            let inputs: Vec<Symbol> = store.havocs().iter().filter_map(|h| self.terms.as_var(*h)).collect();
            if self.terms.free_vars(condition).iter().all(|x| !inputs.contains(x)) {
                cases.push(condition);
            }
        }
        let any = self.terms.or(&cases);
        let given = self.facts(c, held);
        let given = self.terms.and2(given, self.handles);
        Ok(!self.solver.implies(self.terms, given, any, self.limits)?)
    }

    // ---- another instance -----------------------------------------------------------------------------------

    fn renaming(&mut self, c: TemplateId) -> FxHashMap<Symbol, Term> {
        let locals = &self.model.templates[c].locals;
        locals.iter().map(|x| (*x, other_instance(self.terms, *x))).collect()
    }

    fn renamed_term(&mut self, c: TemplateId, t: Term) -> Term {
        let map = self.renaming(c);
        self.terms.substitute(t, &map)
    }

    fn renamed(&mut self, c: TemplateId, block: &[Cmd]) -> Vec<Cmd> {
        let map = self.renaming(c);
        let symbol = |terms: &Terms, x: Symbol| map.get(&x).and_then(|t| terms.as_var(*t)).unwrap_or(x);
        let one = |cmd: &Cmd| match *cmd {
            Cmd::Assume(g) => Cmd::Assume(self.terms.substitute(g, &map)),
            Cmd::Assign(x, value) => {
                let value = self.terms.substitute(value, &map);
                Cmd::Assign(symbol(self.terms, x), value)
            }
            Cmd::Havoc(x) => Cmd::Havoc(symbol(self.terms, x)),
        };
        block.iter().map(one).collect()
    }
}

/// For each edge, the globals that it touches.
pub(super) type Footprints = PerTemplate<PerNode<Vec<Footprint>>>;

fn writes(block: &[Cmd], x: Symbol) -> bool {
    block.iter().any(|cmd| matches!(cmd, Cmd::Assign(y, _) | Cmd::Havoc(y) if *y == x))
}

/// A handle as locks keep it.
fn own_word(terms: &mut Terms, handle: Term) -> Term {
    if terms.width(handle) > 32 { terms.extract(31, 0, handle) } else { handle }
}

fn other_instance(terms: &mut Terms, x: Symbol) -> Term {
    let (name, sort) = (format!("{}'other", terms.name(x)), terms.sort(terms.var_of(x)));
    terms.var(&name, sort)
}
