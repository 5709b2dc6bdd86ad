import { join } from "node:path"
import * as Rules from "@wcs/domain/service/Rules"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Administration } from "@wcs/domain/token/Administration"
import { operator } from "@wcs/domain/token/Operator"
import * as Serve from "@wcs/http-node/Serve"
import * as Settings from "@wcs/http-node/Settings"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { ConfigProvider, Effect, Layer, Option, Redacted } from "effect"
import { type Ask, ask } from "./listening/Wire.ts"
import { temporaryDirectory } from "./Temporary.ts"

/** A whole server in this process, on free ports and SQLite in memory. */
export const server = (environment: Readonly<Record<string, string>>) =>
  Layer.unwrap(
    Effect.map(temporaryDirectory, (directory) =>
      Serve.layerWith({ stores: StoreSqlite.layerMemory, rules: Rules.layer }).pipe(
        Layer.provideMerge(Settings.layer),
        Layer.provide(
          ConfigProvider.layer(
            ConfigProvider.fromUnknown({
              WCS_DATA: join(directory, "data"),
              WCS_PORT: "0",
              WCS_ADMIN_PORT: "0",
              WCS_HOST: "127.0.0.1",
              ...environment
            })
          )
        )
      )
    )
  )

/** The file with the server's certificate. */
export const certificateFile = Effect.map(Serve.Serving, ({ certificateFile }) => Option.getOrThrow(certificateFile))

/** A TLS request to a path of the server. */
export const call = Effect.fnUntraced(function* (path: string, options: Omit<Ask, "url" | "ca"> = {}) {
  const { port } = yield* Serve.Serving
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
