import { Effect } from "effect"
import { bodyOf, create, groupOf, made, pathOf, type Resource, textsWith } from "../../calls/Resources.ts"
import * as Expect from "../../engine/Expect.ts"
import { block, judge } from "../../engine/Judge.ts"
import { type PrincipalName, Session } from "../../engine/Session.ts"
import { type Walk, walk } from "../../engine/Walk.ts"
import { findPathOf } from "../../profile/Groups.ts"
import type { NeedName } from "../../profile/Need.ts"
import { fillPath } from "../../profile/Template.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { at } from "../../wire/Json.ts"

/** A resource with a secret that a user creates. */
interface Issued {
  readonly rule: "AUT-13" | "OAU-23"
  readonly type: "accessToken" | "apiClient"
  readonly name: string
  readonly need: NeedName
}

/** The places at which a later answer shows a secret. */
export const shows = (answer: Exchange, secret: string): Expect.Met => {
  const { json, text = "" } = answer.answer ?? {}
  const places =
    json === undefined ? (text.includes(secret) ? [""] : []) : textsWith(json, secret).map(([place]) => place)
  return places.flatMap((place) =>
    Expect.difference(answer, "disclosed", place === "" ? "body" : `body.${place}`, "a secret is shown once", secret)
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

/**
 * An OAuth client may not be allowed to create such a resource. So the personal token creates it if the profile has
 * one.
 */
const shownOnce = ({ name, need, rule, type }: Issued): Walk =>
  walk({ name, judges: [rule], impact: "create", needs: [need] })(function* () {
    const { profile, unique } = yield* Session
    const as = profile.principals.personalToken === undefined ? "admin" : "personalToken"
    const name = yield* unique
    const resource = yield* made(name, yield* create(type, name, yield* bodyOf(type, name), { as }))
    const { exchange } = resource
    const place = (yield* groupOf(type))?.create?.secret ?? ""
    const secret = at(exchange.answer?.json, place)
    if (typeof secret !== "string" || secret === "") {
      return yield* judge(rule, [exchange], Expect.type(exchange, place, "non-empty string"))
    }
    const later = yield* laterAnswers(type, resource, as)
    if (!later.some((one) => isIn(one, 2) && (one.answer?.text ?? "").includes(resource.id))) {
      return yield* block("prerequisite failed: no read shows the created resource", exchange, ...later)
    }
    yield* judge(
      rule,
      [exchange, ...later],
      later.flatMap((answer) => shows(answer, secret))
    )
  })

/** AUT-13, OAU-23: secrets issued to users. */
export const issuedSecretWalks: ReadonlyArray<Walk> = [
  shownOnce({ rule: "AUT-13", type: "accessToken", name: "bearer/shown-once", need: "access token body" }),
  shownOnce({ rule: "OAU-23", type: "apiClient", name: "oauth/shown-once", need: "API client body" })
]
