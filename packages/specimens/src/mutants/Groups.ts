import { at, isObject, type Json, parse } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import * as Answering from "../Answering.ts"
import { type Mutant, mutant } from "../Mutant.ts"
import type { Serve } from "../Serve.ts"
import * as Creates from "../seams/Creates.ts"
import { open, refusedAndDone, whereForbidden, whereRefused } from "../seams/PrivilegeSeams.ts"
import * as Rewrite from "../seams/Rewrite.ts"

const notThere = (answer: Parameters<typeof Answering.refusal>[0]) =>
  Answering.refusal(answer, 404, "NOT_FOUND", "There is nothing at this path.")

const bans = { path: /^\/bans(?:[/?]|$)/ }

const exemption = /^\/exemptions\/[^/]+$/

/** Validates bodies before privileges. */
const bodyFirst = (path: RegExp) =>
  whereForbidden({ method: "POST", path }, ({ asAdmin, refusal, request }) =>
    isObject(parse(request.body)) ? Effect.succeed(refusal) : asAdmin(request)
  )

const creates = { method: "POST", path: /^\/exemptions$/ }
const isObjectBody = ({ body }: Request): string | undefined => (isObject(parse(body)) ? "any" : undefined)

const checks = { method: "POST", path: /^\/compliance-checks$/ }
const one = /^\/compliance-checks\/([^/?]+)$/

const codeOf = ({ body }: Request): string => String(at(parse(body), "code") ?? "")

/** Ids of compliance checks with a prefix before their codes, understood in requests too. */
const prefixed = Rewrite.all(
  Rewrite.requests({ path: /^\/compliance-checks\/cmp_/ }, (request) => ({
    ...request,
    url: request.url.replace("/cmp_", "/")
  })),
  Rewrite.answers(
    { path: /^\/compliance-checks(?:\/[^/]+)?$/, status: [200, 201] },
    Rewrite.mapJson((body) => {
      const id = at(body, "data.id")
      return typeof id === "string" ? Rewrite.put(body, "data.id", `cmp_${id}`) : body
    })
  )
)

/** Changes the answer for a code that is in use. */
const inUse = (again: (request: Request, serve: Serve) => ReturnType<Serve>) =>
  Rewrite.instead(checks, (request, serve) =>
    Effect.flatMap(serve(request), (answer) => (answer.status === 409 ? again(request, serve) : Effect.succeed(answer)))
  )

const asOf = (request: Request, method: string, body: string): Request => ({
  ...request,
  method,
  url: `${request.url}/${codeOf(request)}`,
  body
})

/** Changes the handling of codes of deleted compliance checks. */
const withDeleted =
  (change: (deleted: ReadonlySet<string>) => (serve: Serve) => Serve) =>
  (serve: Serve): Serve => {
    const deleted = new Set<string>()
    return Rewrite.all(
      Rewrite.answers({ method: "DELETE", path: one, status: 204 }, (answer, request) => {
        deleted.add(one.exec(Rewrite.pathOf(request))?.[1] ?? "")
        return answer
      }),
      change(deleted)
    )(serve)
  }

const made = (code: string): Json => ({ id: code, type: "complianceCheck", code })

