//! The encoder's outcomes and the interpreter's steps, side by side: random programs, random schedules, random inputs.
//!
//! A state of the encoder is a control and a value for each state variable. A step of a thread executes the blocks of all its
//! outcomes on these values; what the encoder leaves open (a havoc) is chosen at random. The interpreter takes the same step, and asks for
//! what is indeterminate: the answer is what the encoder's variables say. Then
//!
//! | interpreter | enabled outcomes |
//! |---|---|
//! | goes on | exactly one; it leads to the same control, the same registers and the same bytes |
//! | blocks, or fails an assumption | none |
//! | ends, violates a property | exactly one, of that kind |
//! | is undefined | any (SOUNDNESS: A20) |
//!
//! except that an outcome that is [`SuccessorKind::Unsupported`] ends the comparison. That these do not become too many is
//! a test of precision at the end.
//!
//! `testkit::settings` says how to ask for more programs. A failure prints the program, shrunk.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

use base::Random;
use logic::path::{Cmd, show_block};
use logic::{ArrayValue, Model, Sort, Symbol, Terms, Value};
use program::interp::{Choice, Chooser, Identity, NoObserver, Place, State, Status, StepResult, ThreadId};
use program::passes::Overflow;
use program::{DataModel, Expr, Op, Program, VarKind, Width};
use semantics::analysis::{MemoryPartition, PointsTo, SitePartition};
use semantics::encoding::objects::site_of;
use semantics::encoding::{Encoder, GlobalLocation, Name, Names, Successor, SuccessorKind};
use std::collections::BTreeMap;
use std::rc::Rc;

/// How a run ended, for the statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Over,
    Undefined,
    Unsupported,
}

/// What is left open in one step.
struct Open {
    seed: u64,
}

impl Open {
    /// The value of the `n`-th havoc of a variable in this step.
    fn value(&self, terms: &Terms, symbol: Symbol, n: u64) -> Value {
        let mut r = Random(self.seed ^ u64::from(symbol.0) << 20 ^ n << 50);
        r.number();
        match terms.sort(terms.var_of(symbol)) {
            Sort::Bool => Value::Bool(r.one_in(2)),
            Sort::Bits(width) => Value::Bits(Width(width).truncate(number(&mut r))),
            Sort::Array { element, .. } => {
                let default = Width(element).truncate(number(&mut r));
                let mut array = ArrayValue { default, entries: BTreeMap::new() };
                (0..64).for_each(|at| array.set(at, Width(element).truncate(number(&mut r))));
                Value::Array(Rc::new(array))
            }
        }
    }
}

/// Small numbers more often than others.
fn number(r: &mut Random) -> u128 {
    match r.below(5) {
        0..=1 => r.below(4) as u128,
        2 => (1 + r.below(3) as u128).wrapping_neg(),
        3 => r.below(256) as u128,
        // As the size of an allocation this is more than the interpreter's limit: less would take minutes to compare.
        _ => u128::from(r.number()) << 64 | u128::from(r.number()) | 1 << 62 | 1 << 30,
    }
}

/// Executes a block; `None` if an assumption fails.
fn execute(terms: &Terms, open: &Open, block: &[Cmd], before: &Model) -> Option<Model> {
    let mut model = before.clone();
    let mut n_havocs: BTreeMap<Symbol, u64> = BTreeMap::new();
    for cmd in block {
        match *cmd {
            Cmd::Assume(guard) => {
                if !terms.eval(guard, &model).truth() {
                    return None;
                }
            }
            Cmd::Assign(x, value) => model.set(x, terms.eval(value, &model)),
            Cmd::Havoc(x) => {
                let n = n_havocs.entry(x).or_insert(0);
                *n += 1;
                model.set(x, open.value(terms, x, *n));
            }
        }
    }
    Some(model)
}

/// One byte of an object, as the encoder's variables have it; `None` if no variable holds it.
fn byte(layout: &MemoryPartition, names: &Names, model: &Model, object: Identity, at: u64) -> Option<u8> {
    let (name, offset) = holder(layout, object, at)?;
    let bits = match (name, names.known(name).and_then(|symbol| model.get(symbol))) {
        (_, None) => 0,
        (Name::Elements { .. }, Some(value)) => value.array().get(u128::from(offset)),
        (_, Some(value)) => value.bits(),
    };
    Some((bits >> (8 * (at - offset))) as u8)
}

