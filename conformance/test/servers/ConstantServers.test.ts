import { assert, describe, it } from "@effect/vitest"
import { run } from "@wcs/conformance/engine/Run"
import type { Event } from "@wcs/conformance/evidence/Event"
import * as Journal from "@wcs/conformance/evidence/Journal"
import { exchangeRules } from "@wcs/conformance/exchanges/EveryExchange"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { parse } from "@wcs/conformance/text/Json"
import { privilegeWalks } from "@wcs/conformance/walks/access/Privileges"
import { rateLimitWalks } from "@wcs/conformance/walks/access/RateLimits"
import { envelopeWalks } from "@wcs/conformance/walks/answer/Envelopes"
import { hostileWalks } from "@wcs/conformance/walks/answer/Hostile"
import { requestIdWalks } from "@wcs/conformance/walks/answer/RequestIds"
import { legacyReadWalks } from "@wcs/conformance/walks/legacy/LegacyReads"
import { legacyRefusalWalks } from "@wcs/conformance/walks/legacy/LegacyRefusals"
import { legacyTokenWalks } from "@wcs/conformance/walks/legacy/LegacyTokens"
import { workerWalks } from "@wcs/conformance/walks/resource/Workers"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import * as Handles from "@wcs/conformance/wire/Handles"
import { Wire } from "@wcs/conformance/wire/Wire"
import { Effect, Layer, Redacted } from "effect"
import { inTime } from "../Invented.ts"

const body = { identity: { displayName: "{{name}}" }, source: { externalId: "{{unique}}" } }
const owners = { attributes: { owners: { worker: "{{worker}}" } } }

/** Has every optional part, so that no walk is left out. */
const profile: Profile = {
  name: "constant",
  newer: { tenantBaseUrl: "https://one.example" },
  principals: {
    admin: { token: "${ADMIN}" },
    rateLimited: { token: "${LIMIT}" },
    limited: [
      { token: "${NOBODY}", privileges: {} },
      { token: "${READER}", reissued: "${AGAIN}", privileges: { worker: ["READ"] } },
      { token: "${OTHER}", reissued: "${AGAIN}", privileges: { credential: ["READ"] } }
    ]
  },
  legacy: {
    baseUrl: "https://one.example",
    user: { username: "ann@example.org", password: "${ANN}" },
    unverified: { username: "bob@example.org", password: "${BOB}" },
    withoutPermission: {
      user: { username: "eve@example.org", password: "${EVE}" },
      call: { method: "GET", path: "/constituents" }
    },
    otherOrganization: { path: "/constituents/1" },
    expiredToken: "${EXPIRED}",
    revokedToken: "${REVOKED}",
    scan: { type: "wwcc", identifier: "{{unique}}", first_name: "Ann", surname: "Example" }
  },
  groups: {
    worker: {
      update: [{ method: "PUT", path: "/workers/{{id}}", body }],
      delete: { method: "DELETE", path: "/workers/{{id}}" }
    },
    credential: {
      create: { body: owners },
      update: [{ method: "PATCH", path: "/credentials/{{id}}", body: { attributes: { cardType: "{{unique}}" } } }],
      delete: { method: "DELETE", path: "/credentials/{{id}}" }
    }
  },
  sort: { path: "/workers", parameter: "sort", known: "a", unknown: "b" },
  businessRule: { method: "POST", path: "/credentials", body: {}, allowedBody: owners },
  run: { ceiling: "exhaust" }
}
const secretNames = [
  ...["ADMIN", "LIMIT", "NOBODY", "READER", "AGAIN", "OTHER"],
  ...["ANN", "BOB", "EVE", "EXPIRED", "REVOKED"]
]
const secrets = new Map(secretNames.map((name) => [`\${${name}}`, Redacted.make(`secret-of-${name}`)] as const))

const answer = (status: number, text: string): Answer => ({ status, text, headers: {}, json: parse(text) })

