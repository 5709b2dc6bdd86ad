import { Effect } from "effect"
import { block } from "../judgement/Judge.ts"
import { type Call, Session } from "../judgement/Session.ts"
import { isExistingOwner } from "../profile/ExistingOwners.ts"
import type { Profile } from "../profile/Profile.ts"
import { fill } from "../profile/Template.ts"
import type { Json } from "../text/Json.ts"

/** An owner reference (§2.2). */
export type Owner = { readonly type: string; readonly id: string }

export const worker = (id: string): Owner => ({ type: "worker", id })
export const applicant = (id: string): Owner => ({ type: "applicant", id })

/** The default body, if the profile has none: the owner reference itself. */
const reference: Json = { type: "{{type}}", id: "{{id}}" }

/** A call on one credential whose body the specification does not document. */
export type BodyName = "link" | "unlink"

/** The template of a body. */
export const templateOf = ({ ownership }: Profile, name: BodyName): Json => ownership?.[name] ?? reference

type More = Pick<Call, "as" | "headers" | "to">

/** The body of a link, from the profile. Omits undefined properties. */
export const linkBody = Effect.fnUntraced(function* (owner: Partial<Owner>) {
  const { profile } = yield* Session
  return fill(templateOf(profile, "link"), { type: owner.type, id: owner.id })
})

const pathTo = (credential: string, action: string): string =>
  `/credentials/${encodeURIComponent(credential)}/${action}`

/** `POST credentials/{id}/link`, with the profile's body. Omits undefined properties. */
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

interface Batch {
  readonly from?: Owner
  readonly to?: Owner
  readonly credentialIds?: ReadonlyArray<string>
}

/** Blocks a batch that may change every credential of an existing owner, because the suite did not create them all. */
const unlessOthers = Effect.fnUntraced(function* ({ credentialIds = [], from }: Batch) {
  const { profile } = yield* Session
  if (credentialIds.length > 0 || from === undefined || !isExistingOwner(profile, from.id)) return
  return yield* block(`a batch without ids would move every credential of ${from.id}, which the suite did not create`)
})

/**
 * `POST credentials/link`, with the profile's body. Omits undefined properties. The body is empty if the profile has
 * none. Blocks the walk if the profile's body has no place for a given property: without the ids or `from`, the call
 * might change credentials that the suite did not create.
 */
export const bulkLink = Effect.fnUntraced(function* (body: Batch, more: More = {}) {
  const { profile, send } = yield* Session
  yield* unlessOthers(body)
  const template = profile.ownership?.bulkLink
  const missing = (["from", "to", "credentialIds"] as const).find(
    (name) => body[name] !== undefined && template !== undefined && !JSON.stringify(template).includes(`{{${name}}}`)
  )
  if (missing !== undefined) return yield* block(`the profile's body of a bulk link has no place for {{${missing}}}`)
  const json = fill(template ?? {}, { from: body.from, to: body.to, credentialIds: body.credentialIds })
  return yield* send({ method: "POST", path: "/credentials/link", json, ...more })
})

/** `POST credentials/transfer`. */
export const bulkTransfer = Effect.fnUntraced(function* (body: Batch, more: More = {}) {
  const { send } = yield* Session
  yield* unlessOthers(body)
  return yield* send({ method: "POST", path: "/credentials/transfer", json: body, ...more })
})
