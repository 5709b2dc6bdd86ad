import { readFileSync } from "node:fs"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { Serving } from "@wcs/deployment/Serving"
import { layerTest } from "@wcs/deployment/TestDeployment"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import { operator } from "@wcs/domain/token/Operator"
import { Users } from "@wcs/domain/user/Users"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { HttpClient } from "effect/http"

/** A legacy user. */
const email = "dana@example.org"
const password = Redacted.make("correct horse battery")

/** The real server on a free port, with stores in memory. */
const server = layerTest({ stores: StoreSqlite.layerMemory })

const make = Effect.gen(function* () {
  const administration = yield* Administration
  const users = yield* Users
  const { certificateFile, port } = yield* Serving
  const [tenant] = yield* AccessStore.use((store) => store.listTenants)
  const tenantId = tenant?.id ?? ""
  const actor = yield* operator
  const { client, secret } = yield* administration.createClient(tenantId, "client", actor)
  yield* administration.createUser(tenantId, email, "Viewer", actor)
  yield* users.setPassword(tenantId, email, password, actor)
  yield* users.setVerified(tenantId, email, true, actor)
  return {
    baseUrl: `https://localhost:${port}`,
    certificate: readFileSync(Option.getOrThrow(certificateFile)),
    access: { clientId: client.clientId, clientSecret: secret },
    legacy: { email, password },
    /** Revokes all tokens of the legacy user. */
    endTokens: Effect.asVoid(users.endTokens(tenantId, email, actor))
  }
})

/** A deployment in this process, with credentials. */
export class OurDeployment extends Context.Service<OurDeployment, Effect.Success<typeof make>>()(
  "@wcs/client/test/OurDeployment"
) {}

/** The recorded requests: `GET /openapi/v1/workers` and the authorization scheme. */
export class Watched extends Context.Service<Watched, Array<readonly [call: string, authorization: string]>>()(
  "@wcs/client/test/Watched"
) {}

const http = Layer.effect(
  HttpClient.HttpClient,
  Effect.gen(function* () {
    const watched = yield* Watched
    const client = yield* HttpClient.HttpClient
    return HttpClient.tapRequest(client, ({ headers, method, url }) =>
      Effect.sync(() => {
        watched.push([`${method} ${new URL(url).pathname}`, headers["authorization"]?.split(" ")[0] ?? "none"])
      })
    )
  })
).pipe(
  Layer.provide(NodeHttpClient.layerNodeHttpNoAgent),
  Layer.provide(
    Layer.unwrap(
      OurDeployment.use(({ certificate }) => Effect.succeed(NodeHttpClient.layerAgentOptions({ ca: certificate })))
    )
  )
)

/** A recording HTTP client over TLS. */
export const layer = http.pipe(
  Layer.provideMerge(Layer.sync(Watched, () => [])),
  Layer.provideMerge(Layer.effect(OurDeployment, make).pipe(Layer.provide(server), Layer.orDie))
)
