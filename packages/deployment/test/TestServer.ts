import { Serving } from "@wcs/deployment/Serving"
import { layerTest } from "@wcs/deployment/TestDeployment"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import { operator } from "@wcs/domain/token/Operator"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Effect, Option, Redacted } from "effect"
import { type Ask, ask } from "./listening/Wire.ts"

/** A server in this process, on SQLite in memory. */
export const server = (settings: Readonly<Record<string, string>>) =>
  layerTest({ stores: StoreSqlite.layerMemory, settings })

/** The file with the server's certificate. */
export const certificateFile = Effect.map(Serving, ({ certificateFile }) => Option.getOrThrow(certificateFile))

/** A TLS request to a path of the server. */
export const call = Effect.fnUntraced(function* (path: string, options: Omit<Ask, "url" | "ca"> = {}) {
  const { port } = yield* Serving
  return yield* ask({ url: `https://localhost:${port}${path}`, ca: yield* certificateFile, ...options })
})

/** A Super Admin's token, created by the operator. */
export const superAdmin = Effect.gen(function* () {
  const { createToken, createUser } = yield* Administration
  const [tenant] = yield* AccessStore.use((store) => store.listTenants)
  const actor = yield* operator
  const email = `${actor.requestId}@example.com`
  const tenantId = tenant?.id ?? ""
  yield* createUser(tenantId, email, "Super Admin", actor)
  const { secret } = yield* createToken(tenantId, email, "test", null, actor)
  return Redacted.value(secret)
})

/** The header with a bearer token. */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
