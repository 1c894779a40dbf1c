"""BenchExec's view of threadproof: how to call it, and what its answers mean.

Copy this file into a package on PYTHONPATH (such as `tools/`), and name it in a benchmark definition: <benchmark tool="tools.threadproof">.
"""

import re

import benchexec.result as result
from benchexec.tools.template import BaseTool2


class Tool(BaseTool2):
    """threadproof: proves multi-threaded C programs correct, or shows the interleaving that breaks them."""

    REQUIRED_PATHS = ["threadproof"]

    def executable(self, tool_locator):
        return tool_locator.find_executable("threadproof")

    def name(self):
        return "threadproof"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="threadproof ")

    def cmdline(self, executable, options, task, rlimits):
        command = [executable, "verify"]
        if task.property_file:
            command += ["--property", task.property_file]
        data_model = (task.options or {}).get("data_model") if isinstance(task.options, dict) else None
        if data_model in ("ILP32", "LP64"):
            command += ["--data-model", data_model]
        # The limit of the tool should come before that of BenchExec, so that it can say what it knows.
        limit = rlimits.cputime or rlimits.walltime
        if limit and not any(option.startswith("--timeout") for option in options):
            command += ["--timeout", f"{max(1, int(limit * 0.95))}s"]
        return command + options + list(task.input_files_or_identifier)

    def determine_result(self, run):
        for line in reversed(run.output):
            match = re.match(r"verdict: (true|false|unknown)(?:\((.*)\))?$", line.strip())
            if not match:
                continue
            answer, what = match.groups()
            if answer == "true":
                return result.RESULT_TRUE_PROP
            if answer == "false":
                return FALSE.get(what, f"{result.RESULT_FALSE_PROP}({what})")
            if what in ("timeout", "out of memory"):
                return result.RESULT_TIMEOUT if what == "timeout" else "OUT OF MEMORY"
            return f"{result.RESULT_UNKNOWN}({what})"
        return result.RESULT_ERROR


FALSE = {
    "unreach-call": result.RESULT_FALSE_REACH,
    "no-deadlock": result.RESULT_FALSE_DEADLOCK,
    "no-overflow": result.RESULT_FALSE_OVERFLOW,
    "no-data-race": result.RESULT_FALSE_DATARACE,
    "termination": result.RESULT_FALSE_TERMINATION,
    "valid-deref": result.RESULT_FALSE_DEREF,
    "valid-free": result.RESULT_FALSE_FREE,
    "valid-memtrack": result.RESULT_FALSE_MEMTRACK,
    "valid-memcleanup": result.RESULT_FALSE_MEMCLEANUP,
}
