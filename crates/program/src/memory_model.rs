//! Memory models: which machine a program runs on, and what its accesses and fences are on that machine.
//!
//! A C program says *orders* ([`Order`]) and *barriers* ([`Barrier`]); a machine has loads, stores and fences of its own. What a compiler
//! makes of the former is the table below: the standard mappings (Batty et al., POPL'11/12; Sarkar et al., PLDI'12; the RISC-V psABI), where
//! compilers differ the weakest one in use. A verdict under a model is about the program compiled in this way.
//!
//! | program | tso | pso | arm | power | riscv, rmo | c11 |
//! |---|---|---|---|---|---|---|
//! | plain, relaxed load | load | load | LDR | ld | l | na, rlx |
//! | acquire load | load | load | LDAPR | ld; cmp; bc; isync | l; fence r,rw | acq |
//! | seq_cst load | load | load | LDAR | sync; ld; cmp; bc; isync | fence rw,rw; l; fence r,rw | sc |
//! | plain, relaxed store | append | append | STR | st | s | na, rlx |
//! | release store | append | mark, append | STLR | lwsync; st | fence rw,w; s | rel |
//! | seq_cst store | drain, write | drain, write | STLR | sync; st | fence rw,w; s | sc |
//! | read-modify-write | drain, act | drain, act; relaxed or acquire: drain what is before the last mark, and its address | with A, L | lwarx loop with the fences above | AMO with aq, rl; the fences above | by order |
//! | full fence | drain | drain | DMB SY | sync | fence rw,rw | F sc |
//! | release, acq_rel fence | nothing | mark | DMB SY | lwsync | fence rw,w; fence.tso | F rel, F ar |
//! | store barrier | nothing | mark | DMB ST | eieio | fence w,w | F rel |
//! | acquire fence | nothing | nothing | DMB LD | lwsync | fence r,rw | F acq |
//! | instruction barrier | nothing | nothing | ISB | isync | nothing | nothing |
//!
//! *Append*, *drain* and *mark* are actions on a store buffer, which [`interp`](crate::interp) defines. A compare-and-exchange that fails is a
//! load of its failure order, except on tso and pso, where it drains like one that succeeds.
//!
//! # How a read-modify-write is written down
//! It is one transaction with an atomic load and an atomic store of one address. The *store's* order is that of the operation; the
//! *load's* order is that of the operation when it does not store. A store of `ite(c, new, old)`, where `old` is what the transaction has
//! loaded from the same address, takes place only if `c` holds: storing back what was just read cannot be observed under sequential consistency, so
//! that all searches may treat it as an ordinary store, but a weak model must not order anything by it ([`ReadModifyWrite::of`]).
//!
//! # Direction of error
//! A program whose accesses a compiler strengthens has fewer executions than said here: `true` stays true. A compiler that reorders or
//! removes accesses is not modelled (SOUNDNESS: A2), except by race freedom, whose verdict holds after any optimisation.

use crate::cat::UserModel;
use crate::{Action, Expr, Op, Order, SyncKind};
use std::fmt;

/// What order threads see each other's accesses in.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, serde::Serialize, serde::Deserialize,
)]
pub enum MemoryModel {
    /// Sequential consistency: one memory, one access at a time.
    #[default]
    Sc,
    /// Total store order: x86.
    Tso,
    /// Partial store order: stores to different addresses leave a buffer in any order.
    Pso,
    /// Relaxed memory order: only dependencies and fences order accesses.
    Rmo,
    /// Power, by herd's `ppc.cat`.
    Power,
    /// AArch64, by its `aarch64.cat`.
    Arm,
    /// RISC-V's weak memory order.
    Riscv,
    /// C11 as repaired in RC11 (Lahav et al., PLDI'17).
    C11,
    /// A model that the user has written in herd's language, for one of the machines above.
    User(
        #[serde(serialize_with = "UserModel::serialize", deserialize_with = "UserModel::deserialize")]
        &'static UserModel,
    ),
}

