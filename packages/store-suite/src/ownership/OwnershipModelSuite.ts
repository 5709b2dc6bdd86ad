import { assert, describe } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { Credential } from "@wcs/domain/holding/Credential"
import type { BatchCommand, Command, OwnerReference, Owners } from "@wcs/domain/ownership/Ownership"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import { Effect } from "effect"
import fc from "fast-check"
import {
  applicantRef,
  auditLog,
  find,
  freshTenant,
  mint,
  remove,
  subscribe,
  type TenantTest,
  workerRef
} from "../Fixtures.ts"
import { check } from "../Property.ts"
import { changeOwner, changeOwners, putApplicant, putCredential, putWorker } from "./Owning.ts"
import { stepSlots } from "./SlotModel.ts"

/** A step of a program. Owners and credentials are numbered within the tenant, so that a failure replays. */
type Step =
  | { readonly _tag: "Own"; readonly credential: number; readonly command: Command }
  | { readonly _tag: "Batch"; readonly credentials: ReadonlyArray<number>; readonly command: BatchCommand }
  | {
      readonly _tag: "BatchHeldBy"
      readonly owner: OwnerReference
      readonly limit: number
      readonly to: OwnerReference
    }
  | { readonly _tag: "DeleteOwner"; readonly owner: OwnerReference }
  | { readonly _tag: "DeleteCredential"; readonly credential: number }

/** A credential of the model. */
interface ModelCredential {
  owners: Owners
  version: number
  isDeleted: boolean
}

/** A tenant of the model: plain maps, with the table of `SlotModel` as the only rule. */
interface Model {
  readonly credentials: Map<string, ModelCredential>
  readonly present: Set<string>
  events: number
}

/** The tenant of a program: the ids by number. */
interface World {
  readonly tenant: string
  /** Another tenant's credential, which programs name but must not change. */
  readonly foreign: { readonly tenant: string; readonly id: string }
  readonly credentials: ReadonlyArray<string>
  readonly owners: Readonly<Record<OwnerReference["type"], ReadonlyArray<string>>>
}

const isId = fc.nat(3).map(String)

/** In programs an owner's id is its number. */
const owner: fc.Arbitrary<OwnerReference> = fc.oneof(isId.map(workerRef), isId.map(applicantRef))
const credential = fc.nat(5)
const link = owner.map((to): BatchCommand => ({ _tag: "Link", to }))
const transfer = fc.tuple(owner, owner).map(([from, to]): BatchCommand => ({ _tag: "Transfer", from, to }))
const unlink = owner.map((from): Command => ({ _tag: "Unlink", from }))

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      _tag: fc.constant("Own" as const),
      credential,
      command: fc.oneof(link, transfer, unlink)
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("Batch" as const),
      credentials: fc.array(credential, { maxLength: 7 }),
      command: fc.oneof(link, transfer)
    })
  },
  {
    weight: 3,
    arbitrary: fc.record({
      _tag: fc.constant("BatchHeldBy" as const),
      owner,
      limit: fc.integer({ min: 1, max: 4 }),
      to: owner
    })
  },
  { weight: 1, arbitrary: owner.map((owner): Step => ({ _tag: "DeleteOwner", owner })) },
  { weight: 1, arbitrary: credential.map((credential): Step => ({ _tag: "DeleteCredential", credential })) }
)

const idOf = (world: World, { id, type }: OwnerReference): OwnerReference => ({
  type,
  id: world.owners[type][Number(id)] ?? ""
})

/** The command with numbers replaced by ids. */
const commandIn = <C extends Command>(world: World, command: C): C => ({
  ...command,
  ...("from" in command ? { from: idOf(world, command.from) } : {}),
  ...("to" in command ? { to: idOf(world, command.to) } : {})
})

/** The model's answer to one command on one credential. */
const stepModel = (model: Model, id: string, command: Command): string => {
  const found = model.credentials.get(id)
  if (found === undefined || found.isDeleted) return "CredentialNotFound"
  const { answer, state } = stepSlots((owner) => model.present.has(owner))(found.owners, command)
  if (answer === "changed") found.owners = state
  return answer
}

/** The same for many in order. A changed credential's version increases by one, however often it is named. */
const stepModelAll = (model: Model, ids: ReadonlyArray<string>, command: Command) => {
  const answers = ids.map((id) => [id, stepModel(model, id, command)] as const)
  for (const id of new Set(answers.flatMap(([id, answer]) => (answer === "changed" ? [id] : [])))) {
    const changed = model.credentials.get(id)
    if (changed !== undefined) changed.version++
    model.events++
  }
  return answers
}

