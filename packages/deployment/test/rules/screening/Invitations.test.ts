import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, fetchRequest, recruitmentCheck, Service, screeningPackage, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, idsOf, patch, post, put, remove, root } from "../NewerSurface.ts"
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

    it.effect(`ENV-05, ENV-11: a request of ${collection} begins INITIATED, with 1 to 90 days, by default 14`, () =>
      Effect.gen(function* () {
        const path = yield* fresh()
        const before = yield* read(path)
        assert.deepStrictEqual([before.type, before.status, before.expiryDays], [entity, "INITIATED", 14])
        assert.strictEqual(before.expiryDate, dayAfter(before.createdAt, 14))
        for (const expiryDays of [0, 91, 1.5, "14"]) {
          for (const send of [put, patch]) {
            assertRefused(yield* send(path, { ...before, expiryDays }), "INVALID_ARGUMENT", "expiryDays")
          }
          assertRefused(yield* post(`/${collection}`, { ...before, expiryDays }), "INVALID_ARGUMENT", "expiryDays")
        }
        assert.deepStrictEqual(yield* read(path), before)
        const longest = yield* patch(path, { expiryDays: 90 })
        assert.strictEqual(at(longest, "data.expiryDate"), dayAfter(before.createdAt, 90))
        assert.strictEqual(at(yield* patch(path, { expiryDays: null }), "data.expiryDate"), before.expiryDate)
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
        const { message: _, updatedAt: _u, ...rest } = before
        const { updatedAt, ...after } = Object(at(yield* patch(path, { message: null }), "data"))
        assert.deepStrictEqual(after, rest)
      })
    )

    // The table of statuses and actions, and the days, are tests of the domain.
    it.effect(`ENV-10, PRV-15: actions on ${collection} are stored and audited; a repeated cancel is a no-op`, () =>
      Effect.gen(function* () {
        const path = yield* fresh({ expiryDays: 2 })
        yield* untilNoon(path)
        const sent = Object(at(yield* act(path, "resend"), "data"))
        assert.deepStrictEqual([sent.status, sent.expiryDate], ["SENT", dayAfter(sent.sentAt, 2)])
        assert.deepStrictEqual(yield* read(path), sent)
        const { remindedAt, updatedAt, ...reminded } = Object(at(yield* act(path, "remind"), "data"))
        assert.deepStrictEqual({ ...reminded, updatedAt: sent.updatedAt }, sent)
        assert.strictEqual(updatedAt, remindedAt)
        yield* daysPass(3)
        const expired = yield* read(path)
        assert.strictEqual(expired.status, "EXPIRED")
        // A body from GET can be sent back, and writes nothing.
        for (const send of [put, patch]) assert.deepStrictEqual(at(yield* send(path, expired), "data"), expired)
        assertRefused(yield* act(path, "remind"), "UNPROCESSABLE", "resend")
        const cancelled = Object(at(yield* act(path, "cancel"), "data"))
        assert.deepStrictEqual([cancelled.status, cancelled.expiryDate], ["CANCELLED", undefined])
        yield* daysPass(1)
        assertStatus(yield* act(path, "cancel"), 200)
        assertRefused(yield* act(path, "resend"), "UNPROCESSABLE", "CANCELLED")
        assertRefused(yield* patch(path, { message: "Other" }), "UNPROCESSABLE", "CANCELLED")
        assert.deepStrictEqual(yield* read(path), cancelled)
        const entries = dataOf(yield* get(`/audit-events?entityType=${entity}&entityId=${cancelled.id}`))
        const told = entries.map((entry) => [Object(entry).operation, Object(entry).action].join(" "))
        assert.sameMembers(told, ["CREATE create", "UPDATE resend", "UPDATE remind", "UPDATE cancel"])
      })
    )

    it.effect(`ENV-07: the status filter of ${collection} matches the shown value, EXPIRED too`, () =>
      Effect.gen(function* () {
        yield* untilNoon(yield* fresh())
        const id = yield* someone()
        const [lapsed, open] = [yield* make(id, { expiryDays: 1 }), yield* make(id, { expiryDays: 30 })]
        const [sent, gone] = [yield* make(id, { expiryDays: 20 }), yield* make(id, { expiryDays: 1 })]
        assertStatus(yield* act(`/${collection}/${sent}`, "remind"), 200)
        assertStatus(yield* act(`/${collection}/${gone}`, "cancel"), 200)
        yield* daysPass(2)
        for (const [status, expected] of [
          ["INITIATED", [open]],
          ["SENT", [sent]],
          ["EXPIRED", [lapsed]],
          ["CANCELLED", [gone]],
          ["COMPLETED", []]
        ] as const) {
          assert.deepStrictEqual(yield* ids(collection, { [person]: id, status }), [...expected], status)
        }
        const { expiryDate } = yield* read(`/${collection}/${open}`)
        assert.sameMembers(yield* ids(collection, { [person]: id, expiringBefore: expiryDate }), [lapsed, sent])
        const sorted = yield* list(collection, { [person]: id, sort: "expiryDate:desc", pageSize: "3" })
        assert.deepStrictEqual([...idsOf(sorted)], [open, sent, lapsed])
      })
    )

    it.effect(`DEL-03: every action on a deleted request of ${collection} is 404, and changes nothing`, () =>
      Effect.gen(function* () {
        const path = yield* fresh()
        const { updatedAt: _, ...before } = yield* read(path)
        assertStatus(yield* remove(path), 204)
        for (const action of ["resend", "remind", "cancel"] as const) {
          assertRefused(yield* act(path, action), "NOT_FOUND")
        }
        assert.deepInclude(Object(at(yield* get(`${path}?includeDeleted=true`), "data")), before)
      })
    )
  }
})
