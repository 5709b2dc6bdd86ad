import { assert, describe, it } from "@effect/vitest"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { clientOf, filename } from "../temporary.ts"

describe("rows that an earlier version wrote after the migrations", () => {
  it.effect("threat 52: the next start joins users with a password, and ends tokens of deactivated ones", () =>
    Effect.gen(function* () {
      const file = yield* filename
      const open = Layer.fresh(Layer.provideMerge(StoreSql.layer, clientOf({ filename: file })))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const account = { tenant_id: "t", kind: "user", role: '"Admin"', created_at: 7, invite_expires_at: 9 }
        yield* sql`INSERT INTO account ${sql.insert({ ...account, id: "old", invite_hash: "a", password_hash: "hash" })}`
        yield* sql`INSERT INTO account ${sql.insert({ ...account, id: "new", invite_hash: "b" })}`
        yield* sql`INSERT INTO account ${sql.insert({ ...account, id: "off", deactivated_at: 8 })}`
        for (const id of ["old", "off"]) {
          const token = { tenant_id: "t", account_id: id, name: "n", last_four: "abcd", created_at: 7 }
          yield* sql`INSERT INTO personal_token ${sql.insert({ ...token, id, token_hash: id })}`
        }
      }).pipe(Effect.provide(open))
      yield* Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const users = yield* sql`SELECT id, joined_at, invite_hash FROM account WHERE kind = 'user' ORDER BY position`
        const tokens = yield* sql`SELECT id, revoked_at FROM personal_token ORDER BY position`
        assert.deepStrictEqual(
          [...users, ...tokens].map((row) => ({ ...row })),
          [
            { id: "old", joined_at: 7, invite_hash: null },
            { id: "new", joined_at: null, invite_hash: "b" },
            { id: "off", joined_at: null, invite_hash: null },
            { id: "old", revoked_at: null },
            { id: "off", revoked_at: 8 }
          ]
        )
      }).pipe(Effect.provide(open))
    })
  )
})
