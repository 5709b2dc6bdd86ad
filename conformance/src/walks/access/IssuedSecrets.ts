import { Effect } from "effect"
import { showsId } from "../../calls/Reading.ts"
import { bodyOf, create, groupOf, made, pathOf, type Resource, textsWith } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, judge } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { findPathOf } from "../../profile/Groups.ts"
import type { NeedName } from "../../profile/Need.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import { fillPath } from "../../profile/Template.ts"
import { at, isObject, type Json } from "../../text/Json.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { isClientId } from "./OAuthToken.ts"

/** A resource with a secret that a user creates. */
interface Issued {
  readonly rule: "AUT-13" | "OAU-23"
  readonly type: "accessToken" | "apiClient"
  readonly name: string
  readonly need: NeedName
}

/** The positions at which a later answer shows a secret. */
export const shows = (answer: Exchange, secret: string): Expect.Met => {
  const { json, text = "" } = answer.answer ?? {}
  const positions =
    json === undefined ? (text.includes(secret) ? [""] : []) : textsWith(json, secret).map(([position]) => position)
  return positions.flatMap((position) =>
    Expect.difference(
      answer,
      "disclosed",
      position === "" ? "body" : `body.${position}`,
      "a secret is shown once",
      secret
    )
  )
}

/** Reads of the resource, of its list and of its history. */
const laterAnswers = Effect.fnUntraced(function* (type: Issued["type"], { id, unique }: Resource, as: PrincipalName) {
  const { profile, send } = yield* Session
  const path = yield* pathOf(type)
  const paths = [`${path}/${encodeURIComponent(id)}`, findPathOf(profile, type, unique) ?? path]
  const history = profile.audit === undefined ? [] : [fillPath(profile.audit.path, { id })]
  return yield* Effect.forEach([...paths, ...history], (one) => send({ method: "GET", path: one, as }))
})

/** The client ids in an answer, by the name of their field. */
const clientIdsIn = (value: Json | undefined): ReadonlyArray<string> => {
  if (Array.isArray(value)) return value.flatMap(clientIdsIn)
  if (!isObject(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === "string" && /^client_?id$/i.test(key) ? [inner] : clientIdsIn(inner)
  )
}

/** Every client id that is shown has the form of §5.2. */
const judgeIds = Effect.fnUntraced(function* (answers: ReadonlyArray<Exchange>) {
  const shown = answers.flatMap((exchange) => clientIdsIn(exchange.answer?.json).map((id) => ({ exchange, id })))
  if (shown.length === 0) return
  const wrong = yield* Effect.forEach(shown, ({ exchange, id }) => isClientId(exchange, id, "a client id in the body"))
  yield* judge(
    "OAU-17",
    shown.map(({ exchange }) => exchange),
    wrong.flat()
  )
})

/**
 * An OAuth client may not be allowed to create such a resource. So the personal token creates it if the profile has
 * one.
 */
const shownOnce = ({ name, need, rule, type }: Issued): Walk =>
  walk({
    name,
    judges: [rule],
    ...(type === "apiClient" ? { alsoJudges: ["OAU-17"] as const } : {}),
    impact: "create",
    needs: [need]
  })(function* () {
    const { profile, unique } = yield* Session
    const as = profile.principals.personalToken === undefined ? "admin" : "personalToken"
    const name = yield* unique
    const resource = yield* made(name, yield* create(type, name, yield* bodyOf(type, name), { as }))
    const { exchange } = resource
    const position = (yield* groupOf(type))?.create?.secret ?? ""
    const secret = at(exchange.answer?.json, position)
    if (typeof secret !== "string" || secret === "") {
      return yield* judge(rule, [exchange], Expect.type(exchange, position, "non-empty string"))
    }
    const later = yield* laterAnswers(type, resource, as)
    if (!later.some((one) => isIn(one, 2) && showsId(one, resource.id))) {
      return yield* block("prerequisite failed: no read shows the created resource", exchange, ...later)
    }
    yield* judge(
      rule,
      [exchange, ...later],
      later.flatMap((answer) => shows(answer, secret))
    )
    if (type === "apiClient") yield* judgeIds([exchange, ...later])
  })

/** AUT-13, OAU-23: secrets issued to users. */
export const issuedSecretWalks: ReadonlyArray<Walk> = [
  shownOnce({ rule: "AUT-13", type: "accessToken", name: "bearer/shown-once", need: "access token body" }),
  shownOnce({ rule: "OAU-23", type: "apiClient", name: "oauth/shown-once", need: "API client body" })
]
