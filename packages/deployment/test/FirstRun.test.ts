import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as FirstRun from "@wcs/deployment/FirstRun"
import { draftOf } from "@wcs/deployment/FirstSecret"
import * as Settings from "@wcs/deployment/Settings"
import { settingsOf } from "@wcs/deployment/TestDeployment"
import * as Rules from "@wcs/domain/service/Rules"
import * as Id from "@wcs/domain/shared/Id"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import * as Administration from "@wcs/domain/token/Administration"
import { operator } from "@wcs/domain/token/Operator"
import * as PersonalToken from "@wcs/domain/token/PersonalToken"
import * as Digest from "@wcs/keys/Digest"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Effect, Layer, Logger, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { modeOf, temporaryDirectory } from "./Temporary.ts"

const administration = Administration.layer.pipe(
  Layer.provideMerge(StoreSqlite.layerMemory),
  Layer.provideMerge(Id.layer),
  Layer.provideMerge(Layer.mergeAll(Digest.layer, Rules.layer, SecureRandom.layerWebCrypto))
)

/** A first or later run with this environment. */
const run = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { bootstrap } = yield* Settings.Settings
    return yield* FirstRun.run(bootstrap)
  }).pipe(Effect.provide(settingsOf(environment), { local: true }))

/** Runs a test with an empty store of its own. */
const onEmptyStore = <A, E>(
  body: Effect.Effect<A, E, Layer.Success<typeof administration> | import("effect").Scope.Scope>
) => Effect.provide(body, administration, { local: true })

const tokensOf = (tenantId: string) => AccessStore.use((store) => store.listPersonalTokens(tenantId))
const clientsOf = (tenantId: string) => AccessStore.use((store) => store.listClients(tenantId))

/** Settings that request a secret in a file. */
const asked: Readonly<Record<"client" | "token", (file: string) => Readonly<Record<string, string>>>> = {
  client: (file) => ({ WCS_CLIENT_FILE: file }),
  token: (file) => ({ WCS_ADMIN_EMAIL: "root@example.com", WCS_ADMIN_TOKEN_FILE: file })
}

/** The state that a kill leaves at each step, derived from a whole run: the secret's file and its draft. */
const cutShort: Readonly<
  Record<string, { readonly isStored: boolean; readonly leave: (file: string, draft: string) => void }>
> = {
  "before it was stored": { isStored: false, leave: (_, draft) => writeFileSync(draft, "", { mode: 0o600 }) },
  "after it was stored": {
    isStored: true,
    leave: (file, draft) => {
      rmSync(file)
      writeFileSync(draft, "", { mode: 0o600 })
    }
  },
  "with half of it written": {
    isStored: true,
    leave: (file, draft) => {
      renameSync(file, draft)
      truncateSync(draft, 20)
    }
  },
  "with all of it written": { isStored: true, leave: renameSync },
  "with all of it in place": { isStored: true, leave: linkSync }
}

