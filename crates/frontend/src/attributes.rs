//! What the front end makes of each attribute: one table.
//!
//! An attribute may be *modelled* (some module gives it its meaning), *harmless* (a compiler may ignore it without changing what a
//! defined program does; the table says why), or *unsupported* (it changes the meaning of what it is attached to, and there
//! is no model: using that thing costs the verdict). A name that is not in the table gets a warning where it is written.
//!
//! The names are those of GCC 14 and Clang 18 for x86, and of C23, without surrounding underscores.

/// What an attribute does to the meaning of a program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Treatment {
    /// The front end gives it its meaning.
    Modelled,
    /// It changes nothing that a verdict speaks of.
    Harmless(Harmless),
    /// It changes the meaning in a way that has no model.
    Unsupported,
}

/// Why an attribute can be ignored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Harmless {
    /// It asks for warnings, or forbids them.
    Diagnostics,
    /// It lets the optimiser assume what holds in every defined execution, or tells it how hard to try.
    Optimisation,
    /// It concerns the object file: sections, visibility, instrumentation, debugging.
    ObjectFile,
    /// It concerns how a call passes its arguments, the same for caller and callee.
    Convention,
    /// It speaks to another analyser.
    Annotation,
}

/// The treatment of an attribute; `None` if it is not known.
pub fn treatment(name: &str) -> Option<Treatment> {
    TABLE.iter().find(|(names, _)| names.contains(&name)).map(|(_, treatment)| *treatment)
}

