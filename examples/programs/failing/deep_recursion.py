"""A recursion whose base case is never met."""


def depth(node):
    return 1 + depth({"child": node})


print(depth({}))
