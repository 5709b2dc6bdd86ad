import { AccountNames, type NamedAccount } from "@wcs/domain/audit/AccountNames"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"

interface NamedRow {
  readonly id: string
  readonly kind: NamedAccount["kind"]
  readonly email: string | null
  readonly first_name: string
  readonly surname: string
}

const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const query = keep<{ tenantId: string; ids: string }, NamedRow>(
    sql,
    (at) => sql`SELECT r.id, r.kind, r.email, r.first_name, r.surname FROM account AS r
      WHERE r.tenant_id = ${at("tenantId")} AND r.id IN (SELECT value FROM ${dialectOf(sql).texts(at("ids"))})`
  )
  return AccountNames.of({
    find: (tenantId, ids) =>
      ids.length === 0
        ? Effect.succeed([])
        : Effect.map(Effect.orDie(query({ tenantId, ids: JSON.stringify(ids) })), (found) =>
            found.map(({ email, first_name, id, kind, surname }) => ({
              id,
              kind,
              email,
              firstName: first_name,
              surname
            }))
          )
  })
})

export const layer = Layer.effect(AccountNames, make)