const TABLE: &[(&[&str], Treatment)] = &[
    (
        &[
            "alias",
            "alignas",
            "aligned",
            "asm",
            "cleanup",
            "constructor",
            "destructor",
            "error",
            "gnu_inline",
            "ifunc",
            "mode",
            "noreturn",
            "Noreturn",
            "_Noreturn",
            "packed",
            "transparent_union",
            "underlying",
            "weak",
            "weakref",
            // Vectors are bytes without a meaning: arithmetic on them is unsupported.
            "ext_vector_type",
            "neon_vector_type",
            "vector_size",
            // Little-endian is what the machine does anyway; the other order is unsupported.
            "scalar_storage_order",
        ],
        Treatment::Modelled,
    ),
    (
        &[
            "access",
            "counted_by",
            "deprecated",
            "designated_init",
            "diagnose_as_builtin",
            "diagnose_if",
            "enable_if",
            "enum_extensibility",
            "fallthrough",
            "fd_arg",
            "fd_arg_read",
            "fd_arg_write",
            "flag_enum",
            "format",
            "format_arg",
            "maybe_unused",
            "no_caller_saved_registers",
            "nodiscard",
            "nonnull",
            "nonstring",
            "null_terminated_string_arg",
            "sentinel",
            "sized_by",
            "strict_flex_array",
            "tainted_args",
            "unavailable",
            "unused",
            "warn_if_not_aligned",
            "warn_unused",
            "warn_unused_result",
            "warning",
        ],
        Treatment::Harmless(Harmless::Diagnostics),
    ),
    (
        &[
            "alloc_align",
            "alloc_size",
            "always_inline",
            "artificial",
            "assume",
            "assume_aligned",
            "cold",
            "const",
            "convergent",
            "expected_throw",
            "flatten",
            "hot",
            "internal_linkage",
            "leaf",
            "likely",
            "malloc",
            "may_alias",
            "minsize",
            "musttail",
            "no_builtin",
            "no_icf",
            "no_reorder",
            "noalias",
            "nobuiltin",
            "noclone",
            "noduplicate",
            "noescape",
            "noinline",
            "noipa",
            "nomerge",
            "nothrow",
            "optimize",
            "optnone",
            "ownership_holds",
            "ownership_returns",
            "ownership_takes",
            "pure",
            "reproducible",
            "restrict",
            "returns_nonnull",
            "returns_twice",
            "simd",
            "target",
            "target_clones",
            "target_version",
            "uninitialized",
            "unlikely",
            "unroll",
            "unsequenced",
            "vector_ext",
            "no_vtable",
        ],
        Treatment::Harmless(Harmless::Optimisation),
    ),
    (
        &[
            "cf_check",
            "code_seg",
            "common",
            "copy",
            "disable_sanitizer_instrumentation",
            "dllexport",
            "dllimport",
            "externally_visible",
            "fentry_name",
            "fentry_section",
            "function_return",
            "indirect_branch",
            "indirect_return",
            "model",
            "ms_hook_prologue",
            "no_instrument_function",
            "no_limit_stack",
            "no_profile_instrument_function",
            "no_sanitize",
            "no_sanitize_address",
            "no_sanitize_coverage",
            "no_sanitize_memory",
            "no_sanitize_thread",
            "no_sanitize_undefined",
            "no_address_safety_analysis",
            "no_split_stack",
            "no_stack_limit",
            "no_stack_protector",
            "nocf_check",
            "nocommon",
            "nodebug",
            "nodirect_extern_access",
            "noplt",
            "patchable_function_entry",
            "retain",
            "section",
            "stack_protect",
            "strub",
            "symver",
            "tls_model",
            "type_visibility",
            "used",
            "visibility",
            "zero_call_used_regs",
            "xray_always_instrument",
            "xray_never_instrument",
        ],
        Treatment::Harmless(Harmless::ObjectFile),
    ),
    (
        &[
            "cdecl",
            "fastcall",
            "force_align_arg_pointer",
            "gcc_struct",
            "ms_abi",
            "pascal",
            "preserve_all",
            "preserve_most",
            "regcall",
            "regparm",
            "sseregparm",
            "stdcall",
            "sysv_abi",
            "thiscall",
            "vectorcall",
        ],
        Treatment::Harmless(Harmless::Convention),
    ),
    (
        &[
            "acquire_capability",
            "acquire_shared_capability",
            "acquired_after",
            "acquired_before",
            "annotate",
            "annotate_type",
            "assert_capability",
            "assert_exclusive_lock",
            "assert_shared_lock",
            "availability",
            "bitwise",
            "btf_decl_tag",
            "btf_type_tag",
            "capability",
            "context",
            "exclusive_lock_function",
            "exclusive_locks_required",
            "exclusive_trylock_function",
            "force",
            "guarded_by",
            "guarded_var",
            "iterator",
            "lock_returned",
            "lockable",
            "locks_excluded",
            "no_thread_safety_analysis",
            "noderef",
            "nocast",
            "pt_guarded_by",
            "pt_guarded_var",
            "release_capability",
            "release_generic_capability",
            "release_shared_capability",
            "requires_capability",
            "requires_shared_capability",
            "safe",
            "scoped_lockable",
            "shared_lock_function",
            "shared_locks_required",
            "shared_trylock_function",
            "suppress",
            "try_acquire_capability",
            "try_acquire_shared_capability",
            "unlock_function",
            "acquire_handle",
            "release_handle",
            "use_handle",
            "Null_unspecified",
            "Nonnull",
            "Nullable",
            "randomize_layout",
            "no_randomize_layout",
            "randomize_layout_disabled",
            "latent_entropy",
            "user",
            "externally_initialized",
        ],
        Treatment::Harmless(Harmless::Annotation),
    ),
    (
        &[
            "address_space",
            "blocks",
            "hardbool",
            "interrupt",
            "interrupt_handler",
            "ms_struct",
            "naked",
            "noinit",
            "overloadable",
            "persistent",
            "signal",
            "no_init",
            "NSObject",
        ],
        Treatment::Unsupported,
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_there_once() {
        let mut seen = std::collections::BTreeSet::new();
        for name in TABLE.iter().flat_map(|(names, _)| names.iter()) {
            assert!(seen.insert(name), "{name} is in the table twice");
        }
    }

    #[test]
    fn treatments() {
        assert_eq!(treatment("cleanup"), Some(Treatment::Modelled));
        assert_eq!(treatment("pure"), Some(Treatment::Harmless(Harmless::Optimisation)));
        assert_eq!(treatment("naked"), Some(Treatment::Unsupported));
        assert_eq!(treatment("frobnicate"), None);
    }
}
