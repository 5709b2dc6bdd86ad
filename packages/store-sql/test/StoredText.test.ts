import { assert, describe, it, layer } from "@effect/vitest"
import { Caller } from "@wcs/domain/access/Caller"
import * as Privilege from "@wcs/domain/access/Privilege"
import { operatorUrn } from "@wcs/domain/audit/AuditEntry"
import * as Bans from "@wcs/domain/credential/Bans"
import * as Credentials from "@wcs/domain/credential/Credentials"
import * as Exemptions from "@wcs/domain/credential/Exemptions"
import * as Workers from "@wcs/domain/credential/Workers"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import * as Resources from "@wcs/domain/crud/Resources"
import { Ban } from "@wcs/domain/holding/Ban"
import { Credential, CredentialFields } from "@wcs/domain/holding/Credential"
import { Exemption } from "@wcs/domain/holding/Exemption"
import * as Ownership from "@wcs/domain/ownership/Ownership"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Unit } from "@wcs/domain/people/Unit"
import { Worker, WorkerFields } from "@wcs/domain/people/Worker"
import type { Reading } from "@wcs/domain/resource/Collection"
import type { Resource } from "@wcs/domain/resource/Resource"
import { ComplianceCheck } from "@wcs/domain/screening/ComplianceCheck"
import * as FetchRequests from "@wcs/domain/screening/FetchRequests"
import * as RecruitmentChecks from "@wcs/domain/screening/RecruitmentChecks"
import { ScreeningPackage } from "@wcs/domain/screening/ScreeningPackage"
import * as Id from "@wcs/domain/shared/Id"
import type { JsonObject } from "@wcs/domain/shared/Json"
import * as Notifications from "@wcs/domain/shared/Notifications"
import {
  created,
  credentialFields,
  freshTenant,
  idFor,
  mint,
  put,
  start,
  workerFields
} from "@wcs/store-suite/Fixtures"
import { check } from "@wcs/store-suite/Property"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import { fullWorker } from "@wcs/store-suite/resource/FullWorker"
import { fieldsOf } from "@wcs/store-suite/resource/RandomFields"
import { Cause, Clock, Effect, Exit, Layer, Option, References, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { engines } from "./engines.ts"

const callerOf = (tenantId: string): Caller["Service"] => ({
  tenantId,
  timeZone: "Australia/Sydney",
  account: operatorUrn,
  privileges: Privilege.privilegesOf("Super Admin"),
  bearer: { kind: "personal", id: "pat_0000000000000000" },
  rateLimitKey: "test",
  rateLimit: null,
  workerId: null
})

/** The store's background work must not run until then, so only the reads have this time. */
const now: Clock.Clock = {
  currentTimeMillisUnsafe: () => start,
  currentTimeMillis: Effect.succeed(start),
  currentTimeNanosUnsafe: () => BigInt(start) * 1_000_000n,
  currentTimeNanos: Effect.succeed(BigInt(start) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => BigInt(start) * 1_000_000n,
  monotonicTimeNanos: Effect.succeed(BigInt(start) * 1_000_000n),
  sleep: () => Effect.never
}

/** The groups whose GET may return stored text. */
const groups = Layer.mergeAll(
  Workers.layer,
  Credentials.layer,
  Exemptions.layer,
  Bans.layer,
  RecruitmentChecks.layer,
  FetchRequests.layer
).pipe(
  Layer.provideMerge(Resources.layer),
  Layer.provide([Ownership.layer, Privilege.layer, Notifications.layer]),
  Layer.provide(Layer.provide(Id.layer, SecureRandom.layerWebCrypto))
)

let decoded = 0

/** Counts the documents that GET decodes. */
const counting = Layer.effect(
  ResourceStore,
  Effect.map(ResourceStore, (store) =>
    ResourceStore.of({
      ...store,
      findText: (resource, tenantId, id) =>
        Effect.map(
          store.findText(resource, tenantId, id),
          Option.map((found) => ({
            ...found,
            stored: () => {
              decoded++
              return found.stored()
            }
          }))
        )
    })
  )
)

type Read = Reading<JsonObject, unknown>["read"]

/** GET of each resource. */
const reads = Effect.gen(function* () {
  const { collection } = yield* Resources.Resources
  const all: ReadonlyArray<readonly [Resource<JsonObject>, Read]> = [
    [Worker, (yield* Workers.Workers).read],
    [Applicant, collection(Applicant).read],
    [Credential, (yield* Credentials.Credentials).read],
    [Exemption, (yield* Exemptions.Exemptions).read],
    [Ban, (yield* Bans.Bans).read],
    [Unit, collection(Unit).read],
    [ScreeningPackage, collection(ScreeningPackage).read],
    [ComplianceCheck, collection(ComplianceCheck).read],
    [RecruitmentChecks.RecruitmentCheck, (yield* RecruitmentChecks.RecruitmentChecks).read],
    [FetchRequests.FetchRequest, (yield* FetchRequests.FetchRequests).read]
  ]
  return new Map(all)
})

/** Random fields, half of them without the keys that GET leaves out. */
const drawn = (resource: Resource<JsonObject>) =>
  fc.tuple(fieldsOf(resource), fc.boolean()).map(([fields, isPlain]): JsonObject => {
    const hidden = (resource.verbatim?.hidden ?? []).map(({ key }) => key)
    const without = (key: string, value: unknown) => (hidden.includes(key) ? undefined : value)
    return isPlain ? JSON.parse(JSON.stringify(fields), without) : fields
  })

const get = Effect.fnUntraced(function* (resource: Resource<JsonObject>, tenantId: string, id: string) {
  const read = (yield* reads).get(resource)
  if (read === undefined) return yield* Effect.die(new Error(`no group reads ${resource.type}`))
  const before = decoded
  const shown = yield* read(id, {}).pipe(
    Effect.provideService(Caller, callerOf(tenantId)),
    Effect.provideService(Clock.Clock, now)
  )
  return { ...shown, isDecoded: decoded > before }
})

const untraced = Effect.provideService(References.TracerEnabled, false)

for (const [engine, stores] of engines) {
  layer(groups.pipe(Layer.provide(counting), Layer.provideMerge(stores)))(`stored text on ${engine}`, (it) => {
    for (const resource of definitions.filter(({ verbatim }) => verbatim !== undefined)) {
      it.effect(`equals the parsed document of type ${resource.type}, byte for byte`, () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const seen = { asText: 0, parsed: 0 }
          yield* check(
            drawn(resource),
            Effect.fnUntraced(function* (fields) {
              const tenantId = freshTenant()
              const { id } = yield* put(resource, tenantId, created(idFor(resource), fields, { createdAt: start - 1 }))
              const shown = yield* get(resource, tenantId, id)
              assert.deepStrictEqual(yield* untraced(get(resource, tenantId, id)), shown)
              yield* sql`UPDATE ${sql.literal(resource.type)} SET checksum = checksum + 1 WHERE tenant_id = ${tenantId}`
              const parsed = yield* get(resource, tenantId, id)
              assert.deepStrictEqual(parsed, { ...shown, isDecoded: true })
              seen[shown.isDecoded ? "parsed" : "asText"]++
            }),
            { numRuns: 100 }
          )
          assert.isAbove(seen.asText, 5)
          const { hidden, until } = resource.verbatim ?? {}
          if (hidden === undefined && until === undefined) assert.strictEqual(seen.parsed, 0)
          else assert.isAbove(seen.parsed, 5)
        })
      )
    }

    /** Stores a worker and damages its row. Returns what GET shows, without and with a tracer, and the same from a list. */
    const damaged = Effect.fnUntraced(function* (change: string, fields = fullWorker) {
      const tenantId = freshTenant()
      const { id } = yield* put(Worker, tenantId, created(mint("worker"), fields))
      assert.isFalse((yield* untraced(get(Worker, tenantId, id))).isDecoded)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE worker SET document = ${sql.literal(change)} WHERE tenant_id = ${tenantId}`
      const exit = yield* Effect.exit(untraced(get(Worker, tenantId, id)))
      assert.deepStrictEqual(yield* Effect.exit(get(Worker, tenantId, id)), exit)
      return exit
    })

    it.effect("fails, without data in the error, if the document is no JSON or has another shape", () =>
      Effect.gen(function* () {
        for (const change of [
          "substr(document, 1, 30)",
          "'no JSON'",
          "''",
          `'{"identity":{}}'`,
          `'{"identity":{"displayName":42}}'`,
          "'[]'",
          "'null'",
          "'{}'"
        ]) {
          const exit = yield* damaged(change)
          assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause), change)
          assert.notInclude(String(Exit.isFailure(exit) && Cause.squash(exit.cause)), "Ångström")
        }
      })
    )

    it.effect("is decoded if another program changed the document: new values appear, unknown keys do not", () =>
      Effect.gen(function* () {
        const exit = yield* damaged('replace(document, \'{"displayName":\', \'{"secret":"s3cr3t","displayName":\')')
        const renamed = yield* damaged("replace(document, 'Care & Co', 'Care')")
        for (const [found, organisationName] of [
          [exit, "Care & Co"],
          [renamed, "Care"]
        ] as const) {
          if (Exit.isFailure(found) || !found.value.isDecoded) return assert.fail("the document was not decoded")
          const { id: _i, type: _t, createdAt: _c, updatedAt: _u, ...fields } = JSON.parse(found.value.text)
          assert.deepStrictEqual(fields, { ...fullWorker, employment: { ...fullWorker.employment, organisationName } })
        }
      })
    )

    it.effect("of another definition is decoded, so a key that it dropped does not appear", () =>
      Effect.gen(function* () {
        const older = {
          ...Worker,
          fields: Schema.Struct({ ...WorkerFields.fields, nickname: Schema.optionalKey(Schema.String) })
        } satisfies Resource
        const tenantId = freshTenant()
        const row = created(mint("worker"), { ...workerFields(), nickname: "s3cr3t" })
        yield* put(older, tenantId, row)
        const shown = yield* untraced(get(Worker, tenantId, row.id))
        assert.isTrue(shown.isDecoded)
        const document = JSON.parse(shown.text)
        assert.notProperty(document, "nickname")
        assert.deepStrictEqual(document.identity, row.fields.identity)
      })
    )

    it.effect("leaves out that a register gave the expiry date, and is used then", () =>
      Effect.gen(function* () {
        const tenantId = freshTenant()
        const dated = { expiryDate: "2026-01-31", expiryDateOrigin: "register" } as const
        const fields = credentialFields(
          { worker: mint("worker") },
          { ...dated, identifier: ',"expiryDateOrigin":"register"' }
        )
        const { id } = yield* put(Credential, tenantId, created(mint("credential"), fields))
        const shown = yield* untraced(get(Credential, tenantId, id))
        assert.isFalse(shown.isDecoded)
        const { expiryDateOrigin: _, ...attributes } = fields.attributes
        assert.deepStrictEqual(JSON.parse(shown.text).attributes, attributes)
      })
    )

    it.effect("is not completed by owners if the document has no empty object for them, or two", () =>
      Effect.gen(function* () {
        const { attributes } = CredentialFields.fields
        const tenantId = freshTenant()
        const store = yield* ResourceStore
        const owned = credentialFields({ worker: mint("worker") })
        const full = {
          ...Credential,
          fields: Schema.Struct({
            attributes: Schema.Struct({
              ...attributes.fields,
              owners: Schema.Struct({ ...attributes.fields.owners.fields, other: Schema.String })
            })
          })
        } satisfies Resource
        const two = {
          ...Credential,
          fields: Schema.Struct({ attributes, other: Schema.Struct({ owners: Schema.Struct({}) }) })
        } satisfies Resource
        const owners = { ...owned.attributes.owners, other: "x" }
        const rows = [
          yield* put(full, tenantId, created(mint("credential"), { attributes: { ...owned.attributes, owners } })),
          yield* put(two, tenantId, created(mint("credential"), { ...owned, other: { owners: {} } }))
        ]
        for (const [index, resource] of [full, two].entries()) {
          const found = Option.getOrThrow(yield* store.findText<JsonObject>(resource, tenantId, rows[index]?.id ?? ""))
          assert.isUndefined(found.text)
          assert.deepStrictEqual<unknown>(found.stored(), rows[index])
        }
      })
    )
  })
}

describe("GET", () => {
  it("never returns the stored text of what has secrets, nor of tasks, which are shown with names, nor of messages, which are only listed, nor of answers, which are few", () => {
    const parsed = definitions.filter(({ verbatim }) => verbatim === undefined)
    assert.deepStrictEqual(
      parsed.map(({ type }) => type),
      ["task", "webhook", "answer", "identityProvider", "verificationSource", "message"]
    )
  })
})
