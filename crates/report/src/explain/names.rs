//! What threads and state variables of a proof are called in its program.
//!
//! The encoder names a state variable when it first meets it. So it meets the steps of the proof again here; as it gives the same
//! names, it finds the same symbols.

use super::labelling::Labelling;
use super::print::Words;
use base::{Budget, Idx};
use semantics::analysis::{MemoryPartition, PointsTo, Site, SitePartition};

use logic::{Symbol, Term, Terms};
use program::interp::{Identity, ThreadId};
use program::{DataModel, FuncId, Program, VarKind};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::encoding::{Encoder, GlobalLocation, Name, SuccessorKind};
use std::collections::BTreeMap;

/// Names of threads, state variables and addresses.
pub struct Dictionary<'p> {
    program: &'p Program,
    terms: Terms,
    threads: FxHashMap<ThreadId, String>,
    symbols: FxHashMap<Symbol, Name>,
    layout: MemoryPartition,
    /// Objects by address: where they begin, how long they are.
    objects: Vec<(u64, u64, Identity)>,
}

/// Maximum number of global locations inside of transactions that are met; what is not met keeps the name that the encoder has for it.
const MAX_CONTROLS: usize = 200_000;

impl<'p> Dictionary<'p> {
    /// For the variables of a proof.
    pub fn of(program: &'p Program, labelling: &Labelling, budget: &Budget) -> Self {
        let mut dictionary = Self {
            program,
            terms: labelling.terms.clone(),
            threads: threads(program, labelling.starts()),
            symbols: FxHashMap::default(),
            layout: MemoryPartition::of(program, &PointsTo::of(program)),
            objects: Vec::new(),
        };
        // A program that cannot be encoded has no proof; without names there is still something to show.
        if let Ok(mut encoder) =
            Encoder::with_identities(&semantics::Analysis::of(program), &labelling.identities)
        {
            dictionary.meet(&mut encoder, labelling, budget);
            for &object in &labelling.identities.objects {
                if let Ok(base) = encoder.interp().address(object) {
                    dictionary.objects.push((base, size(program, object), object));
                }
            }
        }
        dictionary
    }

    /// Lets the encoder meet every step of the proof.
    fn meet(&mut self, encoder: &mut Encoder<'p>, labelling: &Labelling, budget: &Budget) {
        let _ = encoder.initial(&mut self.terms);
        if !labelling.templates.is_empty() {
            let _ = semantics::modular::Model::of(encoder, &mut self.terms);
        }
        let ends: FxHashSet<&GlobalLocation> =
            labelling.labels.iter().map(|(control, _)| &**control).collect();
        let mut met: FxHashSet<(GlobalLocation, ThreadId)> = FxHashSet::default();
        let mut open: Vec<(GlobalLocation, ThreadId)> =
            labelling.steps.iter().map(|(control, thread)| ((**control).clone(), *thread)).collect();
        while let Some((control, thread)) = open.pop() {
            // The verdict is known: better a few names less than no verdict for want of time.
            if met.len() > MAX_CONTROLS || budget.check().is_err() {
                break;
            }
            if !met.insert((control.clone(), thread)) {
                continue;
            }
            for outcome in encoder.successors(&mut self.terms, &control, thread) {
                let goes = outcome.kind == SuccessorKind::Continue && !ends.contains(&outcome.control);
                let alive = outcome.control.thread(thread).is_some_and(|t| !t.is_finished());
                if goes && alive {
                    open.push((outcome.control, thread));
                }
            }
        }
        let labels =
            labelling.labels.iter().map(|(_, label)| *label).chain(labelling.ranking.iter().copied());
        let symbols: FxHashSet<Symbol> = labels.flat_map(|label| self.terms.free_vars(label)).collect();
        self.symbols = symbols.into_iter().filter_map(|s| Some((s, encoder.names().name(s)?))).collect();
    }

    /// The terms of the proof.
    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    /// `increment#2`, or `main`.
    pub fn thread(&self, thread: ThreadId) -> String {
        self.threads.get(&thread).cloned().unwrap_or_else(|| thread.to_string())
    }

    /// Returns true if a fact mentions something that the source has.
    pub fn is_about_source(&self, fact: Term) -> bool {
        self.terms.free_vars(fact).iter().any(|symbol| match self.symbols.get(symbol) {
            Some(Name::Register { func, var, .. }) => !self.program.functions[*func].vars[*var].temporary,
            Some(
                Name::Scratch { .. } | Name::IsSet { .. } | Name::AreSet { .. } | Name::ScratchIsSet { .. },
            ) => false,
            Some(
                Name::Cell { .. }
                | Name::Elements { .. }
                | Name::Result(_)
                | Name::Size(_)
                | Name::Alive(_)
                | Name::Waiting(_),
            )
            | None => true,
        })
    }

