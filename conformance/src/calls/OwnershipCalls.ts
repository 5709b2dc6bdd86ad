import { Effect } from "effect"
import { block } from "../engine/Judge.ts"
import { type Call, Session } from "../engine/Session.ts"
import type { Profile } from "../profile/Profile.ts"
import { fill } from "../profile/Template.ts"
import type { Json } from "../wire/Json.ts"
import { at } from "../wire/Json.ts"
import { type Slots, slotsOf } from "./Reading.ts"
import { read } from "./Resources.ts"

/** An owner reference (§2.2). */
export type Owner = { readonly type: string; readonly id: string }

export const worker = (id: string): Owner => ({ type: "worker", id })
export const applicant = (id: string): Owner => ({ type: "applicant", id })

/** The body shape that is tried where the profile has none: the owner reference itself. */
const reference: Json = { type: "{{type}}", id: "{{id}}" }

/** A body of one credential's owner that the specification does not show. */
export type BodyName = "link" | "unlink"

/** The template of a body. */
export const templateOf = ({ ownership }: Profile, name: BodyName): Json => ownership?.[name] ?? reference

type More = Pick<Call, "as" | "headers" | "to">

/** The body of link, as the profile shows it. A part that is undefined is left out. */
export const linkBody = Effect.fnUntraced(function* (owner: Partial<Owner>) {
  const { profile } = yield* Session
  return fill(templateOf(profile, "link"), { type: owner.type, id: owner.id })
})

const pathTo = (credential: string, action: string): string =>
  `/credentials/${encodeURIComponent(credential)}/${action}`

/** `POST credentials/{id}/link`, with the body that the profile shows. A part that is undefined is left out. */
export const link = Effect.fnUntraced(function* (credential: string, owner: Partial<Owner>, more: More = {}) {
  const { send } = yield* Session
  const json = yield* linkBody(owner)
  return yield* send({ method: "POST", path: pathTo(credential, "link"), json, ...more })
})

/** `POST credentials/{id}/unlink`. */
export const unlink = Effect.fnUntraced(function* (credential: string, owner: Partial<Owner>, more: More = {}) {
  const { profile, send } = yield* Session
  const json = fill(templateOf(profile, "unlink"), { type: owner.type, id: owner.id })
  return yield* send({ method: "POST", path: pathTo(credential, "unlink"), json, ...more })
})

/** `POST credentials/{id}/transfer`. */
export const transfer = Effect.fnUntraced(function* (credential: string, from: Owner, to: Owner, more: More = {}) {
  const { send } = yield* Session
  return yield* send({ method: "POST", path: pathTo(credential, "transfer"), json: { from, to }, ...more })
})

/**
 * `POST credentials/link`, with the body that the profile shows; what is left out is left out of it. The profile's body
 * has to say all that it is told to: one that drops the ids or `from` might reach credentials that are not the suite's.
 * Where the profile shows none, the body is empty.
 */
export const bulkLink = Effect.fnUntraced(function* (
  body: { readonly from?: Owner; readonly to?: Owner; readonly credentialIds?: ReadonlyArray<string> },
  more: More = {}
) {
  const { profile, send } = yield* Session
  const template = profile.ownership?.bulkLink
  const missing = (["from", "to", "credentialIds"] as const).find(
    (name) => body[name] !== undefined && template !== undefined && !JSON.stringify(template).includes(`{{${name}}}`)
  )
  if (missing !== undefined) return yield* block(`the profile's body of a bulk link has no place for {{${missing}}}`)
  const json = fill(template ?? {}, { from: body.from, to: body.to, credentialIds: body.credentialIds })
  return yield* send({ method: "POST", path: "/credentials/link", json, ...more })
})

/** `POST credentials/transfer`. */
export const bulkTransfer = Effect.fnUntraced(function* (
  body: { readonly from?: Owner; readonly to?: Owner; readonly credentialIds?: ReadonlyArray<string> },
  more: More = {}
) {
  const { send } = yield* Session
  return yield* send({ method: "POST", path: "/credentials/transfer", json: body, ...more })
})

/** A credential's slots as GET shows them, and the exchange that showed them. */
export const readSlots = Effect.fnUntraced(function* (credential: string) {
  const exchange = yield* read("credential", credential)
  const slots: Slots = slotsOf(at(exchange.answer?.json, "data"))
  return { exchange, slots }
})
