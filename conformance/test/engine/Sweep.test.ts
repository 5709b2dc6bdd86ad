import { assert, describe, it } from "@effect/vitest"
import * as Sending from "@wcs/conformance/engine/Sending"
import { against, isClear, isOver, leftOf, sweep } from "@wcs/conformance/engine/Sweep"
import type { Entry } from "@wcs/conformance/evidence/Journal"
import { Journal } from "@wcs/conformance/evidence/Journal"
import type { Call, CreatedResource } from "@wcs/conformance/judgement/Session"
import { limitsOf } from "@wcs/conformance/profile/Limits"
import type { Profile } from "@wcs/conformance/profile/Profile"
import * as Handles from "@wcs/conformance/wire/Handles"
import { Wire } from "@wcs/conformance/wire/Wire"
import { Effect } from "effect"
import * as fc from "fast-check"
import { answer, inTime, profile as invented, lineOf, type Serve } from "../Invented.ts"

/** The life of one resource of a run. */
interface Life {
  readonly type: CreatedResource["type"]
  /** The progress of the create: refused, created without a response, or created. */
  readonly create: "refused" | "lost" | "told"
  /** The progress of the delete, if any: executed without a response, or executed. */
  readonly remove: "none" | "lost" | "told"
}

const life: fc.Arbitrary<Life> = fc.record({
  type: fc.constantFrom("worker", "applicant", "credential", "exemption"),
  create: fc.constantFrom("refused", "lost", "told"),
  remove: fc.constantFrom("none", "lost", "told")
})

/** A step of a run: its effect, and its entry in the journal. */
interface Step {
  readonly there?: string
  readonly gone?: string
  readonly entry?: Entry
}

/** The steps of one life in order. */
const stepsOf = ({ create, remove, type }: Life, number: number): ReadonlyArray<Step> => {
  const [id, unique] = [`id_${number}`, `conf-r-${number}`]
  const intended: Step = { entry: { entry: "intended", type, unique } }
  if (create === "refused") return [intended, { entry: { entry: "refused", type, unique } }]
  const asked = [intended, { there: id }]
  if (create === "lost") return asked
  const told: ReadonlyArray<Step> = [...asked, { entry: { entry: "made", type, unique, id } }]
  if (remove === "none") return told
  return [...told, { gone: id }, ...(remove === "told" ? [{ entry: { entry: "deleted", type, id } } as const] : [])]
}

/** Several interleaved lives, cut anywhere. Each keeps its own order. */
const killed = fc
  .tuple(fc.array(life, { maxLength: 8 }), fc.infiniteStream(fc.nat()), fc.nat())
  .map(([lives, turns, end]) => {
    const waiting = lives.map((one, number) => [...stepsOf(one, number)])
    const steps: Array<Step> = []
    while (waiting.some((rest) => rest.length > 0)) {
      const open = waiting.filter((rest) => rest.length > 0)
      const next = open[turns.next().value % open.length]?.shift()
      if (next !== undefined) steps.push(next)
    }
    return { lives, steps: steps.slice(0, end % (steps.length + 1)) }
  })

