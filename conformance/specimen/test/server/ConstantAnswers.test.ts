import { assert, describe, it } from "@effect/vitest"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { type Json, parse } from "@wcs/conformance/text/Json"
import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import { findingsOf, judge } from "@wcs/specimen/target/Target"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { started } from "../Specimen.ts"

const answer = (status: number, body: Json): Answer => {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  return { status, text, headers: {}, json: parse(text) }
}

/** The profile has every part. Its admins have tokens, because such a server grants none. */
const withTokens = ({ principals, ...profile }: Profile): Profile => ({
  ...profile,
  principals: { ...principals, admin: { token: principals.enrolledToken ?? "" } },
  ...(profile.secondTenant && {
    secondTenant: { ...profile.secondTenant, admin: { token: principals.rotated?.new ?? "" } }
  })
})

/** The rules that pass by the whole suite. */
const passedBy = Effect.fnUntraced(function* (serve: (request: Request) => Answer) {
  const target = {
    ...(yield* started({ profile: withTokens })),
    serve: (request: Request) => Effect.sync(() => serve(request))
  }
  const judging = yield* Effect.forkChild(judge(target))
  yield* TestClock.adjust("1 day")
  const findings = findingsOf(yield* Fiber.join(judging))
  assert.isAbove(findings.length, 0)
  assert.deepStrictEqual(
    findings.filter(({ outcome }) => outcome === "error"),
    []
  )
  const spoilt = new Set(findings.filter(({ outcome }) => outcome !== "pass").map(({ rule }) => rule))
  return [...new Set(findings.map(({ rule }) => rule))].filter((rule) => !spoilt.has(rule)).toSorted()
}, Effect.scoped)

const refusal = (status: number, code: string) => answer(status, { error: { code, message: "no", requestId: "1" } })
const unauthorized = answer(401, { status: 401, message: "no", field: "authentication" })
const made = (status: number, data: Json) => answer(status, { data, meta: { requestId: "1", correlationId: "1" } })
const user = {
  ...{ id: 1, email: "ann@example.org", first_name: "", surname: "", is_verified: true, token: "a.b.c" },
  organization: { id: 1, name: "" }
}

/** A valid first answer, which lets the run begin; then a page. */
const pageLater = () => {
  let count = 0
  return () => {
    count += 1
    return count === 1 ? made(200, []) : answer(200, "<html><body>Welcome</body></html>")
  }
}

/** For each server: its answer to every call, and the rules that it really keeps. */
const servers: ReadonlyArray<
  readonly [what: string, serve: (request: Request) => Answer, keeps: ReadonlyArray<string>]
> = [
  ["200 and a text", () => answer(200, "Welcome"), []],
  ["200 and a page, after an empty list", pageLater(), ["RID-02"]],
  ["200 and the request body", ({ body }) => answer(200, body), []],
  ["204", () => answer(204, ""), []],
  ["400", () => refusal(400, "BAD_REQUEST"), ["ENV-02", "ENV-03", "TRN-07"]],
  [
    "401 on the legacy surface",
    ({ url }) => (url.includes("/api/") ? unauthorized : answer(200, "Welcome")),
    ["LEG-26", "TRN-03"]
  ],
  [
    "a user and a token",
    () => answer(200, user),
    ["LEG-01", "LEG-02", "LEG-03", "LEG-06", "LEG-12", "LEG-13", "LEG-15", "LEG-28", "TRN-07"]
  ],
  ["404", () => refusal(404, "NOT_FOUND"), ["ENV-02", "ENV-03", "TRN-07"]],
  ["500", () => answer(500, "oops"), ["ENV-18"]],
  ["an empty list", () => made(200, []), ["AUT-03", "ENV-01", "PRV-13", "RID-02", "TRN-04", "TRN-07"]],
  ["201 and one worker", () => made(201, { id: "wkr_1", source: { externalId: "1" } }), ["ENV-01", "RID-02", "TRN-07"]],
  [
    "201 and one credential that no create of ours made",
    () => made(201, { id: "cred_1", attributes: { owners: { worker: "cred_1", applicant: null } } }),
    ["ENV-01", "EVT-14", "RID-02", "TRN-07"]
  ]
]

describe("a server with one constant answer", () => {
  for (const [what, serve, keeps] of servers) {
    it.effect(`passes only the rules that it keeps: ${what}`, () =>
      Effect.map(passedBy(serve), (passed) => assert.deepStrictEqual<ReadonlyArray<string>>(passed, keeps))
    )
  }
})