impl MemoryModel {
    /// All models that are built in, with their names on the command line.
    pub const ALL: [(MemoryModel, &'static str); 8] = [
        (MemoryModel::Sc, "sc"),
        (MemoryModel::Tso, "tso"),
        (MemoryModel::Pso, "pso"),
        (MemoryModel::Rmo, "rmo"),
        (MemoryModel::Power, "power"),
        (MemoryModel::Arm, "arm"),
        (MemoryModel::Riscv, "riscv"),
        (MemoryModel::C11, "c11"),
    ];

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        if let MemoryModel::User(model) = self {
            return model.name();
        }
        Self::ALL.iter().find(|(model, _)| *model == self).expect("every model should have a name").1
    }

    /// The model whose machine a program is compiled for: the model itself, unless it is a user's.
    pub fn machine(self) -> Self {
        if let MemoryModel::User(model) = self { model.machine() } else { self }
    }

    /// The user's model, if it is one.
    pub fn user(self) -> Option<&'static UserModel> {
        if let MemoryModel::User(model) = self { Some(model) } else { None }
    }

    /// Returns true if it has executions that are not sequentially consistent.
    pub fn is_weak(self) -> bool {
        self != MemoryModel::Sc
    }

    /// Returns true if the interpreter executes it, with store buffers.
    pub fn has_buffers(self) -> bool {
        matches!(self, MemoryModel::Tso | MemoryModel::Pso)
    }

    /// The mapping from C to the machine, for the user, in one line.
    pub fn mapping(self) -> &'static str {
        match self {
            MemoryModel::Sc => "every access takes effect at once, in one order for all threads",
            MemoryModel::Tso => {
                "x86: loads are mov, stores enter a buffer, a seq_cst store, a read-modify-write and a full fence wait until it is empty; unlocking is a store"
            }
            MemoryModel::Pso => {
                "SPARC PSO: as TSO, but stores to different addresses leave the buffer in any order unless a release store, a release fence or a store barrier is between them"
            }
            MemoryModel::Rmo => {
                "RMO: only dependencies, fences and coherence order accesses; acquire, release and seq_cst accesses have the fences around them that RISC-V has"
            }
            MemoryModel::Power => {
                "Power: leading sync for seq_cst, lwsync before release, a branch and isync after acquire, also around a compare-and-exchange that fails"
            }
            MemoryModel::Arm => {
                "AArch64: LDAPR for acquire, LDAR and STLR for seq_cst, STLR for release, DMB for fences"
            }
            MemoryModel::Riscv => {
                "RISC-V: fences around accesses as in the psABI, aq and rl on read-modify-writes"
            }
            MemoryModel::C11 => "C11 as in RC11: orders as written, no value out of thin air",
            MemoryModel::User(model) => user_mapping(model.machine()),
        }
    }

    /// What a store does to the buffer of its thread.
    pub fn store(self, order: Order) -> Storing {
        match (self, order) {
            (MemoryModel::Sc, _) | (_, Order::SeqCst) => Storing::Drained,
            (MemoryModel::Tso, _) => Storing::Appended,
            (_, Order::Release | Order::AcqRel) => Storing::MarkedAppended,
            (_, Order::Plain | Order::Relaxed | Order::Acquire) => Storing::Appended,
        }
    }

    /// What a fence does to the buffer of its thread.
    pub fn fence(self, barrier: Barrier) -> Fencing {
        match (self, barrier) {
            (_, Barrier::Full) => Fencing::Drain,
            (MemoryModel::Sc | MemoryModel::Tso, _) | (_, Barrier::Acquire | Barrier::Instruction) => {
                Fencing::Nothing
            }
            (_, Barrier::AcqRel | Barrier::Release | Barrier::Store) => Fencing::Mark,
        }
    }

    /// Returns true if a read-modify-write of this order waits until the whole buffer is empty; if not, for what is before the last
    /// mark and for entries of its own address.
    pub fn read_modify_write_drains(self, order: Order) -> bool {
        match (self, order) {
            (MemoryModel::Sc | MemoryModel::Tso, _) => true,
            (_, Order::Release | Order::AcqRel | Order::SeqCst) => true,
            (_, Order::Plain | Order::Relaxed | Order::Acquire) => false,
        }
    }

    /// What must have left the buffer of a thread before an action. (The end of a thread, which no action shows, demands everything.)
    pub fn demand(self, action: &Action) -> Demand {
        match action {
            Action::Ops { ops, sync, .. } => demand_of_ops(self, ops, sync.as_ref().map(|sync| sync.kind)),
            Action::ThreadExit(_) => Demand::Empty,
            Action::Branch { .. }
            | Action::Call { .. }
            | Action::Return(_)
            | Action::Exit
            | Action::Error { .. }
            | Action::Unsupported(_)
            | Action::Undefined(_) => Demand::Nothing,
        }
    }

    /// The machine's instructions for a load.
    pub fn compiled_load(self, order: Order) -> Compiled {
        let (sequential, acquires) = (order == Order::SeqCst, order.acquires());
        match self.machine() {
            MemoryModel::Power => Compiled {
                before: sequential.then_some(MachineFence::Full),
                order: Order::Relaxed,
                after: acquires.then_some(MachineFence::Control),
            },
            MemoryModel::Riscv | MemoryModel::Rmo => Compiled {
                before: sequential.then_some(MachineFence::Full),
                order: Order::Relaxed,
                after: acquires.then_some(MachineFence::ReadAny),
            },
            MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso | MemoryModel::Arm | MemoryModel::C11 => {
                Compiled::just(order)
            }
            MemoryModel::User(_) => unreachable!("a user's model should be for a machine"),
        }
    }

    /// The machine's instructions for a store.
    pub fn compiled_store(self, order: Order) -> Compiled {
        let (sequential, releases) = (order == Order::SeqCst, order.releases());
        let before = match self.machine() {
            // A user's model of x86 knows fences, but not orders.
            MemoryModel::Tso if sequential && self.user().is_some() => {
                return Compiled { before: None, order, after: Some(MachineFence::Full) };
            }
            MemoryModel::Power if sequential => Some(MachineFence::Full),
            MemoryModel::Power => releases.then_some(MachineFence::Light),
            MemoryModel::Riscv | MemoryModel::Rmo => releases.then_some(MachineFence::AnyWrite),
            MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso | MemoryModel::Arm | MemoryModel::C11 => {
                return Compiled::just(order);
            }
            MemoryModel::User(_) => unreachable!("a user's model should be for a machine"),
        };
        Compiled { before, order: Order::Relaxed, after: None }
    }

    /// The machine's instructions for a read-modify-write.
    pub fn compiled_read_modify_write(self, order: Order) -> Compiled {
        match self.machine() {
            MemoryModel::Power => Compiled {
                before: self.compiled_store(order).before,
                order: Order::Relaxed,
                after: order.acquires().then_some(MachineFence::Control),
            },
            MemoryModel::Rmo => Compiled {
                before: match order {
                    Order::SeqCst => Some(MachineFence::Full),
                    _ => order.releases().then_some(MachineFence::AnyWrite),
                },
                order: Order::Relaxed,
                after: order.acquires().then_some(MachineFence::ReadAny),
            },
            // The AMO itself carries aq and rl.
            MemoryModel::Riscv
            | MemoryModel::Sc
            | MemoryModel::Tso
            | MemoryModel::Pso
            | MemoryModel::Arm
            | MemoryModel::C11
            | MemoryModel::User(_) => Compiled::just(order),
        }
    }

    /// The machine's fence for a barrier; `None` if the machine orders nothing by it. Not for c11, whose fences are the barriers
    /// themselves.
    pub fn compiled_fence(self, barrier: Barrier) -> Option<MachineFence> {
        use MachineFence::{AnyWrite, Control, Full, Light, ReadAny, WriteWrite};
        match (self.machine(), barrier) {
            (_, Barrier::Full) => Some(Full),
            (MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso, _) => None,
            (MemoryModel::Arm, Barrier::AcqRel | Barrier::Release) => Some(Full),
            (MemoryModel::Arm, Barrier::Acquire) => Some(ReadAny),
            (MemoryModel::Arm, Barrier::Store) => Some(WriteWrite),
            (MemoryModel::Power, Barrier::Store) => Some(WriteWrite),
            (MemoryModel::Power, Barrier::AcqRel | Barrier::Release | Barrier::Acquire) => Some(Light),
            (MemoryModel::Arm | MemoryModel::Power, Barrier::Instruction) => Some(Control),
            (_, Barrier::Instruction) => None,
            (_, Barrier::AcqRel) => Some(Light),
            (_, Barrier::Release) => Some(AnyWrite),
            (_, Barrier::Acquire) => Some(ReadAny),
            (_, Barrier::Store) => Some(WriteWrite),
        }
    }
}

