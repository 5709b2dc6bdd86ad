import { assert, describe } from "@effect/vitest"
import { Credentials } from "@wcs/domain/credential/Credentials"
import type { CredentialView } from "@wcs/domain/holding/Credential"
import type { Document } from "@wcs/domain/resource/Resource"
import { dayAt, momentAt } from "@wcs/domain/shared/CalendarDay"
import { Ids } from "@wcs/domain/shared/Id"
import type { RegisterAnswer } from "@wcs/domain/verification/Register"
import { afterAsking, questionFor } from "@wcs/domain/verification/VerificationRun"
import type { DueRun } from "@wcs/domain/verification/VerificationStore"
import { Verifications } from "@wcs/domain/verification/Verifications"
import { Clock, Effect, Fiber, Result } from "effect"
import type { TenantTest } from "../Fixtures.ts"
import { putWorker } from "../ownership/Owning.ts"
import { useCases } from "./VerdictWorld.ts"
import { byWorker, concludeBy, dueRuns, historyOf, noRuns } from "./VerificationFixtures.ts"

/** The register's records by identifier. */
const records: Readonly<Record<string, RegisterAnswer & { readonly _tag: "Found" }>> = {
  WWC0000001E: { _tag: "Found", statusDetail: "VALID", expiryDate: null },
  WWC0000010E: { _tag: "Found", statusDetail: "EXPIRED", expiryDate: "2020-02-29" },
  WWC0000011E: { _tag: "Found", statusDetail: "SUSPENDED", expiryDate: "2999-12-31" }
}
const identifiers = Object.keys(records)

const recordOf = (identifier: string | null | undefined) => {
  const record = records[identifier ?? ""]
  if (record === undefined) throw new Error(`the register does not know ${identifier}`)
  return record
}

const carryOut = Effect.fnUntraced(function* (run: DueRun, now: number) {
  const { attempt, credential, credentialId, tenantId, timeZone } = run
  const ids = yield* Ids
  const question = questionFor(credential, dayAt(now, timeZone))
  yield* Effect.yieldNow // writes happen while the register is asked
  const answer = Result.succeed(recordOf(question?.identifier))
  const by = {
    ...momentAt(now, timeZone),
    auditId: ids.source("audit"),
    eventId: ids.source("event"),
    verificationId: ids.source("verification")
  }
  yield* concludeBy(tenantId, credentialId, byWorker(run), (basis) =>
    afterAsking(basis, question, answer, attempt, [], by)
  )
})

/** Carries out due runs, and returns their number. */
const work = Effect.fnUntraced(function* (now: number) {
  const { runs } = yield* dueRuns(now, 5)
  yield* Effect.forEach(runs, (run) => carryOut(run, now), { concurrency: "unbounded", discard: true })
  return runs.length
})

const race = Effect.fnUntraced(function* (tenant: string) {
  const { create, patch, read } = yield* Credentials
  const { verify } = yield* Verifications
  const owners = { worker: yield* putWorker(tenant) }
  const now = (yield* Clock.currentTimeMillis) + 3_600_000
  const holder = { lastName: "Example", birthDate: "1990-04-01" }
  const attributes = { credentialType: "WWCC_NSW", identifier: "WWC0000010E", holder, owners }
  const made = yield* Effect.replicateEffect(create({ attributes }), 6)

  const persons = yield* Effect.forEach(
    made.map(({ document }) => document.id),
    (id, place) =>
      Effect.forEach(
        Array.from({ length: 15 }, (_, index) => identifiers[(place + index) % identifiers.length]),
        (identifier, index) =>
          Effect.andThen(
            patch(id, { attributes: { identifier: identifier ?? null } }),
            index % 3 === 0 ? verify(id, { forceRefresh: index % 2 === 0 }) : Effect.yieldNow
          ),
        { discard: true }
      ),
    { concurrency: "unbounded", discard: true }
  ).pipe(Effect.forkChild)
  const worker = Effect.repeat(work(now), { until: (count) => count === 0 && persons.pollUnsafe() !== undefined })
  yield* Effect.all([worker, worker, worker], { concurrency: "unbounded", discard: true })
  yield* Fiber.join(persons)
  yield* Effect.repeat(work(now), { until: (count) => count === 0 })

  for (const { document } of made) {
    const { attributes }: Document<CredentialView> = JSON.parse((yield* read(document.id, {})).text)
    const { expiryDate, statusDetail } = recordOf(attributes.identifier)
    assert.deepStrictEqual([attributes.statusDetail, attributes.expiryDate ?? null], [statusDetail, expiryDate])
    const history = yield* historyOf(tenant, document.id)
    assert.isAtLeast(history.length, 15)
    for (const { outcome } of history) assert.isNotNull(outcome)
  }
})

/** Concurrent writes, calls of verify and workers. */
export const verdictRaceSuite = (it: TenantTest): void => {
  describe("a verdict under concurrent changes and answers", () => {
    it("ends as the register answers about the current fields, and every verification ends", function* (tenant) {
      yield* noRuns
      yield* Effect.provide(race(tenant), useCases(tenant))
    })
  })
}
