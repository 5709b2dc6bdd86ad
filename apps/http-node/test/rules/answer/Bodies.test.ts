import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  type Answer,
  applicant,
  at,
  credential,
  freshCode,
  ownersOf,
  Service,
  screeningPackage,
  textAt,
  webhookFields,
  worker
} from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import * as EveryRoute from "../EveryRoute.ts"
import { assertRefused, assertStatus, get, post, put, root } from "../NewerSurface.ts"
import * as ContractFields from "./ContractFields.ts"

const json = { "content-type": "application/json" }
const named = { identity: { displayName: "Ann Example" } }

/** Sends text or bytes as a new worker. */
const postRaw = (rawBody: string | Uint8Array, headers: Readonly<Record<string, string>> = json) =>
  Service.use(({ call }) => call({ method: "POST", path: `${root}/workers`, rawBody, headers }))

/** Nested objects of this depth. */
const nested = (levels: number): string => `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`

const routesWithBody = EveryRoute.routes.filter(EveryRoute.takesBody)

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

layer(layerService(), { excludeTestServices: true })("bodies", (it) => {
  // Invalid bodies, for every route that takes one.
  const badBodies: ReadonlyArray<readonly [string, string | Uint8Array, Readonly<Record<string, string>>, string]> = [
    ["no body", "", json, "BAD_REQUEST"],
    ["blanks", " \n", json, "BAD_REQUEST"],
    ["text", "nonsense", json, "BAD_REQUEST"],
    ["half an object", "{", json, "BAD_REQUEST"],
    ["a comma too many", '{"a":1,}', json, "BAD_REQUEST"],
    ["a key without quotes", "{a:1}", json, "BAD_REQUEST"],
    ["single quotes", "{'a':1}", json, "BAD_REQUEST"],
    ["a comment", "{}//", json, "BAD_REQUEST"],
    ["two values", "{}{}", json, "BAD_REQUEST"],
    ["NaN", '{"a":NaN}', json, "BAD_REQUEST"],
    ["undefined", "undefined", json, "BAD_REQUEST"],
    ["a raw line end in a string", '{"a":"\n"}', json, "BAD_REQUEST"],
    ["a broken escape", '{"a":"\\x"}', json, "BAD_REQUEST"],
    ["no UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), json, "BAD_REQUEST"],
    ["an overlong NUL", new Uint8Array([0x22, 0xc0, 0x80, 0x22]), json, "BAD_REQUEST"],
    ["a surrogate in UTF-8", new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]), json, "BAD_REQUEST"],
    ["UTF-16", new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0]), json, "BAD_REQUEST"],
    ["33 levels", nested(33), json, "BAD_REQUEST"],
    ["33 levels of arrays", `${"[".repeat(33)}${"]".repeat(33)}`, json, "BAD_REQUEST"],
    ["400,000 levels", `${"[".repeat(400_000)}${"]".repeat(400_000)}`, json, "BAD_REQUEST"],
    ["10,001 values", `[${"0,".repeat(9_999)}0]`, json, "BAD_REQUEST"],
    ["80,000 unknown keys", `{${'"k":1,'.repeat(79_999)}"k":1}`, json, "BAD_REQUEST"],
    ["more than 1 MiB", `{"a":"${"a".repeat(1024 * 1024)}"}`, json, "PAYLOAD_TOO_LARGE"],
    ["null", "null", json, "INVALID_ARGUMENT"],
    ["a number", "7", json, "INVALID_ARGUMENT"],
    ["a text", '"text"', json, "INVALID_ARGUMENT"],
    ["a list", "[]", json, "INVALID_ARGUMENT"],
    ["text/plain", "{}", { "content-type": "text/plain" }, "UNSUPPORTED_MEDIA_TYPE"],
    ["a form", "a=1", { "content-type": "application/x-www-form-urlencoded" }, "UNSUPPORTED_MEDIA_TYPE"],
    ["a multipart form", "--a--", { "content-type": "multipart/form-data; boundary=a" }, "UNSUPPORTED_MEDIA_TYPE"],
    ["XML", "<a/>", { "content-type": "application/xml" }, "UNSUPPORTED_MEDIA_TYPE"],
    ["a patch of another kind", "[]", { "content-type": "application/json-patch+json" }, "UNSUPPORTED_MEDIA_TYPE"],
    ["no media type", "{}", { "content-type": ";" }, "UNSUPPORTED_MEDIA_TYPE"],
    ["another charset", "{}", { "content-type": "application/json; charset=utf-16" }, "UNSUPPORTED_MEDIA_TYPE"],
    ["gzip", "{}", { ...json, "content-encoding": "gzip" }, "UNSUPPORTED_MEDIA_TYPE"]
  ]
  it.effect.each(badBodies)("ENV-02, ENV-04: as a body, %s is refused on every route, and nothing changes", (bad) =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const [, rawBody, headers, code] = bad
      const of = yield* EveryRoute.subjects
      const everything = Effect.gen(function* () {
        const paths = [
          `/workers/${of.worker}`,
          `/applicants/${of.applicant}`,
          `/credentials/${of.credential}`,
          `/exemptions/${of.exemption}`,
          `/recruitment-checks/${of.credentialCheck}`,
          `/fetch-requests/${of.captureRequest}`
        ]
        return yield* Effect.forEach(paths, (path) => Effect.map(get(path), (answer) => at(answer, "data")))
      })
      const before = yield* everything
      for (const route of routesWithBody) {
        if (rawBody === "" && EveryRoute.isBodyOptional(route)) continue
        const path = EveryRoute.pathOf(route, of)
        assertRefused(yield* call({ method: route.method, path, rawBody, headers }), code)
      }
      assert.deepStrictEqual(yield* everything, before)
    })
  )

  it.effect(
    "ENV-04: JSON is accepted in any usual form: charset, letter case of the type, no type, a byte order mark",
    () =>
      Effect.gen(function* () {
        const text = JSON.stringify(named)
        const types = [
          "application/json; charset=utf-8",
          'APPLICATION/JSON;charset="UTF-8"',
          "application/json ; a=b",
          ""
        ]
        for (const type of types) assertStatus(yield* postRaw(text, type === "" ? {} : { "content-type": type }), 201)
        assertStatus(yield* postRaw(`\ufeff${text}`), 201)
        assertStatus(yield* postRaw(` \t\r\n${text} \t\r\n`), 201)
        assertStatus(yield* postRaw(text, { ...json, "content-encoding": "identity" }), 201)
        const { call } = yield* Service
        const path = `${root}/workers`
        const merge = { "content-type": "application/merge-patch+json" }
        assertRefused(yield* call({ method: "POST", path, body: named, headers: merge }), "UNSUPPORTED_MEDIA_TYPE")
      })
  )

  it.effect("ENV-04: accepts exactly 32 levels and 1 MiB", () =>
    Effect.gen(function* () {
      const withDepth = (levels: number) => `{"identity":{"displayName":"Ann"},"unknown":${nested(levels - 1)}}`
      assertStatus(yield* postRaw(withDepth(32)), 201)
      assertRefused(yield* postRaw(withDepth(33)), "BAD_REQUEST", "32")
      const text = JSON.stringify(named)
      const ofBytes = (size: number) => text + " ".repeat(size - text.length)
      assertStatus(yield* postRaw(ofBytes(1024 * 1024)), 201)
      assertRefused(yield* postRaw(ofBytes(1024 * 1024 + 1)), "PAYLOAD_TOO_LARGE")
      // Bytes are counted, not characters.
      const wide = (count: number) => `{"identity":{"displayName":"Ann"},"a":"${"é".repeat(count)}"}`
      assertRefused(yield* postRaw(wide(600_000)), "PAYLOAD_TOO_LARGE")
      assertStatus(yield* postRaw(wide(500_000)), 201)
    })
  )

  it.effect("ENV-04: the last value of a repeated key counts", () =>
    Effect.gen(function* () {
      const twice = '{"identity":{"displayName":"First"},"identity":{"displayName":"Last","displayName":"Very last"}}'
      const made = yield* postRaw(twice)
      assertStatus(made, 201)
      assert.strictEqual(at(made, "data.identity.displayName"), "Very last")
      assertRefused(yield* postRaw('{"identity":{"displayName":"First"},"identity":{}}'), "INVALID_ARGUMENT")
    })
  )

  // Threat 27.
  it.effect("ENV-12: `__proto__` and its like are unknown fields: they set nothing, and no prototype changes", () =>
    Effect.gen(function* () {
      const { call } = yield* Service
      const evil = '"__proto__":{"polluted":true,"displayName":"P"},"constructor":{"prototype":{"polluted":true}}'
      const made = yield* postRaw(`{"identity":{"displayName":"Ann",${evil}},${evil}}`)
      assertStatus(made, 201)
      const path = `/workers/${textAt(made, "data.id")}`
      assert.deepStrictEqual(at(made, "data.identity"), { displayName: "Ann" })
      assert.include(String(at(made, "meta.warnings")), "__proto__")
      for (const method of ["PATCH", "PUT"]) {
        const rawBody = `{"identity":{"displayName":"Ann",${evil}},${evil}}`
        const answer = yield* call({ method, path: root + path, rawBody, headers: json })
        assertStatus(answer, 200)
        assert.deepStrictEqual(at(answer, "data"), at(made, "data"))
      }
      const inherited = '{"__proto__":{"identity":{"displayName":"P"}},"identity":{"__proto__":{"displayName":"P"}}}'
      assertRefused(yield* postRaw(inherited), "INVALID_ARGUMENT", "identity.displayName")
      const id = yield* credential({ worker: yield* worker() })
      const reference = `{"__proto__":{"type":"applicant","id":"${yield* applicant()}"}}`
      const linked = yield* call({
        method: "POST",
        path: `${root}/credentials/${id}/link`,
        rawBody: reference,
        headers: json
      })
      assertRefused(linked, "INVALID_ARGUMENT")
      assert.isNull(Object(yield* ownersOf(id)).applicant)
      assert.isUndefined(Object({}).polluted)
      assert.isUndefined(Object([]).polluted)
      assert.isFalse((yield* get(path)).text.includes("polluted"))
    })
  )

  it.effect("ENV-05, ENV-06: a field of the wrong type is 400 and named, for every field of every group", () =>
    Effect.gen(function* () {
      const wrong: Readonly<Record<ContractFields.Field["kind"], ReadonlyArray<unknown>>> = {
        string: [42, true, {}, [], ["text"]],
        object: [42, true, "text", []],
        boolean: [42, 0, "true", "", {}, []],
        integer: ["14", "", true, 1.5, 0, -1, 91, 1e300, {}, [], [14]],
        array: [42, true, "text", {}, [42], [null], [["text"]]]
      }
      const all = yield* places
      assert.isAtLeast(all.length, 2 * 54)
      for (const { body, field, send } of all) {
        for (const value of [...wrong[field.kind], ...(field.isNullable ? [] : [null])]) {
          const answer = yield* send(ContractFields.withValue(body, field.path, value))
          const isOwner = field.path[1] === "owners"
          assertRefused(answer, "INVALID_ARGUMENT", isOwner ? "attributes.owners" : field.path.join("."))
        }
        assert.isBelow((yield* send(body)).status, 300)
      }
    })
  )

  it.effect("ENV-05, ENV-12: text with control characters, broken text, empty and overlong text are 400", () =>
    Effect.gen(function* () {
      const broken = [
        "",
        "\0",
        "a\0b",
        "a\u0001",
        "a\n",
        "\r\nX-Injected: 1",
        "a\u007f",
        "a\u0085",
        "\ud800",
        "a\udc00b"
      ]
      for (const { body, field, send } of yield* places) {
        if (field.kind !== "string") continue
        const overlong = field.maxLength === undefined ? [] : ["a".repeat(field.maxLength + 1)]
        for (const value of [...broken, ...overlong]) {
          const answer = yield* send(ContractFields.withValue(body, field.path, value))
          assertRefused(answer, "INVALID_ARGUMENT", field.path[0])
          assert.isUndefined(answer.headers["x-injected"])
        }
      }
    })
  )

  it.effect("ENV-05: text of the maximal length is accepted, in any script", () =>
    Effect.gen(function* () {
      const free = (yield* places).filter(
        ({ field }) => field.maxLength !== undefined && !["emailAddress", "url"].includes(field.path[0] ?? "")
      )
      assert.isAtLeast(free.length, 2 * 26)
      for (const { body, field, send } of free) {
        for (const letter of ["a", "例", "😀", "'", "%", "<", "\\", "\u200f"]) {
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