/// What C becomes where the user has a model, and how the events are called.
fn user_mapping(machine: MemoryModel) -> &'static str {
    match machine {
        MemoryModel::Tso | MemoryModel::Pso => {
            "C is compiled for x86: loads and stores are mov, a seq_cst store has an MFENCE behind it, a read-modify-write is in X and rmw; full fences, creating and joining threads are MFENCE; other fences are nothing; memory of one thread has no events"
        }
        MemoryModel::Power => {
            "C is compiled for Power: SYNC before seq_cst, LWSYNC before release, a branch and ISYNC after acquire; fences are SYNC, LWSYNC, EIEIO; creating and joining threads are SYNC; memory of one thread has no events"
        }
        MemoryModel::Arm => {
            "C is compiled for AArch64: Q for acquire, A and L for seq_cst, A and L on atomics (amo), L for release, DMB for fences, DMB.SY at creating and joining threads; memory of one thread has no events"
        }
        MemoryModel::Riscv | MemoryModel::Rmo => {
            "C is compiled for RISC-V: fences around accesses as in the psABI, Acq and Rel on read-modify-writes, Fence.rw.rw at creating and joining threads; memory of one thread has no events"
        }
        MemoryModel::Sc | MemoryModel::C11 | MemoryModel::User(_) => {
            "events as in C11: R, W, F with one tag each of NA, RLX, ACQ, REL, ACQ_REL, SC; rmw relates the parts of a read-modify-write; creating and joining threads is po; memory of one thread has no events"
        }
    }
}