const walks = [
  ...legacyTokenWalks,
  ...legacyReadWalks,
  ...legacyRefusalWalks,
  ...workerWalks,
  ...envelopeWalks,
  ...hostileWalks,
  ...requestIdWalks,
  ...privilegeWalks,
  ...rateLimitWalks
]
const judged = new Set(walks.flatMap(({ judges }) => judges))
// in a complete run, a walk judges each of the other rules
const rules = exchangeRules.filter(({ rule, whenUnseen }) => whenUnseen !== "nothing" || judged.has(rule))

/** The rules that pass against a server. All others have no verdict of pass. */
const passedBy = (serve: (request: Request) => Answer) =>
  Effect.gen(function* () {
    const events: Array<Event> = []
    const send = (request: Request) => Effect.sync(() => serve(request))
    yield* run({
      run: "constant",
      profile,
      handles: Handles.make(profile, secrets),
      walks,
      exchangeRules: rules,
      stop: Effect.never,
      emit: (event) => Effect.sync(() => void events.push(event))
    }).pipe(Effect.provide(Layer.merge(Layer.succeed(Wire, Wire.of({ send })), Journal.layerMemory())))
    const findings = events.flatMap((event) => (event.type === "finding" ? [event.finding] : []))
    const faults = findings.filter(({ outcome }) => outcome === "error")
    assert.deepStrictEqual(faults, [])
    const passed = new Set(findings.filter(({ outcome }) => outcome === "pass").map(({ rule }) => rule))
    const spoilt = new Set(findings.filter(({ outcome }) => outcome !== "pass").map(({ rule }) => rule))
    return [...passed].filter((rule) => !spoilt.has(rule)).sort()
  })

const error = (code: string) => JSON.stringify({ error: { code, message: "no", requestId: "1" } })
const unauthorized = JSON.stringify({ status: 401, message: "no", field: "authentication" })
const user = {
  ...{ id: 1, email: "ann@example.org", first_name: "", surname: "", is_verified: true, token: "a.b.c" },
  organization: { id: 1, name: "" }
}
const made = (data: object) => JSON.stringify({ data, meta: { requestId: "1" } })

/** For each server: its answer to every call, and the rules that it really keeps. */
const table: ReadonlyArray<readonly [what: string, serve: (request: Request) => Answer, keeps: ReadonlyArray<string>]> =
  [
    ["200 and a text", () => answer(200, "Welcome"), []],
    ["200 and the request body", (request) => answer(200, request.body), []],
    ["204", () => answer(204, ""), []],
    ["400", () => answer(400, error("BAD_REQUEST")), ["ENV-02", "ENV-03", "TRN-07"]],
    ["401", () => answer(401, "Unauthorized"), []],
    [
      "401 on the legacy surface",
      ({ url }) => (url.includes("/api/") ? answer(401, unauthorized) : answer(200, "Welcome")),
      ["LEG-26", "TRN-03"]
    ],
    [
      "a user and a token",
      () => answer(200, JSON.stringify(user)),
      ["LEG-01", "LEG-02", "LEG-03", "LEG-06", "LEG-12", "LEG-13", "LEG-15", "LEG-28", "TRN-07"]
    ],
    ["403", () => answer(403, error("FORBIDDEN")), []],
    ["404", () => answer(404, error("NOT_FOUND")), ["ENV-02", "ENV-03", "TRN-07"]],
    ["500", () => answer(500, "oops"), ["ENV-18"]],
    ["an empty list", () => answer(200, made([])), ["ENV-01", "PRV-13", "RID-02", "TRN-07"]],
    [
      "one worker",
      () => answer(201, made({ id: "wkr_1", source: { externalId: "1" } })),
      ["ENV-01", "RID-02", "TRN-07", "WRK-03"]
    ]
  ]

describe("a server with one constant answer", () => {
  for (const [what, serve, keeps] of table) {
    it.effect(`passes only the rules that it keeps: ${what}`, () =>
      Effect.map(inTime(passedBy(serve)), (passed) => assert.deepStrictEqual<ReadonlyArray<string>>(passed, keeps))
    )
  }
})
