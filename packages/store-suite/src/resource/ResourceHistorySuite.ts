import { assert, describe } from "@effect/vitest"
import { type ReadsAsOf, ResourceHistory } from "@wcs/domain/crud/ResourceHistory"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Ban, type BanFields } from "@wcs/domain/holding/Ban"
import { Credential } from "@wcs/domain/holding/Credential"
import { Exemption, type ExemptionFields } from "@wcs/domain/holding/Exemption"
import { Worker } from "@wcs/domain/people/Worker"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import * as SoftDelete from "@wcs/domain/resource/SoftDelete"
import { ComplianceCheck, type ComplianceCheckFields } from "@wcs/domain/screening/ComplianceCheck"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect } from "effect"
import fc from "fast-check"
import {
  created,
  credentialFields,
  freshTenant,
  idFor,
  put,
  revise,
  select,
  start,
  type TenantTest,
  workerFields,
  workerRef
} from "../Fixtures.ts"
import { changeOwner } from "../ownership/Owning.ts"
import { check } from "../Property.ts"

const exemptionFields = (worker: string, reason: string): ExemptionFields => ({
  exemptionType: "teacher",
  reason,
  worker: { id: worker },
  exemptedCredentialTypes: ["WWCC_NSW"]
})

const banFields = (worker: string, name: string): BanFields => ({
  register: "test",
  worker: { id: worker },
  checkedAt: "2026-01-31T09:30:00Z",
  eligibility: "MAY_NOT_ENGAGE",
  matches: [{ name }]
})

const checkFields = (code: string, displayName: string, enabled: boolean): ComplianceCheckFields => ({
  code,
  displayName,
  severity: "WARNING",
  enabled,
  requirement: { credentialTypes: ["WWCC_NSW"], mode: "ALL", exemptionsCount: false }
})

/** The resources of a history: two workers, two rows of each kind that they hold, and two checks. */
const makeWorld = () => {
  const two = (resource: Resource) => [idFor(resource), idFor(resource)] as const
  const workers = two(Worker)
  const checks = two(ComplianceCheck)
  const credentials = two(Credential)
  const kinds = {
    worker: {
      resource: Worker,
      ids: workers,
      fields: (_: string, text: string) => workerFields({ identity: { displayName: text } })
    },
    credential: {
      resource: Credential,
      ids: credentials,
      fields: (_: string, text: string, holder: number) =>
        credentialFields({ worker: workers[holder] ?? null }, { identifier: text })
    },
    exemption: {
      resource: Exemption,
      ids: two(Exemption),
      fields: (_: string, text: string, holder: number) => exemptionFields(workers[holder] ?? "", text)
    },
    ban: {
      resource: Ban,
      ids: two(Ban),
      fields: (_: string, text: string, holder: number) => banFields(workers[holder] ?? "", text)
    },
    check: {
      resource: ComplianceCheck,
      ids: checks,
      fields: (code: string, text: string, holder: number) => checkFields(code, text, holder === 0)
    }
  }
  return { workers, credentials, kinds }
}

type World = ReturnType<typeof makeWorld>
type Kind = keyof World["kinds"]
const kindNames: ReadonlyArray<Kind> = ["worker", "credential", "exemption", "ban", "check"]

/** A change of one resource, or of a credential's owner, after some milliseconds. */
interface Step {
  readonly wait: number
  readonly kind: Kind
  readonly nth: 0 | 1
  readonly holder: 0 | 1
  readonly what: "write" | "remove" | "restore" | "link" | "unlink"
}

const index = fc.constantFrom<0 | 1>(0, 1)
const steps: fc.Arbitrary<ReadonlyArray<Step>> = fc.array(
  fc.record<Step>({
    wait: fc.constantFrom(0, 1, 5),
    kind: fc.constantFrom(...kindNames),
    nth: index,
    holder: index,
    what: fc.constantFrom("write", "write", "write", "remove", "restore", "link", "unlink")
  }),
  { minLength: 1, maxLength: 25 }
)

