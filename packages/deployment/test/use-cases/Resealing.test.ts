import { assert, describe, it } from "@effect/vitest"
import type { Account } from "@wcs/domain/access/Account"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { type Change, ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { purposeOf as documentPurposeOf, type StoredDocument } from "@wcs/domain/document/Document"
import { DocumentStore } from "@wcs/domain/document/DocumentStore"
import { noOwners } from "@wcs/domain/ownership/Ownership"
import type { Resource } from "@wcs/domain/resource/Resource"
import { type SecondFactor, stepOf } from "@wcs/domain/second-factor/SecondFactor"
import { SecondFactorStore } from "@wcs/domain/second-factor/SecondFactorStore"
import * as SecondFactors from "@wcs/domain/second-factor/SecondFactors"
import { Totp } from "@wcs/domain/second-factor/Totp"
import * as Resealing from "@wcs/domain/service/Resealing"
import { type SealedKind, sealedKinds } from "@wcs/domain/service/SealedKind"
import * as Id from "@wcs/domain/shared/Id"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Seal as SealPort } from "@wcs/domain/shared/Seal"
import { IdentityProvider } from "@wcs/domain/single-sign-on/IdentityProvider"
import { secretPurposeOf } from "@wcs/domain/single-sign-on/IdentityProviders"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import * as SourceAccess from "@wcs/domain/verification/SourceAccess"
import { VerificationSource } from "@wcs/domain/verification/VerificationSource"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import * as WebhookSecret from "@wcs/domain/webhook/WebhookSecret"
import * as Digest from "@wcs/keys/Digest"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import * as SigningKeyPair from "@wcs/keys/SigningKeyPair"
import * as TotpLayer from "@wcs/keys/Totp"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Clock, Effect, Layer, Option, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { operator } from "./UseCases.ts"

const tenantId = "tnt_0000000000000001"

const sealUnder = (...keys: ReadonlyArray<string>) =>
  Effect.runSync(
    Seal.make.pipe(
      Effect.provide([
        MasterKey.layer(Result.getOrThrow(MasterKey.fromText(keys.join("\n")))),
        SecureRandom.layerWebCrypto
      ])
    )
  )
const [oldKey, newKey] = ["1".repeat(64), "2".repeat(64)]
const old = sealUnder(oldKey)
const rotating = sealUnder(newKey, oldKey)
const rotated = sealUnder(newKey)

const foundations = Layer.mergeAll(StoreSqlite.layerMemory, Id.layer, Digest.layer, TotpLayer.layer).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)
const withStore = <A, E>(body: Effect.Effect<A, E, Layer.Success<typeof foundations>>) =>
  Effect.provide(body, foundations, { local: true })

const secretOf = (sealed: string, purpose: string, seal = rotated) =>
  Effect.map(Effect.orDie(seal.open(purpose, sealed)), Redacted.value)

/** Changes a stored resource, or stores a new one. */
const put = <Fields extends JsonObject>(
  resource: Resource<Fields>,
  id: string,
  fieldsOf: (before: Fields | undefined) => Fields,
  deletedAt: number | null = null
) =>
  ResourceStore.use((store) =>
    store.change<Fields, never, Change<Fields>>(resource, tenantId, id, [], ({ current }) => {
      const before = Option.getOrUndefined(current)
      const times = { createdAt: 0, updatedAt: 0, deletedAt }
      const next = { id, ...times, version: (before?.version ?? 0) + 1, fields: fieldsOf(before?.fields) }
      return Result.succeed({ _tag: "Changed", next, records: noRecords })
    })
  )

const keptSecret = (id: string, secret: string, seal = old) =>
  Effect.map(seal.seal(WebhookSecret.purposeOf(id), Redacted.make(secret)), (sealed) => ({
    sealed,
    lastFour: secret.slice(-4),
    createdAt: 0,
    retiresAt: null
  }))

