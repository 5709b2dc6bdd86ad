import { connect, notice } from "@wcs/deployment/cells/CellConnections"
import { staleMillis } from "@wcs/deployment/cells/CellDirectory"
import { Settings } from "@wcs/deployment/Settings"
import { requireFitting } from "@wcs/deployment/stores/BackupConnection"
import { existingKey } from "@wcs/deployment/stores/DataDirectory"
import * as TrustedAuthorities from "@wcs/deployment/TrustedAuthorities"
import { findPlace, firstCell } from "@wcs/store-sql/cells/Directory"
import { type Cell, cancel, finish, MoveRefused, type Moving, move, type Part } from "@wcs/store-sql/cells/Move"
import { detailOf } from "@wcs/store-sql/engine/Dialect"
import { Console, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { Failed, Refused } from "../Output.ts"

/** A lock of the first database: a number that nothing else there uses. */
const moveLock = 7_263_043

/** Longer than the lease of a worker that died. */
const leaseMillis = 90_000

/** How long after the switch requests in flight can still read in the source, in milliseconds: as at a stop of a server. */
const drainMillis = 25_000

const sentences: Readonly<Record<Part, string>> = {
  copy: "copying the rows while the tenant is served",
  fence: "preparing the source to refuse writes",
  pause: "pausing the workers of the source",
  freeze: "freezing the tenant: its hosts get 503, and the source refuses writes",
  difference: "copying the last difference",
  take: "comparing all rows and taking them into the target",
  switch: "serving the tenant in the target",
  drain: "waiting for requests that still read in the source",
  "put aside": "putting the rows in the source aside",
  done: "the workers of the source go on"
}

/** One move at a time in a deployment. The lock ends with the connection. */
const alone = Effect.fnUntraced(function* ({ sql }: Cell) {
  const connection = yield* sql.reserve
  const [row] = yield* connection.executeUnprepared("SELECT pg_try_advisory_lock($1) AS free", [moveLock], undefined)
  if ((row as { readonly free: boolean } | undefined)?.free === true) return
  return yield* new Refused({ message: "another wcs move-tenant runs" })
})

/** Finds the tenant by id, then by name. */
const tenantIdOf = Effect.fnUntraced(function* ({ sql }: Cell, wanted: string) {
  const found = yield* sql<{ readonly id: string }>`SELECT id FROM tenant WHERE id = ${wanted} OR name = ${wanted}
    ORDER BY CASE WHEN id = ${wanted} THEN 0 ELSE 1 END LIMIT 2`
  const [tenant, other] = found
  if (tenant !== undefined && (other === undefined || tenant.id === wanted)) return tenant.id
  const reason = tenant === undefined ? "there is no tenant" : "several tenants have the name"
  return yield* new Refused({ message: `${reason} ${wanted}; see wcs admin list-tenants` })
})

/** Fails unless the master key opens the keys of each database. */
const requireOneKey = Effect.fnUntraced(function* (cells: ReadonlyArray<Cell>) {
  const key = yield* existingKey
  for (const { sql } of cells) yield* Effect.provideService(requireFitting(key), SqlClient.SqlClient, sql)
})

/** What to do, as the command line says. */
interface Wanted {
  readonly mode: "move" | "finish" | "cancel"
  readonly tenant: string
  readonly to: string
  /** The longest time in seconds for which the tenant may be frozen. */
  readonly within: number
}

/** The databases of the move: those of the directory, or the wanted target of a new move. */
const namesOf = Effect.fnUntraced(function* (first: Cell, tenantId: string, { mode, to }: Wanted) {
  const { cell, other, step } = yield* findPlace(first.sql, tenantId)
  const [source, target] = step === "switched" || step === "left" ? [other, cell] : [cell, other]
  if (step !== "settled") {
    if (mode !== "move" || to === target) return { source, target, step }
    return yield* new MoveRefused({ message: `The tenant moves to ${target}: complete that move, or use --cancel.` })
  }
  if (mode !== "move") return yield* new MoveRefused({ message: `The tenant does not move; it is in ${cell}.` })
  if (to === cell) return yield* new MoveRefused({ message: `The tenant is in ${to} already.` })
  return { source: cell, target: to, step }
})

/** Moves a tenant, or ends its move. Returns what was done. */
export const run = (wanted: Wanted) =>
  Effect.gen(function* () {
    const { database } = yield* Settings
    if (Option.isNone(database)) {
      return yield* new Refused({
        message:
          "move-tenant needs DATABASE_URL and WCS_CELLS: the embedded store is a single file; use wcs backup and wcs restore"
      })
    }
    const first = yield* connect(firstCell)
    yield* alone(first)
    const tenantId = yield* tenantIdOf(first, wanted.tenant)
    const names = yield* namesOf(first, tenantId, wanted)
    const cellOf = (name: string) => (name === firstCell ? Effect.succeed(first) : connect(name))
    const [source, target] = [yield* cellOf(names.source), yield* cellOf(names.target)]
    yield* requireOneKey([source, target])
    const moving: Moving = {
      tenantId,
      first,
      source,
      target,
      staleMillis,
      leaseMillis,
      drainMillis,
      frozenMillis: wanted.within * 1000,
      notice,
      announce: (part) => Console.error(`${part}: ${sentences[part]}`)
    }
    const place = { tenant: tenantId, from: source.name, to: target.name }
    switch (wanted.mode) {
      case "move":
        return { ...place, ...(yield* move(moving)) }
      case "finish":
        return { ...place, finished: yield* Effect.as(finish(moving), true) }
      case "cancel":
        return { ...place, cancelled: yield* Effect.as(cancel(moving), true) }
    }
  }).pipe(
    Effect.scoped,
    Effect.provide(TrustedAuthorities.layer),
    Effect.catchTag("SqlError", (error) =>
      Effect.fail(
        new Failed({ code: "UNAVAILABLE", message: `a database failed: ${detailOf(error)}; repeat the command` })
      )
    )
  )
