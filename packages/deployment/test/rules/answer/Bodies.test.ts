import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Answer,
  applicant,
  at,
  freshCode,
  type Service,
  screeningPackage,
  textAt,
  webhookFields,
  worker
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, post, put } from "../NewerSurface.ts"
import * as ContractFields from "./ContractFields.ts"

const named = { identity: { displayName: "Ann Example" } }

/** A field of a body that replaces the whole, and a way to send it. */
interface Place {
  readonly field: ContractFields.Field
  readonly body: unknown
  readonly send: (body: unknown) => Effect.Effect<Answer, never, Service>
}

// Computed fields are ignored on create, also with a wrong value.
const isComputed = ({ path: [, name = ""] }: ContractFields.Field): boolean =>
  ["eligibility", "statusDetail", "lastVerifiedAt", "lastCorrelationId", "lastKnown"].includes(name)

/** Replaces a sent code by a new one: codes are unique. */
const withFreshCode = (body: object, sent: unknown): unknown =>
  "code" in body && Object(sent).code === body.code ? { ...Object(sent), code: freshCode() } : sent

/** Each writable field of each group's body, sent by POST and by PUT. */
const places = Effect.gen(function* () {
  const owners = { worker: yield* worker(), applicant: yield* applicant() }
  const groups = {
    workers: { ...named, contact: {}, employment: {}, source: {} },
    applicants: { emailAddress: "ann@example.org", source: {} },
    credentials: { attributes: { credentialType: "FIRST_AID", holder: {}, owners } },
    exemptions: { exemptionType: "MEDICAL", worker: { id: owners.worker } },
    "screening-packages": { code: freshCode(), name: "Child care", requirements: {} },
    "compliance-checks": {
      code: freshCode(),
      displayName: "First aid",
      requirement: { credentialTypes: ["FIRST_AID"] }
    },
    webhooks: { ...webhookFields, filters: {} },
    "recruitment-checks": { applicant: { id: owners.applicant }, screeningPackageCode: yield* screeningPackage() },
    // A type that the worker never holds: a completed request cannot be updated.
    "fetch-requests": { worker: { id: owners.worker }, requestedCredentialTypes: ["WWCC_VIC"] }
  }
  const found: Array<Place> = []
  for (const [collection, body] of Object.entries(groups)) {
    const path = `/${collection}/${textAt(yield* post(`/${collection}`, body), "data.id")}`
    const fields = (yield* ContractFields.fieldsOf(collection)).filter((field) => !isComputed(field))
    const ways: ReadonlyArray<Place["send"]> = [
      (sent) => post(`/${collection}`, withFreshCode(body, sent)),
      (sent) => put(path, sent)
    ]
    found.push(...fields.flatMap((field) => ways.map((send) => ({ field, body, send }))))
  }
  return found
})

/** Two of the values: each place has others. */
const takingTurns = (values: ReadonlyArray<string>, index: number): ReadonlyArray<string> =>
  [0, 1].flatMap((next) => values[(index * 2 + next) % values.length] ?? [])

layer(layerService(), { excludeTestServices: true })("bodies", (it) => {
  it.effect("ENV-05, ENV-12: text with control characters, broken text, empty and overlong text are 400", () =>
    Effect.gen(function* () {
      const broken = ["a\0b", "a\u0001", "a\n", "\r\nX-Injected: 1", "a\u007f", "a\u0085", "\ud800", "a\udc00b"]
      const texts = (yield* places).filter(({ field }) => field.kind === "string")
      for (const [index, { body, field, send }] of texts.entries()) {
        const overlong = field.maxLength === undefined ? [] : ["a".repeat(field.maxLength + 1)]
        // All fields share the schema of text, so the other values take turns.
        for (const value of ["", "\0", ...takingTurns(broken, index), ...overlong]) {
          const answer = yield* send(ContractFields.withValue(body, field.path, value))
          assertRefused(answer, "INVALID_ARGUMENT", field.path[0])
          assert.isUndefined(answer.headers["x-injected"])
        }
      }
    })
  )

  it.effect("ENV-05: text of the maximal length is accepted, in any script", () =>
    Effect.gen(function* () {
      const patterned = ["emailAddress", "url", "workEmail", "personalEmail"]
      const free = (yield* places).filter(
        ({ field }) => field.maxLength !== undefined && !patterned.includes(field.path.at(-1) ?? "")
      )
      assert.isAtLeast(free.length, 48)
      for (const [index, { body, field, send }] of free.entries()) {
        for (const letter of ["😀", ...takingTurns(["a", "例", "'", "%", "<", "\\", "\u200f"], index)]) {
          const text = letter.repeat(Math.floor((field.maxLength ?? 0) / letter.length))
          const answer = yield* send(ContractFields.withValue(body, field.path, text))
          assert.isBelow(answer.status, 300, `${field.path.join(".")}: ${answer.text.slice(0, 300)}`)
          assert.strictEqual(at(answer, `data.${field.path.join(".")}`), text)
        }
      }
    })
  )

  it.effect("ENV-05: a date must exist in the calendar, a choice must be one of its values", () =>
    Effect.gen(function* () {
      const noDates = [
        "2026-02-30",
        "2023-02-29",
        "2026-13-01",
        "2026-1-1",
        "20260101",
        "2026-01-01T00:00:00Z",
        "today"
      ]
      const chosen = (yield* places).filter(({ field }) => field.isDate || field.isChosen)
      assert.isAtLeast(chosen.filter(({ field }) => field.isDate).length, 2 * 7)
      assert.isAtLeast(chosen.filter(({ field }) => field.isChosen).length, 2 * 5)
      for (const { body, field, send } of chosen) {
        const values = field.isDate
          ? [...noDates, "+002026-01-01", "0000-00-00"]
          : ["nonsense", "__proto__", "toString"]
        for (const value of values) {
          const answer = yield* send(ContractFields.withValue(body, field.path, value))
          assertRefused(answer, "INVALID_ARGUMENT", field.path.join("."))
        }
        if (!field.isDate) continue
        assert.isBelow((yield* send(ContractFields.withValue(body, field.path, "2024-02-29"))).status, 300)
      }
    })
  )
})
