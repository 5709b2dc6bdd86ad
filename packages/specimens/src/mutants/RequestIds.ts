import type { Answer } from "@wcs/conformance/wire/Exchange"
import { at } from "@wcs/conformance/wire/Json"
import { tokenPath } from "../Callers.ts"
import type { Mutant } from "../Mutant.ts"
import type { Serve } from "../Serve.ts"
import * as Rewrite from "../seams/Rewrite.ts"

const header = "x-request-id"
const echo = "x-client-request-id"
const errors = [400, 403, 404, 409, 422]
const inMeta = "meta.requestId"
const inError = "error.requestId"

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const ulid = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i
const isWellFormed = (id: string): boolean => uuid.test(id) || ulid.test(id)

/** Changes the value at a place of the body, if present. */
const changeAt = (place: string, change: (id: string) => string | undefined) =>
  Rewrite.mapJson((body) => {
    const id = at(body, place)
    return typeof id === "string" ? Rewrite.put(body, place, change(id)) : body
  })

/** Replaces an answer's id everywhere. */
const withId = (answer: Answer, id: string): Answer =>
  [inMeta, inError].reduce(
    (changed, place) => changeAt(place, () => id)(changed),
    Rewrite.withHeader(answer, header, id)
  )

const errorMutants: ReadonlyArray<Mutant> = [
  {
    name: "errors-tell-no-request-id-in-the-header",
    rewrite: Rewrite.answers({ status: errors }, (answer) => Rewrite.withHeader(answer, header, undefined)),
    kills: [{ rule: "RID-01", kind: "missing", at: `header ${header}` }],
    seenBy: ["RID-08"]
  },
  {
    name: "errors-tell-another-request-id-in-the-body",
    rewrite: Rewrite.answers(
      { status: errors },
      changeAt(inError, (id) => [...id].toReversed().join(""))
    ),
    kills: [{ rule: "RID-01", kind: "wrong-value", at: `header ${header}` }],
    seenBy: ["RID-08"]
  },
  {
    name: "errors-tell-no-request-id-in-the-body",
    rewrite: Rewrite.answers(
      { status: errors },
      changeAt(inError, () => undefined)
    ),
    kills: [{ rule: "RID-01", kind: "missing", at: `body.${inError}` }],
    alsoKills: ["ENV-02"],
    seenBy: ["RID-08"]
  }
]

const metaMutants: ReadonlyArray<Mutant> = [
  {
    name: "lists-tell-no-request-id",
    rewrite: Rewrite.answers(
      { method: "GET", path: /^\/\w+(\?|$)/, status: 200 },
      changeAt(inMeta, () => undefined)
    ),
    kills: [{ rule: "RID-02", kind: "missing", at: `body.${inMeta}` }],
    seenBy: ["RID-04"]
  },
  {
    name: "creates-tell-no-request-id",
    rewrite: Rewrite.answers(
      { status: 201 },
      changeAt(inMeta, () => undefined)
    ),
    kills: [{ rule: "RID-02", kind: "missing", at: `body.${inMeta}` }],
    seenBy: ["CRD-01"]
  },
  {
    name: "links-tell-an-empty-request-id",
    rewrite: Rewrite.answers(
      { method: "POST", path: /\/link$/, status: 200 },
      changeAt(inMeta, () => "")
    ),
    kills: [{ rule: "RID-02", kind: "wrong-type", at: `body.${inMeta}` }],
    alsoKills: ["RID-07"],
    seenBy: ["OWN-02"]
  },
  {
    name: "batches-tell-a-number-for-a-request-id",
    rewrite: Rewrite.answers(
      { method: "POST", path: /^\/credentials\/(link|transfer)$/, status: 200 },
      Rewrite.mapJson((body) => Rewrite.put(body, inMeta, 42))
    ),
    kills: [{ rule: "RID-02", kind: "wrong-type", at: `body.${inMeta}` }],
    alsoKills: ["BLK-01"]
  }
]

/** Adopts the caller's id as the request id. */
const adopting = (where: Rewrite.Where, isAdopted: (id: string) => boolean, adopt = withId) =>
  Rewrite.answers(where, (answer, request) => {
    const id = Rewrite.headerOf(request, header)
    return id === undefined || !isAdopted(id) ? answer : adopt(answer, id)
  })

const adoptionMutants: ReadonlyArray<Mutant> = [
  {
    name: "callers-id-becomes-the-requests",
    rewrite: adopting({}, isWellFormed),
    kills: [
      { rule: "RID-03", kind: "wrong-value", at: `header ${header}` },
      { rule: "RID-03", kind: "wrong-value", at: `body.${inMeta}` },
      { rule: "RID-03", kind: "wrong-value", at: `body.${inError}` }
    ],
    alsoKills: ["RID-07"]
  },
  {
    name: "malformed-id-becomes-the-requests",
    rewrite: adopting({}, (id) => !isWellFormed(id)),
    kills: [{ rule: "RID-03", kind: "wrong-value", at: `header ${header}` }]
  },
  {
    name: "callers-id-becomes-the-requests-in-the-body",
    rewrite: adopting({ status: 200 }, isWellFormed, (answer, id) => changeAt(inMeta, () => id)(answer)),
    kills: [{ rule: "RID-03", kind: "wrong-value", at: `body.${inMeta}` }]
  },
  {
    name: "callers-ulid-becomes-the-requests",
    rewrite: adopting({ status: 200 }, (id) => ulid.test(id)),
    kills: [{ rule: "RID-03", kind: "wrong-value", at: `header ${header}` }]
  }
]

