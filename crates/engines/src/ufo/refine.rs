//! REFINE: one query about all paths of the graph to the error.
//!
//! # ARGCOND
//! For each node `v` a formula over the values of the state variables *at `v`* (their versions, numbered by the node) says that a path from
//! there reaches the error:
//!
//! ```text
//! R(error) = true        R(v) = ∨ over edges e = (v, w) of  guard(e) ∧ (x_w = value of x after e, for all x in need(w)) ∧ R(w)
//! ```
//!
//! where `need(w)` are the variables that `R(w)` mentions: what no path to the error reads is never equated. Each node's
//! formula is one term, shared by all formulas above it, so the whole is linear in the graph. The paper's control
//! variables are the disjuncts themselves: in a model, those that evaluate to true make a path. Where `R(w)` is small, or has just one
//! edge into it, the values are put in place of the versions, which lets terms simplify and spares the solver the equations; arrays
//! always are, since equations between arrays are dear.

use super::Ufo;
use super::arg::{ArgEdge, NodeId, START};
use super::interrupt::Interrupt;
use base::{Idx, Inconclusive};
use evidence::Trace;
use logic::path::{Cmd, SymbolicStore};
use logic::{Answer, Limits, Model, Solver, Sort, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::transition::{Edge, EdgeId, Footprint};
use semantics::transition::{Monitor, Path, concretise};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::time::Instant;

/// "From here a path reaches the error", for all nodes.
#[derive(Default)]
pub(super) struct ArgCond {
    /// R(v); absent where there is no path at all.
    pub(super) reach: FxHashMap<NodeId, Term>,
    /// The disjuncts of R(v), by edge.
    ways: FxHashMap<NodeId, Vec<(usize, Term)>>,
    pub(super) need: FxHashMap<NodeId, Rc<BTreeSet<Symbol>>>,
    sizes: FxHashMap<NodeId, usize>,
}

/// Formulas up to this size are copied for each edge into their node, with the values put in place of equations.
const MAX_COPIED: usize = 1_000;
/// The same, where there is but one edge.
const MAX_MOVED: usize = 10_000;

/// One edge of a path, with the actions that it takes.
pub(super) struct Stage {
    pub(super) edge: ArgEdge,
    pub(super) steps: Vec<Vec<Cmd>>,
}

impl Stage {
    /// What it does, from its partition on.
    pub(super) fn commands(&self) -> impl Iterator<Item = Cmd> + '_ {
        self.edge.block.enter().chain(self.steps.iter().flatten().copied())
    }
}