impl fmt::Display for MemoryModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Kinds of fences: what they keep apart of what comes before and after them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Barrier {
    /// An instruction barrier (`isync`, `isb`): behind a branch on a loaded value, it orders that load before what follows.
    Instruction,
    /// Stores before it from stores after it (`sfence`, `eieio`, `dmb ishst`).
    Store,
    /// C11's acquire fence; loads before it from everything after it (`lfence`, `dmb ishld`).
    Acquire,
    /// C11's release fence; everything before it from stores after it.
    Release,
    /// Everything except a store before it from a load after it (`lwsync`, C11's acquire-release fence).
    AcqRel,
    /// Everything (`mfence`, `sync`, `dmb ish`, C11's sequentially consistent fence).
    Full,
}

impl Barrier {
    /// All kinds, with their names in the textual form.
    pub const ALL: [(Barrier, &'static str); 6] = [
        (Barrier::Full, "sc"),
        (Barrier::AcqRel, "acq_rel"),
        (Barrier::Release, "rel"),
        (Barrier::Acquire, "acq"),
        (Barrier::Store, "store"),
        (Barrier::Instruction, "instruction"),
    ];

    /// The name in the textual form.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(barrier, _)| *barrier == self).expect("every barrier should have a name").1
    }

    /// The barrier of C11's `atomic_thread_fence`; a relaxed one is none.
    pub fn of_order(order: Order) -> Option<Barrier> {
        match order {
            Order::Plain | Order::Relaxed => None,
            Order::Acquire => Some(Barrier::Acquire),
            Order::Release => Some(Barrier::Release),
            Order::AcqRel => Some(Barrier::AcqRel),
            Order::SeqCst => Some(Barrier::Full),
        }
    }
}

