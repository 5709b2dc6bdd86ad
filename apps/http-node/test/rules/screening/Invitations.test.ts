import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, fetchRequest, recruitmentCheck, Service, screeningPackage, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import {
  assertRefused,
  assertStatus,
  dataOf,
  get,
  idOfNothing,
  patch,
  post,
  put,
  remove,
  root
} from "../NewerSurface.ts"
import { ids, list } from "../resource/Listing.ts"

type Fields = Readonly<Record<string, unknown>>

/** The groups of requests with a deadline in days, each with a constructor and the filter by person. */
const groups = [
  {
    collection: "recruitment-checks",
    entity: "credentialCheck",
    person: "applicantId",
    someone: applicant,
    make: (id: string, fields: Fields = {}) =>
      Effect.flatMap(screeningPackage(), (code) => recruitmentCheck({ id }, code, fields))
  },
  {
    collection: "fetch-requests",
    entity: "captureRequest",
    person: "workerId",
    someone: worker,
    make: (id: string, fields: Fields = {}) => fetchRequest({ id }, fields)
  }
]

const dayMillis = 86_400_000
const daysPass = (days: number) => Service.use(({ advance }) => advance((days * dayMillis) / 1000))

/** Moves the server's clock to about noon in Sydney, so that no test runs across midnight. */
const untilNoon = Effect.fnUntraced(function* (path: string) {
  const { createdAt } = yield* read(path)
  const hour = new Date(createdAt).toLocaleString("en-GB", { hour: "2-digit", timeZone: "Australia/Sydney" })
  yield* daysPass(((36 - Number(hour)) % 24) / 24)
})

const act = (path: string, action: "resend" | "remind" | "cancel") =>
  Service.use(({ call }) => call({ method: "POST", path: `${root}${path}/${action}` }))

const read = (path: string) => Effect.map(get(path), (answer) => Object(at(answer, "data")))

/** The day of a time in Sydney, and the day this many days later. */
const dayAfter = (instant: string, days: number): string => {
  const day = new Date(instant).toLocaleDateString("en-CA", { timeZone: "Australia/Sydney" })
  return new Date(Date.parse(day) + days * dayMillis).toISOString().slice(0, 10)
}