/// The variable that holds a byte, and where its word begins.
fn holder(layout: &MemoryPartition, object: Identity, at: u64) -> Option<(Name, u64)> {
    let cell = |scalars: &[semantics::analysis::ScalarCell]| {
        let found = scalars.iter().find(|s| s.offset <= at && at < s.offset + s.width.bytes())?;
        Some((Name::Cell { object, offset: found.offset, width: found.width }, found.offset))
    };
    match layout.site(site_of(object)) {
        SitePartition::Scalars(scalars) => cell(scalars),
        SitePartition::Bytes => Some((Name::Elements { object, start: 0, width: Width::BYTE }, at)),
        SitePartition::Rows { rows, scalars, .. } => cell(scalars).or_else(|| {
            rows.iter().find_map(|row| {
                let distance = at.checked_sub(row.start)?;
                let (n, within) = (distance / row.stride, distance % row.stride);
                let inside = row.count.is_none_or(|count| n < count) && within < row.width.bytes();
                let name = Name::Elements { object, start: row.start, width: row.width };
                inside.then_some((name, row.start + n * row.stride))
            })
        }),
    }
}

/// Answers the interpreter with what the encoder's variables say.
struct Answers<'a> {
    terms: &'a Terms,
    layout: &'a MemoryPartition,
    names: &'a Names,
    open: &'a Open,
    before: &'a Model,
    outcomes: &'a [Successor],
    thread: ThreadId,
    depth: u32,
    /// The state before the step, for which bytes of a word are indeterminate.
    bytes: &'a dyn Fn(Identity) -> Option<Vec<Option<u8>>>,
    n_inputs: BTreeMap<Symbol, u64>,
}

impl Answers<'_> {
    /// The last value that the step itself gives to a variable, or else the one from before.
    fn current(&self, symbol: Symbol) -> Value {
        let n_havocs =
            |o: &Successor| o.block.iter().filter(|cmd| **cmd == Cmd::Havoc(symbol)).count() as u64;
        let before = || {
            let zero = Value::zero(self.terms.sort(self.terms.var_of(symbol)));
            self.before.get(symbol).cloned().unwrap_or(zero)
        };
        match self.outcomes.iter().map(n_havocs).max() {
            None | Some(0) => before(),
            Some(n) => self.open.value(self.terms, symbol, n),
        }
    }

    fn memory(&self, object: Identity, offset: u64, width: Width) -> u128 {
        let known = (self.bytes)(object).unwrap_or_default();
        let is_hole = |at: &u64| known.get(*at as usize).is_none_or(Option::is_none);
        let holes = (offset..).filter(is_hole).take(width.bytes() as usize);
        let mut value = 0u128;
        for (n, at) in holes.enumerate() {
            let Some((name, start)) = holder(self.layout, object, at) else { continue };
            let Some(symbol) = self.names.known(name) else { continue };
            let bits = match self.current(symbol) {
                Value::Array(array) => array.get(u128::from(start)),
                other => other.bits(),
            };
            value |= (bits >> (8 * (at - start)) & 0xff) << (8 * n);
        }
        value
    }
}

impl Chooser for Answers<'_> {
    fn choose(&mut self, width: Width, what: &Choice) -> Option<u128> {
        let (thread, depth) = (self.thread, self.depth);
        let register = |func, var| self.names.known(Name::Register { thread, depth, func, var });
        Some(match *what {
            Choice::Input(Place::Register { func, var }) => {
                let symbol = register(func, var)?;
                let n = self.n_inputs.entry(symbol).or_insert(0);
                *n += 1;
                bits(&self.open.value(self.terms, symbol, *n))
            }
            Choice::Indeterminate(Place::Register { func, var }) => {
                register(func, var).map_or(0, |symbol| bits(&self.current(symbol)))
            }
            Choice::Indeterminate(Place::Memory { object, offset }) => self.memory(object, offset, width),
            Choice::Input(Place::Memory { .. }) => unreachable!("inputs should be registers"),
            Choice::Waiter { .. } | Choice::Leave { .. } => 0,
        })
    }
}

fn bits(value: &Value) -> u128 {
    if let Value::Bool(truth) = value { u128::from(*truth) } else { value.bits() }
}

struct Lockstep<'p> {
    program: &'p Program,
    encoder: Encoder<'p>,
    layout: MemoryPartition,
    terms: Terms,
    control: GlobalLocation,
    model: Model,
    state: State,
    r: Random,
    /// Steps in which both went on and agreed.
    n_agreed: usize,
}