impl Order {
    /// Returns true if a load of this order acquires.
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }
    /// Returns true if a store of this order releases.
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

/// What must have left the buffer before an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Demand {
    /// Nothing; its stores are appended.
    Nothing,
    /// Everything; its stores go to memory.
    Empty,
    /// A read-modify-write that waits only for what it must not overtake; its store goes to memory.
    ReadModifyWrite,
}

fn demand_of_ops(model: MemoryModel, ops: &[Op], sync: Option<SyncKind>) -> Demand {
    let drains = |op: &Op| match op {
        Op::Fence(barrier) => model.fence(*barrier) == Fencing::Drain,
        Op::Store { order, .. } => model.store(*order) == Storing::Drained,
        Op::AtomicBegin
        | Op::AtomicEnd
        | Op::Create { .. }
        | Op::Join { .. }
        | Op::WaitBegin(_)
        | Op::WaitEnd { .. }
        | Op::Signal { .. }
        | Op::Realloc { .. } => true,
        Op::Set { .. }
        | Op::Havoc { .. }
        | Op::Forget { .. }
        | Op::Guard(_)
        | Op::Assume(_)
        | Op::Copy { .. }
        | Op::Fill { .. }
        | Op::Alloc { .. }
        | Op::Free(_)
        | Op::Signed { .. }
        | Op::Detach { .. } => false,
    };
    let full = matches!(
        sync,
        Some(
            SyncKind::SemPost
                | SyncKind::Barrier
                | SyncKind::CondWait
                | SyncKind::CondSignal
                | SyncKind::Once
                | SyncKind::Create
                | SyncKind::Join
        )
    );
    match ReadModifyWrite::of(ops) {
        _ if full => Demand::Empty,
        Some(rmw) => {
            // Whether it stores is known only when it does.
            let fails_early = rmw.stores_if.is_some() && !model.read_modify_write_drains(rmw.failure);
            if model.read_modify_write_drains(rmw.order) && !fails_early {
                Demand::Empty
            } else {
                Demand::ReadModifyWrite
            }
        }
        None if ops.iter().any(drains) => Demand::Empty,
        None => Demand::Nothing,
    }
}

/// How a store uses its thread's buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Storing {
    /// It waits until the buffer is empty and writes to memory.
    Drained,
    /// It is appended to the buffer.
    Appended,
    /// It is appended behind a mark, which no later entry overtakes.
    MarkedAppended,
}

/// How a fence uses its thread's buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fencing {
    /// Not at all.
    Nothing,
    /// It puts a mark behind all entries, which later ones do not overtake.
    Mark,
    /// It waits until the buffer is empty.
    Drain,
}

/// Fences of machines.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MachineFence {
    /// All pairs: `sync`, `dmb sy`, `fence rw,rw`.
    Full,
    /// All pairs but store and load: `lwsync`, `fence.tso`.
    Light,
    /// Loads before anything: `dmb ld`, `fence r,rw`.
    ReadAny,
    /// Anything before stores: `fence rw,w`.
    AnyWrite,
    /// Stores before stores: `dmb st`, `eieio`, `fence w,w`.
    WriteWrite,
    /// `isync`, `isb`; around an access, behind a branch on what was loaded.
    Control,
}

/// What a machine executes for an access: a fence, the access with an order that the machine knows, a fence.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Compiled {
    /// The fence before it.
    pub before: Option<MachineFence>,
    /// The order of the instruction. On Arm `Acquire` is LDAPR, `SeqCst` LDAR or STLR, `Release` STLR.
    pub order: Order,
    /// The fence after it.
    pub after: Option<MachineFence>,
}

impl Compiled {
    fn just(order: Order) -> Self {
        Self { before: None, order, after: None }
    }
}

/// A transaction that loads and stores one address atomically.
#[derive(Clone, Copy, Debug)]
pub struct ReadModifyWrite<'o> {
    /// The address.
    pub addr: &'o Expr,
    /// The order of the operation when it stores.
    pub order: Order,
    /// The order of its load when it does not.
    pub failure: Order,
    /// When it stores; always if `None`.
    pub stores_if: Option<&'o Expr>,
    /// The register with what it has loaded, if it is in one.
    pub old: Option<crate::VarId>,
    /// The position of the store in the transaction.
    pub store_at: usize,
}

