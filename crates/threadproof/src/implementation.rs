//! Which implementation of C and POSIX an answer is about: both leave much to it (docs/SOUNDNESS.md).

use program::{DataModel, Program, Property};
use semantics::addresses::Addresses;

/// What an answer takes for granted about the implementation.
pub(crate) fn assumptions(program: &Program, property: Property) -> Vec<String> {
    let machine = match program.data_model {
        DataModel::Lp64 => "x86-64",
        DataModel::Ilp32 => "x86 with 32 bits",
    };
    let mut lines = vec![if program.memory_model.is_weak() {
        format!("gcc and glibc on Linux, with the types of {machine}")
    } else if program.creates_threads() {
        format!(
            "gcc and glibc on Linux, {machine}; the accesses of threads take turns, in the order in which they are written"
        )
    } else {
        format!("gcc and glibc on Linux, {machine}")
    }];
    let addresses = Addresses::of(program);
    // Where undefined behaviour is looked for, such an order is a violation.
    if property != Property::UndefinedBehaviour {
        lines.extend(addresses.order());
    }
    lines.extend(addresses.numbers());
    lines
}
