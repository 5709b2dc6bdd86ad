import { assert, describe } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { Credential } from "@wcs/domain/holding/Credential"
import {
  type BatchCommand,
  type Command,
  noOwners,
  type OwnerReference,
  type Owners
} from "@wcs/domain/ownership/Ownership"
import { Effect } from "effect"
import fc from "fast-check"
import { applicantRef, auditLog, find, mint, revise, subscribe, type TenantTest, workerRef } from "../Fixtures.ts"
import { check } from "../Property.ts"
import { type Call, explain } from "./Linearizability.ts"
import { changeOwner, changeOwners, putApplicant, putCredential, putWorker } from "./Owning.ts"
import { ownersText, type SlotOperation, stepAll, stepSlots } from "./SlotModel.ts"

const ownersOf = (tenant: string, id: string) =>
  Effect.map(find(Credential, tenant, id), (credential) => credential?.fields.attributes.owners ?? noOwners)

/** Runs an effect for each value concurrently, in fibers of their own. */
const atOnce = <Value, A, E, R>(values: ReadonlyArray<Value>, run: (value: Value) => Effect.Effect<A, E, R>) =>
  Effect.forEach(values, (value) => Effect.andThen(Effect.yieldNow, run(value)), { concurrency: "unbounded" })

const mixedTests = (it: TenantTest): void => {
  it("loses neither an update nor a change of owners of the same credential if both run concurrently", function* (tenant) {
    const [worker, applicant] = [yield* putWorker(tenant), yield* putApplicant(tenant)]
    const id = yield* putCredential(tenant, { worker })
    const rounds = 8
    const count = revise(Credential, tenant, id, (row) => {
      const { identifier = "0", ...attributes } = row.fields.attributes
      const fields = { attributes: { ...attributes, identifier: String(Number(identifier) + 1) } }
      return { ...row, version: row.version + 1, fields }
    })
    const link = changeOwner(tenant, id, { _tag: "Link", to: applicantRef(applicant) })
    const unlink = changeOwner(tenant, id, { _tag: "Unlink", from: applicantRef(applicant) })
    const owning = Effect.forEach(Array.from({ length: rounds }), () => Effect.all([link, unlink]))
    const updating = Array.from({ length: rounds }, () => count)
    const [answers] = yield* Effect.all([owning, atOnce(updating, (update) => update)], { concurrency: "unbounded" })
    assert.deepStrictEqual(
      answers,
      Array.from({ length: rounds }, () => ["changed", "changed"])
    )
    const left = yield* find(Credential, tenant, id)
    assert.deepStrictEqual(left?.fields.attributes.owners, { worker, applicant: null })
    assert.strictEqual(left?.fields.attributes.identifier, String(rounds))
    assert.strictEqual(left?.version, 1 + 3 * rounds)
  })
}

/** The owners of a program: two of each type that exist, and one of each that does not. */
interface People {
  readonly workers: ReadonlyArray<string>
  readonly applicants: ReadonlyArray<string>
  readonly isPresent: (id: string) => boolean
}

const putPeople = Effect.fnUntraced(function* (tenant: string) {
  const workers = [yield* putWorker(tenant), yield* putWorker(tenant)]
  const applicants = [yield* putApplicant(tenant), yield* putApplicant(tenant)]
  const present = new Set([...workers, ...applicants])
  const people: People = {
    workers: [...workers, mint("worker")],
    applicants: [...applicants, mint("applicant")],
    isPresent: (id) => present.has(id)
  }
  return people
})

/** A caller's next step: an operation on one credential, or a batch. */
type Step =
  | { readonly _tag: "One"; readonly credential: number; readonly operation: SlotOperation }
  | { readonly _tag: "Batch"; readonly credentials: ReadonlyArray<number>; readonly command: BatchCommand }

const credentialCount = 2

const stepsOf = ({ applicants, workers }: People): fc.Arbitrary<Step> => {
  const owner: fc.Arbitrary<OwnerReference> = fc.oneof(
    fc.constantFrom(...workers).map(workerRef),
    fc.constantFrom(...applicants).map(applicantRef)
  )
  const link = owner.map((to): BatchCommand => ({ _tag: "Link", to }))
  const transfer = fc.tuple(owner, owner).map(([from, to]): BatchCommand => ({ _tag: "Transfer", from, to }))
  const unlink = owner.map((from): Command => ({ _tag: "Unlink", from }))
  const read = fc.constant<SlotOperation>({ _tag: "Read" })
  const credential = fc.nat(credentialCount - 1)
  return fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        _tag: fc.constant("One" as const),
        credential,
        operation: fc.oneof(link, transfer, unlink, read)
      })
    },
    {
      weight: 1,
      arbitrary: fc.record({
        _tag: fc.constant("Batch" as const),
        credentials: fc.array(credential, { minLength: 1, maxLength: 3 }),
        command: fc.oneof(link, transfer)
      })
    }
  )
}