layer(layerService(), { excludeTestServices: true })("requests to a person", (it) => {
  for (const { collection, entity, make, person, someone } of groups) {
    /** The path of a new request. */
    const fresh = (fields: Fields = {}) =>
      Effect.gen(function* () {
        return `/${collection}/${yield* make(yield* someone(), fields)}`
      })

    it.effect(`ENV-11: a request of ${collection} begins INITIATED, with 14 days by the tenant's calendar`, () =>
      Effect.gen(function* () {
        for (const [fields, days] of [
          [{}, 14],
          [{ expiryDays: 1 }, 1],
          [{ expiryDays: 90 }, 90]
        ] as const) {
          const { createdAt, expiryDate, expiryDays, sentAt, status, type } = yield* read(yield* fresh(fields))
          assert.deepStrictEqual([type, status, expiryDays, sentAt], [entity, "INITIATED", days, undefined])
          assert.strictEqual(expiryDate, dayAfter(createdAt, days))
        }
      })
    )

    it.effect(`ENV-05: the days of ${collection} are a whole number from 1 to 90`, () =>
      Effect.gen(function* () {
        const path = yield* fresh()
        const before = yield* read(path)
        for (const expiryDays of [0, 91, 1.5, -14, "14", true, [14]]) {
          for (const send of [put, patch]) {
            assertRefused(yield* send(path, { ...before, expiryDays }), "INVALID_ARGUMENT", "expiryDays")
          }
          assertRefused(yield* post(`/${collection}`, { ...before, expiryDays }), "INVALID_ARGUMENT", "expiryDays")
        }
        assert.deepStrictEqual(yield* read(path), before)
        // Omitted or cleared days are 14.
        assert.strictEqual(at(yield* patch(path, { expiryDays: 3 }), "data.expiryDays"), 3)
        assert.strictEqual(at(yield* patch(path, { expiryDays: null }), "data.expiryDate"), before.expiryDate)
        assert.strictEqual((yield* read(path)).expiryDays, 14)
      })
    )

    it.effect(`ENV-16: of ${collection} the message and the days can change, and nothing else`, () =>
      Effect.gen(function* () {
        const path = yield* fresh({ message: "Please" })
        const before = yield* read(path)
        const others: Fields = {
          applicant: { id: yield* applicant() },
          worker: { id: yield* worker() },
          screeningPackageCode: yield* screeningPackage(),
          requestedCredentialTypes: ["WWCC_NSW"]
        }
        for (const [name, value] of Object.entries(others)) {
          if (before[name] === undefined) continue
          for (const send of [put, patch]) {
            assertRefused(yield* send(path, { ...before, [name]: value }), "INVALID_ARGUMENT", name)
          }
        }
        for (const [name, value] of Object.entries({ status: "COMPLETED", expiryDate: "2999-01-01", sentAt: "2026" })) {
          assertRefused(yield* patch(path, { [name]: value }), "INVALID_ARGUMENT", name)
          assertStatus(yield* put(path, { ...before, [name]: value }), 200)
        }
        assert.deepStrictEqual(yield* read(path), before)
        const answer = yield* patch(path, { message: null, expiryDays: 20 })
        assertStatus(answer, 200)
        const { message: _, ...rest } = before
        const after = { ...rest, expiryDays: 20, expiryDate: dayAfter(before.createdAt, 20) }
        assert.deepStrictEqual({ ...Object(at(answer, "data")), updatedAt: before.updatedAt }, after)
      })
    )

    it.effect(`ENV-10: resend of ${collection} records the sending, and restarts the days`, () =>
      Effect.gen(function* () {
        const path = yield* fresh({ expiryDays: 10 })
        const first = yield* act(path, "resend")
        assertStatus(first, 200)
        assert.deepStrictEqual(at(first, "data"), yield* read(path))
        const { createdAt, sentAt, status } = yield* read(path)
        assert.strictEqual(status, "SENT")
        assert.isAtLeast(Date.parse(sentAt), Date.parse(createdAt))
        yield* daysPass(5)
        const again = Object(at(yield* act(path, "resend"), "data"))
        assert.strictEqual(again.status, "SENT")
        assert.isAtLeast(Date.parse(again.sentAt) - Date.parse(sentAt), 5 * dayMillis)
        assert.strictEqual(again.expiryDate, dayAfter(again.sentAt, 10))
      })
    )

    it.effect(`ENV-10: remind of ${collection} records the time, and keeps the deadline`, () =>
      Effect.gen(function* () {
        const path = yield* fresh()
        assertStatus(yield* act(path, "resend"), 200)
        const before = yield* read(path)
        yield* daysPass(1)
        const answer = yield* act(path, "remind")
        assertStatus(answer, 200)
        const { remindedAt, updatedAt, ...after } = Object(at(answer, "data"))
        const { updatedAt: _, ...rest } = before
        assert.deepStrictEqual(after, rest)
        assert.isAtLeast(Date.parse(remindedAt) - Date.parse(before.sentAt), dayMillis)
        assert.strictEqual(updatedAt, remindedAt)
      })
    )

    it.effect(`ENV-10: cancel of ${collection} ends the request: a repetition changes nothing, all else is 422`, () =>
      Effect.gen(function* () {
        const path = yield* fresh({ message: "Please" })
        const answer = yield* act(path, "cancel")
        assertStatus(answer, 200)
        const cancelled = Object(at(answer, "data"))
        assert.deepStrictEqual([cancelled.status, cancelled.expiryDate], ["CANCELLED", undefined])
        yield* daysPass(1)
        assertStatus(yield* act(path, "cancel"), 200)
        assertRefused(yield* act(path, "resend"), "UNPROCESSABLE", "CANCELLED")
        assertRefused(yield* act(path, "remind"), "UNPROCESSABLE", "CANCELLED")
        for (const send of [put, patch]) {
          for (const change of [{ message: "Other" }, { expiryDays: 1 }]) {
            assertRefused(yield* send(path, { ...cancelled, ...change }), "UNPROCESSABLE", "CANCELLED")
          }
          assertStatus(yield* send(path, cancelled), 200)
        }
        assert.deepStrictEqual(yield* read(path), cancelled)
      })
    )

    it.effect(`ENV-10: a request of ${collection} is open to the end of its last day, then reads as EXPIRED`, () =>
      Effect.gen(function* () {
        const path = yield* fresh({ expiryDays: 2 })
        yield* untilNoon(path)
        assertStatus(yield* act(path, "resend"), 200)
        const before = yield* read(path)
        yield* daysPass(2)
        assert.deepStrictEqual(yield* read(path), before)
        yield* daysPass(1)
        const expired = { ...before, status: "EXPIRED" }
        assert.deepStrictEqual(yield* read(path), expired)
        // A body from GET can be sent back, and writes nothing.
        for (const send of [put, patch]) assert.deepStrictEqual(at(yield* send(path, expired), "data"), expired)
        assertRefused(yield* act(path, "remind"), "UNPROCESSABLE", "resend")
        const longer = Object(at(yield* patch(path, { expiryDays: 3 }), "data"))
        assert.deepStrictEqual([longer.status, longer.expiryDate], ["SENT", dayAfter(before.sentAt, 3)])
        yield* daysPass(1)
        const sent = Object(at(yield* act(path, "resend"), "data"))
        assert.deepStrictEqual([sent.status, sent.expiryDate], ["SENT", dayAfter(sent.sentAt, 3)])
        yield* daysPass(4)
        assert.strictEqual((yield* read(path)).status, "EXPIRED")
        assert.strictEqual(at(yield* act(path, "cancel"), "data.status"), "CANCELLED")
      })
    )

    it.effect(`ENV-07: the status filter of ${collection} matches the shown value, EXPIRED too`, () =>
      Effect.gen(function* () {
        yield* untilNoon(yield* fresh())
        const id = yield* someone()
        const of = (...fields: ReadonlyArray<Fields>) => Effect.forEach(fields, (one) => make(id, one))
        const [lapsed = "", cancelled = "", open = ""] = yield* of({ expiryDays: 1 }, {}, { expiryDays: 30 })
        const [sent = "", gone = ""] = yield* of({ expiryDays: 20 }, { expiryDays: 1 })
        assertStatus(yield* act(`/${collection}/${cancelled}`, "cancel"), 200)
        assertStatus(yield* act(`/${collection}/${sent}`, "remind"), 200)
        assertStatus(yield* act(`/${collection}/${gone}`, "cancel"), 200)
        yield* daysPass(2)
        const all = dataOf(yield* list(collection, { [person]: id }))
        assert.lengthOf(all, 5)
        const found = new Map<string, ReadonlyArray<string>>()
        for (const status of ["INITIATED", "SENT", "IN_PROGRESS", "COMPLETED", "EXPIRED", "CANCELLED"]) {
          const selected = dataOf(yield* list(collection, { [person]: id, status }))
          assert.deepStrictEqual(
            selected,
            all.filter((item) => Object(item).status === status)
          )
          found.set(
            status,
            selected.map((item) => Object(item).id)
          )
        }
        assert.deepStrictEqual([...found.values()], [[open], [sent], [], [], [lapsed], [cancelled, gone]])
        const { expiryDate } = yield* read(`/${collection}/${open}`)
        const before = yield* ids(collection, { [person]: id, expiringBefore: expiryDate })
        assert.sameMembers(before, [lapsed, sent])
        const sorted = yield* list(collection, { [person]: id, sort: "expiryDate:desc", pageSize: "3" })
        assert.deepStrictEqual(
          dataOf(sorted).map((item) => Object(item).id),
          [open, sent, lapsed]
        )
        for (const wrong of ["status=sent", "status=", "expiringBefore=soon", "sort=status"]) {
          assertRefused(yield* get(`/${collection}?${wrong}`), "INVALID_ARGUMENT")
        }
      })
    )

    it.effect(
      `DEL-03: every action on a deleted request of ${collection} is 404, as on a missing one; a malformed id is 400`,
      () =>
        Effect.gen(function* () {
          const path = yield* fresh()
          const before = yield* read(path)
          assertStatus(yield* remove(path), 204)
          const nowhere = `/${collection}/${idOfNothing(before.id)}`
          for (const action of ["resend", "remind", "cancel"] as const) {
            assertRefused(yield* act(path, action), "NOT_FOUND")
            assertRefused(yield* act(nowhere, action), "NOT_FOUND")
            assertRefused(yield* act(`/${collection}/nonsense`, action), "INVALID_ARGUMENT", "id")
          }
          const { updatedAt: _u, ...rest } = before
          assert.deepInclude(Object(at(yield* get(`${path}?includeDeleted=true`), "data")), rest)
        })
    )

    it.effect(`PRV-15: actions on ${collection} are in the audit log by name, no-ops are not`, () =>
      Effect.gen(function* () {
        const path = yield* fresh()
        for (const action of ["resend", "remind", "cancel", "cancel"] as const) {
          assertStatus(yield* act(path, action), 200)
        }
        const id = path.split("/")[2]
        const entries = dataOf(yield* get(`/audit-events?entityType=${entity}&entityId=${id}`))
        const told = entries.map((entry) => [Object(entry).operation, Object(entry).action].join(" "))
        assert.sameMembers(told, ["CREATE create", "UPDATE resend", "UPDATE remind", "UPDATE cancel"])
      })
    )
  }
})
