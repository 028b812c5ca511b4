"""TRL's environments: the class by itself, and TRL's own trainer with it, a tiny random policy."""

import asyncio
import functools
import inspect
import json
import math

import pytest

from sandbox import PolicyError, SandboxError
from sandbox.integrations.sessions import shared
from sandbox.integrations.sessions.trl import CodeEnvironment

ECHO = {"prompt": "Add one.", "inputs": ["1\n", "7\n"], "outputs": ["2\n", "8\n"]}
RIGHT, HALF = "print(int(input()) + 1)", "print(2)"


@pytest.fixture(name="environment")
def _environment():
    made = CodeEnvironment(partial=True)
    assert made.reset(**ECHO) is None
    return made


def run(environment, code):
    return asyncio.run(environment.run_python(code))


def submit(environment, program):
    return asyncio.run(environment.submit(program))


def test_variables_last_until_the_next_rollout(environment):
    assert run(environment, "x = 20\nx + 1") == "21\n"
    assert run(environment, "print(x)") == "20\n"
    environment.reset(**ECHO)
    assert "NameError" in run(environment, "x")


def test_what_fails_is_told_and_what_it_did_before_is_kept(environment):
    told = run(environment, "y = 1\nprint(y)\n1 / 0")
    assert told.startswith("1\nTraceback")
    assert "ZeroDivisionError" in told
    assert run(environment, "y") == "1\n"


def test_the_last_program_that_was_submitted_is_what_is_rewarded(environment):
    assert environment.get_reward() == 0.0
    submit(environment, HALF)
    assert environment.get_reward() == 0.5
    submit(environment, f"Here:\n```python\n{RIGHT}\n```")
    assert environment.get_reward() == 1.0
    environment.reset(**ECHO)
    assert environment.get_reward() == 0.0


def test_without_partial_it_is_all_or_nothing():
    environment = CodeEnvironment()
    environment.reset(**ECHO)
    submit(environment, HALF)
    assert environment.get_reward() == 0.0


def test_a_row_without_tests_has_no_reward():
    environment = CodeEnvironment()
    environment.reset(prompt="p", inputs=[], outputs=[])
    submit(environment, RIGHT)
    assert environment.get_reward() is None


def test_a_fault_of_the_sandbox_masks_the_rollout(environment, monkeypatch):
    run(environment, "x = 1")
    submit(environment, RIGHT)
    shared.close_shared()
    told = run(environment, "x")
    assert told == "The interpreter failed and was restarted: no variable is left.\n"
    assert run(environment, "1 + 1") == "2\n"
    assert environment.get_reward() is None
    environment.reset(**ECHO)
    submit(environment, RIGHT)
    assert environment.get_reward() == 1.0


def test_a_fault_in_grading_masks_too(environment, monkeypatch):
    def broken(*_, **__):
        raise SandboxError("no machine")

    monkeypatch.setattr("sandbox.integrations.sessions.trl.grade", broken)
    submit(environment, RIGHT)
    assert environment.get_reward() is None


def test_what_is_wrong_is_told_before_a_training_begins():
    with pytest.raises(PolicyError):
        CodeEnvironment("contest", cpu_seconds=1000)
    with pytest.raises(PolicyError):
        CodeEnvironment(grading={"cpu_seconds": 1000})
    with pytest.raises(ValueError, match="cannot be read"):
        CodeEnvironment().reset(prompt="p", inputs=["1"], outputs=[])


def test_its_public_methods_are_its_tools_and_nothing_else():
    methods = inspect.getmembers(CodeEnvironment, predicate=inspect.isfunction)
    public = {name for name, _ in methods if not name.startswith("_")}
    assert public == {"reset", "get_reward", "run_python", "submit"}


# -- with TRL's own trainer


TEMPLATE = """{% for m in messages %}{{ m.role }}
{{ m.content }}
{% for call in m.tool_calls or [] %}<tool_call>
{{ call.function | tojson }}
</tool_call>{% endfor %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}assistant
{% endif %}"""
CALLS = [
    ("run_python", {"code": "n = 41\nn + 1"}),
    ("submit", {"program": RIGHT}),
    ("submit", {"program": HALF}),
]


