"""Rules of the gate for reward functions: what it looks for, why, and what to do instead."""

from sandbox.audit.findings import Rule, Severity

RULES = (
    Rule(
        id="code-execution",
        title="Runs code in another way than restricted_execution",
        help="exec, eval, compile, importlib, pickles and their like run what they are given in the"
        " trainer itself, with its memory, files and answers.",
    ),
    Rule(
        id="process",
        title="Starts processes or threads, or runs commands",
        help="A program that is started from the trainer has the trainer's rights. A Sandbox runs"
        " many programs at once without any.",
    ),
    Rule(
        id="native-code",
        title="Reaches native code or memory",
        help="ctypes and its like read and write the trainer's memory and call anything.",
    ),
    Rule(
        id="files",
        title="Opens files",
        help="A reward depends on what it is given, and leaves nothing behind.",
    ),
    Rule(
        id="network",
        title="Opens connections",
        help="What a completion says must not leave the machine, nor a reward come from elsewhere.",
    ),
    Rule(
        id="environment",
        title="Reads the trainer's environment",
        help="The environment, the command line and standard input hold secrets and no reward.",
    ),
    Rule(
        id="introspection",
        title="Walks the interpreter's own objects",
        help="Frames, code objects, globals, class hierarchies and real modules lead from any"
        " object to everything else (CVE-2023-37271, CVE-2024-47532).",
    ),
    Rule(
        id="module-internals",
        title="Reaches through a module to another",
        help="random._os and json.codecs.builtins are the whole standard library by another name.",
    ),
    Rule(
        id="redefined",
        title="Replaces the sandbox, or a part of another module",
        help="What is called restricted_execution must be the sandbox's own; patching a module"
        " changes it for the whole trainer.",
    ),
    Rule(
        id="weak-policy",
        title="Runs programs under a policy that holds less, or lends them functions",
        help="Only the shipped policies with the language layer are known to hold without a look"
        " at their text.",
    ),
    Rule(
        id="undecided",
        title="Cannot be decided without running it",
        help="A name, an attribute or a class that is made at run time may be anything. It is"
        " refused unless it is provably harmless.",
    ),
    Rule(
        id="format-walk",
        title="A format string reads attributes",
        help="str.format walks attributes and items of its arguments (CVE-2023-41039).",
    ),
    Rule(
        id="ungranted",
        title="Uses a module or a name that the policy 'reward' does not grant",
        help="Nobody has looked at what it leads to.",
    ),
    Rule(
        id="nondeterministic",
        title="Gives another reward for the same completion",
        help="Chance, clocks and addresses make advantages out of noise.",
    ),
    Rule(
        id="unreadable",
        title="Not Python, or too complex to be looked at",
        help="What cannot be read cannot be accepted.",
    ),
    Rule(
        id="no-function",
        title="Has no reward function, or not the one that was named",
        help="A reward function takes completions and returns a list of numbers.",
    ),
    Rule(
        id="fails",
        title="Fails on ordinary completions",
        help="It was run in the sandbox over sample completions, as strings and as conversations.",
    ),
    Rule(
        id="fragile",
        title="Fails on a completion that a model may well write",
        help="A reward function that raises ends the training run: empty, huge, ill-encoded and"
        " hostile completions occur.",
    ),
    Rule(
        id="bad-rewards",
        title="Returns something else than one finite number or None per completion",
        help="TRL makes a tensor of the list; NaN and infinity spread to every advantage.",
    ),
    Rule(
        id="over-budget",
        title="Uses too much time, memory or output, or executes too many programs",
        help="Reward functions run between two training steps, serially.",
    ),
    Rule(
        id="refused",
        title="Does what the language layer refuses",
        help="It was stopped in the sandbox; the message says where.",
    ),
    Rule(
        id="contract",
        title="Does not quite fit how trainers call it",
        help="TRL calls with keywords only and passes every column of the data set.",
    ),
    Rule(
        id="not-native",
        title="Is to be run contained, with sandbox.load_reward",
        help="Only what is made of a short list of constructs is known to be harmless in the"
        " trainer itself. Contained, nothing that a function does gets out.",
    ),
    Rule(
        id="surprise",
        title="May differ between runs or machines",
        help="hash() of text depends on PYTHONHASHSEED, id() on addresses; a sleep takes no time"
        " in the sandbox.",
    ),
)
REJECTING = Severity.HIGH

FIXES = {
    "code-execution": "run programs with restricted_execution(code, input_data) and nothing else",
    "process": "use Sandbox.map or Sandbox.run_many: they run programs at once, in children",
    "native-code": "write it in plain Python",
    "files": "pass what it needs as a column of the data set",
    "network": "compute the reward from the completion and its columns alone",
    "environment": "pass what it needs as a column or an argument",
    "introspection": "use the objects as they are given",
    "module-internals": "import the module that is meant, if the policy 'reward' grants it",
    "redefined": "give your own function another name, and leave other modules as they are",
    "weak-policy": "use the policy 'strict', 'algorithms' or 'contest', written as a constant",
    "undecided": "write the name out, or use a dict of your own functions",
    "format-walk": "use an f-string",
    "ungranted": "do without it: `sandbox policy show reward` lists what there is",
    "nondeterministic": "seed the generator with a constant, and leave clocks out of the reward",
    "unreadable": "write it as ordinary Python of moderate length and nesting",
    "no-function": "name the parameter completions, or say which function is meant",
    "fails": "run it on a few rows by hand; give rows of the data set if its columns are unusual",
    "fragile": "return 0.0 or None for a completion that it cannot read",
    "bad-rewards": "return [float(...) for each completion], and None where there is no reward",
    "over-budget": "bound loops, patterns and the number of programs by the completion's length",
    "refused": "leave it out: the policy 'reward' says what there is",
    "contract": "write it as def reward(completions, **kwargs)",
    "not-native": "nothing, if it is loaded with sandbox.load_reward",
    "surprise": "use hashlib, compare the values themselves, do not wait",
}