    fn object(&self, object: Identity) -> String {
        let program = self.program;
        let local = |thread: ThreadId, func: FuncId, name: &str| {
            format!("{}:{}:{name}", self.thread(thread), program.functions[func].name)
        };
        match object {
            Identity::Static(id) => program.objects[id].name.clone(),
            Identity::ThreadLocal(id, thread) => {
                format!("{}:{}", self.thread(thread), program.objects[id].name)
            }
            Identity::Local { thread, func, var, .. } => {
                local(thread, func, &program.functions[func].vars[var].name)
            }
            Identity::Heap { thread, site, count, .. } | Identity::Alloca { thread, site, count, .. } => {
                let line = program.functions[site.func].locations[site.loc].span.line;
                local(thread, site.func, &format!("new@{line}#{}", count + 1))
            }
        }
    }

    /// The array region that an array of elements is: where it begins and its stride.
    fn region(&self, symbol: Symbol) -> Option<(Identity, u64, u64)> {
        let Some(Name::Elements { object, start, width }) = self.symbols.get(&symbol).copied() else {
            return None;
        };
        let SitePartition::Rows { rows, .. } = self.layout.site(site(object)) else { return None };
        let row = rows.iter().find(|row| row.start == start && row.width == width)?;
        Some((object, start, row.stride))
    }
}

impl Words for &Dictionary<'_> {
    fn variable(&self, symbol: Symbol) -> String {
        match self.symbols.get(&symbol).copied() {
            Some(Name::Register { thread, func, var, .. }) => {
                let function = &self.program.functions[func];
                format!("{}:{}:{}", self.thread(thread), function.name, function.vars[var].name)
            }
            Some(Name::Cell { object, offset: 0, .. }) => self.object(object),
            Some(Name::Cell { object, offset, .. }) => format!("{}+{offset}", self.object(object)),
            Some(Name::Elements { object, .. }) => self.object(object),
            Some(Name::Result(thread)) => format!("{}:result", self.thread(thread)),
            Some(Name::Waiting(thread)) => format!("{}:waits for", self.thread(thread)),
            Some(Name::Size(object)) => format!("sizeof {}", self.object(object)),
            Some(Name::Alive(object)) => format!("alive {}", self.object(object)),
            Some(
                Name::Scratch { .. } | Name::IsSet { .. } | Name::AreSet { .. } | Name::ScratchIsSet { .. },
            )
            | None => self.terms.name(symbol).to_owned(),
        }
    }

    fn element(&self, symbol: Symbol, offset: u128) -> Option<String> {
        let (_, start, stride) = self.region(symbol)?;
        let inside = offset.checked_sub(u128::from(start))?;
        let whole = inside.is_multiple_of(u128::from(stride));
        whole.then(|| self.element_at(symbol, &(inside / u128::from(stride)).to_string()))
    }

    fn element_at(&self, symbol: Symbol, index: &str) -> String {
        let array = self.variable(symbol);
        match self.region(symbol) {
            Some((_, start, _)) if start > 0 => format!("{array}[{index}]+{start}"),
            _ => format!("{array}[{index}]"),
        }
    }

    fn stride(&self, symbol: Symbol) -> Option<u128> {
        // An index that is scaled begins at the object's start.
        self.region(symbol).filter(|(_, start, _)| *start == 0).map(|(_, _, stride)| u128::from(stride))
    }

    /// With 32 bits an `int` can be an address by chance, so that only pointers of 64 bits are looked up.
    fn address(&self, value: u128, width: u8) -> Option<String> {
        if self.program.data_model != DataModel::Lp64 || width != 64 {
            return None;
        }
        let address = u64::try_from(value).ok()?;
        let inside =
            |(base, size, _): &&(u64, u64, Identity)| (*base..base + size.max(&1)).contains(&address);
        let (base, _, object) = self.objects.iter().find(inside)?;
        let name = self.object(*object);
        Some(if address == *base { format!("&{name}") } else { format!("&{name}+{}", address - base) })
    }
}

/// Names like those of the thread lanes: the start routine's, with a count where there is one.
pub fn threads(program: &Program, starts: BTreeMap<ThreadId, FuncId>) -> FxHashMap<ThreadId, String> {
    let mut n_of: FxHashMap<FuncId, usize> = FxHashMap::default();
    let name = |(thread, func): (ThreadId, FuncId)| {
        let start = &program.functions[func].name;
        if thread.index() == 0 {
            return (thread, start.clone());
        }
        let n = n_of.entry(func).or_default();
        *n += 1;
        (thread, format!("{start}#{n}"))
    };
    starts.into_iter().map(name).collect()
}

fn site(object: Identity) -> Site {
    match object {
        Identity::Static(id) | Identity::ThreadLocal(id, _) => Site::Static(id),
        Identity::Local { func, var, .. } => Site::Frame(func, var),
        Identity::Heap { site, .. } | Identity::Alloca { site, .. } => {
            Site::Heap(site.func, site.loc, site.op)
        }
    }
}

fn size(program: &Program, object: Identity) -> u64 {
    match object {
        Identity::Static(id) | Identity::ThreadLocal(id, _) => program.objects[id].size,
        Identity::Local { func, var, .. } => match program.functions[func].vars[var].kind {
            VarKind::Memory { size, .. } => size,
            VarKind::Register(_) => 0,
        },
        Identity::Heap { room, .. } | Identity::Alloca { room, .. } => room,
    }
}
