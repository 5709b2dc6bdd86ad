import { timeOfStep } from "@wcs/domain/second-factor/SecondFactor"
import type { Session } from "@wcs/domain/session/Session"
import type { LoginState } from "@wcs/domain/user/LoginState"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"

interface Asked {
  readonly tenantId: string
  readonly ids: string
}

interface LoginRow {
  readonly account_id: string
  readonly method: Session["method"]
  readonly created_at: unknown
}

interface FactorRow {
  readonly account_id: string
  readonly confirmed_at: unknown
  readonly last_step: unknown
}

/**
 * Returns a reader of the logins of users. An account keeps its newest session for ever, because only a new one deletes
 * those that have expired. A step-up replaces a session and keeps the time of its login.
 */
export const makeLogins = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const newest = keep<Asked, LoginRow>(
    sql,
    (at) =>
      sql`SELECT r.account_id, r.method, r.created_at FROM ${dialect.texts(at("ids"))} ${dialect.joinEach(
        "session",
        "r",
        (columns) => sql`SELECT s.${columns} FROM session AS s${dialect.indexedBy("session_of_account")}
        WHERE s.tenant_id = ${at("tenantId")} AND s.account_id = value ORDER BY s.created_at DESC LIMIT 1`
      )}`
  )
  const factors = keep<Asked, FactorRow>(
    sql,
    (at) => sql`SELECT f.account_id, f.confirmed_at, f.last_step FROM second_factor AS f
      WHERE f.tenant_id = ${at("tenantId")} AND f.confirmed_at IS NOT NULL
      AND f.account_id IN (SELECT value FROM ${dialect.texts(at("ids"))})`
  )
  return (tenantId: string, ids: string) =>
    Effect.orDie(
      Effect.gen(function* () {
        const sessions = new Map((yield* newest({ tenantId, ids })).map((row) => [row.account_id, row]))
        const apps = new Map((yield* factors({ tenantId, ids })).map((row) => [row.account_id, row]))
        return new Map(
          [...new Set([...sessions.keys(), ...apps.keys()])].map((id): readonly [string, LoginState] => {
            const [session, app] = [sessions.get(id), apps.get(id)]
            return [
              id,
              {
                lastLogin: session === undefined ? null : { at: Number(session.created_at), method: session.method },
                secondFactor:
                  app === undefined
                    ? null
                    : { since: Number(app.confirmed_at), lastUsedAt: timeOfStep(Number(app.last_step)) }
              }
            ]
          })
        )
      })
    )
}