/** A credential, the operation on it, and the answer. */
type Item = readonly [credentialId: string, operation: SlotOperation, answer: string]

/**
 * Records histories by credential while callers run. A counter gives the times. The items of a batch for one credential
 * form one call, in order.
 */
const makeHistories = () => {
  let clock = 0
  const histories = new Map<string, Array<Call<ReadonlyArray<SlotOperation>>>>()
  const record = Effect.fnUntraced(function* <E, R>(call: Effect.Effect<ReadonlyArray<Item>, E, R>) {
    const invokedAt = clock++
    const items = yield* call
    const answeredAt = clock++
    for (const id of new Set(items.map(([id]) => id))) {
      const mine = items.filter(([other]) => other === id)
      const history = histories.get(id) ?? []
      histories.set(id, history)
      const operation = mine.map(([, operation]) => operation)
      history.push({ operation, answer: mine.map(([, , answer]) => answer).join(", "), invokedAt, answeredAt })
    }
  })
  return { histories, record }
}

const runStep = Effect.fnUntraced(function* (tenant: string, credentials: ReadonlyArray<string>, step: Step) {
  if (step._tag === "Batch") {
    const ids = step.credentials.map((index) => credentials[index] ?? "")
    const items = yield* changeOwners(tenant, { _tag: "Ids", ids }, step.command)
    return items.map(([id, answer]): Item => [id, step.command, answer])
  }
  const { operation } = step
  const id = credentials[step.credential] ?? ""
  const answer =
    operation._tag === "Read" ? ownersText(yield* ownersOf(tenant, id)) : yield* changeOwner(tenant, id, operation)
  const item: Item = [id, operation, answer]
  return [item]
})

/** Checks a credential's events: in version order, one per change of owners, each with the owners before and after. */
const checkEvents = Effect.fnUntraced(function* (tenant: string, id: string, initial: Owners) {
  const store = yield* EventStore
  const credential = yield* find(Credential, tenant, id)
  const events = (yield* store.events(tenant, 0, 10_000))
    .filter(({ subjectId }) => subjectId === id)
    .sort((one, two) => one.sequence - two.sequence)
  const versions = Array.from({ length: (credential?.version ?? 0) - 1 }, (_, index) => index + 2)
  assert.deepStrictEqual(
    events.map(({ sequence }) => sequence),
    versions
  )
  const states = [initial, ...events.map(({ data }) => Object(data).owners)]
  assert.deepStrictEqual(
    events.map(({ data }) => Object(data).before),
    states.slice(0, -1)
  )
  assert.deepStrictEqual(states.at(-1), credential?.fields.attributes.owners)
  const audit = yield* auditLog(tenant, 10_000)
  assert.strictEqual(audit.filter(({ entityId }) => entityId === id).length, versions.length)
})

const runProgram = Effect.fnUntraced(function* (
  tenant: string,
  people: People,
  initial: Owners,
  program: ReadonlyArray<ReadonlyArray<Step>>
) {
  const credentials: Array<string> = []
  for (let count = 0; count < credentialCount; count++) credentials.push(yield* putCredential(tenant, initial))
  const { histories, record } = makeHistories()
  yield* atOnce(program, (steps) =>
    Effect.forEach(steps, (step) => Effect.andThen(Effect.yieldNow, record(runStep(tenant, credentials, step))), {
      discard: true
    })
  )
  const model = { step: stepAll(stepSlots(people.isPresent)), keyOf: ownersText }
  for (const id of credentials) {
    const left = yield* ownersOf(tenant, id)
    const history = histories.get(id) ?? []
    const explanation = explain(model, initial, history, (end) => ownersText(end) === ownersText(left))
    assert.isDefined(explanation, `no order explains ${JSON.stringify({ initial, history, left }, null, 1)}`)
    assert.isTrue(left.worker !== null || left.applicant !== null, "OWN-23: one owner remains")
    yield* checkEvents(tenant, id, initial)
  }
})

const historyTests = (it: TenantTest): void => {
  it("OWN-17, OWN-18, OWN-19, OWN-23: gives concurrent callers answers that one order explains, ending in the stored state", function* (tenant) {
    yield* subscribe(tenant, "webhook", ["credential.updated"])
    const people = yield* putPeople(tenant)
    const [worker = null] = people.workers
    const [applicant = null] = people.applicants
    const initial = fc.constantFrom<Owners>(
      { worker, applicant: null },
      { worker: null, applicant },
      { worker, applicant }
    )
    const program = fc.array(fc.array(stepsOf(people), { minLength: 1, maxLength: 4 }), {
      minLength: 2,
      maxLength: 6
    })
    yield* check(
      fc.record({ initial, program }),
      ({ initial, program }) => runProgram(tenant, people, initial, program),
      { numRuns: 40 }
    )
  })
}

/** Tests concurrent transitions of `OwnershipStore`. */
export const ownershipHistorySuite = (it: TenantTest): void => {
  describe("OwnershipStore.transition: concurrency", () => {
    mixedTests(it)
    historyTests(it)
  })
}
