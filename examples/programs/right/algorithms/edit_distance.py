"""Edit distance of pairs of words, with one best alignment. Input: one pair a line."""


def table(source, target):
    rows, columns = len(source) + 1, len(target) + 1
    cost = [[0] * columns for _ in range(rows)]
    for i in range(rows):
        cost[i][0] = i
    for j in range(columns):
        cost[0][j] = j
    for i in range(1, rows):
        for j in range(1, columns):
            change = source[i - 1] != target[j - 1]
            cost[i][j] = min(cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change)
    return cost


def steps(source, target, cost):
    i, j = len(source), len(target)
    found = []
    while i or j:
        if i and j and cost[i][j] == cost[i - 1][j - 1] + (source[i - 1] != target[j - 1]):
            if source[i - 1] != target[j - 1]:
                found.append(f"replace {source[i - 1]} by {target[j - 1]}")
            i, j = i - 1, j - 1
        elif i and cost[i][j] == cost[i - 1][j] + 1:
            found.append(f"delete {source[i - 1]}")
            i -= 1
        else:
            found.append(f"insert {target[j - 1]}")
            j -= 1
    return found[::-1]


while True:
    try:
        first, second = input().split()
    except EOFError:
        break
    costs = table(first, second)
    print(f"{first} -> {second}: {costs[-1][-1]}")
    for step in steps(first, second, costs):
        print("   ", step)
