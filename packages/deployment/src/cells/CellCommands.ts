import { refusalStatus } from "@wcs/admin/AdminRefused"
import * as AdminRoutes from "@wcs/admin/AdminRoutes"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { firstCell } from "@wcs/store-sql/cells/Directory"
import { Context, Effect, Option, Schema } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"

type Needed = Effect.Services<typeof AdminRoutes.handler>

/** The services of admin commands in the further databases. */
export const CellServices = Context.Reference<{
  readonly hasCells: boolean
  readonly cellOfTenant: (tenantId: string) => string
  readonly services: ReadonlyMap<string, Context.Context<never>>
}>("@wcs/deployment/cells/CellServices", {
  defaultValue: () => ({ hasCells: false, cellOfTenant: () => firstCell, services: new Map() })
})

/** The parts of a command that name its tenant. `tenant` is an id, a name, or null for the only tenant. */
const Named = Schema.Struct({
  tenant: Schema.optionalKey(Schema.NullOr(Schema.String)),
  tenantId: Schema.optionalKey(Schema.String)
})
const namedIn = Schema.decodeUnknownOption(Schema.fromJsonString(Named))

/** The id of the tenant of a command. Undefined if it has none, or if the name is not clear. */
const tenantOf = Effect.fnUntraced(function* (body: string, isList: boolean) {
  const named = namedIn(body)
  if (Option.isNone(named)) return undefined
  const { tenant, tenantId } = named.value
  if (tenantId !== undefined || tenant === undefined || (tenant === null && isList)) return tenantId
  const tenants = yield* AccessStore.use((store) => store.listTenants)
  const byId = tenants.filter(({ id }) => id === tenant)
  const found = tenant === null ? tenants : byId.length > 0 ? byId : tenants.filter(({ name }) => name === tenant)
  return found.length === 1 ? found[0]?.id : undefined
})

/** The lists of all tenants, with the field of their rows. */
const lists: Readonly<Record<string, string>> = {
  "/listAuditLogs": "tenants",
  "/listDeadLetters": "events",
  "/listFailingWebhooks": "webhooks"
}

type Answer = Effect.Success<typeof AdminRoutes.handler>

const Rows = Schema.Record(Schema.String, Schema.Array(Schema.Record(Schema.String, Schema.Json)))

/** Adds the rows of the further databases to a list of the first one, which also has the log of the deployment itself. */
const joined = Effect.fnUntraced(function* (field: string, first: Answer, others: ReadonlyMap<string, Answer>) {
  const request = HttpServerRequest.toClientRequest(yield* HttpServerRequest.HttpServerRequest)
  const rowsOf = (response: HttpServerResponse.HttpServerResponse) =>
    HttpServerResponse.toClientResponse(response, { request }).json.pipe(
      Effect.flatMap(Schema.decodeUnknownEffect(Rows)),
      Effect.map((rows) => rows[field] ?? []),
      Effect.orDie
    )
  const response = yield* first
  if (response.status !== 200) return response
  const rows = [...(yield* rowsOf(response))]
  for (const [name, other] of others) {
    // A log that is missing would look like one without tampering. The other lists are needed in an outage.
    const read = Effect.flatMap(other, rowsOf)
    const found =
      field === "tenants"
        ? yield* read
        : yield* Effect.catchCause(read, (cause) =>
            Effect.as(Effect.logError(`a list has no rows of the database ${name}, which failed`, cause), [])
          )
    rows.push(...found.filter(({ id }) => id !== ""))
  }
  return HttpServerResponse.jsonUnsafe({ [field]: rows })
})

/** The refusal of a command for a database that is not reached. */
const unreached = (name: string) => {
  const refused = {
    _tag: "AdminRefused",
    code: "UNAVAILABLE",
    message: `the database ${name} cannot be reached`
  } as const
  return HttpServerResponse.jsonUnsafe(refused, { status: refusalStatus[refused.code] })
}

/** Answers a command by the database with its tenant. The first one answers those without a tenant. */
export const handler = Effect.gen(function* () {
  const first = yield* AdminRoutes.handler
  const { cellOfTenant, hasCells, services } = yield* CellServices
  if (!hasCells) return first
  const own = yield* Effect.context<Needed>()
  const known = new Map<string, Answer>()
  /** A database can be reached later than the process starts. */
  const answerIn = Effect.fnUntraced(function* (name: string) {
    const found = known.get(name)
    if (found !== undefined) return found
    const context = services.get(name)
    if (context === undefined) return Effect.succeed(unreached(name))
    const made = yield* Effect.updateContext(
      AdminRoutes.handler,
      (_: Context.Context<never>) => Context.merge(own, context) // without the services of the first command
    )
    known.set(name, made)
    return made
  })
  return Effect.gen(function* () {
    const request = yield* HttpServerRequest.HttpServerRequest
    const body = request.method === "POST" ? yield* Effect.orElseSucceed(request.text, () => "") : ""
    const list = lists[request.url]
    const tenantId = yield* Effect.provideContext(tenantOf(body, list !== undefined), own)
    if (list !== undefined && tenantId === undefined) {
      const others = new Map<string, Answer>()
      for (const name of services.keys()) others.set(name, yield* answerIn(name))
      return yield* joined(list, first, others)
    }
    const cell = tenantId === undefined ? firstCell : cellOfTenant(tenantId)
    return yield* cell === firstCell ? first : yield* answerIn(cell)
  })
})