impl<'o> ReadModifyWrite<'o> {
    /// The read-modify-write that a transaction is, if it is one: its last atomic store, to an address that it has loaded atomically.
    pub fn of(ops: &'o [Op]) -> Option<Self> {
        let (store_at, addr, value, order) = ops.iter().enumerate().rev().find_map(|(n, op)| match op {
            Op::Store { addr, value, order } if *order != Order::Plain => Some((n, addr, value, *order)),
            _ => None,
        })?;
        let mut loaded = None;
        let mut note = |expr: &'o Expr, into: Option<crate::VarId>| {
            expr.walk(&mut |part| {
                if let Expr::Load { addr: from, order, .. } = part
                    && *order != Order::Plain
                    && **from == *addr
                {
                    let whole = std::ptr::eq(part, expr);
                    loaded.get_or_insert((*order, into.filter(|_| whole)));
                }
            });
        };
        for op in &ops[..=store_at] {
            match op {
                Op::Set { var, value } => note(value, Some(*var)),
                Op::Guard(e) | Op::Assume(e) => note(e, None),
                Op::Store { value, .. } => note(value, None),
                _ => {}
            }
        }
        let (failure, old) = loaded?;
        let stores_if = match value {
            Expr::Ite(cond, _, kept) if matches!((&**kept, old), (Expr::Reg(v, _), Some(old)) if *v == old) => {
                Some(&**cond)
            }
            _ => None,
        };
        Some(Self { addr, order, failure, stores_if, old, store_at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{VarId, Width};
    use base::Idx;

    #[test]
    fn every_model_has_a_name_and_a_mapping() {
        for (model, name) in MemoryModel::ALL {
            assert_eq!(model.name(), name);
            assert!(!model.mapping().is_empty() && !model.mapping().contains('\n'));
        }
    }

    /// A weaker order or barrier never does more than a stronger one.
    #[test]
    fn strength_is_monotone() {
        let drains =
            |s: Storing| matches!(s, Storing::Drained) as u8 * 2 + matches!(s, Storing::MarkedAppended) as u8;
        for (model, _) in MemoryModel::ALL {
            for (weak, strong) in [
                (Order::Plain, Order::Relaxed),
                (Order::Relaxed, Order::Release),
                (Order::Release, Order::AcqRel),
                (Order::AcqRel, Order::SeqCst),
            ] {
                assert!(drains(model.store(weak)) <= drains(model.store(strong)), "{model} {weak:?}");
                assert!(
                    model.read_modify_write_drains(weak) <= model.read_modify_write_drains(strong),
                    "{model} {weak:?}"
                );
            }
            assert_eq!(model.fence(Barrier::Full), Fencing::Drain);
        }
    }

    #[test]
    fn the_shape_of_a_compare_and_exchange_is_recognised() {
        let addr = || Expr::Const(8, Width(64));
        let load = |order| Expr::Load { addr: Box::new(addr()), width: Width(32), order };
        let (old, bit) = (VarId::new(0), VarId::new(1));
        let kept = Expr::Reg(old, Width(32));
        let is_equal = Expr::Reg(bit, Width::BOOL);
        let new = Expr::Const(1, Width(32));
        let ops = [
            Op::Set { var: old, value: load(Order::Relaxed) },
            Op::Store {
                addr: addr(),
                value: Expr::ite(is_equal.clone(), new.clone(), kept),
                order: Order::AcqRel,
            },
        ];
        let rmw = ReadModifyWrite::of(&ops).expect("a compare-and-exchange is a read-modify-write");
        assert_eq!((rmw.order, rmw.failure, rmw.stores_if), (Order::AcqRel, Order::Relaxed, Some(&is_equal)));
        let plain = [Op::Store { addr: addr(), value: new, order: Order::Release }];
        assert!(ReadModifyWrite::of(&plain).is_none());
    }
}
