//! An answer for every check: for data races, for every memory location that threads share.
//!
//! The verdict is the conjunction. Where that is `unknown` because of a few locations, the others are known all the same.

use evidence::{RaceAccess, RaceAnswer, RaceCell, RaceReason};
use program::interp::span_name;
use program::{FuncId, Program};
use semantics::analysis::{Offset, Site};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// How many open checks are shown to people.
const SHOWN: usize = 20;

/// The answers for all checks.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct Checks {
    /// The violated ones first, then the open ones, most suspicious first, then the proved ones.
    pub checks: Vec<Check>,
    /// What the proved ones take for granted.
    pub assumptions: Vec<String>,
}

/// What is known of one check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CheckVerdict {
    /// An execution violates it.
    Violated,
    /// Nothing is known.
    Open,
    /// It holds.
    Proved,
}

/// One check and its answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Check {
    /// The memory location.
    pub location: String,
    /// The answer.
    pub verdict: CheckVerdict,
    /// Why it holds.
    pub reasons: Vec<String>,
    /// The locks that protect it, where it is the same lock for all accesses that need one.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub locks: Vec<String>,
    /// If it is not proved: two accesses.
    pub accesses: Vec<CheckAccess>,
    /// The number of other pairs of accesses that are not proved apart.
    pub others: usize,
}

/// One access.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CheckAccess {
    /// File and line.
    pub place: String,
    /// The function.
    pub function: String,
    /// Whether it writes.
    pub write: bool,
    /// Whether it is atomic.
    pub atomic: bool,
    /// The start routines of the threads that make it.
    pub threads: Vec<String>,
    /// The locks held.
    pub locks: Vec<String>,
}

impl Checks {
    /// The answers about the memory locations of a program.
    pub fn of(program: &Program, answers: &BTreeMap<RaceCell, RaceAnswer>, assumptions: Vec<String>) -> Self {
        let mut checks: BTreeMap<(Site, Offset), Check> = BTreeMap::new();
        for (cell, answer) in answers {
            let check = Check::of(program, *cell, answer);
            // Accesses of different widths at one offset are about one location.
            match checks.entry((cell.site, cell.offset)) {
                Entry::Vacant(vacant) => _ = vacant.insert(check),
                Entry::Occupied(mut known) if known.get().verdict > check.verdict => _ = known.insert(check),
                Entry::Occupied(_) => {}
            }
        }
        let mut checks: Vec<Check> = checks.into_values().collect();
        checks.sort_by_key(Check::rank);
        Checks { checks, assumptions }
    }

    /// Marks the check as violated whose two accesses are at these places of the source, if there is just one.
    pub fn mark_violated(&mut self, places: &[String]) {
        let is_meant = |check: &&mut Check| {
            let met = |place: &String| check.accesses.iter().any(|access| access.place == *place);
            let named = |access: &CheckAccess| places.contains(&access.place);
            check.verdict == CheckVerdict::Open && places.iter().all(met) && check.accesses.iter().all(named)
        };
        let mut meant: Vec<&mut Check> = self.checks.iter_mut().filter(is_meant).collect();
        if let [check] = &mut meant[..] {
            check.verdict = CheckVerdict::Violated;
        }
        self.checks.sort_by_key(Check::rank);
    }

    /// The number of checks with an answer.
    pub fn count(&self, verdict: CheckVerdict) -> usize {
        self.checks.iter().filter(|check| check.verdict == verdict).count()
    }
}

impl Check {
    fn of(program: &Program, cell: RaceCell, answer: &RaceAnswer) -> Check {
        let location = location(program, cell);
        match answer {
            RaceAnswer::Proved { reasons, locks } => Check {
                location,
                verdict: CheckVerdict::Proved,
                locks: locks.iter().map(|lock| place(program, lock)).collect(),
                reasons: reasons.iter().map(|(reason, n)| format!("{} ({n})", words(*reason))).collect(),
                accesses: Vec::new(),
                others: 0,
            },
            RaceAnswer::Open(pair, others) => Check {
                location,
                verdict: CheckVerdict::Open,
                reasons: Vec::new(),
                locks: Vec::new(),
                accesses: vec![access(program, &pair.0), access(program, &pair.1)],
                others: *others,
            },
        }
    }