def tiny_tokenizer():
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast
    from trl import chat_template_utils

    calls = [
        f"<tool_call>\n{json.dumps({'name': name, 'arguments': arguments})}\n</tool_call>"
        for name, arguments in CALLS
    ]
    words = ["<pad>", "<|im_end|>", "user\n", "assistant\n", "tool\n", "42\n", *calls]
    numbers = {word: number for number, word in enumerate(words)}
    tokens = Tokenizer(models.WordLevel(numbers, unk_token="<pad>"))
    tokens.pre_tokenizer = pre_tokenizers.Split("\n", "merged_with_previous")
    tokens.decoder = decoders.Fuse()
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=tokens, pad_token="<pad>", eos_token="<|im_end|>"
    )
    tokenizer.chat_template = TEMPLATE
    if chat_template_utils._SUPPORTS_RESPONSE_TEMPLATE:
        anchored = {**chat_template_utils.qwen3_template, "start_anchor": "assistant\n"}
        tokenizer.response_template = anchored
    else:
        tokenizer.response_schema = chat_template_utils.qwen3_schema
    return tokenizer


@pytest.mark.xdist_group("torch")
def test_trl_trains_a_policy_that_calls_the_tools(tmp_path, monkeypatch):
    pytest.importorskip("torch", reason="torch is not installed")
    pytest.importorskip("trl", reason="trl is not installed")
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    from datasets import Dataset
    from transformers import LlamaConfig, LlamaForCausalLM, set_seed
    from trl import GRPOConfig, GRPOTrainer

    set_seed(0)
    tokenizer = tiny_tokenizer()
    model = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            intermediate_size=32,
            num_hidden_layers=1,
            num_attention_heads=2,
            num_key_value_heads=2,
            max_position_embeddings=128,
            initializer_range=0.1,
            pad_token_id=tokenizer.pad_token_id,
            eos_token_id=tokenizer.eos_token_id,
        )
    )
    arguments = GRPOConfig(
        str(tmp_path),
        max_steps=3,
        num_generations=8,
        per_device_train_batch_size=8,
        max_completion_length=48,
        max_tool_calling_iterations=3,
        learning_rate=0.02,
        logging_steps=1,
        save_strategy="no",
        report_to="none",
        disable_tqdm=True,
        use_cpu=True,
        bf16=False,
    )
    row = {**ECHO, "prompt": [{"role": "user", "content": "Add one."}]}
    made, seen = [], []

    class Watched(CodeEnvironment):
        def __init__(self):
            super().__init__(partial=True)
            made.append(self)

        def get_reward(self):
            seen.append(super().get_reward())
            return seen[-1]

    trainer = GRPOTrainer(
        model,
        args=arguments,
        train_dataset=Dataset.from_list([row]),
        processing_class=tokenizer,
        environment_factory=Watched,
    )
    before = [each.detach().clone() for each in model.parameters()]
    trainer.train()
    logged = [entry for entry in trainer.state.log_history if "reward" in entry]
    assert len(logged) == 3
    assert all(math.isfinite(entry["reward"]) for entry in logged)
    assert len(made) == 8
    assert len(seen) == 24
    assert set(seen) <= {0.0, 0.5, 1.0}
    assert len(set(seen)) > 1
    assert any((one != other).any() for one, other in zip(before, model.parameters(), strict=True))
    assert max(entry.get("tools/call_frequency", 0) for entry in logged) > 0
    assert all(entry.get("tools/failure_frequency", 0) < 1 for entry in logged)


def test_trl_makes_the_schema_of_both_tools():
    pytest.importorskip("transformers", reason="transformers is not installed")
    from transformers.utils import get_json_schema

    environment = functools.partial(CodeEnvironment, partial=True)()
    for tool, argument in ((environment.run_python, "code"), (environment.submit, "program")):
        function = get_json_schema(tool)["function"]
        assert function["name"] == tool.__name__
        assert list(function["parameters"]["properties"]) == [argument]
        assert function["parameters"]["required"] == [argument]
