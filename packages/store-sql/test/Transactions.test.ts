import { Effect, Layer } from "effect"
import { type Lose, transactionSuite } from "./TransactionSuite.ts"
import { clientOf, filename } from "./temporary.ts"

const lose: Lose = (sql) => sql`INSERT OR ROLLBACK INTO unique_only (id) VALUES (1)`

const inFile = (groupMax: number) =>
  Layer.unwrap(Effect.map(filename, (file) => clientOf({ filename: file, groupMax })))

transactionSuite("transactions on SQLite, in groups", inFile(256), lose)
transactionSuite("transactions on SQLite, in groups of three", inFile(3), lose)
transactionSuite("transactions on SQLite, without groups", inFile(1), lose)
transactionSuite("transactions on SQLite in memory", clientOf({ filename: ":memory:" }), lose)