impl Ufo<'_> {
    /// REFINE: a trace, or new labels.
    pub(super) fn refine(&mut self) -> Result<Option<Trace>, Interrupt> {
        let start = Instant::now();
        let refined = self.refine_all();
        self.stats.interpolation += start.elapsed();
        refined
    }

    fn refine_all(&mut self) -> Result<Option<Trace>, Interrupt> {
        let mut cond = None;
        if self.error_reached {
            self.stats.refinements += 1;
            let errors = self.arg_cond(&FxHashSet::default())?;
            if let Some(stages) = self.reaches(&errors, START, &[])? {
                return self.found(stages);
            }
            cond = Some(errors);
        }
        if !self.frontier.is_empty() {
            let frontier = self.frontier.iter().copied().collect();
            let all = self.arg_cond(&frontier)?;
            match self.reaches(&all, START, &[])? {
                // What was postponed can be reached: follow more iterations.
                Some(_) => self.bound += 1 + self.bound / 2,
                None => cond = Some(all),
            }
        }
        if let Some(cond) = cond {
            self.dag_interpolants(&cond)?;
        }
        Ok(None)
    }

    /// ARGCOND, where the nodes of `frontier` count as the error.
    pub(super) fn arg_cond(&mut self, frontier: &FxHashSet<NodeId>) -> Result<ArgCond, Interrupt> {
        let mut cond = ArgCond::default();
        for v in self.arg.in_order().into_iter().rev() {
            self.go_on()?;
            if frontier.contains(&v) {
                cond.reach.insert(v, self.terms.tt());
                cond.need.insert(v, Rc::default());
                cond.sizes.insert(v, 1);
                continue;
            }
            let mut ways = Vec::new();
            let mut need = BTreeSet::new();
            for (n, edge) in self.arg.edges(v).iter().enumerate() {
                if self.excused.contains(&edge.key) {
                    continue;
                }
                if let Some(way) = self.way(&cond, v, edge, &mut need) {
                    ways.push((n, way));
                }
            }
            if !ways.is_empty() {
                let all: Vec<Term> = ways.iter().map(|(_, way)| *way).collect();
                let reach = self.terms.or(&all);
                self.add(&mut cond, v, reach, need)?;
                cond.ways.insert(v, ways);
            }
        }
        Ok(cond)
    }

    /// Adds R(v). Where it contradicts itself it is simply false, and nothing before `v` has to deal with what is behind it.
    fn add(
        &mut self,
        cond: &mut ArgCond,
        v: NodeId,
        reach: Term,
        need: BTreeSet<Symbol>,
    ) -> Result<(), Interrupt> {
        let parts = self.terms.conjuncts(reach);
        let cheap = self.effort.cheap();
        let never = v != START && self.solver.check(&self.terms, &parts, &cheap)?.is_unsat();
        let (reach, need) = if never { (self.terms.ff(), BTreeSet::new()) } else { (reach, need) };
        cond.sizes.insert(v, self.terms.size(reach));
        cond.reach.insert(v, reach);
        cond.need.insert(v, Rc::new(need));
        Ok(())
    }

    /// The disjunct of one edge; adds what it reads to `need`.
    fn way(
        &mut self,
        cond: &ArgCond,
        v: NodeId,
        edge: &ArgEdge,
        need: &mut BTreeSet<Symbol>,
    ) -> Option<Term> {
        let taken = &edge.block.edges[edge.key.2];
        let mut parts = vec![self.at(v, taken.guard, need)];
        let Some(w) = edge.to else { return Some(parts[0]) };
        let reach = *cond.reach.get(&w)?;
        if self.terms.as_bool(reach) == Some(false) {
            return Some(reach);
        }
        let most = if self.arg.nodes[w].ins.len() == 1 { MAX_MOVED } else { MAX_COPIED };
        let in_place = cond.sizes[&w] <= most;
        let mut values = FxHashMap::default();
        for &x in cond.need[&w].iter() {
            let value = taken.store.get(&x).copied().unwrap_or_else(|| self.terms.var_of(x));
            let is_array = matches!(self.terms.sort(value), Sort::Array { .. });
            let value = self.at(v, value, need);
            let there = self.terms.version(x, number(w));
            if in_place || is_array {
                values.extend(self.terms.as_var(there).map(|x| (x, value)));
            } else {
                parts.push(self.terms.eq(there, value));
            }
        }
        parts.push(self.terms.substitute(reach, &values));
        Some(self.terms.and(&parts))
    }

    /// A term over state variables and inputs with their versions at a node; state variables are added to `need`.
    fn at(&mut self, v: NodeId, term: Term, need: &mut BTreeSet<Symbol>) -> Term {
        let mut map = FxHashMap::default();
        for x in self.terms.free_vars(term) {
            map.insert(x, self.terms.version(x, number(v)));
            if !self.blocks.is_input(x) {
                need.insert(x);
            }
        }
        self.terms.substitute(term, &map)
    }

    /// A path from `v`, from a state that satisfies `facts`, to the error.
    pub(super) fn reaches(
        &mut self,
        cond: &ArgCond,
        v: NodeId,
        facts: &[Term],
    ) -> Result<Option<Vec<Stage>>, Interrupt> {
        let Some(&reach) = cond.reach.get(&v) else { return Ok(None) };
        let mut assumptions = self.terms.conjuncts(reach);
        for &fact in facts {
            assumptions.push(self.at(v, fact, &mut BTreeSet::new()));
        }
        let limits = Limits { conflicts: self.allowed.map(|w| w.conflicts), ..self.limits.clone() };
        match self.solver.check(&self.terms, &assumptions, &limits)? {
            Answer::Unknown => Err(Interrupt::AttemptGivenUp),
            Answer::Unsat(_) => Ok(None),
            Answer::Sat(model) => Ok(Some(self.walk(cond, v, model)?)),
        }
    }

    /// The facts that contradict all paths from `v` to the error; `None` if some path remains.
    pub(super) fn needed(
        &mut self,
        cond: &ArgCond,
        v: NodeId,
        facts: &[Term],
    ) -> Result<Option<Vec<Term>>, Interrupt> {
        let Some(&reach) = cond.reach.get(&v) else { return Ok(Some(Vec::new())) };
        let mut assumptions = self.terms.conjuncts(reach);
        let here: Vec<Term> = facts.iter().map(|f| self.at(v, *f, &mut BTreeSet::new())).collect();
        assumptions.extend(&here);
        match self.solver.check(&self.terms, &assumptions, &self.effort)? {
            Answer::Unsat(core) => {
                Ok(Some((0..facts.len()).filter(|n| core.contains(&here[*n])).map(|n| facts[n]).collect()))
            }
            Answer::Sat(_) | Answer::Unknown => Ok(None),
        }
    }

    /// The path that a model describes.
    fn walk(&mut self, cond: &ArgCond, v: NodeId, mut model: Model) -> Result<Vec<Stage>, Interrupt> {
        let lost = || Inconclusive::CheckFailed("a model describes no path".to_owned());
        let mut stages = Vec::new();
        let mut at = v;
        let mut state = self.state_at(cond, v, &model);
        while let Some(ways) = cond.ways.get(&at) {
            let way = ways.iter().find(|(_, way)| self.terms.eval(*way, &model).truth()).ok_or_else(lost)?;
            let edge = self.arg.edges(at)[way.0].clone();
            self.add_inputs(at, &edge, &model, &mut state);
            let steps = edge.block.path(&self.terms, &state, edge.key.2).ok_or_else(lost)?;
            state = self.after(&edge, &state);
            let to = edge.to;
            stages.push(Stage { edge, steps });
            let Some(w) = to else { break };
            self.assign_versions(cond, w, &state, &mut model);
            at = w;
        }
        Ok(stages)
    }

    /// The values of the state variables at `v` that matter; others are 0 as well as anything else.
    fn state_at(&mut self, cond: &ArgCond, v: NodeId, model: &Model) -> Model {
        let mut state = Model::default();
        for x in cond.need.get(&v).into_iter().flat_map(|need| need.iter()) {
            let version = self.terms.version(*x, number(v));
            if let Some(value) = self.terms.as_var(version).and_then(|s| model.get(s)) {
                state.set(*x, value.clone());
            }
        }
        state
    }

    /// Adds the inputs that the block takes at a node.
    fn add_inputs(&mut self, v: NodeId, edge: &ArgEdge, model: &Model, state: &mut Model) {
        let mut symbols: Vec<Symbol> = edge.block.symbols().to_vec();
        let taken = &edge.block.edges[edge.key.2];
        symbols.extend(taken.store.values().flat_map(|t| self.terms.free_vars(*t)));
        symbols.retain(|x| self.blocks.is_input(*x));
        for x in symbols {
            let version = self.terms.version(x, number(v));
            if let Some(value) = self.terms.as_var(version).and_then(|s| model.get(s)) {
                state.set(x, value.clone());
            }
        }
    }

    /// The state after an edge. All variables are carried on, also those that no formula mentions: the path inside a later block may
    /// depend on them even where both its branches lead to the same place.
    fn after(&self, edge: &ArgEdge, state: &Model) -> Model {
        let mut known = FxHashMap::default();
        let mut next = state.clone();
        for (&x, &value) in &edge.block.edges[edge.key.2].store {
            next.set(x, self.terms.eval_with(value, state, &mut known));
        }
        next
    }

    /// Gives the versions at `w` their values, which are not in the model where they were put in place.
    fn assign_versions(&mut self, cond: &ArgCond, w: NodeId, state: &Model, model: &mut Model) {
        let Some(need) = cond.need.get(&w) else { return };
        for &x in need.iter() {
            let value = self.terms.eval(self.terms.var_of(x), state);
            let there = self.terms.version(x, number(w));
            if let Some(symbol) = self.terms.as_var(there) {
                model.set(symbol, value);
            }
        }
    }

    /// A path from the start reaches an error: its trace, or, if it ends in something else than a violation, no more of it.
    fn found(&mut self, stages: Vec<Stage>) -> Result<Option<Trace>, Interrupt> {
        let last = stages.last().map(|s| &s.edge).ok_or(Interrupt::AttemptGivenUp)?;
        let kind = &last.block.edges[last.key.2].kind;
        if let Some(stop) = kind.stop() {
            self.excused.insert(last.key);
            self.incomplete.get_or_insert(stop);
            return Ok(None);
        }
        let mut store = SymbolicStore::default();
        let mut conditions = Vec::new();
        for commands in stages.iter().flat_map(|s| &s.steps) {
            conditions.extend(store.run(&mut self.terms, commands));
        }
        let model = match self.solver.check(&self.terms, &conditions, &self.limits)? {
            Answer::Sat(model) => model,
            Answer::Unsat(_) => {
                let why = "a path of a model cannot be executed".to_owned();
                return Err(Inconclusive::CheckFailed(why).into());
            }
            Answer::Unknown => return Err(Interrupt::AttemptGivenUp),
        };
        let edges: Vec<Rc<Edge>> = stages[1..].iter().map(|s| Rc::new(plain_edge(s))).collect();
        let path = Path { init: &self.init, edges: &edges };
        let execution = concretise(&self.encoder, &self.edges, &mut self.terms, &path, &model)?;
        let monitor = Monitor::new(self.property);
        let confirmed =
            edges.last().map(|edge| monitor.confirm(&self.encoder, &mut self.terms, edge, execution, &model));
        match confirmed.ok_or(Interrupt::AttemptGivenUp)? {
            Ok(steps) => Ok(Some(Trace { property: self.property, steps, cycle: None })),
            Err(disagreement) => {
                self.excused.insert(last.key);
                self.incomplete.get_or_insert(disagreement);
                Ok(None)
            }
        }
    }
}

/// The number of the versions at a node; 0 would be the state variable itself.
fn number(v: NodeId) -> u32 {
    u32::try_from(v.index()).expect("nodes should be few") + 1
}

/// A stage as an edge that a trace can be made of.
fn plain_edge(stage: &Stage) -> Edge {
    let taken = &stage.edge.block.edges[stage.edge.key.2];
    Edge {
        id: EdgeId(u32::MAX), // it is part of no graph
        thread: stage.edge.block.thread,
        block: stage.steps.concat(),
        steps: stage.steps.clone(),
        choices: Vec::new(),
        control: taken.control,
        kind: taken.kind.clone(),
        footprint: Footprint::default(),
        iterates: false,
        racers: None,
    }
}
