//! That nobody is blocked for ever once nobody takes a step any more.
//!
//! Suppose an execution has taken finitely many steps and cannot go on, but the program is not over: every thread that is left is blocked. A blocked thread
//! waits for another one that is left:
//!
//! | it waits for | then there is | because |
//! |---|---|---|
//! | a lock | a thread that holds it, at a node where that is claimed | [`Checker::is_given_back`]: the word is zero, or the handle of a thread at such a node |
//! | the end of a thread | that thread | joining a thread that has ended, was joined or never started does not wait (SOUNDNESS: A8) |
//!
//! That one is blocked, too, at a node where it can be, and the two hold no lock both. So the relation "may wait for one at" between nodes has an infinite way, or a thread waits that has no such
//! reason. If the relation has no cycle and everybody has a reason, there is no such execution.
//!
//! # Direction of error
//! Only locks are known of nodes, not invariants: those hold outside of blocks, and a thread may wait in the middle of one. Waiting for a signal, a semaphore or a barrier is
//! no reason. Joins that may succeed at any time here (templates, detached threads) wait for anybody who may be running.

use super::ranks::ends_alone;
use super::{Checker, demand};
use base::{Inconclusive, scc::cyclic_components};
use logic::path::{Cmd, SymbolicStore};
use logic::{Solver, Symbol, Term};
use semantics::modular::{Edge, FIRST_NODE, POSITION_WIDTH, Target, Waits};
use std::collections::BTreeSet;

/// A node of a template.
type At = (usize, usize);

