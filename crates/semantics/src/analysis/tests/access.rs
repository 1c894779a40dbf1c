//! Points-to sets, sharing, layouts and visibility against all reachable states of random programs.

use super::brute::{explore, location, site, successors, threads, touched};
use super::*;
use program::interp::{Interp, Limits, ThreadId};
use std::collections::{BTreeMap, HashSet};

const MAX_STATES: usize = 150;
const N_PROGRAMS: u64 = 800;

fn limits() -> Limits {
    Limits { frames: 10, threads: 40, allocation: 64 }
}

#[test]
fn what_happens_was_foreseen() {
    for seed in 0..N_PROGRAMS {
        let text = random::program(seed);
        let program = parse(&text);
        let analysis = Analysis::of(&program);
        let interp = Interp::with_limits(&program, limits()).unwrap();
        let mut accessors: BTreeMap<String, (Site, HashSet<ThreadId>, bool)> = BTreeMap::new();
        explore(&interp, MAX_STATES, |state| {
            for thread in threads(state) {
                let (func, loc) = location(state, thread).unwrap();
                let action = &program.functions[func].locations[loc].action;
                let footprints = footprint::footprints(&program.functions[func], action);
                let targets: Vec<_> =
                    footprints.iter().map(|f| (f.kind, analysis.points_to.targets(func, &f.addr))).collect();
                for step in successors(&interp, state, thread) {
                    for touched in touched(&step.events) {
                        let site = site(touched.object);
                        let kind =
                            if touched.writes { footprint::Kind::Write } else { footprint::Kind::Read };
                        let named =
                            |(of, at): &(Site, Offset)| *of == site && at.contains(touched.offset as i64);
                        let foreseen = targets
                            .iter()
                            .any(|(k, t)| *k == kind && (t.unknown || t.places.iter().any(named)));
                        assert!(foreseen, "seed {seed}: {site:?}+{} at {func} {loc}\n{text}", touched.offset);
                        let foreign = touched.object.owner().is_some_and(|owner| owner != thread);
                        assert!(!foreign || analysis.threads.escapes(site), "seed {seed}: {site:?}\n{text}");
                        let entry = accessors.entry(format!("{:?}", touched.object));
                        let entry = entry.or_insert_with(|| (site, HashSet::new(), false));
                        entry.1.insert(thread);
                        entry.2 |= touched.writes;
                        if touched.word {
                            let fits = fits(analysis.layout.site(site), touched.offset, touched.bytes);
                            assert!(
                                fits,
                                "seed {seed}: {site:?}+{}:{}\n{text}",
                                touched.offset, touched.bytes
                            );
                        }
                    }
                }
            }
        });
        for (name, (site, by, written)) in accessors {
            let several = by.len() > 1;
            assert!(!several || analysis.threads.is_shared(site), "seed {seed}: {name}\n{text}");
            assert!(
                !several || !written || analysis.threads.is_contended(site),
                "seed {seed}: {name}\n{text}"
            );
        }
    }
}

/// Returns true if an access meets a cell of a layout.
fn fits(layout: &SitePartition, offset: u64, bytes: u64) -> bool {
    let in_scalars =
        |scalars: &[ScalarCell]| scalars.iter().any(|s| s.offset == offset && s.width.bytes() == bytes);
    match layout {
        SitePartition::Bytes => true,
        SitePartition::Scalars(scalars) => in_scalars(scalars),
        SitePartition::Rows { rows, scalars, guarded } => {
            let in_row = |row: &ArrayRegion| {
                let index = offset.checked_sub(row.start).filter(|at| at.is_multiple_of(row.stride));
                let index = index.map(|at| at / row.stride);
                row.width.bytes() == bytes && index.is_some_and(|n| row.count.is_none_or(|count| n < count))
            };
            *guarded || in_scalars(scalars) || rows.iter().any(in_row)
        }
    }
}

#[test]
fn visibility() {
    let text = "
        object x: 4 object y: 4
        function main() -> 32 { reg t: 64 reg r: 32 memory l: 4
            t = create(&w, 0)
            [&x]:32 = 1
            [&y]:32 = 1
            [&l]:32 = 1
            r = r + 1
            if r == 0 then e else n
            n: atomic_begin
            assume r == 0
            guard r == 0
            call f()
            e: return 0 }
        function f() { return }
        function w(i: 64) -> 64 { reg r: 32
            r = [&x]:32
            return 0 }";
    let program = parse(text);
    let analysis = Analysis::of(&program);
    let main = func(&program, "main");
    let locations = program.functions[main].locations.ids();
    let visible: Vec<bool> = locations.map(|loc| analysis.is_visible(main, loc)).collect();
    let expect = [true, true, false, false, false, false, true, true, true, false, true];
    assert_eq!(visible, expect);
}
