//! Which objects undefined functions can come to know, and where these hold pointers.

use crate::analysis::{Offset, PointsTo, Site};
use base::Idx;
use program::{
    Action, Expr, FuncId, Function, LocId, ObjectId, Op, Program, Storage, SyncKind, TypeFacts, VarId,
    VarKind, Width,
};
use std::collections::{BTreeMap, BTreeSet};

/// Nothing larger is written.
const MAX_SIZE: u64 = 1 << 20;
/// More words that may hold pointers are too many for one object.
const MAX_WORDS: usize = 64;
/// More objects are too many.
const MAX_SITES: usize = 48;

/// What undefined functions can come to know.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Plan {
    /// The objects, by where they come from.
    pub(super) sites: BTreeMap<Site, Contents>,
    /// What the arguments of undefined functions may lead to, for those that can be pointers.
    pub(super) arguments: BTreeMap<(FuncId, VarId), BTreeSet<Site>>,
    /// What keeps functions from being written out, as the end of a sentence about a function that gets a pointer. It is enough to say so of the functions that
    /// get such pointers: others may know what these have kept, but only after one of these was called.
    pub(super) in_the_way: BTreeMap<FuncId, String>,
}

/// An object, as far as it matters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Contents {
    /// Its size in bytes, if that is constant.
    pub(super) size: Option<u64>,
    /// Where words are that may hold addresses, and of which objects.
    pub(super) pointers: BTreeMap<u64, BTreeSet<Site>>,
    /// True if these words may also hold anything else, and addresses may be there in pieces.
    pub(super) mixed: bool,
    /// True if it is only read.
    pub(super) constant: bool,
}

impl Plan {
    /// What is reached in a program, written out or not, of which `program` is the original.
    pub(super) fn of(
        program: &Program,
        points_to: &PointsTo,
        undefined: &[FuncId],
        types: &TypeFacts,
    ) -> Plan {
        let mut plan = Plan::default();
        let mut sites = Sites::of(program, points_to, types);
        for func in undefined {
            let (function, pointer) = (&program.functions[*func], program.data_model.pointer());
            let mut direct: BTreeSet<Site> = BTreeSet::new();
            for param in function.params.iter().filter(|param| is_word(function, **param, pointer)) {
                let targets = points_to.targets(*func, &Expr::Reg(*param, pointer));
                let led_to: BTreeSet<Site> = targets.places.iter().map(|(site, _)| *site).collect();
                direct.extend(&led_to);
                plan.arguments.insert((*func, *param), led_to);
                if !targets.functions.is_empty() {
                    plan.hinder(*func, "to a function, which it may call");
                }
            }
            for site in points_to.closure(direct) {
                match sites.size_of(site) {
                    Ok(None) => {}
                    Ok(Some(_)) if plan.sites.contains_key(&site) => {}
                    Ok(Some(size)) => match contents(site, size, &mut sites) {
                        Some(contents) if contents.constant && contents.pointers.is_empty() => {}
                        Some(contents) => _ = plan.sites.insert(site, contents),
                        None => plan.hinder(*func, "that leads to very many pointers"),
                    },
                    Err(why) => plan.hinder(*func, why),
                }
            }
        }
        if plan.sites.len() > MAX_SITES {
            plan.sites.clear();
            undefined.iter().for_each(|func| plan.hinder(*func, "that leads to very many objects"));
        }
        plan
    }

    /// Says what keeps a function from being written out.
    pub(super) fn hinder(&mut self, func: FuncId, why: &str) {
        self.in_the_way.entry(func).or_insert_with(|| why.to_owned());
    }

    /// Adds what another plan has found; returns true if that is more.
    pub(super) fn extend(&mut self, other: Plan) -> bool {
        let before = self.clone();
        for (site, contents) in other.sites {
            let known = self.sites.entry(site).or_insert_with(|| contents.clone());
            if contents.mixed && !known.mixed {
                known.pointers.clear();
            }
            if contents.mixed || !known.mixed {
                for (at, sites) in contents.pointers {
                    known.pointers.entry(at).or_default().extend(sites);
                }
            }
            known.mixed |= contents.mixed;
        }
        for (argument, sites) in other.arguments {
            self.arguments.entry(argument).or_default().extend(sites);
        }
        other.in_the_way.iter().for_each(|(func, why)| self.hinder(*func, why));
        *self != before
    }
}