impl<'p> Lockstep<'p> {
    fn new(program: &'p Program, seed: u64) -> Self {
        let mut encoder = Encoder::new(&semantics::Analysis::of(program)).unwrap();
        let layout = MemoryPartition::of(program, &PointsTo::of(program));
        let mut terms = Terms::new();
        let (control, init) = encoder.initial(&mut terms).unwrap();
        let mut r = Random(seed);
        let open = Open { seed: r.number() };
        let model = execute(&terms, &open, &init, &Model::default()).unwrap();
        let state = encoder.interp().initial();
        Self { program, encoder, layout, terms, control, model, state, r, n_agreed: 0 }
    }

    /// A run along a random schedule; what went wrong, if anything.
    fn run(&mut self, most: usize) -> Result<End, String> {
        self.compare()?;
        let mut in_vain = 0;
        for _ in 0..most {
            let alive = self.state.threads().filter(|(_, t)| !t.is_finished()).map(|(id, _)| id);
            let owner = self.state.atomic_owner();
            let able: Vec<ThreadId> = alive.filter(|id| owner.is_none_or(|o| o == *id)).collect();
            if able.is_empty() || in_vain > 10 {
                break;
            }
            let thread = self.r.pick(&able);
            match self.step(thread)? {
                Some(StepResult::Continue) => in_vain = 0,
                Some(StepResult::Blocked) => in_vain += 1,
                Some(StepResult::Undefined(_)) => return Ok(End::Undefined),
                Some(_) => return Ok(End::Over),
                None => return Ok(End::Unsupported),
            }
        }
        Ok(End::Over)
    }

    /// One step of both; `None` if the encoder has no model of it.
    fn step(&mut self, thread: ThreadId) -> Result<Option<StepResult>, String> {
        let outcomes = self.encoder.successors(&mut self.terms, &self.control, thread);
        let open = Open { seed: self.r.number() };
        let mut enabled = Vec::new();
        for outcome in &outcomes {
            if let Some(model) = execute(&self.terms, &open, &outcome.block, &self.model) {
                enabled.push((outcome, model));
            }
        }
        let result = self.interpret(thread, &open, &outcomes);
        if let StepResult::Undefined(_) | StepResult::Unsupported(_) | StepResult::Bound(_) = result {
            return Ok(Some(result));
        }
        if enabled
            .iter()
            .any(|(o, _)| matches!(o.kind, SuccessorKind::Unsupported(_) | SuccessorKind::Bound(_)))
        {
            let alone = enabled.len() == 1;
            return if alone { Ok(None) } else { Err(self.told(thread, &result, &outcomes, &enabled)) };
        }
        let fits = match (&result, &enabled[..]) {
            (StepResult::Pruned | StepResult::Blocked, []) => return Ok(Some(result)),
            (StepResult::Continue, [(o, _)]) => o.kind == SuccessorKind::Continue,
            // The encoder leaves it to the global location that no thread is left.
            (StepResult::Ended, [(o, _)]) => {
                o.kind == SuccessorKind::Ended
                    || o.kind == SuccessorKind::Continue && o.control.movable().next().is_none()
            }
            (StepResult::Violation { property, .. }, [(o, _)]) => {
                matches!(&o.kind, SuccessorKind::Violation(p, _) if p == property)
            }
            _ => false,
        };
        if !fits {
            return Err(self.told(thread, &result, &outcomes, &enabled));
        }
        if result == StepResult::Continue {
            let (outcome, model) = enabled.pop().unwrap();
            self.model = model;
            self.control = outcome.control.clone();
            self.compare().map_err(|e| format!("{e}\nafter {}", show_block(&self.terms, &outcome.block)))?;
            self.n_agreed += 1;
        }
        Ok(Some(result))
    }

    fn interpret(&mut self, thread: ThreadId, open: &Open, outcomes: &[Successor]) -> StepResult {
        let interp = self.encoder.interp();
        let mut after = self.state.clone();
        let before = &self.state;
        let bytes = |object| interp.bytes(before, object);
        let mut answers = Answers {
            terms: &self.terms,
            layout: &self.layout,
            names: self.encoder.names(),
            open,
            before: &self.model,
            outcomes,
            thread,
            depth: before.thread(thread).map_or(0, |t| t.frames().len() as u32 - 1),
            bytes: &bytes,
            n_inputs: BTreeMap::new(),
        };
        let result = interp.step(&mut after, thread, &mut answers, &mut NoObserver);
        self.state = after;
        result
    }