const apply = Effect.fnUntraced(function* (tenant: string, world: World, step: Step, now: number) {
  const { holder, kind, nth, what } = step
  if (what === "link" || what === "unlink") {
    const owner = workerRef(world.workers[holder])
    const command =
      what === "link" ? ({ _tag: "Link", to: owner } as const) : ({ _tag: "Unlink", from: owner } as const)
    yield* changeOwner(tenant, world.credentials[nth], command, now)
    return
  }
  const { fields, ids, resource } = world.kinds[kind] as {
    readonly resource: Resource
    readonly ids: readonly [string, string]
    readonly fields: (id: string, text: string, holder: number) => JsonObject
  }
  const id = ids[nth]
  const store = yield* ResourceStore
  const known = (yield* store.findAll(resource, tenant, [id])).has(id)
  const next = fields(id, `${what} at ${now}`, holder)
  if (!known) yield* put(resource, tenant, created(id, next, { createdAt: now, updatedAt: now }))
  else {
    yield* revise(resource, tenant, id, (row) => {
      const raised = { ...row, version: row.version + 1, updatedAt: now }
      if (what === "remove") return { ...raised, deletedAt: row.deletedAt ?? now }
      return what === "restore" ? { ...raised, deletedAt: null } : { ...raised, fields: next }
    })
  }
})

type Answers = ReadonlyArray<readonly [string, ReadonlyArray<unknown>]>

/** All that the reads answer about a world. */
const answersOf = Effect.fnUntraced(function* (
  tenant: string,
  world: World,
  reads: Pick<ReadsAsOf, "findAll" | "heldByEach">,
  page: (resource: Resource) => Effect.Effect<ReadonlyArray<Stored>, never, never>
) {
  const answers: Array<readonly [string, ReadonlyArray<unknown>]> = []
  // No answer shows the version, which a lock raises without a change.
  const shown = (rows: Iterable<Stored>) => Array.from(rows, ({ version: _, ...row }) => row)
  const byId = (rows: Iterable<Stored>) => shown(rows).sort((one, two) => (one.id < two.id ? -1 : 1))
  for (const { ids, resource } of Object.values(world.kinds) as ReadonlyArray<{
    resource: Resource
    ids: ReadonlyArray<string>
  }>) {
    answers.push([`found ${resource.type}`, byId((yield* reads.findAll(resource, tenant, ids)).values())])
  }
  for (const resource of [Credential, Exemption, Ban] as ReadonlyArray<Resource>) {
    const held = yield* reads.heldByEach(resource, tenant, world.workers, 10)
    answers.push([`held ${resource.type}`, world.workers.map((worker) => shown(held.get(worker) ?? []))])
  }
  for (const resource of [Worker, ComplianceCheck] as ReadonlyArray<Resource>) {
    answers.push([`page ${resource.type}`, shown(yield* page(resource))])
  }
  return answers satisfies Answers
})

const replay = Effect.fnUntraced(function* (history: ReadonlyArray<Step>) {
  const tenant = freshTenant()
  const world = makeWorld()
  const store = yield* ResourceStore
  const { asOf } = yield* ResourceHistory
  const sort = { column: "created_at", direction: "asc" } as const
  const recorded = new Map<number, Answers>()
  const record = (at: number) =>
    Effect.map(
      answersOf(tenant, world, store, (resource) =>
        Effect.map(store.list(resource, tenant, select({ sort })), ({ items }) => items)
      ),
      (answers) => recorded.set(at, answers)
    )
  let now = start
  yield* record(now - 1)
  for (const step of history) {
    now += step.wait
    yield* apply(tenant, world, step, now)
    yield* record(now)
  }
  for (const [at, answers] of recorded) {
    const reads = asOf(at)
    const past = yield* answersOf(tenant, world, reads, (resource) =>
      Effect.map(reads.page(resource, tenant, { after: undefined, pageSize: 100 }), ({ items }) =>
        items.filter((row) => SoftDelete.isVisible(row, false))
      )
    )
    assert.deepStrictEqual(past, answers, `as of ${at - start}`)
  }
})

