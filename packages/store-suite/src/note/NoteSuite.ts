import { assert, describe } from "@effect/vitest"
import type { Note } from "@wcs/domain/note/Note"
import { NoteStore } from "@wcs/domain/note/NoteStore"
import { Effect, Option, Result } from "effect"
import { auditEntry, auditLog, mint, start, type TenantTest } from "../Fixtures.ts"

const audit = (id: string, action = "create") => auditEntry(id, { entityType: "note", action })

const noteOf = (tenantId: string, fields: Partial<Note> = {}): Note => {
  const personId = mint("worker")
  return {
    ...{
      id: mint("note"),
      tenantId,
      about: personId,
      personId,
      account: "urn:wcs:account:acc_1",
      text: "ein „Text“\n2"
    },
    ...{ mentions: [], createdAt: start, ...fields }
  }
}

const insert = (note: Note) => NoteStore.use((store) => store.insert(note, audit(note.id), () => Result.void))

const idsOf = (notes: ReadonlyArray<Note>) => notes.map(({ id }) => id)

const newestFirst = { direction: "desc", pageSize: 10, after: undefined, includeTotal: false } as const

/** The ids of the notes about a record, newest first. */
const listed = (tenant: string, about: string) =>
  NoteStore.use((store) => Effect.map(store.list(tenant, about, newestFirst), ({ items }) => idsOf(items)))

/** Tests the contract of the store of notes. */
export const noteSuite = (it: TenantTest): void => {
  describe("NoteStore", () => {
    it("lists the notes about a record newest first, those of a worker with those about its tasks", function* (tenant) {
      const store = yield* NoteStore
      const worker = mint("worker")
      const task = mint("task")
      const first = noteOf(tenant, { about: worker, personId: worker })
      const second = noteOf(tenant, { about: task, personId: worker, mentions: ["acc_2", "acc_3"] })
      const ofSource = noteOf(tenant, { about: mint("task"), personId: null })
      const other = noteOf(tenant, { about: mint("applicant") })
      for (const note of [first, second, ofSource, other]) yield* insert(note)
      assert.deepStrictEqual(yield* listed(tenant, worker), [second.id, first.id])
      assert.deepStrictEqual(yield* listed(tenant, task), [second.id])
      assert.deepStrictEqual(yield* listed(tenant, ofSource.about), [ofSource.id])
      assert.deepStrictEqual(yield* listed(tenant, other.about), [other.id])
      assert.deepStrictEqual(yield* store.find(tenant, second.id), Option.some(second))
      assert.deepStrictEqual(yield* store.find(mint("tenant"), second.id), Option.none())
    })

    it("pages the notes about a record in either order, and counts them", function* (tenant) {
      const store = yield* NoteStore
      const about = mint("worker")
      const notes = [1, 2, 3].map((later) => noteOf(tenant, { about, personId: about, createdAt: start + later }))
      for (const note of [...notes, noteOf(tenant)]) yield* insert(note)
      const [one, two, three] = idsOf(notes)
      for (const [direction, expected] of [
        ["desc", [three, two, one]],
        ["asc", [one, two, three]]
      ] as const) {
        const first = yield* store.list(tenant, about, { ...newestFirst, direction, pageSize: 2, includeTotal: true })
        assert.deepInclude(first, { hasMore: true, total: 3 })
        const after = first.items[1]?.position
        const rest = yield* store.list(tenant, about, { ...newestFirst, direction, pageSize: 2, after })
        assert.deepInclude(rest, { hasMore: false, total: undefined })
        assert.deepStrictEqual(idsOf([...first.items, ...rest.items]), [...expected])
      }
    })

    it("stores no note that the number of others forbids, however many are written at once", function* (tenant) {
      const store = yield* NoteStore
      const about = mint("worker")
      const write = () => {
        const note = noteOf(tenant, { about, personId: about })
        const decide = (others: number) => (others < 3 ? Result.void : Result.fail("full" as const))
        return Effect.result(store.insert(note, audit(note.id), decide))
      }
      const results = yield* Effect.all(Array.from({ length: 6 }, write), { concurrency: "unbounded" })
      assert.lengthOf(results.filter(Result.isFailure), 3)
      assert.lengthOf(yield* listed(tenant, about), 3)
      assert.lengthOf(yield* auditLog(tenant), 3)
    })

    it("finds the notes that mention a user, and deletes a note with its mentions for good", function* (tenant) {
      const store = yield* NoteStore
      const user = mint("account")
      const notes = [1, 2, 3].map((later) => noteOf(tenant, { createdAt: start + later, mentions: [user] }))
      for (const note of [...notes, noteOf(tenant)]) yield* insert(note)
      const [one, two, three] = idsOf(notes)
      assert.deepStrictEqual(idsOf(yield* store.mentioning(tenant, user, {}, 10)), [three, two, one])
      assert.deepStrictEqual(idsOf(yield* store.mentioning(tenant, user, { since: start + 1 }, 10)), [three, two])
      assert.deepStrictEqual(idsOf(yield* store.mentioning(tenant, user, {}, 1)), [three])
      yield* store.remove(tenant, three ?? "", audit(three ?? "", "delete"))
      yield* store.remove(tenant, three ?? "", audit(three ?? "", "delete"))
      assert.deepStrictEqual(idsOf(yield* store.mentioning(tenant, user, {}, 10)), [two, one])
      const actions = (yield* auditLog(tenant)).map(({ action }) => action)
      assert.deepStrictEqual(actions, ["create", "create", "create", "create", "delete"])
    })

    it("finds the notes that mention a user before another note, also of those of one time", function* (tenant) {
      const store = yield* NoteStore
      const user = mint("account")
      const notes = [1, 2, 2, 2, 3].map((later) => noteOf(tenant, { createdAt: start + later, mentions: [user] }))
      for (const note of notes) yield* insert(note)
      const all = yield* store.mentioning(tenant, user, {}, 10)
      assert.lengthOf(all, notes.length)
      for (const [index, before] of all.entries()) {
        assert.deepStrictEqual(
          idsOf(yield* store.mentioning(tenant, user, { before }, 10)),
          idsOf(all.slice(index + 1))
        )
      }
    })

    it("keeps who looks after a person", function* (tenant) {
      const store = yield* NoteStore
      const [ann, bo, cy] = [mint("worker"), mint("applicant"), mint("worker")]
      const set = (person: string, user: string | null) => store.setCaretaker(tenant, person, user, auditEntry(person))
      yield* set(ann, "acc_1")
      yield* set(bo, "acc_2")
      yield* set(cy, "acc_1")
      yield* set(ann, "acc_3")
      yield* set(cy, null)
      const found = yield* store.caretakers(tenant, [ann, bo, cy])
      assert.deepStrictEqual(
        [...found].toSorted(),
        [
          [ann, "acc_3"],
          [bo, "acc_2"]
        ].toSorted()
      )
    })
  })
}
