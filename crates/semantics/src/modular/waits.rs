//! Whether a thread can be blocked for ever once no thread takes a step any more.
//!
//! Suppose an execution has taken finitely many steps and cannot continue, but the program has not ended: every thread that is left is blocked. A blocked
//! thread waits for another one that is left:
//!
//! | it waits for | then there is | because |
//! |---|---|---|
//! | a lock | a thread that holds it, at a node where the lock is in the node's set | [`Waiting::is_given_back`]: the word is zero, or the handle of a thread at such a node |
//! | the end of a thread | that thread | joining a thread that has ended, was joined or never started does not wait (SOUNDNESS: A8) |
//!
//! That thread is blocked, too, at a node where it can be, and the two hold no lock both. So the relation "may wait for a thread at" between nodes has an
//! infinite path, or a thread waits that has no such reason. If the relation has no cycle and every waiting thread has a reason, there is no such execution.
//!
//! Both the engine and the checker of thread-modular proofs of termination use this module, each with a solver of its own: it is part of the
//! trusted base (docs/SOUNDNESS.md).
//!
//! # Requires
//! that the sets of locks are an invariant of the threads without any blocks. The checker shows that before.
//!
//! # Direction of error
//! Only locks are known of nodes, not invariants: those hold outside of blocks, and a thread may wait in the middle of one. Waiting for a signal, a semaphore or a barrier is
//! no reason. Joins that may succeed at any time here (replicated templates, detached threads) wait for any thread that may be running.

use super::finite::ends_alone;
use super::{
    Edge, FIRST_NODE, Model, POSITION_WIDTH, PerNode, PerTemplate, Target, Template, TemplateId,
    TemplateLocation, TemplateNodeId, Waits, half,
};
use base::{Inconclusive, scc::cyclic_components};
use logic::path::{Cmd, SymbolicStore};
use logic::{Limits, Solver, Symbol, Term, Terms};
use std::collections::BTreeSet;

/// Locks that are held, by template and node.
pub type HeldLocks = PerTemplate<PerNode<BTreeSet<Symbol>>>;

/// A search for a reason why threads may be blocked for ever. `S` decides the queries.
pub struct Waiting<'a, S> {
    /// The threads.
    pub model: &'a Model,
    /// The locks that are held at each node.
    pub locks: &'a HeldLocks,
    /// The pool of terms of the model.
    pub terms: &'a mut Terms,
    /// The solver.
    pub solver: &'a mut S,
    /// How much effort a query is worth.
    pub limits: &'a Limits,
}