/** Tests `ResourceHistory`. */
export const resourceHistorySuite = (it: TenantTest): void => {
  describe("threat 63: ResourceHistory", () => {
    it("answers as of a time what the store answered then, after any history", function* () {
      yield* check(steps, replay, { numRuns: 40 })
    })

    it("pages in the order of creation without workers that were not yet created", function* (tenant) {
      const { asOf } = yield* ResourceHistory
      const ids: Array<string> = []
      for (const at of [3, 1, 2, 2, 9]) {
        const row = created(idFor(Worker), workerFields(), { createdAt: start + at, updatedAt: start + at })
        ids.push((yield* put(Worker, tenant, row)).id)
      }
      yield* revise(Worker, tenant, ids[2] ?? "", (row) => SoftDelete.remove(row, start + 5))
      const walk = Effect.fnUntraced(function* (at: number) {
        const found: Array<string> = []
        for (let after: Parameters<ReadsAsOf["page"]>[2]["after"]; ; ) {
          const { items, next } = yield* asOf(start + at).page(Worker, tenant, { after, pageSize: 1 })
          found.push(...items.filter(({ deletedAt }) => deletedAt === null).map(({ id }) => id))
          if (next === undefined) return found.map((id) => ids.indexOf(id))
          after = next
        }
      })
      assert.deepStrictEqual(yield* walk(0), [])
      assert.deepStrictEqual(yield* walk(4), [1, 2, 3, 0])
      assert.deepStrictEqual(yield* walk(5), [1, 3, 0])
      assert.deepStrictEqual(yield* walk(9), [1, 3, 0, 4])
    })

    it("returns the versions of a time, each with the one before, and none of other records", function* (tenant) {
      const { versionsAt } = yield* ResourceHistory
      const [one, other] = [idFor(Worker), idFor(Worker)]
      for (const id of [one, other]) yield* put(Worker, tenant, created(id, workerFields()))
      for (const [nth, after] of [10, 20, 20, 30].entries()) {
        const fields = workerFields({ identity: { displayName: `name ${nth}` } })
        const raised = { updatedAt: start + after, fields }
        yield* revise(Worker, tenant, one, (row) => ({ ...row, ...raised, version: row.version + 1 }))
      }
      const found = yield* versionsAt(Worker, tenant, [
        { id: one, at: start + 20 },
        { id: one, at: start + 20 },
        { id: one, at: start + 5 },
        { id: other, at: start + 20 },
        { id: idFor(Worker), at: start }
      ])
      assert.deepStrictEqual([...found.keys()], [one])
      assert.deepStrictEqual(
        found.get(one)?.map(({ updatedAt, version }) => [version, updatedAt - start]),
        [
          [2, 10],
          [3, 20],
          [4, 20]
        ]
      )
      assert.deepStrictEqual(found.get(one)?.[0]?.fields, workerFields({ identity: { displayName: "name 0" } }))
      const first = yield* versionsAt(Worker, tenant, [{ id: other, at: start }])
      assert.deepStrictEqual(
        first.get(other)?.map(({ version }) => version),
        [1]
      )
      assert.strictEqual((yield* versionsAt(Worker, freshTenant(), [{ id: one, at: start + 20 }])).size, 0)
    })

    it("never brings back an older version after the clock has stepped back", function* (tenant) {
      const { asOf, knownSince } = yield* ResourceHistory
      const { id } = yield* put(Worker, tenant, created(idFor(Worker), workerFields()))
      const names = ["late", "early"]
      for (const [nth, displayName] of names.entries()) {
        const updatedAt = start + 100 - 50 * nth
        yield* revise(Worker, tenant, id, (row) => ({
          ...row,
          version: row.version + 1,
          updatedAt,
          fields: workerFields({ identity: { displayName } })
        }))
      }
      for (const at of [60, 200]) {
        const found = (yield* asOf(start + at).findAll(Worker, tenant, [id])).get(id)
        assert.strictEqual(found?.fields.identity.displayName, "early")
      }
      assert.strictEqual(yield* knownSince(tenant), 0)
    })
  })
}
