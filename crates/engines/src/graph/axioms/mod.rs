//! What each memory model allows: one file a model, after herd's `cat` files.
//!
//! A model is a predicate on executions. Each of them is *monotone*: an execution that it forbids stays forbidden whatever is added to it, so
//! that a search can give up early.
//!
//! | model | file | from |
//! |---|---|---|
//! | `sc`, `tso`, `pso` | `buffers` | Lamport 1979; x86tso.cat; SPARC V9's PSO |
//! | `rmo` | `rmo` | Alglave et al., ESOP'13 |
//! | `power` | `power` | ppc.cat (Alglave, Maranget, Tautschnig, TOPLAS'14) |
//! | `arm` | `arm` | aarch64.cat |
//! | `riscv` | `riscv` | riscv.cat |
//! | `c11` | `c11` | rc11.cat (Lahav et al., PLDI'17) |
//! | a user's | `user` | a file in herd's language, which need not be monotone |

mod arm;
mod buffers;
pub mod c11;
mod power;
mod riscv;
mod rmo;
pub mod user;

use super::execution::{Execution, Kind, Relations};
use super::relation::Set;
use program::memory_model::MachineFence;
use program::{MemoryModel, Order};

/// Returns true if the execution's model allows it.
pub fn is_consistent(execution: &Execution) -> bool {
    let x = Axioms { execution, rel: execution.relations() };
    match execution.model {
        MemoryModel::Sc => buffers::sc(&x),
        MemoryModel::Tso => buffers::tso(&x),
        MemoryModel::Pso => buffers::pso(&x),
        MemoryModel::Rmo => rmo::rmo(&x),
        MemoryModel::Power => power::power(&x),
        MemoryModel::Arm => arm::arm(&x),
        MemoryModel::Riscv => riscv::riscv(&x),
        MemoryModel::C11 => c11::c11(&x),
        MemoryModel::User(model) => user::can_be_allowed(model, &x),
    }
}

/// Returns true if the execution, with which a search ends, is allowed; for the models that are built in, that is known already.
pub fn is_allowed_at_last(execution: &Execution) -> bool {
    let x = || Axioms { execution, rel: execution.relations() };
    execution.model.user().is_none_or(|model| user::is_allowed(model, &x()))
}

/// Returns true if a sequentially consistent machine has this execution.
pub fn is_sequential(execution: &Execution) -> bool {
    buffers::sc(&Axioms { execution, rel: execution.relations() })
}

/// Returns true if a read can return what is written only because it was read: the model orders no more than dependencies.
pub fn has_load_buffering(model: MemoryModel) -> bool {
    match model {
        MemoryModel::Rmo | MemoryModel::Power | MemoryModel::Arm | MemoryModel::Riscv => true,
        MemoryModel::Sc | MemoryModel::Tso | MemoryModel::Pso | MemoryModel::C11 => false,
        MemoryModel::User(user) => user.model.facts.load_buffering,
    }
}

/// An execution with its relations.
pub struct Axioms<'x> {
    execution: &'x Execution,
    rel: Relations,
}

impl Axioms<'_> {
    /// The events that the machine's instruction gives one of these orders.
    fn ordered(&self, orders: &[Order]) -> Set {
        self.execution.select(|event| orders.contains(&event.order))
    }

    /// These fences.
    fn fences(&self, wanted: &[MachineFence]) -> Set {
        self.execution.select(|event| matches!(event.kind, Kind::Fence(fence) if wanted.contains(&fence)))
    }

    /// The two parts of read-modify-writes that wrote.
    fn rmw_parts(&self) -> Set {
        let writes = self.execution.select(|event| event.read_part.is_some());
        let parts = self.execution.events.iter().filter_map(|event| event.read_part);
        parts.fold(writes, |set, read| set | 1 << read)
    }

    /// All events of read-modify-writes, also of those that did not write.
    fn all_rmws(&self) -> Set {
        self.execution.select(|event| event.atomic)
    }
}