const putWebhook = Effect.fnUntraced(function* (id: string, secrets: ReadonlyArray<string>, deletedAt?: number) {
  const kept = yield* Effect.forEach(secrets, (secret) => keptSecret(id, secret))
  const fields: WebhookFields = {
    name: "Payroll",
    url: "https://hooks.example.org/",
    events: ["webhook.test"],
    status: "ACTIVE",
    secrets: kept
  }
  yield* put(Webhook, id, () => fields, deletedAt ?? null)
})

const secretsOf = Effect.fnUntraced(function* (id: string, seal = rotated) {
  const found = yield* ResourceStore.use((store) => store.find(Webhook, tenantId, id))
  const { secrets } = Option.getOrThrow(found).fields
  return yield* Effect.forEach(secrets, ({ sealed }) => secretOf(sealed, WebhookSecret.purposeOf(id), seal))
})

const putProvider = Effect.fnUntraced(function* (id: string, secret: string) {
  const sealed = secret === "" ? "" : yield* old.seal(secretPurposeOf(id), Redacted.make(secret))
  const fields = { name: id, kind: "oidc", active: true, required: false, domains: [], verifiedDomains: [] } as const
  yield* put(IdentityProvider, id, () => ({ ...fields, sealedClientSecret: sealed }))
})

const putSource = Effect.fnUntraced(function* (id: string, secret: string) {
  const sealedSecret = yield* old.seal(SourceAccess.secretPurposeOf(id), Redacted.make(secret))
  const written = { credentialType: "WWCC_SA", url: "https://gateway.example.org/", intervalDays: 7 }
  const said = { state: "OK", lastSuccessAt: null, lastFault: null, lastResult: "OK", isPaused: false } as const
  yield* put(VerificationSource, id, () => ({ ...written, limits: { callsPerMinute: 60 }, ...said, sealedSecret }))
})

/** A document whose upload has ended. */
const putDocument = Effect.fnUntraced(function* (id: string, key: string) {
  const store = yield* DocumentStore
  const sealedKey = yield* old.seal(documentPurposeOf(id), Redacted.make(key))
  const begun: StoredDocument = {
    ...{ id, tenantId, owner: { type: "answer", id: "one" }, status: "UPLOADING", bytes: 1, sealedKey, name: "n.pdf" },
    ...{
      content: { form: "PDF", bytes: 1, sha256: "" },
      people: noOwners,
      account: operator.account,
      createdAt: 0,
      deletion: null
    }
  }
  yield* store.begin(begun, () => Result.void)
  yield* store.change(tenantId, id, () => Result.succeed({ next: { ...begun, status: "STORED" }, audit: [] }))
})

const keyOf = Effect.fnUntraced(function* (id: string) {
  const [found] = yield* DocumentStore.use((store) => store.page(tenantId, null, 1))
  return yield* secretOf(found?.sealedKey ?? "", documentPurposeOf(id))
})

const putFactor = Effect.fnUntraced(function* (accountId: string, seed: string, seal: SealPort["Service"] = old) {
  const sealedSeed = yield* seal.seal(SecondFactors.purposeOf(accountId), Redacted.make(seed))
  const times = { createdAt: 0, confirmedAt: 0, lastStep: 0 }
  const next: SecondFactor = { tenantId, accountId, sealedSeed, ...times, recoveryHashes: [], failures: [] }
  yield* SecondFactorStore.use((store) => store.change(tenantId, accountId, () => ({ answer: null, next })))
})

const seedOf = Effect.fnUntraced(function* (accountId: string) {
  const factor = yield* SecondFactorStore.use((store) => store.find(tenantId, accountId))
  return yield* secretOf(factor?.sealedSeed ?? "", SecondFactors.purposeOf(accountId))
})

const auditOf = (entityId: string): AuditEntry => ({
  id: `aud_${entityId}`,
  ...operator,
  operation: "CREATE",
  action: "rotate",
  entityType: "signingKey",
  entityId,
  at: 0
})

const putKey = Effect.fnUntraced(function* (use: "access" | "audit", createdAt: number) {
  const key = yield* Effect.provideService(SigningKeyPair.generate(use, createdAt), SealPort, old)
  yield* AccessStore.use((store) => store.insertSigningKey(key, createdAt, auditOf(key.kid)))
  return key
})