/// What is known of the sites of a program.
struct Sites<'a> {
    program: &'a Program,
    points_to: &'a PointsTo,
    constants: &'a BTreeSet<ObjectId>,
    /// Where the program reads pointers.
    read: BTreeMap<Site, Vec<Offset>>,
    locks: BTreeSet<Site>,
    /// Whether a thread may end in the middle of a function.
    ends_threads: bool,
}

impl<'a> Sites<'a> {
    fn of(program: &'a Program, points_to: &'a PointsTo, types: &'a TypeFacts) -> Self {
        let mut read: BTreeMap<Site, Vec<Offset>> = BTreeMap::new();
        for (func, addr) in &types.pointer_reads {
            for (site, offset) in points_to.targets(*func, addr).places {
                read.entry(site).or_default().push(offset);
            }
        }
        let mut locations = program.functions.iter().flat_map(|function| function.locations.iter());
        let ends_threads = locations.any(|location| matches!(location.action, Action::ThreadExit(_)));
        let constants = &types.constants;
        Sites { program, points_to, constants, read, locks: lock_sites(program, points_to), ends_threads }
    }

    fn is_constant(&self, object: ObjectId) -> bool {
        self.program.objects[object].read_only || self.constants.contains(&object)
    }

    /// The size of a site's objects, `Some(None)` if it is not constant; `None` if these are not written. An error says why they cannot be.
    fn size_of(&self, site: Site) -> Result<Option<Option<u64>>, &'static str> {
        let size = site_of(self.program, site)?;
        if self.points_to.holds_functions(site) {
            return Err("that leads to a function, which it may call");
        }
        match size {
            None => Ok(None),
            Some(_) if self.locks.contains(&site) => Err("that leads to a lock"),
            Some(_) if matches!(site, Site::Frame(..)) && self.ends_threads => {
                Err("that leads to a variable of a function, in a program that calls `pthread_exit`")
            }
            Some(_) if is_moved(self.program, self.points_to, site) => {
                Err("that leads to memory of `realloc`")
            }
            size => Ok(size),
        }
    }
}

/// Where objects of this size hold pointers; `None` if these are too many.
fn contents(site: Site, size: Option<u64>, sites: &mut Sites<'_>) -> Option<Contents> {
    let word = sites.program.data_model.pointer().bytes();
    let constant = match site {
        Site::Static(object) => sites.is_constant(object),
        Site::Frame(func, var) => {
            matches!(sites.program.functions[func].vars[var].kind, VarKind::Memory { read_only: true, .. })
        }
        Site::Heap(..) => false,
    };
    let mut contents = Contents { size, pointers: BTreeMap::new(), mixed: false, constant };
    let mut all: BTreeSet<Site> = BTreeSet::new();
    let read = sites.read.remove(&site).unwrap_or_default().into_iter();
    let read = read.map(|offset| (offset, word, BTreeSet::new()));
    for (offset, bytes, held) in sites.points_to.addresses_in(site).chain(read) {
        all.extend(&held);
        let places = size.filter(|_| bytes == word).and_then(|size| words_at(offset, size, word));
        contents.mixed |= places.is_none();
        for at in places.unwrap_or_default() {
            contents.pointers.entry(at).or_default().extend(&held);
        }
    }
    let words: Vec<u64> = contents.pointers.keys().copied().collect();
    contents.mixed |= words.windows(2).any(|pair| pair[0] + word > pair[1]);
    if contents.mixed {
        contents.pointers = (0..size.unwrap_or(0) / word).map(|n| (n * word, all.clone())).collect();
    }
    let is_too_much = (contents.mixed && size.is_none()) || contents.pointers.len() > MAX_WORDS;
    (!is_too_much).then_some(contents)
}