/** Defects of groups besides workers and credentials. */
export const groupMutants: ReadonlyArray<Mutant> = [
  mutant("applicants-cannot-be-listed", "PRV-14 status").answers(
    { method: "GET", path: /^\/applicants(\?|$)/, status: 200 },
    notThere
  ),
  mutant("recruitment-checks-cannot-be-listed", "PRV-18 status").answers(
    { method: "GET", path: /^\/recruitment-checks(\?|$)/, status: 200 },
    notThere
  ),
  mutant("webhooks-are-only-made", "PRV-18 status").answers(
    { method: "GET", path: /^\/webhooks(\?|$)/, status: 200 },
    (answer) => Answering.refusal(answer, 405, "METHOD_NOT_ALLOWED", "There is no such method.")
  ),
  mutant("fetch-requests-are-listed-for-nobody", "PRV-18 status").answers(
    { method: "GET", path: /^\/fetch-requests(\?|$)/, status: 200 },
    (answer) =>
      Answering.refusal(answer, 403, "FORBIDDEN", "urn:wcs:account:acc_0 is unauthorized to READ fetch requests.")
  ),
  mutant("screening-packages-are-listed-for-nobody", "PRV-14 status").rewrite(
    whereRefused(401)({ method: "GET", path: /^\/screening-packages(\?|$)/ }, ({ asAdmin, request }) =>
      asAdmin(request)
    )
  ),
  mutant("screening-packages-are-listed-for-everybody", ["PRV-14 status", "PRV-01 status", "PRV-06 status"], {
    alsoKills: ["PRV-05"]
  }).rewrite(open({ method: "GET", path: /^\/screening-packages(\?|$)/ })),
  mutant("bans-are-listed-for-everybody", ["PRV-12 status", "PRV-01 status", "PRV-06 status"]).rewrite(
    open({ ...bans, method: "GET" })
  ),
  mutant("bans-can-be-made", "PRV-12 status").answers({ ...bans, method: "POST" }, (answer) =>
    Answering.refusal(answer, 400, "INVALID_ARGUMENT", "register: is missing.")
  ),
  mutant("bans-can-be-changed", "PRV-12 status").answers({ ...bans, method: "PATCH" }, (answer) =>
    Answering.success(answer, 200, null)
  ),
  mutant("bans-can-be-lifted", "PRV-12 status").answers({ ...bans, method: "DELETE" }, (answer) => ({
    ...Rewrite.withText(answer, ""),
    status: 204
  })),
  mutant("body-of-an-exemption-is-looked-at-before-the-privilege", "PRV-07 status", { seenBy: ["PRV-02"] }).rewrite(
    bodyFirst(/^\/exemptions$/)
  ),
  mutant("delete-looks-for-the-exemption-before-the-privilege", "PRV-08 status", { seenBy: ["PRV-04"] }).rewrite(
    whereForbidden({ method: "DELETE", path: exemption }, ({ asAdmin, refusal, request }) =>
      Effect.map(asAdmin({ ...request, method: "GET", body: "" }), ({ status }) =>
        status === 404 ? notThere(refusal) : refusal
      )
    )
  ),
  mutant("refused-exemption-is-made", "PRV-09 changed at body.data", { seenBy: ["PRV-02"] }).rewrite(
    refusedAndDone({ method: "POST", path: /^\/exemptions$/, body: /^\{.*\}$/s })
  ),
  mutant("refused-webhook-is-made", "PRV-09 changed at body.data", { seenBy: ["PRV-02"] }).rewrite(
    refusedAndDone({ method: "POST", path: /^\/webhooks$/, body: /^\{.*\}$/s })
  ),
  mutant("refused-change-of-a-fetch-request-is-made", "PRV-09 changed at body.data").rewrite(
    refusedAndDone({ method: "PUT", path: /^\/fetch-requests\/[^/]+$/, body: /^\{.*\}$/s })
  ),
  mutant("refused-change-of-a-compliance-check-is-made", "PRV-09 changed at body.data").rewrite(
    refusedAndDone({ method: "PATCH", path: /^\/compliance-checks\/[^/]+$/ })
  ),
  mutant("refused-delete-of-a-screening-package-is-made", "PRV-09 changed at body.data.id", {
    seenBy: ["PRV-04"]
  }).rewrite(refusedAndDone({ method: "DELETE", path: /^\/screening-packages\/[^/]+$/ })),
  mutant("change-of-an-exemption-by-nobody-is-made", "AUT-01 changed at body.data", {
    alsoKills: ["AUT-02", "AUT-04", "AUT-05", "AUT-12", "TRN-10"]
  }).rewrite(refusedAndDone({ method: "PUT", path: exemption }, 401)),
  mutant("exemption-create-answers-200", "ENV-11 status").answers({ ...creates, status: 201 }, (answer) => ({
    ...answer,
    status: 200
  })),
  mutant("fetch-request-create-answers-202", "ENV-11 status").answers(
    { method: "POST", path: /^\/fetch-requests$/, status: 201 },
    (answer) => ({
      ...answer,
      status: 202
    })
  ),
  mutant("applicant-create-has-no-location", "ENV-11 missing at header location").answers(
    { method: "POST", path: /^\/applicants$/, status: 201 },
    (answer) => Rewrite.withHeader(answer, "location", undefined)
  ),
  mutant("screening-package-create-shows-no-id", "ENV-11 missing at body.data.id").answers(
    { method: "POST", path: /^\/screening-packages$/, status: 201 },
    Rewrite.field("data.id", undefined)
  ),
  mutant("exemption-create-answers-with-the-one-before", "ENV-11 repeated at body.data.id").rewrite(
    Creates.remembering(creates, isObjectBody)
  ),
  mutant("compliance-check-has-an-id-beside-its-code", "DEL-04 wrong-value at body.data.id").rewrite(prefixed),
  mutant("code-in-use-answers-with-who-has-it", "DEL-05 status", { alsoKills: ["ENV-11"] }).rewrite(
    inUse((request, serve) => serve(asOf(request, "GET", "")))
  ),
  mutant("code-in-use-is-a-bad-request", ["DEL-05 status", "DEL-06 status"]).answers(
    { ...checks, status: 409 },
    (answer) => Answering.refusal(answer, 400, "INVALID_ARGUMENT", "code: is in use.")
  ),
  mutant("code-in-use-has-a-code-of-its-own", [
    "DEL-05 wrong-value at body.error.code",
    "DEL-06 wrong-value at body.error.code"
  ]).answers({ ...checks, status: 409 }, Rewrite.field("error.code", "ALREADY_LINKED")),
  mutant("refused-code-in-use-replaces-who-has-it", "DEL-05 changed at body.data").instead(checks, (request, serve) =>
    Effect.tap(serve(request), ({ status }) =>
      status === 409 ? serve(asOf(request, "PUT", request.body)) : Effect.void
    )
  ),
  mutant("code-of-a-deleted-compliance-check-is-free", "DEL-06 status", { alsoKills: ["ENV-11"] }).rewrite(
    withDeleted((deleted) =>
      Rewrite.answers({ ...checks, status: 409 }, (answer, request) =>
        deleted.has(codeOf(request)) ? Answering.success(answer, 201, made(codeOf(request))) : answer
      )
    )
  ),
  mutant("refused-code-of-a-deleted-compliance-check-brings-it-back", "DEL-06 changed at status and body").rewrite(
    withDeleted((deleted) => (serve) => {
      const back = new Set<string>()
      return Rewrite.all(
        Rewrite.requests({ method: "GET", path: one }, (request) =>
          back.has(one.exec(Rewrite.pathOf(request))?.[1] ?? "")
            ? { ...request, url: `${request.url}?includeDeleted=true` }
            : request
        ),
        Rewrite.answers({ ...checks, status: 409 }, (answer, request) => {
          if (deleted.has(codeOf(request))) back.add(codeOf(request))
          return answer
        })
      )(serve)
    })
  )
]