    fn told(
        &self,
        thread: ThreadId,
        result: &StepResult,
        outcomes: &[Successor],
        enabled: &[(&Successor, Model)],
    ) -> String {
        let at = self.control.thread(thread).unwrap().top();
        let action = &self.program.functions[at.func].locations[at.loc].action;
        let shown = |o: &Successor| format!("  {:?}: {}\n", o.kind, show_block(&self.terms, &o.block));
        let blocks: String = outcomes.iter().map(shown).collect();
        let kinds: Vec<&SuccessorKind> = enabled.iter().map(|(o, _)| &o.kind).collect();
        format!("{thread} gives {result:?}, enabled are {kinds:?} at\n{action:?}\nof\n{blocks}")
    }

    /// Whether both are in the same state.
    fn compare(&self) -> Result<(), String> {
        self.compare_control()?;
        self.compare_registers()?;
        self.compare_memory()
    }

    fn compare_control(&self) -> Result<(), String> {
        let theirs: Vec<_> = self
            .state
            .threads()
            .map(|(id, t)| (id, t.is_detached(), t.frames().map(|f| (f.func(), f.loc())).collect::<Vec<_>>()))
            .collect();
        let threads = self.control.threads.iter();
        let ours: Vec<_> = threads
            .map(|t| (t.id, t.detached, t.frames.iter().map(|f| (f.func, f.loc)).collect::<Vec<_>>()))
            .collect();
        let same = ours == theirs && self.control.atomic.map(|(o, _)| o) == self.state.atomic_owner();
        if same { Ok(()) } else { Err(format!("control {} is not {theirs:?}", self.control)) }
    }

