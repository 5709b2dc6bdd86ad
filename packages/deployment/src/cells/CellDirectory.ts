import { hostName } from "@wcs/domain/access/Tenant"
import { Unavailable } from "@wcs/domain/service/HttpRefusal"
import type { Incoming } from "@wcs/http/request/Incoming"
import { StartRefused } from "@wcs/node-server/StartRefused"
import * as PostgresClient from "@wcs/postgres/PostgresClient"
import { firstCell, type Place, readPlaces, revision } from "@wcs/store-sql/cells/Directory"
import { detailOf } from "@wcs/store-sql/engine/Dialect"
import { Clock, Context, Effect, Layer, Option, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { Settings } from "../Settings.ts"

/** Milliseconds between two looks at the directory. */
const lookMillis = 200

/** How long a look counts, in milliseconds. A process that cannot look again then serves nobody. */
const freshMillis = 1000

/** The longest time in milliseconds for which a process may act by an earlier directory, with the time of a request. */
export const staleMillis = freshMillis + 500

/** Seconds after which clients repeat a request for a tenant that moves. */
const retryAfterSeconds = 2

const moving = new Unavailable({ retryAfterSeconds })

/** Where a host is served. */
interface Hosted {
  readonly cell: string
  readonly isFrozen: boolean
}

/** The databases of tenants, as the first database names them. */
export class CellDirectory extends Context.Service<
  CellDirectory,
  {
    /** The first database. */
    readonly sql: SqlClient.SqlClient
    /** The database with the tenant of a request. The first one for hosts that are not in the directory. */
    readonly cellOf: (request: Incoming) => string
    /** The database with a tenant. */
    readonly cellOfTenant: (tenantId: string) => string
    /** Why a database must not answer a request: its tenant is elsewhere or moves, or the directory is unknown. */
    readonly gateOf: (cell: string) => (request: Incoming) => Unavailable | undefined
  }
>()("@wcs/deployment/cells/CellDirectory") {}

interface Known {
  readonly revision: string
  readonly hosts: ReadonlyMap<string, Hosted>
  readonly tenants: ReadonlyMap<string, string>
}

const knownOf = (
  revision: string,
  places: ReadonlyArray<Place & { readonly hosts: ReadonlyArray<string> }>
): Known => ({
  revision,
  hosts: new Map(
    places.flatMap(({ cell, hosts, step }) =>
      hosts.map((host) => [host, { cell, isFrozen: step === "frozen" }] as const)
    )
  ),
  tenants: new Map(places.map(({ cell, tenantId }) => [tenantId, cell]))
})

/** Reads the directory if it has changed. The revision is read first, so a change during the read is read again. */
const look = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, known: Known | undefined) {
  const present = yield* revision(sql)
  return known?.revision === present ? known : knownOf(present, yield* readPlaces(sql))
})

export const make = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const clock = yield* Clock.Clock
  const now = () => Number(clock.currentTimeNanosUnsafe() / 1_000_000n) // no step of the system's clock changes it
  let lookedAt = now()
  let known = yield* look(sql, undefined)
  const round = Effect.gen(function* () {
    const begunAt = now()
    known = yield* Effect.timeout(look(sql, known), freshMillis)
    lookedAt = begunAt
  })
  yield* Effect.ignoreCause(round).pipe(Effect.repeat(Schedule.spaced(lookMillis)), Effect.forkScoped)
  const hosted = ({ headers }: Incoming): Hosted | undefined => known.hosts.get(hostName(headers["host"] ?? ""))
  return CellDirectory.of({
    sql,
    cellOf: (request) => hosted(request)?.cell ?? firstCell,
    cellOfTenant: (tenantId) => known.tenants.get(tenantId) ?? firstCell,
    gateOf: (cell) => (request) => {
      if (now() - lookedAt > freshMillis) return moving
      const place = hosted(request) ?? { cell: firstCell, isFrozen: false }
      return place.isFrozen || place.cell !== cell ? moving : undefined
    }
  })
})

/** Looks at the directory with connections of its own, so that a look waits for no request. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { database } = yield* Settings
    const { url } = yield* Effect.orDie(Effect.fromOption(database))
    return Layer.effect(CellDirectory, Effect.flatMap(PostgresClient.PostgresClient, make)).pipe(
      Layer.provide(PostgresClient.layer({ url, connections: 2 })),
      Layer.catchTag("SqlError", (error) =>
        Layer.effectContext(
          Effect.fail(
            new StartRefused({
              message: `The directory of tenants in the database of DATABASE_URL cannot be read: ${detailOf(error)}.`
            })
          )
        )
      )
    )
  })
)

/** The settings for the processes of a further database. */
export const settingsOf = (settings: Settings["Service"], cell: Settings["Service"]["cells"][number]) =>
  Settings.of({ ...settings, cell: cell.name, database: Option.some(cell.database), cells: [] })