describe("FirstRun", () => {
  it.effect(
    "creates the tenant default on the loopback hosts and WCS_TENANT_HOSTS, with its service account alone, once",
    () =>
      Effect.gen(function* () {
        const store = yield* AccessStore
        const tenant = yield* run({ WCS_TENANT_HOSTS: "acme.example" })
        assert.strictEqual(tenant.name, "default")
        for (const host of ["localhost", "127.0.0.1", "[::1]", "acme.example"]) {
          assert.deepStrictEqual(
            Option.map(yield* store.findTenantByHost(host), ({ id }) => id),
            Option.some(tenant.id)
          )
        }
        assert.isTrue(Option.isSome(yield* store.serviceAccount(tenant.id)))
        assert.deepStrictEqual(yield* run({}), (yield* store.listTenants)[0])
        assert.lengthOf(yield* store.listTenants, 1)
        assert.deepStrictEqual([yield* tokensOf(tenant.id), yield* clientsOf(tenant.id)], [[], []])
      }).pipe(onEmptyStore)
  )

  it.effect("creates the requested Super Admin, with a token in a file of mode 0600, once", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryDirectory, "token")
      const environment = { WCS_ADMIN_EMAIL: "Root@Example.com", WCS_ADMIN_TOKEN_FILE: file }
      const { id } = yield* run(environment)
      const text = readFileSync(file, "utf8").trim()
      assert.strictEqual(modeOf(file), 0o600)
      assert.isTrue(PersonalToken.isWellFormed(text))
      const digest = Digest.make.sha256(text)
      const owned = yield* AccessStore.use((store) => store.findPersonalToken(id, digest))
      assert.deepStrictEqual(
        Option.map(owned, ({ account }) => [account.email, account.role]),
        Option.some(["root@example.com", "Super Admin"])
      )
      rmSync(file) // as a careful operator does
      yield* run(environment)
      assert.isFalse(existsSync(file))
      assert.lengthOf(yield* tokensOf(id), 1)
    }).pipe(onEmptyStore)
  )

  it.effect("continues after a kill between the user and its token", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryDirectory, "token")
      const { id } = yield* run({})
      const administration = yield* Administration.Administration
      yield* administration.createUser(id, "root@example.com", "Super Admin", yield* operator)
      yield* run({ WCS_ADMIN_EMAIL: "root@example.com", WCS_ADMIN_TOKEN_FILE: file })
      assert.isTrue(PersonalToken.isWellFormed(readFileSync(file, "utf8").trim()))
    }).pipe(onEmptyStore)
  )

  for (const [what, { isStored, leave }] of Object.entries(cutShort)) {
    for (const [secret, environmentOf] of Object.entries(asked)) {
      it.effect(`continues after a kill ${what}: the file has a ${secret} that works, and no other works`, () =>
        Effect.gen(function* () {
          const directory = yield* temporaryDirectory
          const file = join(directory, "secret")
          const { id } = yield* run(isStored ? environmentOf(file) : {})
          leave(file, draftOf({ path: file, tenantId: id }))
          yield* run(environmentOf(file))
          assert.strictEqual(modeOf(file), 0o600)
          assert.deepStrictEqual(readdirSync(directory), ["secret"])
          const text = readFileSync(file, "utf8")
          const hash = Digest.make.sha256(secret === "client" ? JSON.parse(text).clientSecret : text.trim())
          const stored = [
            ...(yield* clientsOf(id)).map(({ revokedAt, secretHash }) => ({ revokedAt, hash: secretHash })),
            ...(yield* tokensOf(id)).map(({ revokedAt, tokenHash }) => ({ revokedAt, hash: tokenHash }))
          ]
          const working = stored.filter(({ revokedAt }) => revokedAt === null)
          assert.deepStrictEqual(
            working.map(({ hash }) => hash),
            [hash]
          )
          yield* run(environmentOf(file))
          assert.strictEqual(readFileSync(file, "utf8"), text)
        }).pipe(onEmptyStore)
      )
    }
  }

  it.effect("refuses a foreign file at the path of the secret, and completes the draft once the file is gone", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const file = join(directory, "secret")
      const { id } = yield* run(asked.client(file))
      renameSync(file, draftOf({ path: file, tenantId: id }))
      writeFileSync(file, "precious")
      const { message } = yield* Effect.flip(run(asked.client(file)))
      assert.match(message, /^WCS_CLIENT_FILE must be the path of a file that does not exist yet, but \S+ exists\.$/)
      assert.strictEqual(readFileSync(file, "utf8"), "precious")
      rmSync(file)
      yield* run(asked.client(file))
      assert.deepStrictEqual(readdirSync(directory), ["secret"])
    }).pipe(onEmptyStore)
  )

  it.effect("creates the requested client once, and logs that it exists and its file does not", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryDirectory, "client.json")
      const logged: Array<string> = []
      const logger = Logger.make(({ message }) => {
        logged.push(String(message))
      })
      const runLogged = Effect.provide(run(asked.client(file)), Logger.layer([logger]), { local: true })
      const { id } = yield* runLogged
      yield* runLogged
      assert.deepStrictEqual(logged, [])
      const [client] = yield* clientsOf(id)
      assert.strictEqual(JSON.parse(readFileSync(file, "utf8")).clientId, client?.clientId)
      rmSync(file)
      yield* runLogged
      assert.lengthOf(yield* clientsOf(id), 1)
      assert.isFalse(existsSync(file))
      assert.deepStrictEqual(logged, [
        `WCS_CLIENT_FILE: ${file} does not exist, but a client was created earlier; secrets are written only once`
      ])
    }).pipe(onEmptyStore)
  )

  it.effect("refuses an existing file: it stays unchanged, and no unknown secret is created", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const file = join(directory, "there")
      writeFileSync(file, "precious")
      const { id } = yield* run({})
      const asked = [
        { WCS_CLIENT_FILE: file },
        { WCS_ADMIN_EMAIL: "root@example.com", WCS_ADMIN_TOKEN_FILE: file },
        { WCS_CLIENT_FILE: join(directory, "none", "client.json") }
      ]
      for (const environment of asked) {
        const { message } = yield* Effect.flip(run(environment))
        assert.match(message, /^WCS_(CLIENT|ADMIN_TOKEN)_FILE must be the path of a file that [^\n]*\.$/)
      }
      assert.strictEqual(readFileSync(file, "utf8"), "precious")
      assert.deepStrictEqual([yield* tokensOf(id), yield* clientsOf(id)], [[], []])
    }).pipe(onEmptyStore)
  )
})
