import { assert, describe } from "@effect/vitest"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import { isSameCard, likenessesOf } from "@wcs/domain/credential/Duplicates"
import { Credential } from "@wcs/domain/holding/Credential"
import { type DuplicateDocument, DuplicatePairs, reasons } from "@wcs/domain/merge/DuplicatePairs"
import { pairOf, type Reason } from "@wcs/domain/merge/DuplicateStore"
import { Worker, type WorkerFields } from "@wcs/domain/people/Worker"
import { Effect } from "effect"
import * as fc from "fast-check"
import { auditLog, find, mint, remove, type TenantTest } from "../Fixtures.ts"
import { check } from "../Property.ts"
import { as, begin, merge, putCard, putPerson, type World } from "./Merging.ts"

const optional = <A>(...values: ReadonlyArray<A>) => fc.option(fc.constantFrom(...values), { nil: undefined })

/** Few values of each kind, so that many are equal. */
const drawn = fc.record({
  displayName: fc.constantFrom("Zoë Ng", "Ng, Zoe", "Ann Lee"),
  birthDate: optional("1990-04-17", "1990-04-18"),
  externalId: optional("hr-1", "hr-2"),
  sourceSystem: optional("payroll", "rostering"),
  identifier: optional("WWC 1234567E", "wwc1234567e", "WWC7654321E"),
  isDeleted: fc.boolean()
})

const fieldsOf = ({
  birthDate,
  displayName,
  externalId,
  sourceSystem
}: typeof drawn extends fc.Arbitrary<infer A> ? A : never) =>
  ({
    identity: { displayName, ...(birthDate === undefined ? {} : { birthDate }) },
    source: {
      ...(externalId === undefined ? {} : { externalId }),
      ...(sourceSystem === undefined ? {} : { sourceSystem })
    }
  }) satisfies WorkerFields

const listed = (world: World, query: Record<string, string> = {}, privileges = privilegesOf("Viewer")) =>
  Effect.gen(function* () {
    const { list } = yield* DuplicatePairs
    const found: Array<DuplicateDocument> = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = yield* list(cursor === undefined ? query : { ...query, cursor })
      assert.isAtMost(page.documents.length, page.pageSize)
      found.push(...page.documents)
      cursor = page.nextCursor
    }
    return found
  }).pipe(Effect.provide(as(world, privileges)))

const dismiss = (world: World, one: string, other: string) =>
  Effect.provide(
    DuplicatePairs.use((pairs) => pairs.dismiss({ workers: [one, other] })),
    as(world)
  )

const shown = ({ reasons, workers: [one, other] }: DuplicateDocument) => [one.id, other.id, ...reasons].join(" ")

