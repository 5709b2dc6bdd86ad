import type { Request } from "@wcs/conformance/wire/Exchange"
import { at, isObject, type Json, parse } from "@wcs/conformance/wire/Json"
import { Effect } from "effect"
import * as Answering from "../Answering.ts"
import type { Kill, Mutant } from "../Mutant.ts"
import type { Serve } from "../Serve.ts"
import * as Creates from "../seams/Creates.ts"
import { open, refusedAndDone, whereForbidden, whereRefused } from "../seams/PrivilegeSeams.ts"
import * as Rewrite from "../seams/Rewrite.ts"

const statusOf = (rule: Kill["rule"]): Kill => ({ rule, kind: "status", at: "status" })

const notThere = (answer: Parameters<typeof Answering.refusal>[0]) =>
  Answering.refusal(answer, 404, "NOT_FOUND", "There is nothing at this path.")

const thereMutants: ReadonlyArray<Mutant> = [
  {
    name: "applicants-cannot-be-listed",
    rewrite: Rewrite.answers({ method: "GET", path: /^\/applicants(\?|$)/, status: 200 }, notThere),
    kills: [statusOf("PRV-14")]
  },
  {
    name: "recruitment-checks-cannot-be-listed",
    rewrite: Rewrite.answers({ method: "GET", path: /^\/recruitment-checks(\?|$)/, status: 200 }, notThere),
    kills: [statusOf("PRV-18")]
  },
  {
    name: "webhooks-are-only-made",
    rewrite: Rewrite.answers({ method: "GET", path: /^\/webhooks(\?|$)/, status: 200 }, (answer) =>
      Answering.refusal(answer, 405, "METHOD_NOT_ALLOWED", "There is no such method.")
    ),
    kills: [statusOf("PRV-18")]
  },
  {
    name: "fetch-requests-are-listed-for-nobody",
    rewrite: Rewrite.answers({ method: "GET", path: /^\/fetch-requests(\?|$)/, status: 200 }, (answer) =>
      Answering.refusal(answer, 403, "FORBIDDEN", "urn:wcs:account:acc_0 is unauthorized to READ fetch requests.")
    ),
    kills: [statusOf("PRV-18")]
  },
  {
    name: "screening-packages-are-listed-for-nobody",
    rewrite: whereRefused(401)({ method: "GET", path: /^\/screening-packages(\?|$)/ }, ({ asAdmin, request }) =>
      asAdmin(request)
    ),
    kills: [statusOf("PRV-14")]
  },
  {
    name: "screening-packages-are-listed-for-everybody",
    rewrite: open({ method: "GET", path: /^\/screening-packages(\?|$)/ }),
    kills: [statusOf("PRV-14"), statusOf("PRV-01"), statusOf("PRV-06")]
  }
]

const bans = { path: /^\/bans(?:[/?]|$)/ }

const banMutants: ReadonlyArray<Mutant> = [
  {
    name: "bans-are-listed-for-everybody",
    rewrite: open({ ...bans, method: "GET" }),
    kills: [statusOf("PRV-12"), statusOf("PRV-01"), statusOf("PRV-06")]
  },
  {
    name: "bans-can-be-made",
    rewrite: Rewrite.answers({ ...bans, method: "POST" }, (answer) =>
      Answering.refusal(answer, 400, "INVALID_ARGUMENT", "register: is missing.")
    ),
    kills: [statusOf("PRV-12")]
  },
  {
    name: "bans-can-be-changed",
    rewrite: Rewrite.answers({ ...bans, method: "PATCH" }, (answer) => Answering.success(answer, 200, null)),
    kills: [statusOf("PRV-12")]
  },
  {
    name: "bans-can-be-lifted",
    rewrite: Rewrite.answers({ ...bans, method: "DELETE" }, (answer) => ({
      ...Rewrite.withText(answer, ""),
      status: 204
    })),
    kills: [statusOf("PRV-12")]
  }
]

const exemption = /^\/exemptions\/[^/]+$/

/** Validates bodies before privileges. */
const bodyFirst = (path: RegExp) =>
  whereForbidden({ method: "POST", path }, ({ asAdmin, refusal, request }) =>
    isObject(parse(request.body)) ? Effect.succeed(refusal) : asAdmin(request)
  )

