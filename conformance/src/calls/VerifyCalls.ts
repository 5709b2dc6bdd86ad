import { Effect } from "effect"
import { Blocked } from "../judgement/Blocked.ts"
import { block } from "../judgement/Judge.ts"
import { type Call, type CreatedResource, Session } from "../judgement/Session.ts"
import type { PrincipalName } from "../profile/Principals.ts"
import { fill } from "../profile/Template.ts"
import { at, isObject, type Json } from "../text/Json.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { whereOf } from "./CleanUp.ts"
import { anyOwner, create, made, sharedResource, withOneOwner } from "./Resources.ts"

/** The body of a verify request (§2.2). */
export interface VerifyRequest {
  readonly correlationId?: Json
  readonly forceRefresh?: Json
}

/** Asks for a verification. */
export const verify = Effect.fnUntraced(function* (
  id: string,
  json: VerifyRequest,
  more: Pick<Call, "as" | "to"> = {}
) {
  const { send } = yield* Session
  return yield* send({ method: "POST", path: `/credentials/${encodeURIComponent(id)}/verify`, json, ...more })
})

/** Creates a verifiable credential of a worker; blocks the walk on failure. */
export const makeVerifiable = Effect.fnUntraced(function* (to?: CreatedResource["to"], as?: PrincipalName) {
  const { profile, unique: nextName } = yield* Session
  const where = { ...whereOf({ to }), to, ...(as && { as }) }
  const worker = to === undefined ? yield* anyOwner("worker") : yield* sharedResource("worker", "owner", to)
  const unique = yield* nextName
  const template = profile.verifiableCredential?.body
  if (template === undefined) return yield* block("the profile has no body for a credential that can be verified")
  const values = withOneOwner({
    unique,
    name: `Conformance ${unique}`,
    email: `${unique}@example.org`,
    worker: worker.id
  })
  return yield* Effect.mapError(
    made(unique, yield* create("credential", unique, fill(template, values), where)),
    ({ exchanges, reason }) =>
      new Blocked({ exchanges, reason: `${reason}; look at verifiableCredential in the profile` })
  )
})

/** The fields of a verify answer, in the order of §2.2. */
const fields = ["eligibility", "statusDetail", "expiryDate", "errorMessage", "correlationId", "requestId"] as const
export type VerifyField = (typeof fields)[number]

const hasFields = (value: Json | undefined): boolean =>
  isObject(value) && fields.some((field) => value[field] !== undefined)

/** The place of the verification fields: in `data`, or at the top level (SIL-05). */
export type VerifyReading = "enveloped" | "flat"

/** The place of the fields in an answer. Without any field, the rest of the envelope decides. */
export const readingOf = ({ answer }: Exchange): VerifyReading => {
  const data = at(answer?.json, "data")
  return hasFields(data) || (data !== undefined && !hasFields(answer?.json)) ? "enveloped" : "flat"
}

/** All places of the fields in an answer, for observations. */
export const fieldPositions = ({ answer }: Exchange): string =>
  [
    ...(hasFields(at(answer?.json, "data")) ? ["in data"] : []),
    ...(hasFields(answer?.json) ? ["at the top"] : [])
  ].join(" and ") || "nowhere"

/** The path of a field, for expectations. */
export const fieldPosition = (reading: VerifyReading, field: VerifyField): string =>
  reading === "enveloped" ? `data.${field}` : field

/** The correlation id in an answer; undefined if absent. */
export const returnedId = (exchange: Exchange): string | undefined => {
  const id = at(exchange.answer?.json, fieldPosition(readingOf(exchange), "correlationId"))
  return typeof id === "string" && id !== "" ? id : undefined
}