/** Changes the echo of certain ids; undefined removes it. */
const echoing = (where: Rewrite.Where, isAbout: (id: string) => boolean, echoed: (id: string) => string | undefined) =>
  Rewrite.answers(where, (answer, request) => {
    const id = Rewrite.headerOf(request, header)
    return id === undefined || !isAbout(id) ? answer : Rewrite.withHeader(answer, echo, echoed(id))
  })

const nothing = (): undefined => undefined

const echoMutants: ReadonlyArray<Mutant> = [
  {
    name: "uuids-are-not-echoed",
    rewrite: echoing({}, (id) => uuid.test(id), nothing),
    kills: [
      { rule: "RID-04", kind: "missing", at: `header ${echo}` },
      { rule: "RID-08", kind: "missing", at: `header ${echo}` }
    ]
  },
  {
    name: "uuids-of-later-versions-are-not-echoed",
    rewrite: echoing({}, (id) => /^.{14}[678]/.test(id) && uuid.test(id), nothing),
    kills: [{ rule: "RID-04", kind: "missing", at: `header ${echo}` }]
  },
  {
    name: "uuids-are-echoed-in-capitals",
    rewrite: echoing(
      { status: 200 },
      (id) => uuid.test(id),
      (id) => id.toUpperCase()
    ),
    kills: [{ rule: "RID-04", kind: "wrong-value", at: `header ${echo}` }]
  },
  {
    name: "ulids-are-not-echoed",
    rewrite: echoing({}, (id) => ulid.test(id), nothing),
    kills: [
      { rule: "RID-05", kind: "missing", at: `header ${echo}` },
      { rule: "RID-08", kind: "missing", at: `header ${echo}` }
    ]
  },
  {
    name: "ulids-are-echoed-in-small-letters",
    rewrite: echoing(
      { status: 200 },
      (id) => ulid.test(id),
      (id) => id.toLowerCase()
    ),
    kills: [{ rule: "RID-05", kind: "wrong-value", at: `header ${echo}` }]
  },
  {
    name: "whatever-callers-send-is-echoed",
    rewrite: echoing(
      {},
      () => true,
      (id) => id
    ),
    kills: [{ rule: "RID-06", kind: "unexpected", at: `header ${echo}` }]
  },
  {
    name: "any-26-letters-are-echoed",
    rewrite: echoing(
      {},
      (id) => /^\w{26}$/.test(id),
      (id) => id
    ),
    kills: [{ rule: "RID-06", kind: "unexpected", at: `header ${echo}` }]
  },
  {
    name: "malformed-id-is-echoed-as-a-new-one",
    rewrite: echoing(
      {},
      (id) => !isWellFormed(id),
      () => "00000000-0000-4000-8000-000000000000"
    ),
    kills: [{ rule: "RID-06", kind: "unexpected", at: `header ${echo}` }]
  },
  {
    name: "errors-echo-nothing",
    rewrite: echoing({ status: errors }, () => true, nothing),
    kills: [{ rule: "RID-08", kind: "missing", at: `header ${echo}` }]
  },
  {
    name: "invalid-arguments-echo-nothing",
    rewrite: echoing({ status: 400 }, () => true, nothing),
    kills: [{ rule: "RID-08", kind: "missing", at: `header ${echo}` }]
  }
]

/** Every second answer repeats the id of the one before. */
const givenTwice = (serve: Serve): Serve => {
  let given: string | undefined
  return Rewrite.answers({}, (answer) => {
    const { [header]: id } = answer.headers
    if (given !== undefined) {
      const again = withId(answer, given)
      given = undefined
      return again
    }
    given = id
    return answer
  })(serve)
}

const repeatedMutants: ReadonlyArray<Mutant> = [
  {
    name: "request-ids-are-given-twice",
    rewrite: givenTwice,
    kills: [
      { rule: "RID-07", kind: "repeated", at: `header ${header}` },
      { rule: "RID-07", kind: "repeated", at: `body.${inMeta}` }
    ],
    seenBy: ["RID-04"]
  },
  {
    name: "bodies-tell-the-id-of-the-process",
    rewrite: Rewrite.answers(
      { status: [200, 201] },
      changeAt(inMeta, () => "01JY7Q2M4R8S6T0V9W3X5Z1A2C")
    ),
    kills: [{ rule: "RID-07", kind: "repeated", at: `body.${inMeta}` }],
    seenBy: ["RID-04"]
  },
  {
    name: "errors-have-one-request-id",
    rewrite: Rewrite.answers({ status: errors }, (answer) => withId(answer, "01JY7Q2M4R8S6T0V9W3X5Z1A2D")),
    kills: [{ rule: "RID-07", kind: "repeated", at: `body.${inError}` }],
    seenBy: ["RID-08"]
  },
  {
    name: "grants-have-one-request-id",
    rewrite: Rewrite.answers({ path: tokenPath }, (answer) => withId(answer, "01JY7Q2M4R8S6T0V9W3X5Z1A2E")),
    kills: [{ rule: "RID-07", kind: "repeated", at: `header ${header}` }],
    seenBy: ["OAU-11"]
  }
]

/** Refuses malformed ids of callers. */
const refusingMalformed: Mutant = {
  name: "malformed-id-is-refused",
  rewrite: adopting(
    {},
    (id) => !isWellFormed(id),
    (answer) =>
      Rewrite.withJson(
        { ...answer, status: 400 },
        {
          error: {
            code: "INVALID_ARGUMENT",
            message: "X-Request-Id is neither a UUID nor a ULID.",
            requestId: answer.headers[header] ?? ""
          }
        }
      )
  ),
  kills: [{ rule: "RID-06", kind: "status", at: "status" }]
}

/** Defects of request ids. */
export const requestIdMutants: ReadonlyArray<Mutant> = [
  ...errorMutants,
  ...metaMutants,
  ...adoptionMutants,
  ...echoMutants,
  refusingMalformed,
  ...repeatedMutants
]