/** Tests `DuplicateStore` through the use cases. */
export const duplicateSuite = (it: TenantTest): void => {
  describe("the list of duplicates", () => {
    it("lists each pair once with all its reasons, in pages, as a comparison of all pairs does", function* () {
      yield* check(
        fc.array(drawn, { minLength: 2, maxLength: 9 }),
        (people) =>
          Effect.gen(function* () {
            const world = yield* begin
            const { tenantId } = world
            const workers: Array<{ readonly id: string; readonly card: string | undefined }> = []
            for (const person of people) {
              const id = yield* putPerson(tenantId, fieldsOf(person))
              const { identifier } = person
              const card = identifier === undefined ? undefined : yield* putCard(tenantId, id, { identifier })
              if (person.isDeleted) yield* remove(Worker, tenantId, id)
              else workers.push({ id, card })
            }
            const expected: Array<string> = []
            for (const [index, one] of workers.entries()) {
              for (const other of workers.slice(index + 1)) {
                const [a, b] = [yield* find(Worker, tenantId, one.id), yield* find(Worker, tenantId, other.id)]
                if (a === undefined || b === undefined) return assert.fail()
                const alike: ReadonlyArray<Reason> = likenessesOf(a.fields, b.fields)
                const cards = [one, other].map(({ card }) => find(Credential, tenantId, card ?? ""))
                const [c, d] = yield* Effect.all(cards)
                const isOfOneCard = c !== undefined && d !== undefined && isSameCard(c.fields, d.fields)
                const all = reasons.filter((each) => alike.includes(each) || (each === "CARD" && isOfOneCard))
                if (all.length > 0) expected.push([...pairOf(one.id, other.id), ...all].join(" "))
              }
            }
            for (const pageSize of ["1", "3", "100"]) {
              assert.sameMembers((yield* listed(world, { pageSize })).map(shown), expected)
            }
          }),
        { numRuns: 15 }
      )
    })

    it("shows cards only to callers who may read credentials, and one reason if it is asked for", function* () {
      const world = yield* begin
      const [one, other] = [yield* putPerson(world.tenantId), yield* putPerson(world.tenantId)]
      for (const id of [one, other]) yield* putCard(world.tenantId, id, { identifier: "1234" })
      assert.lengthOf(yield* listed(world), 1)
      assert.deepStrictEqual(yield* listed(world, {}, new Set(["worker:READ"])), [])
      assert.lengthOf(yield* listed(world, { reason: "CARD" }), 1)
      assert.deepStrictEqual(yield* listed(world, { reason: "NAME" }), [])
    })

    it("leaves out a dismissed pair for good, and keeps who dismissed it, once", function* () {
      const world = yield* begin
      const { tenantId } = world
      const fields = { source: { externalId: "hr-1" } }
      const [a, b, c] = [
        yield* putPerson(tenantId, fields),
        yield* putPerson(tenantId, fields),
        yield* putPerson(tenantId, fields)
      ]
      assert.deepStrictEqual(yield* dismiss(world, b, a), { type: "duplicateDismissal", workers: [b, a] })
      yield* dismiss(world, a, b)
      assert.deepStrictEqual((yield* listed(world)).map(shown), [`${a} ${c} EXTERNAL_ID`, `${b} ${c} EXTERNAL_ID`])
      const entries = (yield* auditLog(tenantId)).filter(({ action }) => action === "not a duplicate")
      assert.deepStrictEqual(
        entries.map(({ entityId, ownership }) => [entityId, ownership?.after.worker]),
        [[a, b]]
      )
      yield* merge(world, a, c)
      assert.deepStrictEqual(yield* listed(world), [])
      for (const pair of [
        [a, mint("worker")],
        [a, c]
      ] as const) {
        assert.deepInclude(yield* Effect.flip(dismiss(world, ...pair)), { _tag: "LinkNotFound", field: "workers.1" })
      }
    })

    it("compares ten workers of a key, and lists their pairs over several pages", function* () {
      const world = yield* begin
      for (let n = 0; n < 12; n++) yield* putPerson(world.tenantId, { source: { externalId: "hr-1" } })
      const pairs = (yield* listed(world, { pageSize: "7" })).map(shown)
      assert.lengthOf(new Set(pairs), 45)
      assert.lengthOf(pairs, 45)
    })

    it("lists a pair under a later reason if the key of an earlier one has too many workers", function* () {
      const world = yield* begin
      const source = { externalId: "0000" }
      for (let n = 0; n < 10; n++) yield* putPerson(world.tenantId, { source })
      const named = { identity: { displayName: "Ann Lee", birthDate: "1990-04-17" }, source }
      const [one, other] = [yield* putPerson(world.tenantId, named), yield* putPerson(world.tenantId, named)]
      for (const id of [one, other]) yield* putCard(world.tenantId, id, { identifier: "1234" })
      const found = (yield* listed(world)).map(shown).filter((text) => text.startsWith(`${one} ${other}`))
      assert.deepStrictEqual(found, [`${one} ${other} EXTERNAL_ID NAME CARD`])
    })

    it("lists a pair with several equal cards once", function* () {
      const world = yield* begin
      const [one, other] = [yield* putPerson(world.tenantId), yield* putPerson(world.tenantId)]
      for (const id of [one, other]) {
        yield* putCard(world.tenantId, id, { identifier: "1234" })
        yield* putCard(world.tenantId, id, { identifier: "1234", credentialType: "FIRST_AID" })
        yield* putCard(world.tenantId, id, { identifier: "5678" })
      }
      for (const pageSize of ["1", "100"]) {
        assert.deepStrictEqual((yield* listed(world, { pageSize })).map(shown), [`${one} ${other} CARD`])
      }
    })
  })
}