impl<S: Solver> Waiting<'_, S> {
    /// Why threads may be blocked for ever; `None` if they cannot be.
    pub fn blocked_for_ever(&mut self) -> Result<Option<String>, Inconclusive> {
        if !self.locks_are_words() {
            return Ok(Some("a lock is no word".to_owned()));
        }
        let mut waiting: Vec<TemplateLocation> = Vec::new();
        for (c, template) in self.model.templates.iter_enumerated() {
            for (n, node) in template.nodes.iter_enumerated().filter(|(_, node)| !node.statuses.is_empty()) {
                if node.waits == Waits::Inside {
                    return Ok(Some(format!("{} may be blocked in an atomic section at {n}", template.name)));
                }
                if node.waits != Waits::Never {
                    waiting.push((c, n));
                }
            }
        }
        if ends_alone(self.model) {
            return Ok(None);
        }
        let mut awaited: Vec<Vec<usize>> = Vec::new();
        for &at in &waiting {
            self.limits.budget.check()?;
            let Some(others) = self.reason(at, &waiting)? else {
                let name = &self.model.templates[at.0].name;
                return Ok(Some(format!("{name} may be blocked for ever at {}", at.1)));
            };
            awaited.push(others);
        }
        let cycles = cyclic_components(waiting.len(), |n| awaited[n].clone());
        Ok((!cycles.is_empty()).then(|| "threads may wait for each other".to_owned()))
    }

    /// The waiting nodes that a thread at `at` may wait for; `None` if it waits for something else.
    fn reason(
        &mut self,
        at: TemplateLocation,
        waiting: &[TemplateLocation],
    ) -> Result<Option<Vec<usize>>, Inconclusive> {
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
        let locks: BTreeSet<Symbol> = self.locks.iter().flatten().flatten().copied().collect();
        // A thread that holds a lock is at a node where that is claimed, so it is not the blocked thread itself.
        for lock in locks.into_iter().filter(|lock| !self.locks[at.0][at.1].contains(lock)) {
            let word = self.terms.var_of(lock);
            let zero = self.terms.constant(0, self.terms.width(word));
            let taken = self.terms.ne(word, zero);
            if self.follows(&blocked, taken)? && self.is_given_back(lock)? {
                let holds = |n: &usize| self.locks[waiting[*n].0][waiting[*n].1].contains(&lock);
                return Ok(Some(others.into_iter().filter(holds).collect()));
            }
        }
        Ok(None)
    }

    /// Returns true if two threads can be at these nodes: no lock is held at both.
    fn may_both_wait(&self, one: TemplateLocation, other: TemplateLocation) -> bool {
        let locks = self.locks;
        self.model.may_meet(one, other) && locks[one.0][one.1].is_disjoint(&locks[other.0][other.1])
    }

    /// Those of the others that a join waits for: one thread, if it is always the same.
    fn joined(
        &mut self,
        blocked: &[Term],
        waiting: &[TemplateLocation],
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

    /// What holds when a thread is blocked at a node. An edge that depends on an input does not count.
    fn blocked(&mut self, (c, n): TemplateLocation) -> Result<Vec<Term>, Inconclusive> {
        let mut blocked = vec![self.held(c, n), self.model.handle_facts(self.terms)];
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

    /// Returns true if a lock's word is always zero or the handle of a thread at a node where it is claimed to be held: it is zero at first, a thread that
    /// stops holding it makes it zero, and a thread that sets it holds it.
    fn is_given_back(&mut self, lock: Symbol) -> Result<bool, Inconclusive> {
        let model = self.model;
        let word = self.terms.var_of(lock);
        let zero = self.terms.constant(0, self.terms.width(word));
        let mut store = SymbolicStore::default();
        let init = store.run(self.terms, &model.init);
        let value = store.value(self.terms, lock);
        let free = self.terms.eq(value, zero);
        let mut given_back = self.follows(&init, free)?;
        for (c, template) in model.templates.iter_enumerated() {
            for (n, node) in template.nodes.iter_enumerated() {
                for edge in &node.edges {
                    given_back = given_back && self.keeps_owner((c, n), edge, lock, zero)?;
                }
            }
        }
        Ok(given_back)
    }

    fn keeps_owner(
        &mut self,
        (c, n): TemplateLocation,
        edge: &Edge,
        lock: Symbol,
        zero: Term,
    ) -> Result<bool, Inconclusive> {
        let locks = &self.locks[c];
        let holds_after = match edge.target {
            Target::TemplateNode(m) => locks[m].contains(&lock),
            Target::Finished => false,
            Target::Stops(_) => return Ok(true),
        };
        let goes_on = holds_after || !locks[n].contains(&lock);
        let writes =
            edge.block.iter().any(|cmd| matches!(cmd, Cmd::Assign(x, _) | Cmd::Havoc(x) if *x == lock));
        if !writes && goes_on {
            return Ok(true);
        }
        let mut given = vec![self.held(c, n), self.model.handle_facts(self.terms)];
        let mine = self.holds(c, lock);
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

    /// Returns true if every lock is a word that can hold a handle: `holds` requires it.
    fn locks_are_words(&mut self) -> bool {
        let templates = self.model.templates.iter().zip(self.locks);
        templates.into_iter().all(|(template, nodes)| {
            nodes.iter().flatten().all(|lock| holds(self.terms, template, *lock).is_some())
        })
    }

    /// That a lock is held by a thread of a template.
    fn holds(&mut self, template: TemplateId, lock: Symbol) -> Term {
        let held = holds(self.terms, &self.model.templates[template], lock);
        held.expect("a lock should be a word")
    }

    /// That the locks of a node are held.
    fn held(&mut self, template: TemplateId, node: TemplateNodeId) -> Term {
        let locks = &self.locks[template][node];
        let facts: Vec<Term> = locks.iter().map(|lock| self.holds(template, *lock)).collect();
        self.terms.and(&facts)
    }
}

/// That a lock is held by a thread of a template: its word is the thread's handle. `None` for a variable that is no word.
pub fn holds(terms: &mut Terms, template: &Template, lock: Symbol) -> Option<Term> {
    let (word, handle) = (terms.var_of(lock), half(terms, template.handle));
    (terms.sort(word) == terms.sort(handle)).then(|| terms.eq(word, handle))
}
