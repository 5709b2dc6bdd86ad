import { assert, describe, it } from "@effect/vitest"
import { knownFrom, make, type Said } from "@wcs/conformance/calls/TransitionReadings"
import {
  after,
  holdersIn,
  isIdle,
  type Operation,
  type Party,
  rowFor,
  type SlotState
} from "@wcs/conformance/calls/Transitions"
import {
  type BatchItem,
  type Command,
  type Decision,
  decide,
  decideBatch,
  enteringOwner,
  noFacts,
  type Owners
} from "@wcs/domain/ownership/Ownership"
import fc from "fast-check"

const party = (type: "worker" | "applicant", name: string): Party => ({
  type,
  id: `${type === "worker" ? "wkr" : "app"}_${name}`,
  ...(name === "nobody" ? { isNobody: true as const } : {})
})

const names = ["one", "two", "three", "nobody"]
const workers = names.map((name) => party("worker", name))
const applicants = names.map((name) => party("applicant", name))
const everybody = [...workers, ...applicants]

const operations: ReadonlyArray<Operation> = [
  ...everybody.map((to): Operation => ({ verb: "link", to })),
  ...everybody.map((from): Operation => ({ verb: "unlink", from })),
  ...everybody.flatMap((from) => everybody.map((to): Operation => ({ verb: "transfer", from, to })))
]

const holders = (parties: ReadonlyArray<Party>) => [null, ...parties.map(({ id }) => id)]

/** Every state, and for each owner every way to get there. */
const states: ReadonlyArray<SlotState> = holders(workers).flatMap((worker) =>
  holders(applicants).flatMap((applicant) =>
    holders(workers).flatMap((followedWorker) =>
      [null, applicants[0]?.id ?? null].map((followedApplicant) => ({
        worker,
        applicant,
        followed: { worker: followedWorker, applicant: followedApplicant }
      }))
    )
  )
)

const referenceOf = ({ id, type }: Party) => ({ type, id })

const commandOf = (operation: Operation): Command => {
  switch (operation.verb) {
    case "link":
      return { _tag: "Link", to: referenceOf(operation.to) }
    case "unlink":
      return { _tag: "Unlink", from: referenceOf(operation.from) }
    case "transfer":
      return { _tag: "Transfer", from: referenceOf(operation.from), to: referenceOf(operation.to) }
  }
}

const ownersOf = ({ applicant, worker }: SlotState): Owners => ({ worker, applicant }) as Owners

const factsOf = (command: Command) => ({
  ...noFacts,
  isPresent: enteringOwner(command)?.id.endsWith("_nobody") === false
})

const decided = (state: SlotState, operation: Operation): Decision => {
  const command = commandOf(operation)
  return decide(ownersOf(state), command, factsOf(command))
}

/** Whether a decision is a result that the suite's table allows for the state and operation. */
const isWithin = (state: SlotState, operation: Operation, decision: Decision): boolean =>
  rowFor(state, operation).results.some((result) => {
    if (decision._tag === "Refused") return result === "refused"
    if (decision._tag === "Unchanged") return result === "unchanged"
    return !isIdle(result) && holdersIn(after(state, operation, result)) === holdersIn(decision.owners)
  })

describe("the suite's relation and the domain's function state the same table", () => {
  it("OWN-21: the suite accepts the domain's decision for every state and operation", () => {
    const outside = states.flatMap((state) =>
      operations
        .filter((operation) => !isWithin(state, operation, decided(state, operation)))
        .map((operation) => JSON.stringify({ state, operation }))
    )
    assert.deepStrictEqual(outside, [])
    assert.isAbove(states.length * operations.length, 10_000)
  })

  it("OWN-21: the suite leaves only the silences open and accepts no other decision elsewhere", () => {
    const others: ReadonlyArray<Decision["_tag"]> = ["Changed", "Unchanged", "Refused"]
    for (const state of states) {
      for (const operation of operations) {
        const row = rowFor(state, operation)
        if (row.silence !== undefined) continue
        assert.lengthOf(row.results, 1)
        const right = decided(state, operation)._tag
        const [result = "refused"] = row.results
        const told = result === "refused" ? "Refused" : result === "unchanged" ? "Unchanged" : "Changed"
        assert.deepStrictEqual(
          others.filter((tag) => tag === told),
          [right]
        )
      }
    }
  })

  const words: Readonly<Record<BatchItem["status"], Said>> = {
    linked: "done",
    transferred: "done",
    noop: "noop",
    skipped: "refused"
  }

  it("OWN-21: the suite accepts the domain's decisions for successive batches, by one reading of the cells that the specification leaves open", () => {
    const start = fc.constantFrom(...states.filter(({ applicant, worker }) => worker !== null || applicant !== null))
    const batch = fc.constantFrom(...operations.filter(({ verb }) => verb !== "unlink"))
    fc.assert(
      fc.property(
        fc.array(start, { minLength: 1, maxLength: 4 }),
        fc.array(batch, { minLength: 1, maxLength: 12 }),
        (starts, program) => {
          const judging = make()
          const known = new Map(starts.map((state, index) => [`cred_${index}`, knownFrom(state)]))
          for (const operation of program) {
            const command = commandOf(operation)
            if (command._tag === "Unlink") continue
            const slots = new Map([...known].map(([id, { state }]) => [id, ownersOf(state)]))
            const { changes, items } = decideBatch([...known.keys()], slots, command, factsOf(command))
            for (const { credentialId, status } of items) {
              const before = known.get(credentialId)
              if (before === undefined) return assert.fail(`an item for ${credentialId}`)
              const shown = changes.get(credentialId) ?? ownersOf(before.state)
              const seen = { before, operation, isBulk: true, said: words[status], shown, exchange: 0 }
              const judgement = judging(seen)
              if (judgement.as !== "right") return assert.fail(JSON.stringify({ seen, judgement }))
              known.set(credentialId, judgement.known)
            }
          }
        }
      )
    )
  })
})