const heldBy = (model: Model, { id, type }: OwnerReference): ReadonlyArray<string> =>
  [...model.credentials].flatMap(([credential, { isDeleted, owners }]) =>
    !isDeleted && owners[type] === id ? [credential] : []
  )

/** Runs a step on both and compares the answers. */
const runStep = Effect.fnUntraced(function* (world: World, model: Model, step: Step) {
  const { tenant } = world
  const at = (place: number) => world.credentials[place] ?? ""
  switch (step._tag) {
    case "Own": {
      const command = commandIn(world, step.command)
      const answer = yield* changeOwner(tenant, at(step.credential), command)
      return assert.deepStrictEqual(
        [[at(step.credential), answer]],
        stepModelAll(model, [at(step.credential)], command)
      )
    }
    case "Batch": {
      const command = commandIn(world, step.command)
      const ids = step.credentials.map(at)
      const answers = yield* changeOwners(tenant, { _tag: "Ids", ids }, command)
      return assert.deepStrictEqual(answers, stepModelAll(model, ids, command))
    }
    case "BatchHeldBy": {
      const holder = idOf(world, step.owner)
      const command: BatchCommand = { _tag: "Transfer", from: holder, to: idOf(world, step.to) }
      const answers = yield* changeOwners(tenant, { _tag: "HeldBy", owner: holder, limit: step.limit }, command)
      const ids = heldBy(model, holder).slice(0, step.limit)
      return assert.deepStrictEqual(answers, stepModelAll(model, ids, command))
    }
    case "DeleteOwner": {
      const { id, type } = idOf(world, step.owner)
      if (!model.present.delete(id)) return
      return yield* type === "worker" ? remove(Worker, tenant, id) : remove(Applicant, tenant, id)
    }
    case "DeleteCredential": {
      const found = model.credentials.get(at(step.credential))
      if (found === undefined || found.isDeleted) return
      found.isDeleted = true
      found.version++
      return yield* remove(Credential, tenant, at(step.credential))
    }
  }
})

/** A tenant with four owners of each type, two of them existing, and six credentials, four of them existing. */
const makeWorld = Effect.gen(function* () {
  const tenant = freshTenant()
  const strange = freshTenant()
  const workers = [yield* putWorker(tenant), yield* putWorker(tenant), yield* putWorker(strange)]
  const applicants = [yield* putApplicant(tenant), yield* putApplicant(tenant), yield* putApplicant(strange)]
  const [worker = null] = workers
  const [applicant = null] = applicants
  const both = { worker, applicant }
  const states: ReadonlyArray<Owners> = [{ worker, applicant: null }, { worker: null, applicant }, both, both]
  const model: Model = {
    credentials: new Map(),
    present: new Set([...workers.slice(0, 2), ...applicants.slice(0, 2)]),
    events: 0
  }
  for (const owners of states) {
    model.credentials.set(yield* putCredential(tenant, owners), { owners, version: 1, isDeleted: false })
  }
  const foreign = yield* putCredential(strange, both)
  const world: World = {
    tenant,
    foreign: { tenant: strange, id: foreign },
    credentials: [...model.credentials.keys(), foreign, mint("credential")],
    owners: { worker: [...workers, mint("worker")], applicant: [...applicants, mint("applicant")] }
  }
  return { world, model }
})

const runProgram = Effect.fnUntraced(function* (program: ReadonlyArray<Step>) {
  const events = yield* EventStore
  const { model, world } = yield* makeWorld
  yield* subscribe(world.tenant, "webhook", ["credential.updated"])
  for (const step of program) yield* runStep(world, model, step)
  for (const [id, { isDeleted, owners, version }] of model.credentials) {
    const left = yield* find(Credential, world.tenant, id)
    assert.deepStrictEqual(left?.fields.attributes.owners, owners)
    assert.strictEqual(left?.version, version)
    assert.strictEqual(left?.deletedAt !== null, isDeleted)
  }
  assert.strictEqual((yield* find(Credential, world.foreign.tenant, world.foreign.id))?.version, 1)
  assert.strictEqual((yield* events.events(world.tenant, 0, 10_000)).length, model.events)
  assert.strictEqual((yield* auditLog(world.tenant, 10_000)).length, model.events)
})

/** Compares `OwnershipStore` with plain maps for random programs. */
export const ownershipModelSuite = (it: TenantTest): void => {
  describe("OwnershipStore.transition: random programs", () => {
    it("OWN-15, OWN-20, OWN-21, BLK-10, BLK-11: gives the same answers and state as a plain model of slots, step by step", function* () {
      yield* check(fc.array(step, { maxLength: 30 }), runProgram, { numRuns: 50 })
    })
  })
}
