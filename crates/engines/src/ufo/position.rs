//! Unrolled positions: locations with the iterations of the loops around them, and their order.
//!
//! The paper walks the locations along the weak topological order and keeps two maps, AH and FN, to know which iteration of which
//! loop a node belongs to. Here a node says so itself: its position lists, for every frame of every thread, the index of its location
//! at each level of the order and, for each component around it, which iteration it is in. Leaving a loop drops its number, so the nodes
//! of all iterations meet at one node behind it; entering it again starts at 0. This *is* the paper's graph.
//!
//! # Invariant
//! Every edge leads to a greater position. So increasing positions are a topological order; and the least position among those still to be
//! looked at is what the recursive iteration strategy takes next: inner loops before what follows them, the next iteration after all of
//! this one.
//!
//! | the paper | here |
//! |---|---|
//! | FN(ℓ), one future node for each location | one node for each control and position |
//! | WTONEXT(ℓ), WTOEXIT(ℓ) | the least position in the queue; a covered head adds none inside its loop |
//! | lines 45–48 of Fig. 3, erasing FN | nothing to erase: another iteration is another position |
//!
//! Threads are compared one after the other; a thread's number is greater than its creator's, so what a step adds comes later.

use super::wto::Order;
use base::IdxVec;
use base::convert::count32;
use program::interp::ThreadId;
use program::{FuncId, Program};
use semantics::encoding::GlobalLocation;
use semantics::encoding::control::Frame;

/// Where in the unrolled program a node is.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct UnrolledPosition(Vec<(ThreadId, Vec<Spot>)>);

/// One frame: its function's address, with the number of iterations after each component.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Spot(Vec<u32>);

/// Greater than all positions: the thread has ended, or (with one more) was forgotten.
const ENDED: u32 = u32::MAX;

/// The orders of all functions.
pub(super) struct Orders<'p> {
    program: &'p Program,
    orders: IdxVec<FuncId, Order>,
}

impl<'p> Orders<'p> {
    /// The orders of a program's functions.
    pub(super) fn of(program: &'p Program) -> Self {
        Self { program, orders: program.functions.iter().map(Order::of).collect() }
    }

    /// Returns true if a loop begins at the thread's location, or a call of a function that is under way already.
    pub(super) fn is_head(&self, control: &GlobalLocation, thread: ThreadId) -> bool {
        control.thread(thread).is_some_and(|t| {
            t.frames.last().is_some_and(|top| {
                let entry = self.program.functions[top.func].entry;
                let again =
                    top.loc == entry && t.frames[..t.frames.len() - 1].iter().any(|f| f.func == top.func);
                again || self.orders[top.func].is_head(top.loc)
            })
        })
    }

    /// The position of the initial control.
    pub(super) fn initial(&self, control: &GlobalLocation) -> UnrolledPosition {
        let fresh = |frames: &[Frame]| frames.iter().map(|f| self.fresh(*f)).collect();
        UnrolledPosition(control.threads.iter().map(|t| (t.id, fresh(&t.frames))).collect())
    }

    /// The position after `thread` has moved from one control to another.
    pub(super) fn next(
        &self,
        position: &UnrolledPosition,
        before: &GlobalLocation,
        thread: ThreadId,
        after: &GlobalLocation,
    ) -> UnrolledPosition {
        let mut all = Vec::with_capacity(after.threads.len());
        for (id, spots) in &position.0 {
            let moved = match (before.thread(*id), after.thread(*id)) {
                (Some(old), Some(new)) if *id == thread => self.moved(spots, &old.frames, &new.frames),
                (_, Some(_)) => spots.clone(),
                (_, None) => vec![Spot(vec![ENDED, 0])],
            };
            all.push((*id, moved));
        }
        for t in after.threads.iter().filter(|t| before.thread(t.id).is_none()) {
            all.push((t.id, t.frames.iter().map(|f| self.fresh(*f)).collect()));
        }
        all.sort_by_key(|(id, _)| *id);
        UnrolledPosition(all)
    }

    /// Most iterations of a loop, and most calls of one function under way.
    pub(super) fn depth(&self, position: &UnrolledPosition, control: &GlobalLocation) -> u32 {
        let iterations = |spot: &Spot| spot.0.iter().skip(1).step_by(2).copied().max().unwrap_or(0);
        let of_loops =
            position.0.iter().flat_map(|(_, spots)| spots).filter(|s| s.0[0] != ENDED).map(iterations);
        let calls = |t: &semantics::encoding::control::Thread| {
            let count = |f: &Frame| count32(t.frames.iter().filter(|g| g.func == f.func).count()) - 1;
            t.frames.iter().map(count).max().unwrap_or(0)
        };
        of_loops.chain(control.threads.iter().map(|t| calls(t))).max().unwrap_or(0)
    }

    /// Returns true if some thread is in a loop.
    pub(super) fn in_loop(&self, position: &UnrolledPosition) -> bool {
        position.0.iter().flat_map(|(_, spots)| spots).any(|s| s.0[0] != ENDED && s.0.len() > 1)
    }

    fn moved(&self, spots: &[Spot], old: &[Frame], new: &[Frame]) -> Vec<Spot> {
        if new.is_empty() {
            return vec![Spot(vec![ENDED])];
        }
        // The innermost frame that both have and that moved. If none differs, the thread went around a loop to where it was, perhaps out of
        // a call from there.
        let same = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let at = if same == new.len() { same - 1 } else { same };
        let mut moved: Vec<Spot> = spots[..at].to_vec();
        for (n, frame) in new.iter().enumerate().skip(at) {
            let from = old.get(n).filter(|f| n == at && f.func == frame.func);
            moved.push(match from {
                Some(from) => self.advance(&spots[n], *from, *frame),
                None => self.fresh(*frame),
            });
        }
        moved
    }

    fn fresh(&self, at: Frame) -> Spot {
        let address = self.orders[at.func].address(at.loc);
        Spot(spread(address, |_| 0))
    }

    /// A step within a function: loops around both ends go on, with their next iteration if it leads to their head.
    fn advance(&self, spot: &Spot, from: Frame, to: Frame) -> Spot {
        let order = &self.orders[to.func];
        let (old, new) = (order.address(from.loc), order.address(to.loc));
        let shared = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        let n_around = shared.min(old.len() - 1).min(new.len() - 1);
        let iterations = order.is_head(to.loc) && n_around == new.len() - 1;
        Spot(spread(new, |level| match level < n_around {
            true => spot.0[2 * level + 1] + u32::from(iterations && level + 1 == n_around),
            false => 0,
        }))
    }
}

/// An address with a number after each component.
fn spread(address: &[u32], iterations: impl Fn(usize) -> u32) -> Vec<u32> {
    let last = address.len() - 1;
    let levels = address[..last].iter().enumerate().flat_map(|(n, &index)| [index, iterations(n)]);
    levels.chain([address[last]]).collect()
}
