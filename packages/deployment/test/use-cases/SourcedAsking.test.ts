import { assert, describe, it } from "@effect/vitest"
import * as RateLimiterMemory from "@wcs/domain/access/RateLimiterMemory"
import { defaultRateLimits } from "@wcs/domain/access/RateLimitTier"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { asked as askedTypes, find } from "@wcs/domain/holding/CredentialType"
import * as Id from "@wcs/domain/shared/Id"
import { Seal as SealPort } from "@wcs/domain/shared/Seal"
import { DefaultSource } from "@wcs/domain/verification/DefaultSource"
import { Register, type RegisterAnswer, RegisterFailed, type RegisterQuestion } from "@wcs/domain/verification/Register"
import { secretPurposeOf } from "@wcs/domain/verification/SourceAccess"
import * as SourcedAsking from "@wcs/domain/verification/SourcedAsking"
import { type TenantGateway, TenantGateways } from "@wcs/domain/verification/TenantGateways"
import { afterEvent, VerificationSource } from "@wcs/domain/verification/VerificationSource"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { digits } from "@wcs/store-suite/Fixtures"
import { check } from "@wcs/store-suite/Property"
import { Context, Effect, Fiber, Layer, Option, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import fc from "fast-check"
import { auditOf } from "./UseCases.ts"

const found: RegisterAnswer = { _tag: "Found", statusDetail: "VALID", expiryDate: null }

/** What was asked: of the gateways of sources, and of the deployment's register. */
class Outside extends Context.Service<
  Outside,
  {
    readonly gateways: Array<TenantGateway>
    readonly standard: Array<string>
    answer: Effect.Effect<RegisterAnswer, RegisterFailed>
  }
>()("@wcs/deployment/test/Outside") {
  static readonly layer = Layer.sync(Outside, () => ({ gateways: [], standard: [], answer: Effect.succeed(found) }))
}

const outside = Layer.mergeAll(
  Layer.effect(
    TenantGateways,
    Effect.map(Outside, (all) => {
      const ask = (_: RegisterQuestion, gateway: TenantGateway) =>
        Effect.suspend(() => {
          all.gateways.push(gateway)
          return all.answer
        })
      return TenantGateways.of({ ask, probe: ask })
    })
  ),
  Layer.effect(
    Register,
    Effect.map(Outside, ({ standard }) =>
      Register.of({
        ask: (_, tenantId) =>
          Effect.as(
            Effect.sync(() => standard.push(tenantId)),
            found
          )
      })
    )
  )
)

const masterKey = Result.getOrThrow(MasterKey.fromBytes(new Uint8Array(32).fill(1)))

const world = (defaultSource: typeof DefaultSource.Service) =>
  SourcedAsking.layer.pipe(
    Layer.provide(Layer.provide(outside, Outside.layer)),
    Layer.provideMerge(
      Layer.mergeAll(Outside.layer, StoreSqlite.layerMemory, RateLimiterMemory.layer(defaultRateLimits), Seal.layer)
    ),
    Layer.provide(Layer.succeed(DefaultSource, defaultSource)),
    Layer.provide(MasterKey.layer(masterKey)),
    Layer.provideMerge(Id.layer),
    Layer.provide(SecureRandom.layerWebCrypto)
  )

/** Runs a test with a deployment whose register has the accounts of one tenant, or of none. */
const within =
  (accountsOf: string | null = null, callsPerMinute: number | null = null) =>
  <A, E>(body: Effect.Effect<A, E, Layer.Success<ReturnType<typeof world>>>) =>
    Effect.provide(body, world({ accountsOf, callsPerMinute }), { local: true })

/** A source with the secret `secret of <id>`. */
const putSource = Effect.fnUntraced(function* (
  tenantId: string,
  credentialType: string,
  { callsPerMinute = 60, isPaused = false, secret = true } = {}
) {
  const id = `src_${digits()}`
  const sealed = yield* SealPort.use(({ seal }) => seal(secretPurposeOf(id), Redacted.make(`secret of ${id}`)))
  const fields = afterEvent(
    {
      ...{ credentialType, url: `https://${tenantId}.example/`, intervalDays: 7, limits: { callsPerMinute } },
      ...{ state: "OK", lastSuccessAt: null, lastFault: null, lastResult: "OK", isPaused, sealedSecret: "" }
    },
    { _tag: "Written", secret: secret ? sealed : undefined }
  )
  const next = { id, version: 1, createdAt: 0, updatedAt: 0, deletedAt: null, fields }
  yield* ResourceStore.use((store) =>
    store.change(VerificationSource, tenantId, id, [], () =>
      Result.succeed({ _tag: "Changed", next, records: noRecords } as const)
    )
  )
  return id
})

const sourceOf = (tenantId: string, id: string) =>
  Effect.map(
    ResourceStore.use((store) => store.find(VerificationSource, tenantId, id)),
    (source) => Option.getOrThrow(source).fields
  )

const ask = (tenantId: string, credentialType: string) =>
  Effect.result(
    Register.use((register) =>
      register.ask(
        {
          ...{ credentialType, jurisdiction: null, identifier: "1234567", issueNumber: null, cardType: null },
          ...{ expiryDate: null, issuingCountry: null },
          holder: { firstName: null, middleName: null, lastName: null, birthDate: null, otherNames: [] }
        },
        tenantId
      )
    )
  )

/** The answer in a word. */
const said = (answer: Result.Result<RegisterAnswer, RegisterFailed>): string =>
  Result.match(answer, { onSuccess: ({ _tag }) => _tag, onFailure: ({ fault }) => fault })

const tenants = ["tnt_a", "tnt_b"] as const

const pairOf = (...types: ReadonlyArray<string>) =>
  fc.record({ tenant: fc.constantFrom(...tenants), type: fc.constantFrom(...types) })

describe("threat 60: questions by the source of their tenant", () => {
  it.effect("go by no source of another tenant, and by the deployment's register only without a source", () =>
    check(
      fc.record({
        accountsOf: fc.constantFrom(null, ...tenants),
        sources: fc.array(pairOf("WWCC_SA", "WWCC_VIC", "NDIS_WORKER_SCREENING"), { maxLength: 4 }),
        questions: fc.array(pairOf(...askedTypes), { minLength: 1, maxLength: 8 })
      }),
      ({ accountsOf, questions, sources }) =>
        within(accountsOf)(
          Effect.gen(function* () {
            const all = yield* Outside
            const own = new Map<string, string>()
            for (const { tenant, type } of sources) {
              const id = yield* putSource(tenant, type)
              const key = `${tenant} ${type}`
              if (!own.has(key)) own.set(key, id)
            }
            for (const { tenant, type } of questions) {
              all.gateways.length = 0
              all.standard.length = 0
              const word = said(yield* ask(tenant, type))
              const id = own.get(`${tenant} ${type}`)
              const isShared = find(type)?.needsAccount !== true || accountsOf === tenant
              assert.deepStrictEqual(
                all.gateways.map(({ secret, url }) => [Redacted.value(secret), url]),
                id === undefined ? [] : [[`secret of ${id}`, `https://${tenant}.example/`]]
              )
              assert.deepStrictEqual(all.standard, id === undefined && isShared ? [tenant] : [])
              assert.strictEqual(word, id === undefined && !isShared ? "SOURCE_NOT_CONFIGURED" : "Found")
            }
          })
        ),
      { numRuns: 40 }
    )
  )
})

const limitedTo2 = Effect.fnUntraced(function* (...asking: ReadonlyArray<string>) {
  const words = Effect.forEach(asking, (tenantId) => Effect.map(ask(tenantId, "WWCC_VIC"), said))
  assert.deepStrictEqual(yield* words, ["Found", "Found", "Deferred"])
  yield* TestClock.adjust("1 minute")
  assert.deepStrictEqual(yield* words, ["Found", "Found", "Deferred"])
})

describe("the deployment's register", () => {
  it.effect("is asked by all tenants together as often in a minute as its limit says", () =>
    within(null, 2)(limitedTo2("tnt_a", "tnt_b", "tnt_a"))
  )
})

describe("a source", () => {
  it.effect("R3: that has no secret ends the question as SOURCE_NOT_CONFIGURED, for good", () =>
    within("tnt_a")(
      Effect.gen(function* () {
        yield* putSource("tnt_a", "WWCC_SA", { secret: false })
        const answer = yield* ask("tnt_a", "WWCC_SA")
        assert.deepInclude(Result.getOrThrow(Result.flip(answer)), {
          fault: "SOURCE_NOT_CONFIGURED",
          isTransient: false
        })
        const { gateways, standard } = yield* Outside
        assert.deepStrictEqual([gateways, standard], [[], []])
      })
    )
  )

  it.effect("that is paused defers the question and asks nobody", () =>
    within()(
      Effect.gen(function* () {
        yield* putSource("tnt_a", "WWCC_SA", { isPaused: true })
        assert.strictEqual(said(yield* ask("tnt_a", "WWCC_SA")), "Deferred")
        assert.deepStrictEqual((yield* Outside).gateways, [])
      })
    )
  )

  it.effect("is asked as often in a minute as its limit says, and defers further questions", () =>
    within()(
      Effect.gen(function* () {
        yield* putSource("tnt_a", "WWCC_VIC", { callsPerMinute: 2 })
        yield* limitedTo2("tnt_a", "tnt_a", "tnt_a")
      })
    )
  )

  it.effect("threat 60: that never answers holds 4 questions, so the worker asks the sources of other tenants", () =>
    within()(
      Effect.gen(function* () {
        const all = yield* Outside
        yield* putSource("tnt_a", "WWCC_SA")
        yield* putSource("tnt_b", "WWCC_SA")
        all.answer = Effect.never
        const held = yield* Effect.forkChild(
          Effect.forEach([1, 2, 3, 4], () => ask("tnt_a", "WWCC_SA"), { concurrency: "unbounded" })
        )
        while (all.gateways.length < 4) yield* Effect.yieldNow
        assert.strictEqual(said(yield* ask("tnt_a", "WWCC_SA")), "Deferred")
        all.answer = Effect.succeed(found)
        assert.strictEqual(said(yield* ask("tnt_b", "WWCC_SA")), "Found")
        yield* Fiber.interrupt(held)
        assert.strictEqual(said(yield* ask("tnt_a", "WWCC_SA")), "Found")
      })
    )
  )

  it.effect("has the state of its last question, with an audit entry for each change", () =>
    within()(
      Effect.gen(function* () {
        const all = yield* Outside
        const id = yield* putSource("tnt_a", "WWCC_SA")
        all.answer = Effect.fail(new RegisterFailed({ fault: "SOURCE_TIMEOUT", isTransient: true, detail: "" }))
        for (const _ of [1, 2]) assert.strictEqual(said(yield* ask("tnt_a", "WWCC_SA")), "SOURCE_TIMEOUT")
        assert.deepInclude(yield* sourceOf("tnt_a", id), { state: "AWAY", lastSuccessAt: null })
        all.answer = Effect.succeed(found)
        for (const _ of [1, 2]) yield* ask("tnt_a", "WWCC_SA")
        assert.strictEqual((yield* sourceOf("tnt_a", id)).state, "OK")
        const entries = yield* auditOf("tnt_a")
        assert.deepStrictEqual(
          entries.map(({ account, action, entityId }) => [account, action, entityId]),
          [1, 2].map(() => ["urn:wcs:server", "asked", id])
        )
      })
    )
  )
})