/** Runs all batches of a kind. Returns the sums. */
const reseal = Effect.fnUntraced(function* (kind: SealedKind, seal: SealPort["Service"] = rotating) {
  const { batch } = yield* Effect.provideService(Resealing.make, SealPort, seal)
  const sums = { resealed: 0, unreadable: Array.of<string>(), batches: 0 }
  for (let after: string | null = null; ; ) {
    const done: Resealing.ResealedBatch = yield* batch(kind, tenantId, after, operator)
    sums.resealed += done.resealed
    sums.unreadable.push(...done.unreadable)
    sums.batches++
    if (done.next === null) return sums
    after = done.next
  }
})

const world = Effect.gen(function* () {
  yield* putWebhook("whk_1", ["one", "two"])
  yield* putWebhook("whk_2", ["deleted"], 1)
  yield* putProvider("idp_1", "client secret")
  yield* putProvider("idp_2", "")
  yield* putSource("src_1", "gateway secret")
  yield* putDocument("doc_1", "document key")
  for (let n = 10; n < 10 + Resealing.batchMax; n++) yield* putFactor(`acc_${n}`, `seed ${n}`)
  return [yield* putKey("access", 1), yield* putKey("audit", 2)]
})

describe("Resealing", () => {
  it.effect("seals every secret under the current key, with an audit entry, and nothing when repeated", () =>
    withStore(
      Effect.gen(function* () {
        const keys = yield* world
        const before = yield* ResourceStore.use((store) => store.find(Webhook, tenantId, "whk_1"))
        const counts = yield* Effect.forEach(sealedKinds, (kind) => reseal(kind))
        assert.deepStrictEqual(
          counts.map(({ resealed }) => resealed),
          [3, 1, 1, Resealing.batchMax, 1, 2]
        )
        assert.strictEqual(counts[3]?.batches, 2, "a full batch is followed by another one")
        assert.deepStrictEqual(yield* secretsOf("whk_1"), ["one", "two"])
        assert.deepStrictEqual(yield* secretsOf("whk_2"), ["deleted"])
        const provider = yield* ResourceStore.use((store) => store.find(IdentityProvider, tenantId, "idp_1"))
        const { sealedClientSecret } = Option.getOrThrow(provider).fields
        assert.strictEqual(yield* secretOf(sealedClientSecret, secretPurposeOf("idp_1")), "client secret")
        const source = yield* ResourceStore.use((store) => store.find(VerificationSource, tenantId, "src_1"))
        const { sealedSecret } = Option.getOrThrow(source).fields
        assert.strictEqual(yield* secretOf(sealedSecret, SourceAccess.secretPurposeOf("src_1")), "gateway secret")
        assert.strictEqual(yield* seedOf("acc_10"), "seed 10")
        assert.strictEqual(yield* keyOf("doc_1"), "document key") // threat 87
        const stored = yield* AccessStore.use((store) => store.listSigningKeys)
        for (const key of stored) yield* Effect.provideService(SigningKeyPair.open(key), SealPort, rotated)
        assert.sameMembers(
          stored.map(({ kid }) => kid),
          keys.map(({ kid }) => kid)
        )
        const after = yield* ResourceStore.use((store) => store.find(Webhook, tenantId, "whk_1"))
        assert.strictEqual(Option.getOrThrow(after).updatedAt, Option.getOrThrow(before).updatedAt)
        const log = yield* EventStore.use((store) =>
          store.audit(tenantId, {
            conditions: [],
            direction: "asc",
            pageSize: 100,
            after: undefined,
            includeDeleted: true,
            includeTotal: false
          })
        )
        assert.deepStrictEqual([...new Set(log.items.map(({ action }) => action))], ["reseal"])
        assert.lengthOf(log.items, 2 + 1 + 1 + Resealing.batchMax + 1)
        const again = yield* Effect.forEach(sealedKinds, (kind) => reseal(kind))
        assert.deepStrictEqual(
          again.map(({ resealed, unreadable }) => resealed + unreadable.length),
          [0, 0, 0, 0, 0, 0]
        )
      })
    )
  )

  it.effect("continues after an interruption", () =>
    withStore(
      Effect.gen(function* () {
        yield* world
        let left = 7
        const crashing = SealPort.of({
          ...rotating,
          reseal: (purpose, sealed) => (left-- === 0 ? Effect.die("killed") : rotating.reseal(purpose, sealed))
        })
        yield* Effect.exit(reseal("secondFactor", crashing))
        assert.strictEqual((yield* reseal("secondFactor")).resealed, Resealing.batchMax - 7)
      })
    )
  )

  it.effect("keeps what has changed meanwhile", () =>
    withStore(
      Effect.gen(function* () {
        yield* putWebhook("whk_1", ["one"])
        yield* putFactor("acc_1", "first")
        const key = yield* putKey("access", 1)
        const fresh = yield* keptSecret("whk_1", "two", rotating)
        const services = yield* Effect.context<Layer.Success<typeof foundations>>()
        /** Makes a change between the read and the write. */
        const meanwhile = (change: Effect.Effect<unknown, never, Layer.Success<typeof foundations>>) =>
          SealPort.of({
            ...rotating,
            reseal: (purpose, sealed) =>
              Effect.tap(rotating.reseal(purpose, sealed), () => Effect.provideContext(change, services))
          })
        const rotateSecret = put(Webhook, "whk_1", (before) => {
          if (before === undefined) throw new Error("there is no webhook")
          return { ...before, secrets: [fresh, ...before.secrets] }
        })
        assert.strictEqual((yield* reseal("webhook", meanwhile(rotateSecret))).resealed, 1)
        assert.deepStrictEqual(yield* secretsOf("whk_1"), ["two", "one"])
        const enrol = putFactor("acc_1", "second", rotating)
        assert.strictEqual((yield* reseal("secondFactor", meanwhile(enrol))).resealed, 0)
        assert.strictEqual(yield* seedOf("acc_1"), "second")
        const other = reseal("signingKey")
        assert.strictEqual((yield* reseal("signingKey", meanwhile(other))).resealed, 0)
        assert.strictEqual((yield* AccessStore.use((store) => store.listSigningKeys))[0]?.kid, key.kid)
      })
    )
  )

  it.effect("names the secrets that no key opens, and leaves them", () =>
    withStore(
      Effect.gen(function* () {
        yield* putWebhook("whk_1", ["one"])
        yield* putWebhook("whk_2", ["two"])
        const counts = yield* reseal("webhook", rotated)
        assert.deepStrictEqual(counts.unreadable, ["whk_1", "whk_2"].map(WebhookSecret.purposeOf))
        assert.strictEqual(counts.resealed, 0)
        assert.deepStrictEqual(yield* secretsOf("whk_1", old), ["one"])
      })
    )
  )

  it.effect("does not make a right code of an authenticator app wrong", () =>
    withStore(
      Effect.gen(function* () {
        const totp = yield* Totp
        const store = yield* SecondFactorStore
        const seed = yield* totp.seed
        yield* putFactor("acc_1", Redacted.value(seed))
        const services = yield* Effect.context<Layer.Success<typeof foundations>>()
        const resealedAfterRead = SecondFactorStore.of({
          ...store,
          find: (...key) =>
            Effect.tap(store.find(...key), () => Effect.provideContext(reseal("secondFactor"), services))
        })
        const factors = yield* SecondFactors.make.pipe(
          Effect.provideService(SecondFactorStore, resealedAfterRead),
          Effect.provideService(SealPort, rotating)
        )
        const code = totp.codeAt(seed, stepOf(yield* Clock.currentTimeMillis) + 1)
        const account = { tenantId, id: "acc_1" } as Account
        yield* factors.takeCode(account, { code, knownDevice: null })
        assert.strictEqual(yield* seedOf("acc_1"), Redacted.value(seed))
        assert.strictEqual((yield* store.find(tenantId, "acc_1"))?.failures.length, 0)
      })
    )
  )
})