fn is_word(function: &Function, var: VarId, pointer: Width) -> bool {
    function.vars[var].kind == VarKind::Register(pointer)
}

/// The places of words in an object of `size` bytes, if they do not overlap.
fn words_at(offset: Offset, size: u64, word: u64) -> Option<Vec<u64>> {
    match offset {
        Offset::Exactly(at) => {
            Some(u64::try_from(at).ok().filter(|at| at + word <= size).into_iter().collect())
        }
        Offset::Strided { start, stride } if stride >= word => {
            let first = start.rem_euclid(stride.cast_signed()).cast_unsigned();
            Some((0..).map(|n| first + n * stride).take_while(|at| at + word <= size).collect())
        }
        Offset::Strided { .. } | Offset::Any => None,
    }
}

/// The size of a site's objects, `Some(None)` if it is not constant; `None` if these are not written. An error says why they cannot be.
fn site_of(program: &Program, site: Site) -> Result<Option<Option<u64>>, &'static str> {
    let size = match site {
        Site::Static(object) => {
            let object = &program.objects[object];
            if is_of_library(&object.name) {
                return Ok(None);
            }
            if object.thread_local {
                return Err("that leads to a thread-local object");
            }
            Some(object.size)
        }
        Site::Frame(func, var) => match program.functions[func].vars[var].kind {
            VarKind::Memory { size, .. } => Some(size),
            VarKind::Register(_) => return Ok(None),
        },
        Site::Heap(func, loc, n) => match allocation(program, func, loc, n) {
            Some(Op::Alloc { storage: Storage::Library, .. }) => return Ok(None),
            Some(Op::Alloc { storage: Storage::Heap, size, .. }) => size.as_const().map(base::convert::low64),
            _ => return Err("that leads to memory of `alloca` or `realloc`"),
        },
    };
    match size {
        Some(0) => Ok(None),
        Some(size) if size > MAX_SIZE => Err("that leads to a very large object"),
        size => Ok(Some(size)),
    }
}

/// Objects of the library, which the program has no names for.
fn is_of_library(name: &str) -> bool {
    name.starts_with("library.")
}

/// The operation that allocates the objects of a site.
pub(super) fn allocation(program: &Program, func: FuncId, loc: LocId, n: u32) -> Option<&Op> {
    match &program.functions[func].locations.get(loc)?.action {
        Action::Ops { ops, .. } => ops.get(n as usize),
        _ => None,
    }
}

/// The sites of what threads synchronise with.
fn lock_sites(program: &Program, points_to: &PointsTo) -> BTreeSet<Site> {
    let mut sites = BTreeSet::new();
    for (func, function) in program.functions.iter_enumerated() {
        for location in function.locations.iter() {
            let Action::Ops { sync: Some(sync), .. } = &location.action else { continue };
            if !matches!(sync.kind, SyncKind::Create | SyncKind::Join) {
                let targets = points_to.targets(func, &sync.object);
                sites.extend(targets.places.into_iter().map(|(site, _)| site));
            }
        }
    }
    sites
}

/// Returns true if some operation may move or resize objects of a site.
fn is_moved(program: &Program, points_to: &PointsTo, site: Site) -> bool {
    program.functions.iter_enumerated().any(|(func, function)| {
        function.locations.iter().any(|location| {
            let Action::Ops { ops, .. } = &location.action else { return false };
            ops.iter().any(|op| {
                let Op::Realloc { ptr, .. } = op else { return false };
                points_to.targets(func, ptr).places.iter().any(|(target, _)| *target == site)
            })
        })
    })
}

/// A short name of a site, unique among sites.
pub(super) fn name_of(site: Site) -> String {
    match site {
        Site::Static(object) => format!("{}", object.index()),
        Site::Frame(func, var) => format!("{}.{}", func.index(), var.index()),
        Site::Heap(func, loc, n) => format!("{}.{}.{n}.heap", func.index(), loc.index()),
    }
}