describe("the remaining resources of a journal", () => {
  it("contain every existing resource, by id or name, whenever the run was killed", () => {
    fc.assert(
      fc.property(killed, ({ lives, steps }) => {
        const there = new Set<string>()
        for (const { gone, there: one } of steps) {
          if (one !== undefined) there.add(one)
          if (gone !== undefined) there.delete(gone)
        }
        const entries = steps.flatMap(({ entry }) => entry ?? [])
        const { lost, made } = leftOf(entries)
        const known = new Set([
          ...made.map(({ id }) => id),
          ...lost.map(({ unique }) => unique.replace("conf-r-", "id_"))
        ])
        assert.deepStrictEqual(
          [...there].filter((id) => !known.has(id)),
          []
        )
        // a resource that the run knows to be deleted is not reported as left
        for (const [number, one] of lives.entries()) {
          const isTold = entries.some((entry) => entry.entry === "deleted" && entry.id === `id_${number}`)
          const isRefused = entries.some((entry) => entry.entry === "refused" && entry.unique === `conf-r-${number}`)
          if (isTold || isRefused) assert.isFalse(known.has(`id_${number}`), JSON.stringify(one))
        }
      }),
      { numRuns: 300 }
    )
  })
  it("include every owner that may have credentials of the run, deleted or not", () => {
    fc.assert(
      fc.property(killed, ({ lives, steps }) => {
        const entries = steps.flatMap(({ entry }) => entry ?? [])
        const { ownerIds, owners } = leftOf(entries)
        const isOwner = (type: CreatedResource["type"]) => ["worker", "applicant"].includes(type)
        for (const entry of entries) {
          if (entry.entry === "intended") assert.strictEqual(owners.includes(entry.unique), isOwner(entry.type))
          if (entry.entry === "made") assert.strictEqual(ownerIds.includes(entry.id), isOwner(entry.type))
        }
        assert.isAtMost(owners.length, lives.length)
      })
    )
  })
  it("are separate for each deployment in the journal", () => {
    const begun = (target: string): Entry => ({ entry: "run", run: "r", target, profile: "p" })
    const made = (id: string): Entry => ({ entry: "made", type: "worker", unique: `conf-r-${id}`, id })
    const gone = (id: string): Entry => ({ entry: "deleted", type: "worker", id })
    const entries = [begun("https://one"), made("1"), begun("https://two"), made("1"), made("2"), gone("1"), gone("2")]
    assert.deepStrictEqual(leftOf(against(entries, "https://one")).made, [{ type: "worker", id: "1" }])
    assert.deepStrictEqual(leftOf(against(entries, "https://two")).made, [])
    assert.isFalse(isClear(entries))
    assert.isTrue(isClear([...entries, begun("https://one"), gone("1")]))
    assert.isTrue(isClear([]))
  })
  it("distinguish the two hosts on which a create may have been executed", () => {
    const to = "second tenant"
    const both: ReadonlyArray<Entry> = [
      { entry: "intended", type: "worker", unique: "conf-r-1" },
      { entry: "intended", type: "worker", unique: "conf-r-1", to }
    ]
    assert.lengthOf(leftOf(both).lost, 2)
    const here = leftOf([...both, { entry: "refused", type: "worker", unique: "conf-r-1", to }])
    assert.deepStrictEqual(here.lost, [{ type: "worker", unique: "conf-r-1" }])
    const there = leftOf([...both, { entry: "refused", type: "worker", unique: "conf-r-1" }])
    assert.deepStrictEqual(there.lost, [{ type: "worker", unique: "conf-r-1", to }])
    const found = leftOf([...both, { entry: "made", type: "worker", unique: "conf-r-1", id: "wkr_1", to }])
    assert.deepStrictEqual(found.made, [{ type: "worker", id: "wkr_1", to }])
    assert.deepStrictEqual(found.lost, [{ type: "worker", unique: "conf-r-1" }])
  })
  it("keep the journal while a run may still write to it", () => {
    const begun = (run: string): Entry => ({ entry: "run", run, target: "https://one", profile: "p" })
    const ended = (run: string): Entry => ({ entry: "ended", run })
    assert.isTrue(isOver([begun("a"), ended("a"), begun("b"), ended("b")]))
    assert.isFalse(isOver([begun("a"), begun("b"), ended("b")]))
  })
  it("are separate for each deployment when two runs wrote to the journal concurrently", () => {
    const begun = (run: string, target: string): Entry => ({ entry: "run", run, target, profile: "p" })
    const made = (run: string, id: string): Entry => ({ entry: "made", type: "worker", unique: `conf-${run}-1`, id })
    const entries = [begun("a-1", "https://one"), begun("b", "https://two"), made("a-1", "1"), made("b", "2")]
    assert.deepStrictEqual(leftOf(against(entries, "https://one")).made, [{ type: "worker", id: "1" }])
    assert.deepStrictEqual(leftOf(against(entries, "https://two")).made, [{ type: "worker", id: "2" }])
    const swept: ReadonlyArray<Entry> = [begun("sweep", "https://two"), { entry: "deleted", type: "worker", id: "2" }]
    assert.deepStrictEqual(leftOf(against([...entries, ...swept], "https://two")).made, [])
    assert.isFalse(isClear([...entries, ...swept]))
  })
})

/** Sweeps an invented deployment. Returns its requests, the new journal entries and the residue. */
const sweeping = (entries: ReadonlyArray<Entry>, serve: Serve, profile: Profile = invented) =>
  Effect.gen(function* () {
    const asked: Array<string> = []
    const written: Array<Entry> = []
    const send = yield* Sending.make(limitsOf(profile), Handles.make(profile, new Map()), ({ request }) =>
      Effect.sync(() => void asked.push(lineOf(request)))
    ).pipe(Effect.provideService(Wire, Wire.of({ send: serve })))
    const call = (one: Call) => send("sweep", 1, Sending.ready(one, "https://one.example", undefined))
    const told = yield* sweep(profile, entries, call).pipe(
      Effect.provideService(Journal, Journal.of({ write: (entry) => Effect.sync(() => void written.push(entry)) }))
    )
    return { ...told, asked, written }
  })

