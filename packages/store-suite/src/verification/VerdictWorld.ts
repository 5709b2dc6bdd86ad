import { assert } from "@effect/vitest"
import { accountUrn } from "@wcs/domain/access/Account"
import { Caller } from "@wcs/domain/access/Caller"
import * as Privilege from "@wcs/domain/access/Privilege"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import { EventStore } from "@wcs/domain/audit/EventStore"
import * as Credentials from "@wcs/domain/credential/Credentials"
import * as Resources from "@wcs/domain/crud/Resources"
import type { CredentialView } from "@wcs/domain/holding/Credential"
import { verdictOf } from "@wcs/domain/holding/Verification"
import * as Ownership from "@wcs/domain/ownership/Ownership"
import type { Shown } from "@wcs/domain/resource/Collection"
import type { Document } from "@wcs/domain/resource/Resource"
import { momentAt } from "@wcs/domain/shared/CalendarDay"
import * as Id from "@wcs/domain/shared/Id"
import type { JsonObject } from "@wcs/domain/shared/Json"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { type RegisterAnswer, RegisterFailed } from "@wcs/domain/verification/Register"
import { afterAsking, questionFor } from "@wcs/domain/verification/VerificationRun"
import { type DueRun, VerificationStore } from "@wcs/domain/verification/VerificationStore"
import * as Verifications from "@wcs/domain/verification/Verifications"
import { Clock, Effect, Layer, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { putUser } from "../access/UserFixtures.ts"
import { digits } from "../Fixtures.ts"
import {
  type Answer,
  answered,
  type Card,
  found,
  isVerifiable,
  type Modelled,
  modelled,
  opened,
  shownAfter,
  storedAfter,
  written
} from "./VerdictModel.ts"
import { byWorker, concludeBy, dueRuns, historyOf, verification } from "./VerificationFixtures.ts"

/** How often each kind of event occurred in the random test. */
export type Seen = Map<string, number>

/** The credentials of one random sequence of steps. */
export interface World {
  readonly tenant: string
  readonly worker: string
  readonly credentials: Array<Placed>
  readonly seen: Seen
}

/** One credential and its model. */
interface Placed {
  readonly id: string
  readonly model: Modelled
  /** The run in flight. */
  run: DueRun | undefined
  /** The last write, if it was a PUT. */
  lastPut: Sent | undefined
}

/** A write: its body, and the card and date in the body. */
interface Sent {
  readonly body: JsonObject
  readonly card: Card
  readonly date: string | undefined
}

const count = ({ seen }: World, event: string): void => void seen.set(event, (seen.get(event) ?? 0) + 1)

/** Reports that every verification waits for a reviewer, so that no call waits for the register. */
const unwaited = Layer.effect(
  VerificationStore,
  Effect.map(VerificationStore, (store) =>
    VerificationStore.of({
      ...store,
      find: () => Effect.succeedSome({ verification: verification("cred_0000000000000000"), awaitsReview: true })
    })
  )
)

/** The use cases of credentials over an adapter's stores, for a caller who may do everything. */
export const useCases = (tenantId: string) =>
  Layer.mergeAll(
    Credentials.layer.pipe(Layer.provide([Resources.layer, Ownership.layer, Privilege.layer])),
    Verifications.layer.pipe(Layer.provide(unwaited)),
    Layer.succeed(RequestId, "01K0000000000000000000TEST"),
    Layer.effect(
      Caller,
      Effect.map(Effect.orDie(putUser(tenantId, { role: "Super Admin" })), ({ account: { id } }) =>
        Caller.of({
          tenantId,
          timeZone: "Australia/Sydney",
          account: accountUrn(id),
          privileges: privilegesOf("Super Admin"),
          bearer: { kind: "password", id },
          rateLimitKey: id,
          rateLimit: null,
          workerId: null
        })
      )
    )
  ).pipe(Layer.provideMerge([Notifications.layer, Layer.provide(Id.layer, SecureRandom.layerWebCrypto)]))

export type UseCases = Layer.Success<ReturnType<typeof useCases>>

const attributesOf = (card: Card, date: string | undefined): JsonObject => ({
  credentialType: card.credentialType,
  identifier: card.identifier,
  ...(card.issueNumber === undefined ? {} : { issueNumber: card.issueNumber }),
  ...(card.lastName === undefined ? {} : { holder: { lastName: card.lastName } }),
  ...(date === undefined ? {} : { expiryDate: date })
})

/** Runs the steps concurrently, one for each credential. `null` is no step. */
const eachAtOnce = <Step, A, E, R>(
  world: World,
  steps: ReadonlyArray<Step | null>,
  run: (placed: Placed, step: Step) => Effect.Effect<A, E, R>
) =>
  Effect.forEach(
    world.credentials,
    (placed, place) => {
      const step = steps[place]
      return step === undefined || step === null ? Effect.void : run(placed, step)
    },
    { concurrency: "unbounded", discard: true }
  ).pipe(Effect.orDie)

/** Creates the credentials. */
export const createAll = (
  world: World,
  all: ReadonlyArray<{ readonly card: Card; readonly date: string | undefined }>
) =>
  Effect.forEach(
    all,
    Effect.fnUntraced(function* ({ card, date }) {
      const { create } = yield* Credentials.Credentials
      const owners = { worker: world.worker }
      const made = yield* create({ attributes: { ...attributesOf(card, date), owners } })
      const model = modelled(card, date)
      if (isVerifiable(card)) opened(model, String(made.correlationId), "create")
      return { id: made.document.id, model, run: undefined, lastPut: undefined } satisfies Placed
    }),
    { concurrency: "unbounded" }
  ).pipe(Effect.tap((placed) => Effect.sync(() => world.credentials.push(...placed))))

/** A change by a person. */
export interface Write {
  readonly by: "PATCH" | "PUT of what GET answered" | "PUT of what a person writes" | "the last PUT again"
  readonly change: Partial<Card>
  /** `undefined` clears the date. */
  readonly date: string | "kept" | undefined
}

const cardAfter = ({ model }: Placed, { change }: Write): Card => ({ ...model.card, ...change })

const dateAfter = ({ model }: Placed, { date }: Write): string | undefined =>
  date === "kept" ? storedAfter(model.card, model.facts).date : date

const patchOf = (placed: Placed, write: Write): Sent => {
  const { change, date } = write
  const { lastName } = change
  const attributes = {
    ...(change.credentialType === undefined ? {} : { credentialType: change.credentialType }),
    ...(change.identifier === undefined ? {} : { identifier: change.identifier }),
    ...("issueNumber" in change ? { issueNumber: change.issueNumber ?? null } : {}),
    ...("lastName" in change ? { holder: lastName === undefined ? null : { lastName } } : {}),
    ...(date === "kept" ? {} : { expiryDate: date ?? null })
  }
  return { body: { attributes }, card: cardAfter(placed, write), date: dateAfter(placed, write) }
}

const putOf = Effect.fnUntraced(function* (placed: Placed, write: Write) {
  if (write.by === "the last PUT again") return placed.lastPut
  const card = cardAfter(placed, write)
  const date = dateAfter(placed, write)
  const attributes = attributesOf(card, date)
  if (write.by === "PUT of what a person writes") return { body: { attributes }, card, date } satisfies Sent
  const { read } = yield* Credentials.Credentials
  const document: Document<CredentialView> = JSON.parse((yield* read(placed.id, {})).text)
  const { expiryDate: _d, holder: _h, issueNumber: _n, ...others } = document.attributes
  return { body: { ...document, attributes: { ...others, ...attributes } }, card, date } satisfies Sent
})

/** Writes to the model too. Asserts that a verification starts if and only if the model starts one. */
const settle = (
  world: World,
  { model }: Placed,
  { correlationId }: Shown<CredentialView>,
  { card, date }: Sent,
  method: "put" | "patch"
): void => {
  const isDated = !storedAfter(model.card, model.facts).isDeclared
  const done = written(model, card, date, method)
  assert.strictEqual(correlationId !== undefined, done === "started", done)
  if (correlationId !== undefined) opened(model, correlationId, "update")
  count(world, done)
  if (isDated && done === "started") count(world, "another card after a register's date")
}

/** Concurrent writes, at most one for each credential. Every PUT is sent twice. */
export const writeAll = (world: World, writes: ReadonlyArray<Write | null>) =>
  eachAtOnce(
    world,
    writes,
    Effect.fnUntraced(function* (placed, write) {
      const { patch, replace } = yield* Credentials.Credentials
      const sent = write.by === "PATCH" ? patchOf(placed, write) : yield* putOf(placed, write)
      if (sent === undefined) return
      if (write.by === "PATCH") {
        placed.lastPut = undefined
        return settle(world, placed, yield* patch(placed.id, sent.body), sent, "patch")
      }
      placed.lastPut = sent
      const shown = yield* replace(placed.id, sent.body)
      settle(world, placed, shown, sent, "put")
      const again = yield* replace(placed.id, sent.body)
      if (sent.date !== undefined && sent.date === placed.model.cleared)
        count(world, "a cleared date in a PUT sent twice")
      assert.deepStrictEqual(again.document, shown.document, "ENV-16")
      assert.isUndefined(again.correlationId, "ENV-16")
    })
  )

/** Concurrent verify calls, at most one for each credential. `true` forces a refresh. */
export const verifyAll = (world: World, forced: ReadonlyArray<boolean | null>) =>
  eachAtOnce(
    world,
    forced,
    Effect.fnUntraced(function* ({ id, model }, forceRefresh) {
      const { verify } = yield* Verifications.Verifications
      const correlationId = `run:${digits()}`
      const asked = verify(id, { correlationId, forceRefresh })
      if (!isVerifiable(model.card)) {
        assert.strictEqual((yield* Effect.flip(asked))._tag, "NotVerifiable")
        return
      }
      const { date = null, isReusable, verdict = null } = shownAfter(model.card, model.facts)
      const { eligibility, expiryDate, statusDetail } = yield* asked
      if (!forceRefresh && isReusable && verdict !== null) {
        assert.deepStrictEqual({ eligibility, statusDetail, expiryDate }, { ...verdict, expiryDate: date })
        model.told.set(correlationId, { detail: verdict.statusDetail, date, trigger: "verify" })
        return count(world, "an outcome is reused")
      }
      opened(model, correlationId, "verify")
      if (forceRefresh && model.run === "waits for a person") model.run = "due"
    })
  )

/** Starts the runs that are due, and no others. */
export const askAll = Effect.fnUntraced(function* (world: World) {
  const inFlight = world.credentials.flatMap(({ run }) => run ?? [])
  const { runs } = yield* dueRuns(yield* Clock.currentTimeMillis, 10_000, { inFlight })
  const due = world.credentials.filter(({ model }) => model.run === "due")
  assert.sameMembers(
    runs.map(({ credentialId }) => credentialId),
    due.map(({ id }) => id)
  )
  for (const placed of due) {
    placed.run = runs.find(({ credentialId }) => credentialId === placed.id)
    placed.model.run = "asked"
    placed.model.asked = isVerifiable(placed.model.card) ? placed.model.card : undefined
  }
  return due.length
})

const day = 86_400_000

const registerAnswer = (answer: Answer): Result.Result<RegisterAnswer, RegisterFailed> => {
  switch (answer._tag) {
    case "Found":
      return Result.succeed({ _tag: "Found", statusDetail: answer.detail, expiryDate: answer.date })
    case "Queued":
      return Result.succeed({ _tag: "Queued" })
    case "Failed":
      return Result.fail(new RegisterFailed({ fault: "SOURCE_UNAVAILABLE", isTransient: false, detail: "" }))
  }
}

const answerOne = Effect.fnUntraced(function* (world: World, placed: Placed, run: DueRun, answer: Answer) {
  const ids = yield* Id.Ids
  const time = yield* Clock.currentTimeMillis
  const now = answer._tag === "Found" && answer.isOld ? time - 2 * day : time
  const by = {
    ...momentAt(now, run.timeZone),
    auditId: ids.source("audit"),
    eventId: ids.source("event"),
    verificationId: ids.source("verification")
  }
  const question = questionFor(run.credential, by.today)
  const { isDone } = yield* concludeBy(world.tenant, placed.id, byWorker(run), (basis) =>
    afterAsking(basis, question, registerAnswer(answer), run.attempt, [], by)
  )
  assert.isTrue(isDone)
  placed.run = undefined
  count(world, `an answer is ${answered(placed.model, answer)}`)
})

/** The register answers its questions, and a reviewer decides the runs that wait for a person. */
export const answerAll = (world: World, answers: ReadonlyArray<Answer | null>) =>
  eachAtOnce(
    world,
    answers,
    Effect.fnUntraced(function* (placed, answer) {
      const { model, run } = placed
      if (run !== undefined) return yield* answerOne(world, placed, run, answer)
      if (model.run !== "waits for a person" || answer._tag !== "Found") return
      const { review } = yield* Verifications.Verifications
      yield* review(placed.id, { statusDetail: answer.detail, expiryDate: answer.date })
      found(model, { ...answer, isOld: false })
      count(world, "a reviewer decides")
    })
  )

/** Every credential has the state of its model. */
export const assertShown = Effect.fnUntraced(function* (world: World) {
  const { list } = yield* Credentials.Credentials
  const { documents } = yield* list({ pageSize: "100" })
  assert.lengthOf(documents, world.credentials.length)
  const byId = new Map(documents.map(({ attributes, id }) => [id, attributes]))
  for (const { id, model } of world.credentials) {
    const { eligibility, expiryDate, lastKnown, lastVerifiedAt, statusDetail } = byId.get(id) ?? {}
    const shownKnown = lastKnown === undefined ? undefined : verdictOf(lastKnown.statusDetail)
    const { date, lastKnown: known, verdict } = shownAfter(model.card, model.facts)
    assert.deepStrictEqual(
      { eligibility, statusDetail, expiryDate, lastKnown: shownKnown, isVerified: lastVerifiedAt !== undefined },
      {
        eligibility: verdict?.eligibility,
        statusDetail: verdict?.statusDetail,
        expiryDate: date,
        lastKnown: known,
        isVerified: model.facts.some(({ _tag }) => _tag === "Found")
      },
      `${JSON.stringify(model.card)} after ${JSON.stringify(model.facts)}`
    )
  }
})

/** Every verification has ended, unless a person has to decide. Each event has the verdict of the model. */
export const assertTold = Effect.fnUntraced(function* (world: World) {
  const { events } = yield* EventStore
  const all = yield* events(world.tenant, 0, 100_000)
  const told = all.map(({ correlationId, data }) => {
    const { expiryDate, statusDetail, trigger } = Object(data).verification
    return [correlationId, { detail: statusDetail, date: expiryDate, trigger }] as const
  })
  assert.deepStrictEqual(
    new Map(told.toSorted(byCorrelationId)),
    new Map(world.credentials.flatMap(({ model }) => [...model.told]).toSorted(byCorrelationId))
  )
  assert.lengthOf(
    all,
    world.credentials.reduce((sum, { model }) => sum + model.told.size, 0)
  )
  const waiting = yield* Effect.forEach(world.credentials, ({ id }) => historyOf(world.tenant, id))
  assert.sameMembers(
    waiting.flat().flatMap(({ correlationId, outcome }) => (outcome === null ? [correlationId] : [])),
    world.credentials.flatMap(({ model }) => model.open.map(({ correlationId }) => correlationId))
  )
})

const byCorrelationId = ([one]: readonly [unknown, unknown], [other]: readonly [unknown, unknown]): number =>
  String(one) < String(other) ? -1 : 1
