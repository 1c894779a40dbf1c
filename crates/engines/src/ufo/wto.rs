//! Weak topological orders of the locations of a function (Bourdoncle, FMPA 1993), and what they number.
//!
//! A weak topological order nests the locations in *components*, each with a *head*, such that every cycle passes the head of the
//! innermost component that contains it: `1 (2 3 (4 5) 6) 7`. It exists for every graph, reducible or not; an irreducible loop is
//! simply entered elsewhere than at its head.
//!
//! | the paper | here |
//! |---|---|
//! | a component and its head | an [`Order::address`] with one more entry; the head's position in it is 0 |
//! | ω(ℓ), the heads around ℓ | the prefixes of ℓ's address |
//! | WTONEXT, WTOEXIT | the order of [`super::position::UnrolledPosition`]s, which unrolls this one |
//!
//! # Invariant
//! For an edge `u → v`: at the first entry where their addresses differ `u`'s is smaller, or `v` is the head of a component
//! around `u`.

use base::Idx;
use base::convert::count32;
use program::{Function, LocId};

/// The order of one function's locations.
pub(super) struct Order {
    /// For each location its position at each level, outermost first: of the components around it, then its own.
    addresses: Vec<Vec<u32>>,
    heads: Vec<bool>,
}

impl Order {
    /// The order of a function.
    pub(super) fn of(function: &Function) -> Self {
        let n = function.locations.len();
        let kids: Vec<Vec<usize>> =
            function.locations.iter().map(|l| l.action.successors().map(Idx::index).collect()).collect();
        let mut order = Self { addresses: vec![Vec::new(); n], heads: vec![false; n] };
        // A component under construction: its members, where its search starts, and its address.
        let mut open: Vec<(Vec<bool>, usize, Vec<u32>)> =
            vec![(vec![true; n], function.entry.index(), Vec::new())];
        while let Some((members, start, prefix)) = open.pop() {
            let position = |n: usize| prefix.iter().copied().chain([count32(n)]).collect::<Vec<u32>>();
            // The head of a component (not of the whole function) comes first and is taken out of the search.
            let head = (!prefix.is_empty()).then_some(start);
            let mut inside = members;
            if let Some(head) = head {
                order.addresses[head] = position(0);
                order.heads[head] = true;
                inside[head] = false;
            }
            let starts: Vec<usize> = match head {
                Some(head) => kids[head].clone(),
                None => vec![start],
            };
            for (at, part) in components(&kids, &inside, &starts).into_iter().enumerate() {
                let address = position(at + 1);
                let first = part[0];
                let is_loop = part.len() > 1 || kids[first].contains(&first);
                if is_loop {
                    let mut members = vec![false; n];
                    part.iter().for_each(|&l| members[l] = true);
                    open.push((members, first, address));
                } else {
                    order.addresses[first] = address;
                }
            }
        }
        order
    }

    /// The positions of a location at all levels.
    pub(super) fn address(&self, loc: LocId) -> &[u32] {
        &self.addresses[loc.index()]
    }

    /// Returns true if a component begins there.
    pub(super) fn is_head(&self, loc: LocId) -> bool {
        self.heads[loc.index()]
    }
}

/// The strongly connected components among `inside` that can be reached from `starts`, in topological order; the first member of
/// each is the one that the search entered first.
fn components(kids: &[Vec<usize>], inside: &[bool], starts: &[usize]) -> Vec<Vec<usize>> {
    const NEW: usize = usize::MAX;
    let n = kids.len();
    let (mut number, mut low) = (vec![NEW; n], vec![NEW; n]);
    let mut on_stack = vec![false; n];
    let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    for &start in starts {
        if !inside[start] || number[start] != NEW {
            continue;
        }
        let mut calls = vec![(start, 0usize)];
        while let Some((at, next)) = calls.pop() {
            if next == 0 {
                number[at] = count;
                low[at] = count;
                count += 1;
                stack.push(at);
                on_stack[at] = true;
            }
            match kids[at].get(next) {
                Some(&kid) => {
                    calls.push((at, next + 1));
                    if inside[kid] && number[kid] == NEW {
                        calls.push((kid, 0));
                    } else if inside[kid] && on_stack[kid] {
                        low[at] = low[at].min(number[kid]);
                    }
                }
                None => {
                    if let Some(&(parent, _)) = calls.last() {
                        low[parent] = low[parent].min(low[at]);
                    }
                    if low[at] == number[at] {
                        let from =
                            stack.iter().rposition(|&l| l == at).expect("a root should be on the stack");
                        let part = stack.split_off(from);
                        part.iter().for_each(|&l| on_stack[l] = false);
                        found.push(part);
                    }
                }
            }
        }
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use program::Program;

    fn order(body: &str) -> (Program, Order) {
        let text = format!("program lp64 function main() -> 32 {{ reg x: 32 {body} return 0 }}");
        let program = program::text::parse(&text).unwrap_or_else(|e| panic!("{e:?} in {text}"));
        let order = Order::of(&program.functions[program.entry]);
        (program, order)
    }

    fn check(body: &str, n_heads: usize) {
        let (program, order) = order(body);
        let function = &program.functions[program.entry];
        let mut heads = 0;
        for (from, location) in function.locations.iter_enumerated() {
            let u = order.address(from);
            heads += usize::from(order.is_head(from));
            for to in location.action.successors() {
                let v = order.address(to);
                assert!(!u.is_empty() && !v.is_empty(), "{body}");
                let around = order.is_head(to) && u.starts_with(&v[..v.len() - 1]);
                let differ = u.iter().zip(v).find(|(a, b)| a != b);
                assert!(around || differ.is_some_and(|(a, b)| a < b), "{body}: {u:?} to {v:?}");
            }
        }
        assert_eq!(heads, n_heads, "{body}");
    }

    #[test]
    fn edges_go_forwards_or_to_heads() {
        check("x = 1 x = 2", 0);
        check("x = 0 h: x = x + 1 if x <s 5 then h else out out: skip", 1);
        check(
            "o: x = 0 i: x = x + 1 if x <s 5 then i else next next: if x <s 7 then o else out out: skip",
            2,
        );
        // Irreducible: entered in the middle.
        check("if x == 0 then a else b a: x = 1 -> b b: x = 2 if x <s 9 then a else out out: skip", 1);
        check("h: skip -> h", 1);
        // Two loops one after the other, the second with two entries and a head that can also follow itself.
        check(
            "h: x = x + 1 if x <s 5 then h else k k: if x <s 3 then a else b
             a: if x <s 2 then a else b b: x = 3 if x == 4 then a else out out: skip",
            2,
        );
    }
}
