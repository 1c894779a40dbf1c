//! Makes a program smaller while it stays interesting.

use super::{Generated, Statement};

/// Maximum number of programs that are tried.
const MOST_TRIES: usize = 2_000;

/// The smallest program that is found by taking away threads and statements, and by replacing statements by their bodies,
/// such that `is_interesting` still holds. Greedy: every step is the first one that works.
pub fn shrink(program: &Generated, mut is_interesting: impl FnMut(&Generated) -> bool) -> Generated {
    let mut smallest = program.clone();
    let mut tries = 0;
    'smaller: loop {
        for candidate in candidates(&smallest) {
            tries += 1;
            if tries > MOST_TRIES {
                return smallest;
            }
            if is_interesting(&candidate) {
                smallest = candidate;
                continue 'smaller;
            }
        }
        return smallest;
    }
}

/// Programs that are one step smaller; the largest steps first.
fn candidates(program: &Generated) -> Vec<Generated> {
    let mut found: Vec<Generated> = (0..program.threads.len()).map(|n| without(program, n)).collect();
    for (n, thread) in program.threads.iter().enumerate() {
        for body in smaller(&thread.body) {
            let mut candidate = program.clone();
            candidate.threads[n].body = body;
            found.push(candidate);
        }
        if thread.result != "0" {
            let mut candidate = program.clone();
            candidate.threads[n].result = "0".to_owned();
            found.push(candidate);
        }
    }
    found.extend(smaller(&program.main).into_iter().map(|main| Generated { main, ..program.clone() }));
    found
}

/// Without a thread: its body goes, and so does whatever starts or joins it.
fn without(program: &Generated, n: usize) -> Generated {
    let mut candidate = program.clone();
    candidate.threads[n].body.clear();
    candidate.threads[n].result = "0".to_owned();
    let about = |s: &Statement| matches!(s, Statement::Create { thread, .. } | Statement::Join { thread, .. } if *thread == n);
    candidate.main.retain(|s| !about(s));
    for thread in &mut candidate.threads {
        thread.body.retain(|s| !about(s));
    }
    if n + 1 == candidate.threads.len() {
        candidate.threads.pop();
    }
    // What is as large as before is no candidate: the search would never end.
    if candidate == *program { Generated { threads: Vec::new(), main: Vec::new() } } else { candidate }
}

/// Bodies that are one step smaller.
fn smaller(body: &[Statement]) -> Vec<Vec<Statement>> {
    let replaced = |at: usize, by: &[Statement]| [&body[..at], by, &body[at + 1..]].concat();
    let mut found: Vec<_> = (0..body.len()).map(|at| replaced(at, &[])).collect();
    for (at, statement) in body.iter().enumerate() {
        match statement {
            Statement::Nested { before, bodies } => {
                found.extend(bodies.iter().map(|(inner, _)| replaced(at, inner)));
                for (which, (inner, _)) in bodies.iter().enumerate() {
                    for less in smaller(inner) {
                        let mut bodies = bodies.clone();
                        bodies[which].0 = less;
                        let nested = Statement::Nested { before: before.clone(), bodies };
                        found.push(replaced(at, &[nested]));
                    }
                }
            }
            Statement::Create { thread, twice: true, arg } => {
                let arg = if arg == "&a[i]" { "&a[0]".to_owned() } else { arg.clone() };
                found.push(replaced(at, &[Statement::Create { thread: *thread, twice: false, arg }]));
            }
            Statement::Join { thread, twice: true, result } => {
                let (thread, result) = (*thread, *result);
                found.push(replaced(at, &[Statement::Join { thread, twice: false, result }]));
            }
            Statement::Join { thread, twice, result: true } => {
                let (thread, twice) = (*thread, *twice);
                found.push(replaced(at, &[Statement::Join { thread, twice, result: false }]));
            }
            _ => {}
        }
    }
    found
}