    fn compare_registers(&self) -> Result<(), String> {
        for (thread, running) in self.state.threads() {
            if let Status::Finished(Some(result)) = running.status() {
                self.compare_value(Name::Result(thread), result)?;
            }
            for (depth, frame) in (0..).zip(running.frames()) {
                let (func, vars) = (frame.func(), &self.program.functions[frame.func()].vars);
                for (var, declared) in vars.iter_enumerated() {
                    if let (VarKind::Register(_), Some(value)) = (declared.kind, frame.register(var)) {
                        self.compare_value(Name::Register { thread, depth, func, var }, value)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn compare_value(&self, name: Name, expected: u128) -> Result<(), String> {
        let found = self.encoder.names().known(name).and_then(|symbol| self.model.get(symbol)).map(bits);
        // Formulas do not follow that a pointer to a variable of an earlier call dangles (SOUNDNESS: A4).
        if found == Some(expected) || expected == u128::from(self.encoder.interp().dangling()) {
            Ok(())
        } else {
            let what = match name {
                Name::Register { func, var, .. } => self.program.functions[func].vars[var].name.clone(),
                other => format!("{other:?}"),
            };
            Err(format!("{what} is {found:?} and should be {expected}"))
        }
    }

    fn compare_memory(&self) -> Result<(), String> {
        let interp = self.encoder.interp();
        for object in interp.objects(&self.state) {
            let mut bytes = interp.bytes(&self.state, object).unwrap_or_default();
            for word in bytes.chunks_mut(8).filter(|word| **word == interp.dangling().to_le_bytes().map(Some))
            {
                word.fill(None);
            }
            for (at, expected) in (0..).zip(bytes).filter_map(|(at, byte)| Some((at, byte?))) {
                let found = byte(&self.layout, self.encoder.names(), &self.model, object, at);
                if found.is_some_and(|found| found != expected) {
                    let name = interp.object_name(object);
                    let layout = self.layout.site(site_of(object));
                    return Err(format!(
                        "byte {at} of {name} ({object:?}) is {found:?} and should be {expected}; {layout:?}"
                    ));
                }
            }
        }
        Ok(())
    }
}

#[derive(Default, Debug)]
struct Tally {
    agreed: usize,
    over: usize,
    undefined: usize,
    unsupported: usize,
}

fn load(text: &str, data_model: DataModel) -> Result<Program, String> {
    let options = frontend::Options { data_model, ..frontend::Options::default() };
    let loaded = frontend::load_text("random.i", text, &options);
    let program = loaded.program.ok_or_else(|| format!("{:?}", loaded.diagnostics))?;
    Ok(with_moving_blocks(program.with(Overflow::Wraps)))
}

/// Every `realloc` moves its block: one that may stay has no model in formulas.
fn with_moving_blocks(mut program: Program) -> Program {
    for location in program.functions.iter_mut().flat_map(|function| function.locations.iter_mut()) {
        for op in location.action.ops_mut() {
            if let Op::Realloc { stays, .. } = op {
                *stays = Expr::truth(false);
            }
        }
    }
    program
}

/// Three runs of a program; what went wrong, if anything.
fn runs(text: &str, data_model: DataModel, seed: u64, tally: &mut Tally) -> Result<(), String> {
    let Ok(program) = load(text, data_model) else { return Ok(()) };
    runs_of(&program, seed, 3, tally)
}

fn runs_of(program: &Program, seed: u64, n_runs: u64, tally: &mut Tally) -> Result<(), String> {
    for run in 0..n_runs {
        let mut lockstep = Lockstep::new(program, seed.wrapping_mul(n_runs) + run);
        let end = lockstep.run(300);
        tally.agreed += lockstep.n_agreed;
        match end? {
            End::Over => tally.over += 1,
            End::Undefined => tally.undefined += 1,
            End::Unsupported => tally.unsupported += 1,
        }
    }
    Ok(())
}

/// The same program without lines that it fails without, too.
fn shrink(text: &str, data_model: DataModel, seed: u64) -> String {
    let fails = |lines: &[&str]| {
        let text = lines.join("\n");
        (0..5).any(|more| runs(&text, data_model, seed + more * 1000, &mut Tally::default()).is_err())
    };
    let mut lines: Vec<&str> = text.lines().collect();
    let mut size = lines.len() / 2;
    while size > 0 {
        let mut at = 0;
        while at < lines.len() {
            let mut fewer = lines.clone();
            fewer.drain(at..(at + size).min(lines.len()));
            if fails(&fewer) { lines = fewer } else { at += size }
        }
        size /= 2;
    }
    lines.join("\n")
}

fn check(text: &str, data_model: DataModel, seed: u64, tally: &mut Tally) {
    let outcome =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runs(text, data_model, seed, tally)));
    match outcome {
        Ok(Ok(())) => {}
        Ok(Err(what)) => {
            let shrunk = shrink(text, data_model, seed);
            panic!("seed {seed} ({data_model:?}): {what}\nin\n{shrunk}\n");
        }
        Err(_) => panic!("seed {seed} ({data_model:?}): a panic in\n{text}"),
    }
}

/// The annotated programs of the repository, among them those that once got a wrong verdict.
#[test]
fn kept_programs_mean_the_same_to_both() {
    let files = testkit::corpus::programs();
    let mut tally = Tally::default();
    for file in &files {
        let path = &file.path;
        let loaded = frontend::load(std::slice::from_ref(path), &frontend::Options::default());
        let program =
            loaded.program.unwrap_or_else(|| panic!("{}: {:?}", path.display(), loaded.diagnostics));
        if let Err(what) = runs_of(&with_moving_blocks(program.with(Overflow::Wraps)), 1, 2, &mut tally) {
            panic!("{}: {what}", path.display());
        }
    }
    assert!(tally.agreed > 20 * files.len(), "{tally:?} for {} programs tests too little", files.len());
}

/// In some of these runs the index is negative: inside the structure, before where the layout guesses that the array begins. If such
/// accesses were assumed away, no outcome would be enabled where the interpreter goes on, and the runs would fail.
#[test]
fn what_the_layout_did_not_guess_is_met() {
    let path = testkit::corpus::path("language/array_inside_structure_broken.c");
    let loaded = frontend::load(&[path], &frontend::Options::default());
    let mut tally = Tally::default();
    let runs = runs_of(&loaded.program.unwrap().with(Overflow::Wraps), 1, 100, &mut tally);
    assert_eq!(runs, Ok(()));
    assert!(tally.unsupported > 0, "{tally:?}: no run has met a negative index");
}

#[test]
fn random_programs_mean_the_same_to_both() {
    let seeds = testkit::settings::seeds(300);
    let n = seeds.end - seeds.start;
    let mut tally = Tally::default();
    for seed in seeds {
        let text = testkit::memory::generate(seed);
        let data_model = if seed % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
        if let Err(errors) = load(&text, data_model) {
            panic!("seed {seed}: {errors} in\n{text}");
        }
        check(&text, data_model, seed, &mut tally);
    }
    assert!(tally.agreed as u64 > 10 * n, "{tally:?} for {n} programs tests too little");
    assert!(tally.unsupported < tally.over, "{tally:?}: too much has no model");
    eprintln!("{n} programs: {tally:?}");
}