describe("a sweep", () => {
  const worker: Entry = { entry: "made", type: "worker", unique: "conf-r-1", id: "wkr_1" }
  const ownerOf = (entry: Entry): ReadonlyArray<Entry> => [
    { entry: "intended", type: "worker", unique: "conf-r-1" },
    worker,
    entry
  ]
  const lostWorker: Entry = { entry: "intended", type: "worker", unique: "conf-r-2" }
  const lostCredential: Entry = { entry: "intended", type: "credential", unique: "conf-r-3" }

  /** Returns these lists and accepts every delete. */
  const showing =
    (lists: Readonly<Record<string, ReadonlyArray<object>>>): Serve =>
    (request) => {
      const shown = lists[lineOf(request)]
      if (request.method === "DELETE") return Effect.succeed(answer(204))
      return Effect.succeed(shown === undefined ? answer(404) : answer(200, JSON.stringify({ data: shown })))
    }

  it.effect("deletes only the run's own resources, even if lists show others", () =>
    Effect.gen(function* () {
      const others = [
        { id: "wkr_9", source: { externalId: "conf-r-22" } },
        { id: "wkr_8", source: { externalId: "somebody" } },
        { id: "" },
        { source: { externalId: "conf-r-2" } }
      ]
      const { asked, deleted } = yield* sweeping(
        [...ownerOf(lostWorker), lostCredential],
        showing({
          "GET /workers?externalId=conf-r-2": [...others, { id: "wkr_2", source: { externalId: "conf-r-2" } }],
          "GET /credentials?ownerExternalId=conf-r-1": [
            { id: "cred_9", attributes: { owners: { worker: "wkr_9", applicant: null } } },
            { id: "cred_8" },
            { id: "cred_1", attributes: { owners: { worker: null, applicant: "wkr_1" } } }
          ],
          "GET /credentials?ownerExternalId=conf-r-2": [{ id: "cred_2", attributes: { owners: { worker: "wkr_2" } } }]
        })
      )
      const removed = asked.filter((line) => line.startsWith("DELETE "))
      assert.sameMembers(removed, [
        ...["DELETE /credentials/cred_1", "DELETE /credentials/cred_2"],
        ...["DELETE /workers/wkr_1", "DELETE /workers/wkr_2"]
      ])
      assert.strictEqual(deleted, 4)
    })
  )
  it.effect("completes the journal, so that a second sweep finds nothing to do", () =>
    Effect.gen(function* () {
      const entries = [...ownerOf(lostWorker), lostCredential]
      const serve = showing({
        "GET /workers?externalId=conf-r-2": [{ id: "wkr_2", source: { externalId: "conf-r-2" } }],
        "GET /credentials?ownerExternalId=conf-r-1": [],
        "GET /credentials?ownerExternalId=conf-r-2": []
      })
      const { residue, written } = yield* sweeping(entries, serve)
      assert.deepStrictEqual(residue, [])
      const again = yield* sweeping([...entries, ...written], serve)
      assert.deepStrictEqual([again.asked, again.deleted, again.residue], [[], 0, []])
    })
  )
  it.effect("reports what it could not look up and could not delete", () =>
    Effect.gen(function* () {
      const entries = [...ownerOf(lostWorker), lostCredential]
      const { deleted, residue } = yield* sweeping(entries, () => Effect.succeed(answer(500)))
      assert.deepStrictEqual(residue, [
        { type: "worker", name: "wkr_1", why: "the delete was refused" },
        { type: "worker", name: "conf-r-2", why: "may have been made" },
        { type: "credential", name: "conf-r-3", why: "may have been made" }
      ])
      assert.strictEqual(deleted, 0)
    })
  )
  it.effect("reports resources as possibly left when the profile has no list for them", () =>
    Effect.gen(function* () {
      const entries: ReadonlyArray<Entry> = [{ entry: "intended", type: "applicant", unique: "conf-r-5" }]
      const { asked, residue } = yield* sweeping(entries, showing({}))
      assert.deepStrictEqual([asked, residue.map(({ why }) => why)], [[], ["may have been made"]])
      const applicant = {
        find: "/applicants?name={{unique}}",
        delete: { method: "DELETE", path: "/applicants/{{id}}" }
      }
      const told = yield* sweeping(
        entries,
        showing({ "GET /applicants?name=conf-r-5": [{ id: "apl_5", emailAddress: "conf-r-5@example.org" }] }),
        { ...invented, groups: { applicant } } as Profile
      )
      assert.deepStrictEqual([told.deleted, told.residue], [1, []])
    })
  )
  it.effect("stops lookups after half a minute even when all of them hang", () =>
    Effect.gen(function* () {
      const entries = Array.from(
        { length: 200 },
        (_, index): Entry => ({ entry: "intended", type: "worker", unique: `conf-r-${index}` })
      )
      const reached: Array<string> = []
      const hanging: Serve = (request) =>
        Effect.suspend(() => {
          reached.push(lineOf(request))
          return Effect.never
        })
      const { residue } = yield* inTime(sweeping(entries, hanging))
      assert.lengthOf(residue, 200)
      assert.lengthOf(reached, 4) // those of the first half minute, interleaved
    })
  )
})
