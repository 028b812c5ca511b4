"""A preamble and the program after it share a module: each sees what the other binds there."""

import pytest

REBINDS = """
def rebind(make):
    global a
    a = make()
"""
STORES = """
class Own: pass
a = first = Own()
a.x = 1
rebind(Own)
a.y = 2
print(vars(first), vars(a))
"""


def test_a_store_goes_to_what_the_preamble_bound_the_variable_to(strict):
    result = strict.run(STORES, preamble=REBINDS)
    assert result.output == "{'x': 1} {'y': 2}\n", result
    (compiled_before,) = strict.run_many(STORES, [""], preamble=REBINDS)
    assert compiled_before.output == result.output


def test_what_the_preamble_binds_a_variable_to_is_looked_at(strict):
    result = strict.run(STORES.replace("rebind(Own)", "rebind(list)"), preamble=REBINDS)
    assert result.status == "ERROR", result
    assert "list" in result.error


@pytest.mark.parametrize("preamble", ["", "b = 1", "# nothing global"])
def test_a_program_is_the_same_after_a_preamble_that_binds_nothing_of_its_own(strict, preamble):
    program = STORES.replace("rebind(Own)", "a = Own()")
    assert strict.run(program, preamble=preamble).output == "{'x': 1} {'y': 2}\n"
