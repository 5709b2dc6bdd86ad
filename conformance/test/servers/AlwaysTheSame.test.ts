import { assert, describe, it } from "@effect/vitest"
import { run } from "@wcs/conformance/engine/Run"
import type { Event } from "@wcs/conformance/evidence/Event"
import * as Journal from "@wcs/conformance/evidence/Journal"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { parse } from "@wcs/conformance/text/Json"
import { bearerWalks } from "@wcs/conformance/walks/access/Bearer"
import { oauthTokenWalks } from "@wcs/conformance/walks/access/OAuthToken"
import { personalTokenWalks } from "@wcs/conformance/walks/access/PersonalTokens"
import { privilegeWalks } from "@wcs/conformance/walks/access/Privileges"
import { envelopeWalks } from "@wcs/conformance/walks/answer/Envelopes"
import { transportWalks } from "@wcs/conformance/walks/answer/Transport"
import { bulkOwnershipWalks } from "@wcs/conformance/walks/ownership/BulkOwnership"
import { ownershipWalks } from "@wcs/conformance/walks/ownership/Ownership"
import { credentialWalks } from "@wcs/conformance/walks/resource/Credentials"
import { deletionWalks } from "@wcs/conformance/walks/resource/Deletion"
import { fetchRequestWalks } from "@wcs/conformance/walks/resource/FetchRequests"
import { strangers } from "@wcs/conformance/walks/rows/Strangers"
import { walksOf } from "@wcs/conformance/walks/rows/Sweeping"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import * as Handles from "@wcs/conformance/wire/Handles"
import { Wire } from "@wcs/conformance/wire/Wire"
import { Effect, Layer, Redacted } from "effect"
import { inTime } from "../Invented.ts"

const secretNames = ["ADMIN", "OTHER", "CLIENT", "ENDED", "EXPIRED", "OWN", "OLD", "NEW", "REVOKED", "LIVING", "READER"]

/** Has every optional part, so that no walk is left out. */
const profile: Profile = {
  name: "always the same",
  newer: { tenantBaseUrl: "https://one.example", plainHttpUrl: "http://one.example" },
  secondTenant: { tenantBaseUrl: "https://two.example", admin: { token: "${OTHER}" } },
  principals: {
    admin: { token: "${ADMIN}" },
    secondClient: { clientId: "x_oauth_1", clientSecret: "${CLIENT}" },
    revokedClient: { clientId: "x_oauth_2", clientSecret: "${ENDED}" },
    expiredToken: "${EXPIRED}",
    personalToken: "${OWN}",
    rotated: { old: "${OLD}", new: "${NEW}" },
    revokedToken: { revoked: "${REVOKED}", living: "${LIVING}" },
    limited: [{ token: "${READER}", privileges: { worker: ["READ"], ban: ["READ"] } }]
  },
  groups: {
    worker: { delete: { method: "DELETE", path: "/workers/{{id}}" } },
    credential: {
      create: { body: { attributes: { owners: { worker: "{{worker}}" } } } },
      delete: { method: "DELETE", path: "/credentials/{{id}}" }
    },
    applicant: { create: { body: { emailAddress: "{{email}}" } } },
    exemption: {
      create: { body: { name: "{{unique}}" } },
      update: [{ method: "PATCH", path: "/exemptions/{{id}}", body: { name: "{{unique}}" } }],
      delete: { method: "DELETE", path: "/exemptions/{{id}}" }
    },
    complianceCheck: {
      path: "/compliance-checks",
      create: { body: { code: "{{unique}}" } },
      delete: { method: "DELETE", path: "/compliance-checks/{{id}}" }
    },
    ban: { path: "/bans" }
  },
  audit: { path: "/audit-events?entityId={{id}}", actor: "account" },
  bulkFetchRequest: { path: "/fetch-requests/bulk", body: { workers: ["{{worker}}", "{{nobody}}"] } },
  ownership: { bulkLink: { from: "{{from}}", to: "{{to}}", credentialIds: "{{credentialIds}}" } },
  providerPaths: ["/oauth/provider/start"],
  run: { ceiling: "exhaust" }
}
const secrets = new Map(secretNames.map((name) => [`\${${name}}`, Redacted.make(`secret-of-${name}`)] as const))

const answer = (status: number, text: string): Answer => ({ status, text, headers: {}, json: parse(text) })

/** The rules that pass against a server. */
const passedBy = (serve: (request: Request) => Answer) =>
  Effect.gen(function* () {
    const events: Array<Event> = []
    yield* run({
      run: "same",
      profile,
      handles: Handles.make(profile, secrets),
      walks: [
        ...[...transportWalks, ...oauthTokenWalks, ...bearerWalks, ...personalTokenWalks],
        ...[...credentialWalks, ...ownershipWalks, ...bulkOwnershipWalks, ...deletionWalks],
        ...[...privilegeWalks, ...envelopeWalks, ...fetchRequestWalks, ...walksOf(strangers)]
      ],
      exchangeRules: [],
      stop: Effect.never,
      emit: (event) => Effect.sync(() => void events.push(event))
    }).pipe(
      Effect.provide(
        Layer.merge(
          Layer.succeed(Wire, Wire.of({ send: (request) => Effect.sync(() => serve(request)) })),
          Journal.layerMemory()
        )
      )
    )
    const findings = events.flatMap((event) => (event.type === "finding" ? [event.finding] : []))
    assert.isAbove(findings.length, 0)
    assert.isFalse(findings.some(({ outcome }) => outcome === "error"))
    const passed = new Set(findings.filter(({ outcome }) => outcome === "pass").map(({ rule }) => rule))
    const spoilt = new Set(findings.filter(({ outcome }) => outcome !== "pass").map(({ rule }) => rule))
    return [...passed].filter((rule) => !spoilt.has(rule)).sort()
  })

const error = (code: string) => JSON.stringify({ error: { code, message: "no", requestId: "1" } })

const resource = JSON.stringify({
  data: { id: "cred_1", attributes: { owners: { worker: "cred_1", applicant: null } } },
  meta: { requestId: "1", correlationId: "1" }
})

/** A web page, after a first answer that lets the run begin. */
const pageLater = () => {
  let count = 0
  return () => {
    count += 1
    return count === 1 ? answer(200, '{"data":[],"meta":{}}') : answer(200, "<html><body>Welcome</body></html>")
  }
}

/** For each server: its answer to every call, and the rules that it really keeps. */
const table: ReadonlyArray<readonly [what: string, serve: (request: Request) => Answer, keeps: ReadonlyArray<string>]> =
  [
    ["200 and a page", pageLater(), []],
    ["200 and the request body", ({ body }) => answer(200, body), []],
    ["204", () => answer(204, ""), []],
    ["400", () => answer(400, error("BAD_REQUEST")), []],
    ["404", () => answer(404, error("NOT_FOUND")), []],
    ["500", () => answer(500, "oops"), []],
    ["201 and one resource that no create of ours made", () => answer(201, resource), []],
    [
      "an empty list for every caller",
      () => answer(200, '{"data":[],"meta":{}}'),
      ["AUT-03", "AUT-08", "PRV-13", "TRN-04"]
    ]
  ]

describe("a server with one constant answer", () => {
  for (const [what, serve, keeps] of table) {
    it.effect(`passes only the rules that it keeps: ${what}`, () =>
      Effect.map(inTime(passedBy(serve)), (passed) => assert.deepStrictEqual<ReadonlyArray<string>>(passed, keeps))
    )
  }
})
