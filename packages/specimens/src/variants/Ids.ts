import { createHash } from "node:crypto"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Answer } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import type { Serve } from "../Serve.ts"
import { everywhere } from "../seams/Everywhere.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"

/** Ids that our deployment generates. */
const ours = /\b(wkr|cred|app)_[0-9A-Za-z]{16}\b/g

const digestOf = (text: string): Buffer => createHash("sha256").update(text).digest()

/** An unused id of ours, the same for the same text. */
const nobodys = (prefix: string, text: string): string =>
  `${prefix}_${digestOf(text).toString("base64url").replaceAll(/[-_]/g, "0").slice(0, 16)}`

const echo = "x-client-request-id"

/** Echoes request ids in the other letter case. */
const echoingInAnotherCase = Rewrite.answers({}, (answer) => {
  const { [echo]: id } = answer.headers
  if (id === undefined) return answer
  return Rewrite.withHeader(answer, echo, id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase())
})

/**
 * Replaces the alphabet of ids after the prefix in both directions. `mint` makes the `count`-th id from one of ours.
 * `form` matches such ids, with the prefix as first group. An unminted id of that form is unknown; an id of our own
 * form is malformed.
 */
const renamed =
  (mint: (id: string, count: number) => string, form: RegExp) =>
  (serve: Serve): Serve => {
    const theirs = new Map<string, string>()
    const back = new Map<string, string>()
    const know = (id: string, other: string): string => {
      theirs.set(id, other)
      back.set(other, id)
      return other
    }
    const toTheirs = (text: string): string =>
      text.replaceAll(ours, (id, prefix: string) => theirs.get(id) ?? know(id, `${prefix}_${mint(id, theirs.size)}`))
    const toOurs = (text: string): string =>
      text
        .replaceAll(ours, (id) => (form.test(id) ? id : `${id}~`))
        .replaceAll(new RegExp(form, "g"), (other, prefix: string) => {
          const known = back.get(other)
          if (known !== undefined) return known
          const id = nobodys(prefix, other)
          know(id, other)
          return id
        })
    const told = (answer: Answer): Answer => ({
      ...Rewrite.withText(answer, toTheirs(answer.text)),
      headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [name, toTheirs(value)]))
    })
    return (request) => Effect.map(serve({ ...request, url: toOurs(request.url), body: toOurs(request.body) }), told)
  }

const uuidOf = (id: string): string => {
  const hex = digestOf(id).toString("hex")
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `a${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    "-"
  )
}

/** RFC 4648, in lower case. */
const base32 = "abcdefghijklmnopqrstuvwxyz234567"
const base32Of = (id: string): string => [...digestOf(id).subarray(0, 26)].map((byte) => base32[byte % 32]).join("")

/** The profile's unused id, in this form. */
const withNobody =
  (id: string) =>
  (profile: Profile): Profile => {
    if (profile.businessRule === undefined) return profile
    const body = everywhere((object) => (object["worker"] === undefined ? object : { ...object, worker: `wkr_${id}` }))
    return { ...profile, businessRule: { ...profile.businessRule, body: body(profile.businessRule.body) } }
  }

/** Other alphabets and lengths of ids, about which §2.2 is silent. */
export const idVariants: ReadonlyArray<Variant> = [
  variant("ids-are-uuids", ["ENV-08", "WRK-03", "CRD-03", "CRD-10"]).by({
    rewrite: renamed(uuidOf, /\b(wkr|cred|app)_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\b/),
    profile: withNobody(uuidOf("nobody"))
  }),
  variant("ids-are-base32", ["ENV-08", "WRK-03", "CRD-03", "CRD-10"]).by({
    rewrite: renamed(base32Of, /\b(wkr|cred|app)_[a-z2-7]{26}\b/),
    profile: withNobody(base32Of("nobody"))
  }),
  variant("ids-are-counted", ["ENV-08", "ENV-09", "WRK-03"]).by({
    rewrite: renamed((_, count) => String(count + 100_000), /\b(wkr|cred|app)_[0-9]{1,15}\b/),
    profile: withNobody("999999999999")
  }),
  variant("ids-are-counted-from-one", ["ENV-08", "ENV-09", "WRK-03"]).by({
    rewrite: renamed((_, count) => String(count + 1), /\b(wkr|cred|app)_[0-9]{1,15}\b/),
    profile: withNobody("999999999999")
  }),
  variant("request-ids-are-echoed-in-another-case", ["RID-04", "RID-05", "RID-08"]).rewrite(echoingInAnotherCase)
]
