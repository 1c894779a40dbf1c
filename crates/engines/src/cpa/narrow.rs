//! Narrowing: what widening gave away, as far as the program's own conditions give it back.
//!
//! Widening makes a loop's bounds jump, so that the search ends; where it ends, the reached set `R` is closed under all steps, but may
//! be too large to exclude a violation. Then
//!
//! ```text
//! R ⊇ F(R) ⊇ F(F(R)) ⊇ …          F(R): the initial states and everything one step from R
//! ```
//!
//! each contain all reachable states and each is closed, too, as far as transfer is monotone. So the search *descends*
//! ([`MAX_DESCENTS`] times, for there is no reason why the chain should end) until some `R` allows no violation, after Cousot and Cousot's decreasing
//! iteration (POPL 1977). What comes to one element of the old set is joined, never mixed with what comes to another.
//!
//! | procedure | requires | ensures |
//! |---|---|---|
//! | `narrow` | the search is complete, and something was widened | true: the reached set excludes everything bad |
//! | `descend` | a closed reached set | whether it excludes everything bad, and the next one |
//!
//! Direction of error: a set that is not closed, because transfer is not quite monotone, is refused by `certify`.

use super::domain::Domain;
use super::reached::{Node, Reached};
use super::search::Search;
use base::{Idx, Inconclusive};
use rustc_hash::FxHashMap;
use semantics::transition::GlobalLocationId;
use std::sync::Arc;

/// How often the search descends.
const MAX_DESCENTS: usize = 4;
/// Larger reached sets are not narrowed.
const MAX_NODES: usize = 20_000;

/// Elements of each control that are not joined yet.
type Pool<E> = FxHashMap<GlobalLocationId, Vec<E>>;

/// Whether a reached set excludes everything bad, and the next one.
type Descent<E> = (bool, Option<Reached<E>>);

impl<D: Domain> Search<'_, '_, D> {
    /// Descends until nothing bad is possible; false if that does not come about.
    pub(super) fn narrow(&mut self) -> Result<bool, Inconclusive> {
        if self.reached.nodes.len() > MAX_NODES {
            return Ok(false);
        }
        for _ in 0..=MAX_DESCENTS {
            let (excludes, next) = self.descend()?;
            if excludes {
                return Ok(true);
            }
            let Some(next) = next else { return Ok(false) };
            self.counts.narrowings += 1;
            self.reached = next;
        }
        Ok(false)
    }

    /// Takes all steps from the reached set. The next set is missing if this one is not closed.
    fn descend(&mut self) -> Result<Descent<D::Element>, Inconclusive> {
        let mut pool: Pool<D::Element> = FxHashMap::default();
        let (top, init) = (self.domain.top(), self.init.clone());
        for element in self.transfer(&top, &init)? {
            self.pour(&mut pool, self.start, element)?;
        }
        let mut excludes = true;
        let nodes: Vec<_> = self.reached.controls().flat_map(|(_, nodes)| nodes.to_vec()).collect();
        for v in nodes {
            for (edge, elements) in self.arrivals(v)? {
                if self.is_bad(&edge) {
                    excludes &= elements.is_empty();
                } else if edge.kind == semantics::encoding::SuccessorKind::Continue {
                    for element in elements {
                        self.pour(&mut pool, edge.control, element)?;
                    }
                }
            }
        }
        Ok((excludes, self.joined(pool)?))
    }

    fn pour(
        &mut self,
        pool: &mut Pool<D::Element>,
        at: GlobalLocationId,
        mut element: D::Element,
    ) -> Result<(), Inconclusive> {
        let control = Arc::clone(self.edges.control(at));
        let (alive, names) = (&mut self.alive, self.encoder.names());
        self.domain.forget(&self.terms, &mut element, &mut |s| alive.is_alive(names, at, &control, s))?;
        pool.entry(at).or_default().push(element);
        Ok(())
    }

    /// What came to each element that was reached, in one element.
    fn joined(&mut self, pool: Pool<D::Element>) -> Result<Option<Reached<D::Element>>, Inconclusive> {
        let mut next = Reached::new(self.options.partition);
        let mut pool: Vec<_> = pool.into_iter().collect();
        pool.sort_by_key(|(control, _)| control.index());
        for (control, arrived) in pool {
            let here = self.reached.at(control).to_vec();
            let mut sums: Vec<Option<D::Element>> = here.iter().map(|_| None).collect();
            for element in arrived {
                let mut home = None;
                for (n, w) in here.iter().enumerate() {
                    if self.domain.minus(&element, &self.reached.nodes[*w].element)?.is_none() {
                        home = Some(n);
                        break;
                    }
                }
                let Some(n) = home else { return Ok(None) };
                let sum = match sums[n].take() {
                    None => Some(element),
                    Some(sum) => self.domain.join(&sum, &element),
                };
                if sum.is_none() {
                    return Ok(None);
                }
                sums[n] = sum;
            }
            for element in sums.into_iter().flatten() {
                next.add(Node { control, element, parents: Vec::new(), waiting: false }, None);
            }
        }
        Ok(Some(next))
    }
}