impl Checker<'_> {
    /// Fails if threads may be blocked for ever.
    pub(super) fn nobody_waits_for_ever(&mut self) -> Result<(), Inconclusive> {
        let mut waiting: Vec<At> = Vec::new();
        for (c, template) in self.model.templates.iter().enumerate() {
            for (n, node) in template.nodes.iter().enumerate().filter(|(_, node)| !node.statuses.is_empty()) {
                demand(node.waits != Waits::Inside, || {
                    format!("{} may be blocked in the middle of a step at {n}", template.name)
                })?;
                if node.waits != Waits::Never {
                    waiting.push((c, n));
                }
            }
        }
        if ends_alone(self.model) {
            return Ok(());
        }
        let mut for_whom: Vec<Vec<usize>> = Vec::new();
        for &at in &waiting {
            self.limits.budget.check()?;
            let Some(others) = self.reason(at, &waiting)? else {
                let name = &self.model.templates[at.0].name;
                return Err(Inconclusive::CheckFailed(format!("{name} may be blocked for ever at {}", at.1)));
            };
            for_whom.push(others);
        }
        let round = cyclic_components(waiting.len(), |n| for_whom[n].clone());
        demand(round.is_empty(), || "threads may wait for each other".to_owned())
    }

    /// The waiting nodes that whoever waits at `at` may wait for.
    fn reason(&mut self, at: At, waiting: &[At]) -> Result<Option<Vec<usize>>, Inconclusive> {
        let node = &self.model.templates[at.0].nodes[at.1];
        if node.waits != Waits::Here {
            return Ok(None);
        }
        let joins = node.edges.iter().any(|e| e.joins);
        let others: Vec<usize> = (0..waiting.len()).filter(|n| self.may_both_wait(at, waiting[*n])).collect();
        if joins && self.model.loose_joins {
            return Ok(Some(others));
        }
        let blocked = self.blocked(at)?;
        let never = self.terms.ff();
        if self.follows(&blocked, never)? {
            return Ok(Some(Vec::new()));
        }
        if joins {
            return Ok(Some(self.joined(&blocked, waiting, others)?));
        }
        let locks: BTreeSet<Symbol> = self.proof.locks.iter().flatten().flatten().copied().collect();
        // Whoever holds a lock stands where that is claimed, so it is not the thread itself.
        for lock in locks.into_iter().filter(|lock| !self.proof.locks[at.0][at.1].contains(lock)) {
            let word = self.terms.var_of(lock);
            let zero = self.terms.constant(0, self.terms.width(word));
            let taken = self.terms.ne(word, zero);
            if self.follows(&blocked, taken)? && self.is_given_back(lock)? {
                let holds = |n: &usize| self.proof.locks[waiting[*n].0][waiting[*n].1].contains(&lock);
                return Ok(Some(others.into_iter().filter(holds).collect()));
            }
        }
        Ok(None)
    }

    /// Whether two threads can be at these nodes: they do not hold a lock both.
    fn may_both_wait(&self, one: At, other: At) -> bool {
        let locks = &self.proof.locks;
        self.model.may_meet(one, other) && locks[one.0][one.1].is_disjoint(&locks[other.0][other.1])
    }

    /// Those of the others that a join waits for: one thread, if it is always the same.
    fn joined(
        &mut self,
        blocked: &[Term],
        waiting: &[At],
        mut others: Vec<usize>,
    ) -> Result<Vec<usize>, Inconclusive> {
        let model = self.model;
        for (k, template) in model.singles() {
            let Some(position) = template.position else { continue };
            let (now, first) = (self.terms.var_of(position), self.terms.constant(FIRST_NODE, POSITION_WIDTH));
            let runs = self.terms.ule(first, now);
            if self.follows(blocked, runs)? {
                others.retain(|n| waiting[*n].0 == k);
                break;
            }
        }
        Ok(others)
    }

    /// What holds when a thread is blocked at a node. A way that depends on an input counts as none.
    fn blocked(&mut self, (c, n): At) -> Result<Vec<Term>, Inconclusive> {
        let mut blocked = vec![self.held(c, n)?, self.handles];
        for edge in &self.model.templates[c].nodes[n].edges {
            let mut store = SymbolicStore::default();
            let conditions = store.run(self.terms, &edge.block);
            let condition = self.terms.and(&conditions);
            let inputs: Vec<Symbol> = store.havocs().iter().filter_map(|t| self.terms.as_var(*t)).collect();
            if self.terms.free_vars(condition).iter().all(|x| !inputs.contains(x)) {
                blocked.push(self.terms.not(condition));
            }
        }
        Ok(blocked)
    }

    fn follows(&mut self, given: &[Term], goal: Term) -> Result<bool, Inconclusive> {
        let given = self.terms.and(given);
        self.solver.implies(self.terms, given, goal, self.limits)
    }

    /// Whether a lock's word is always zero or the handle of a thread at a node where it is claimed to be held: it is zero at first, whoever stops holding it
    /// makes it zero, and whoever sets it holds it.
    fn is_given_back(&mut self, lock: Symbol) -> Result<bool, Inconclusive> {
        let model = self.model;
        let word = self.terms.var_of(lock);
        let zero = self.terms.constant(0, self.terms.width(word));
        let mut store = SymbolicStore::default();
        let init = store.run(self.terms, &model.init);
        let value = store.value(self.terms, lock);
        let free = self.terms.eq(value, zero);
        let mut given_back = self.follows(&init, free)?;
        for (c, template) in model.templates.iter().enumerate() {
            for (n, node) in template.nodes.iter().enumerate() {
                for edge in &node.edges {
                    given_back = given_back && self.keeps_owner((c, n), edge, lock, zero)?;
                }
            }
        }
        Ok(given_back)
    }

    fn keeps_owner(
        &mut self,
        (c, n): At,
        edge: &Edge,
        lock: Symbol,
        zero: Term,
    ) -> Result<bool, Inconclusive> {
        let locks = &self.proof.locks[c];
        let holds_after = match edge.target {
            Target::Node(m) => locks[m].contains(&lock),
            Target::Finished => false,
            Target::Stops(_) => return Ok(true),
        };
        let goes_on = holds_after || !locks[n].contains(&lock);
        let writes =
            edge.block.iter().any(|cmd| matches!(cmd, Cmd::Assign(x, _) | Cmd::Havoc(x) if *x == lock));
        if !writes && goes_on {
            return Ok(true);
        }
        let mut given = vec![self.held(c, n)?, self.handles];
        let mine = self.holds(c, lock)?;
        let mut store = SymbolicStore::default();
        given.extend(store.run(self.terms, &edge.block));
        let (before, after) = (self.terms.var_of(lock), store.value(self.terms, lock));
        let mut cases = vec![self.terms.eq(after, zero)];
        if goes_on {
            cases.push(self.terms.eq(before, after));
        }
        if holds_after {
            cases.push(store.apply(self.terms, mine));
        }
        let kept = self.terms.or(&cases);
        self.follows(&given, kept)
    }
}