const refusedMutants: ReadonlyArray<Mutant> = [
  {
    name: "body-of-an-exemption-is-looked-at-before-the-privilege",
    rewrite: bodyFirst(/^\/exemptions$/),
    kills: [statusOf("PRV-07")],
    seenBy: ["PRV-02"]
  },
  {
    name: "delete-looks-for-the-exemption-before-the-privilege",
    rewrite: whereForbidden({ method: "DELETE", path: exemption }, ({ asAdmin, refusal, request }) =>
      Effect.map(asAdmin({ ...request, method: "GET", body: "" }), ({ status }) =>
        status === 404 ? notThere(refusal) : refusal
      )
    ),
    kills: [statusOf("PRV-08")],
    seenBy: ["PRV-04"]
  },
  {
    name: "refused-exemption-is-made",
    rewrite: refusedAndDone({ method: "POST", path: /^\/exemptions$/, body: /^\{.*\}$/s }),
    kills: [{ rule: "PRV-09", kind: "changed", at: "body.data" }],
    seenBy: ["PRV-02"]
  },
  {
    name: "refused-webhook-is-made",
    rewrite: refusedAndDone({ method: "POST", path: /^\/webhooks$/, body: /^\{.*\}$/s }),
    kills: [{ rule: "PRV-09", kind: "changed", at: "body.data" }],
    seenBy: ["PRV-02"]
  },
  {
    name: "refused-change-of-a-fetch-request-is-made",
    rewrite: refusedAndDone({ method: "PUT", path: /^\/fetch-requests\/[^/]+$/, body: /^\{.*\}$/s }),
    kills: [{ rule: "PRV-09", kind: "changed", at: "body.data" }]
  },
  {
    name: "refused-change-of-a-compliance-check-is-made",
    rewrite: refusedAndDone({ method: "PATCH", path: /^\/compliance-checks\/[^/]+$/ }),
    kills: [{ rule: "PRV-09", kind: "changed", at: "body.data" }]
  },
  {
    name: "refused-delete-of-a-screening-package-is-made",
    rewrite: refusedAndDone({ method: "DELETE", path: /^\/screening-packages\/[^/]+$/ }),
    kills: [{ rule: "PRV-09", kind: "changed", at: "body.data.id" }],
    seenBy: ["PRV-04"]
  },
  {
    name: "change-of-an-exemption-by-nobody-is-made",
    rewrite: refusedAndDone({ method: "PUT", path: exemption }, 401),
    kills: [{ rule: "AUT-01", kind: "changed", at: "body.data" }]
  }
]

const creates = { method: "POST", path: /^\/exemptions$/ }
const isObjectBody = ({ body }: Request): string | undefined => (isObject(parse(body)) ? "any" : undefined)

const createMutants: ReadonlyArray<Mutant> = [
  {
    name: "exemption-create-answers-200",
    rewrite: Rewrite.answers({ ...creates, status: 201 }, (answer) => ({ ...answer, status: 200 })),
    kills: [statusOf("ENV-11")]
  },
  {
    name: "fetch-request-create-answers-202",
    rewrite: Rewrite.answers({ method: "POST", path: /^\/fetch-requests$/, status: 201 }, (answer) => ({
      ...answer,
      status: 202
    })),
    kills: [statusOf("ENV-11")]
  },
  {
    name: "applicant-create-has-no-location",
    rewrite: Rewrite.answers({ method: "POST", path: /^\/applicants$/, status: 201 }, (answer) =>
      Rewrite.withHeader(answer, "location", undefined)
    ),
    kills: [{ rule: "ENV-11", kind: "missing", at: "header location" }]
  },
  {
    name: "screening-package-create-shows-no-id",
    rewrite: Rewrite.answers(
      { method: "POST", path: /^\/screening-packages$/, status: 201 },
      Rewrite.mapJson((body) => Rewrite.put(body, "data.id", undefined))
    ),
    kills: [{ rule: "ENV-11", kind: "missing", at: "body.data.id" }]
  },
  {
    name: "exemption-create-answers-with-the-one-before",
    rewrite: Creates.remembering(creates, isObjectBody),
    kills: [{ rule: "ENV-11", kind: "repeated", at: "body.data.id" }]
  }
]

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

const codeMutants: ReadonlyArray<Mutant> = [
  {
    name: "compliance-check-has-an-id-beside-its-code",
    rewrite: prefixed,
    kills: [{ rule: "DEL-04", kind: "wrong-value", at: "body.data.id" }]
  },
  {
    name: "code-in-use-answers-with-who-has-it",
    rewrite: inUse((request, serve) => serve(asOf(request, "GET", ""))),
    kills: [statusOf("DEL-05")]
  },
  {
    name: "code-in-use-is-a-bad-request",
    rewrite: Rewrite.answers({ ...checks, status: 409 }, (answer) =>
      Answering.refusal(answer, 400, "INVALID_ARGUMENT", "code: is in use.")
    ),
    kills: [statusOf("DEL-05"), statusOf("DEL-06")]
  },
  {
    name: "code-in-use-has-a-code-of-its-own",
    rewrite: Rewrite.answers(
      { ...checks, status: 409 },
      Rewrite.mapJson((body) => Rewrite.put(body, "error.code", "ALREADY_LINKED"))
    ),
    kills: [
      { rule: "DEL-05", kind: "wrong-value", at: "body.error.code" },
      { rule: "DEL-06", kind: "wrong-value", at: "body.error.code" }
    ]
  },
  {
    name: "refused-code-in-use-replaces-who-has-it",
    rewrite: Rewrite.instead(checks, (request, serve) =>
      Effect.tap(serve(request), ({ status }) =>
        status === 409 ? serve(asOf(request, "PUT", request.body)) : Effect.void
      )
    ),
    kills: [{ rule: "DEL-05", kind: "changed", at: "body.data" }]
  },
  {
    name: "code-of-a-deleted-compliance-check-is-free",
    rewrite: withDeleted((deleted) =>
      Rewrite.answers({ ...checks, status: 409 }, (answer, request) =>
        deleted.has(codeOf(request)) ? Answering.success(answer, 201, made(codeOf(request))) : answer
      )
    ),
    kills: [statusOf("DEL-06")]
  },
  {
    name: "refused-code-of-a-deleted-compliance-check-brings-it-back",
    rewrite: withDeleted((deleted) => (serve) => {
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
    }),
    kills: [{ rule: "DEL-06", kind: "changed", at: "status and body" }]
  }
]

/** Defects of groups besides workers and credentials. */
export const groupMutants: ReadonlyArray<Mutant> = [
  ...thereMutants,
  ...banMutants,
  ...refusedMutants,
  ...createMutants,
  ...codeMutants
]
