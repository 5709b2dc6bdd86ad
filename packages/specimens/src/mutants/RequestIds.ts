import { at } from "@wcs/conformance/text/Json"
import type { Answer } from "@wcs/conformance/wire/Exchange"
import { tokenPath } from "../Callers.ts"
import { type Mutant, mutant } from "../Mutant.ts"
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

/** Adopts the caller's id as the request id. */
const adopting = (where: Rewrite.Where, isAdopted: (id: string) => boolean, adopt = withId) =>
  Rewrite.answers(where, (answer, request) => {
    const id = Rewrite.headerOf(request, header)
    return id === undefined || !isAdopted(id) ? answer : adopt(answer, id)
  })

/** Changes the echo of certain ids; undefined removes it. */
const echoing = (where: Rewrite.Where, isAbout: (id: string) => boolean, echoed: (id: string) => string | undefined) =>
  Rewrite.answers(where, (answer, request) => {
    const id = Rewrite.headerOf(request, header)
    return id === undefined || !isAbout(id) ? answer : Rewrite.withHeader(answer, echo, echoed(id))
  })

const nothing = (): undefined => undefined

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

/** Refuses malformed ids of callers. */
const refusingMalformed: Mutant = mutant("malformed-id-is-refused", "RID-06 status").rewrite(
  adopting(
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
  )
)

/** Defects of request ids. */
export const requestIdMutants: ReadonlyArray<Mutant> = [
  mutant("errors-tell-no-request-id-in-the-header", `RID-01 missing at header ${header}`, {
    seenBy: ["RID-08"]
  }).answers({ status: errors }, (answer) => Rewrite.withHeader(answer, header, undefined)),
  mutant("errors-tell-another-request-id-in-the-body", `RID-01 wrong-value at header ${header}`, {
    seenBy: ["RID-08"]
  }).answers(
    { status: errors },
    changeAt(inError, (id) => [...id].toReversed().join(""))
  ),
  mutant("errors-tell-no-request-id-in-the-body", `RID-01 missing at body.${inError}`, {
    alsoKills: ["ENV-02"],
    seenBy: ["RID-08"]
  }).answers(
    { status: errors },
    changeAt(inError, () => undefined)
  ),
  mutant("lists-tell-no-request-id", `RID-02 missing at body.${inMeta}`, { seenBy: ["RID-04"] }).answers(
    { method: "GET", path: /^\/\w+(\?|$)/, status: 200 },
    changeAt(inMeta, () => undefined)
  ),
  mutant("creates-tell-no-request-id", `RID-02 missing at body.${inMeta}`, { seenBy: ["CRD-01"] }).answers(
    { status: 201 },
    changeAt(inMeta, () => undefined)
  ),
  mutant("links-tell-an-empty-request-id", `RID-02 wrong-type at body.${inMeta}`, {
    alsoKills: ["RID-07"],
    seenBy: ["OWN-02"]
  }).answers(
    { method: "POST", path: /\/link$/, status: 200 },
    changeAt(inMeta, () => "")
  ),
  mutant("batches-tell-a-number-for-a-request-id", `RID-02 wrong-type at body.${inMeta}`, {
    alsoKills: ["BLK-01"]
  }).answers({ method: "POST", path: /^\/credentials\/(link|transfer)$/, status: 200 }, Rewrite.field(inMeta, 42)),
  mutant(
    "callers-id-becomes-the-requests",
    [
      `RID-03 wrong-value at header ${header}`,
      `RID-03 wrong-value at body.${inMeta}`,
      `RID-03 wrong-value at body.${inError}`
    ],
    { alsoKills: ["RID-07"] }
  ).rewrite(adopting({}, isWellFormed)),
  mutant("malformed-id-becomes-the-requests", `RID-03 wrong-value at header ${header}`).rewrite(
    adopting({}, (id) => !isWellFormed(id))
  ),
  mutant("callers-id-becomes-the-requests-in-the-body", `RID-03 wrong-value at body.${inMeta}`).rewrite(
    adopting({ status: 200 }, isWellFormed, (answer, id) => changeAt(inMeta, () => id)(answer))
  ),
  mutant("callers-ulid-becomes-the-requests", `RID-03 wrong-value at header ${header}`).rewrite(
    adopting({ status: 200 }, (id) => ulid.test(id))
  ),
  mutant("uuids-are-not-echoed", [`RID-04 missing at header ${echo}`, `RID-08 missing at header ${echo}`]).rewrite(
    echoing({}, (id) => uuid.test(id), nothing)
  ),
  mutant("uuids-of-later-versions-are-not-echoed", `RID-04 missing at header ${echo}`).rewrite(
    echoing({}, (id) => /^.{14}[678]/.test(id) && uuid.test(id), nothing)
  ),
  mutant("uuids-are-echoed-without-hyphens", `RID-04 wrong-value at header ${echo}`).rewrite(
    echoing(
      { status: 200 },
      (id) => uuid.test(id),
      (id) => id.replaceAll("-", "")
    )
  ),
  mutant("ulids-are-not-echoed", [`RID-05 missing at header ${echo}`, `RID-08 missing at header ${echo}`]).rewrite(
    echoing({}, (id) => ulid.test(id), nothing)
  ),
  mutant("ulids-are-echoed-without-their-end", `RID-05 wrong-value at header ${echo}`).rewrite(
    echoing(
      { status: 200 },
      (id) => ulid.test(id),
      (id) => id.slice(0, -1)
    )
  ),
  mutant("every-request-id-is-echoed", `RID-06 unexpected at header ${echo}`).rewrite(
    echoing(
      {},
      () => true,
      (id) => id
    )
  ),
  mutant("any-26-letters-are-echoed", `RID-06 unexpected at header ${echo}`).rewrite(
    echoing(
      {},
      (id) => /^\w{26}$/.test(id),
      (id) => id
    )
  ),
  mutant("malformed-id-is-echoed-as-a-new-one", `RID-06 unexpected at header ${echo}`).rewrite(
    echoing(
      {},
      (id) => !isWellFormed(id),
      () => "00000000-0000-4000-8000-000000000000"
    )
  ),
  mutant("errors-echo-nothing", `RID-08 missing at header ${echo}`).rewrite(
    echoing({ status: errors }, () => true, nothing)
  ),
  mutant("invalid-arguments-echo-nothing", `RID-08 missing at header ${echo}`).rewrite(
    echoing({ status: 400 }, () => true, nothing)
  ),
  refusingMalformed,
  mutant("request-ids-are-given-twice", [`RID-07 repeated at header ${header}`, `RID-07 repeated at body.${inMeta}`], {
    seenBy: ["RID-04"]
  }).rewrite(givenTwice),
  mutant("bodies-tell-the-id-of-the-process", `RID-07 repeated at body.${inMeta}`, { seenBy: ["RID-04"] }).answers(
    { status: [200, 201] },
    changeAt(inMeta, () => "01JY7Q2M4R8S6T0V9W3X5Z1A2C")
  ),
  mutant("errors-have-one-request-id", `RID-07 repeated at body.${inError}`, { seenBy: ["RID-08"] }).answers(
    { status: errors },
    (answer) => withId(answer, "01JY7Q2M4R8S6T0V9W3X5Z1A2D")
  ),
  mutant("grants-have-one-request-id", `RID-07 repeated at header ${header}`, { seenBy: ["OAU-11"] }).answers(
    { path: tokenPath },
    (answer) => withId(answer, "01JY7Q2M4R8S6T0V9W3X5Z1A2E")
  )
]
