//! Strongly connected components, by Tarjan's algorithm without recursion (Tarjan, *Depth-first search and linear graph algorithms*, 1972).

/// The strongly connected components of the graph on `0..n_nodes` that have an edge inside: those with a cycle. Each
/// is sorted; they come in reverse topological order. `successors` lists the targets of a node's edges; others than those of a node
/// below `n_nodes` should not occur.
pub fn cyclic_components(n_nodes: usize, successors: impl Fn(usize) -> Vec<usize>) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let mut number = vec![UNSEEN; n_nodes];
    let mut low = vec![0; n_nodes];
    let mut on_stack = vec![false; n_nodes];
    let (mut stack, mut next, mut found) = (Vec::new(), 0, Vec::new());
    for root in 0..n_nodes {
        if number[root] != UNSEEN {
            continue;
        }
        let mut calls = vec![(root, successors(root), 0)];
        while let Some((v, targets, at)) = calls.last_mut() {
            let v = *v;
            if *at == 0 {
                (number[v], low[v]) = (next, next);
                next += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(&w) = targets.get(*at) {
                *at += 1;
                if number[w] == UNSEEN {
                    calls.push((w, successors(w), 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(number[w]);
                }
                continue;
            }
            let goes_round = targets.contains(&v);
            calls.pop();
            if let Some((parent, ..)) = calls.last() {
                low[*parent] = low[*parent].min(low[v]);
            }
            if low[v] == number[v] {
                let start = stack.iter().rposition(|w| *w == v).expect("a root should be on the stack");
                let mut component = stack.split_off(start);
                component.iter().for_each(|w| on_stack[*w] = false);
                if component.len() > 1 || goes_round {
                    component.sort_unstable();
                    found.push(component);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn components_are_those_of_mutual_reachability() {
        let mut random = Random(7);
        for _ in 0..2000 {
            let n = 1 + random.below(7) as usize;
            let edges: Vec<Vec<usize>> = (0..n)
                .map(|_| (0..random.below(3)).map(|_| random.below(n as u64) as usize).collect())
                .collect();
            let mut reaches = vec![vec![false; n]; n];
            for (v, targets) in edges.iter().enumerate() {
                targets.iter().for_each(|w| reaches[v][*w] = true);
            }
            for k in 0..n {
                for i in 0..n {
                    for j in 0..n {
                        reaches[i][j] |= reaches[i][k] && reaches[k][j];
                    }
                }
            }
            let mut expected: Vec<Vec<usize>> = (0..n)
                .filter(|v| reaches[*v][*v])
                .map(|v| (0..n).filter(|w| reaches[v][*w] && reaches[*w][v]).collect())
                .collect();
            expected.sort();
            expected.dedup();
            let mut found = cyclic_components(n, |v| edges[v].clone());
            found.sort();
            assert_eq!(found, expected, "{edges:?}");
        }
    }
}
