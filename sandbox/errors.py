"""What can go wrong with the sandbox itself. A guest's faults are a `Result`, never raised.

SandboxError                   the sandbox failed; the job has no verdict
├── SandboxUnavailable         the host cannot provide a required layer
├── SandboxClosed              the sandbox was closed before or during the call
└── PolicyError                a policy does not say what a policy must say
"""


class SandboxError(Exception):
    """The sandbox, or the machine below it, failed. Never a verdict on the guest.

    A reward must treat it as *no measurement*, not as zero.
    """


class SandboxUnavailable(SandboxError):
    """The host lacks something that the policy requires.

    `layer` names it in the words of the policy, `reason` is what the host answered and `remedy`
    is what to do about it.
    """

    def __init__(self, layer: str, reason: str, remedy: str) -> None:
        super().__init__(f"layer '{layer}' is not available: {reason}. {remedy}")
        self.layer = layer
        self.reason = reason
        self.remedy = remedy

    def __reduce__(self) -> tuple[type, tuple[str, str, str]]:
        return type(self), (self.layer, self.reason, self.remedy)


class SandboxClosed(SandboxError):
    """The `Sandbox` was closed before or during the call."""


class PolicyError(SandboxError, ValueError):
    """A policy file or value is wrong. The message names the file, the key and the reason."""


# Not one job's bad luck: the next job would meet the same.
CONFIGURATION = (PolicyError, SandboxClosed, SandboxUnavailable)