    /// Violated before open before proved; the fewer locks, the earlier.
    fn rank(&self) -> (CheckVerdict, usize, String) {
        let n_locked = self.accesses.iter().filter(|access| !access.locks.is_empty()).count();
        (self.verdict, n_locked, self.location.clone())
    }
}

fn words(reason: RaceReason) -> &'static str {
    match reason {
        RaceReason::ReadOnly => "no write",
        RaceReason::Atomic => "atomic",
        RaceReason::Order => "not at the same time",
        RaceReason::Owned => "owned by one thread",
        RaceReason::Lock => "a common lock",
        RaceReason::ObjectLock => "the lock of the object",
    }
}

fn access(program: &Program, access: &RaceAccess) -> CheckAccess {
    let function = &program.functions[access.func];
    let name = |func: &FuncId| program.functions[*func].name.clone();
    CheckAccess {
        place: span_name(program, function.locations[access.loc].span),
        function: function.name.clone(),
        write: access.write,
        atomic: access.atomic,
        threads: access.threads.iter().filter(|func| func.0 < n(program)).map(name).collect(),
        locks: access.locks.iter().map(|lock| place(program, lock)).collect(),
    }
}

fn place(program: &Program, (site, offset): &(Site, i64)) -> String {
    site_name(program, *site) + &at(*offset)
}

fn n(program: &Program) -> u32 {
    u32::try_from(program.functions.len()).unwrap_or(u32::MAX)
}

fn location(program: &Program, cell: RaceCell) -> String {
    let base = site_name(program, cell.site);
    match cell.offset {
        Offset::Exactly(offset) => base + &at(offset),
        Offset::Strided { start, stride } => format!("{base}[*{stride}]{}", at(start)),
        Offset::Any => base + "[*]",
    }
}

fn at(offset: i64) -> String {
    if offset == 0 { String::new() } else { format!("+{offset}") }
}

/// How a report calls the objects of a site.
fn site_name(program: &Program, site: Site) -> String {
    match site {
        Site::Static(object) => program.objects[object].name.clone(),
        Site::Frame(func, var) => {
            let function = &program.functions[func];
            format!("{}:{}", function.name, function.vars[var].name)
        }
        Site::Heap(func, loc, _) => {
            let function = &program.functions[func];
            format!("heap@{}", span_name(program, function.locations[loc].span))
        }
    }
}

/// Lines for people: the counts, and the checks that are not proved.
pub fn render(checks: &Checks) -> String {
    let (violated, open) = (checks.count(CheckVerdict::Violated), checks.count(CheckVerdict::Open));
    let proved = checks.count(CheckVerdict::Proved);
    let mut text =
        format!("{} checks: {proved} proved, {violated} violated, {open} open\n", checks.checks.len());
    let unproved = checks.checks.iter().filter(|check| check.verdict != CheckVerdict::Proved);
    for check in unproved.take(SHOWN) {
        let verdict = if check.verdict == CheckVerdict::Violated { "violated" } else { "open" };
        text += &format!("{verdict}: {}\n", check.location);
        check.accesses.iter().for_each(|access| text += &line(access));
        if check.others > 0 {
            text += &format!("    and {} other pairs\n", check.others);
        }
    }
    let n_left = (violated + open).saturating_sub(SHOWN);
    if n_left > 0 {
        text += &format!("and {n_left} more (--format json shows all)\n");
    }
    text
}

fn line(access: &CheckAccess) -> String {
    let kind = if access.write { "write" } else { "read" };
    let kind = if access.atomic { format!("atomic {kind}") } else { kind.to_owned() };
    let locks = if access.locks.is_empty() { "no lock".to_owned() } else { access.locks.join(", ") };
    let threads = access.threads.join(", ");
    format!("    {kind} at {} in {} [thread {threads}; {locks}]\n", access.place, access.function)
}
