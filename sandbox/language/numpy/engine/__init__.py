"""What answers questions to numpy: bounded, by rows of tables, with plain data alone.

| file | what it does |
|---|---|
| `functions`, `tables` | the operations that there are, one row for each |
| `rows` | reads the rows, and holds arguments against them |
| `kinds`, `arrays`, `dtypes` | what is taken for each kind of parameter |
| `bounds`, `rules`, `products` | how large a result can be, told beforehand |
| `crossing` | values on their way in and out: exact types, and numbers for arrays |
| `operations` | what is no function of numpy's as it is |
| `entries` | all operations by name |
| `errors` | what is told of an error |
| `answering` | the engine |
"""
