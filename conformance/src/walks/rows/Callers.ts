import type { Call } from "../../judgement/Session.ts"
import {
  covered,
  covering,
  type Holder,
  holdersOf,
  lacking,
  leastAlike,
  mayNothing,
  nearest,
  operationsOn,
  strangers,
  tellingMost,
  withOnly
} from "../../profile/LimitedPrincipals.ts"
import { goodClient, oauthPrincipal, type PrincipalName } from "../../profile/Principals.ts"
import { type Operation, operations, type Profile } from "../../profile/Profile.ts"
import { furtherTurnsOf } from "../../profile/ValidTokens.ts"
import { forgeriesOf } from "../../wire/Jwt.ts"
import type { Caller, Callers, Point } from "./Row.ts"

// The callers of rows. They are pure: the engine puts the secrets in.

const needed: Readonly<Record<Point["way"], Operation>> = {
  list: "READ",
  read: "READ",
  create: "CREATE",
  update: "UPDATE",
  delete: "DELETE",
  action: "UPDATE",
  batch: "UPDATE",
  absent: "UPDATE",
  "no delete": "DELETE"
}

/** The operation that a call needs. Which one an action needs is open (SIL-13). */
export const neededAt = ({ way }: Point): Operation => needed[way]

/** The same callers. Where there are none, the row is left out without a finding. */
export const ifAny = ({ at }: Callers): Callers => ({ at })

/** Some of the callers at each call, in turn, so that each is tried somewhere. */
export const inTurn = (count: number, { at, ...callers }: Callers): Callers => ({
  ...callers,
  at: (point, profile, place) => {
    const all = at(point, profile, place)
    const step = Math.ceil(all.length / count)
    return all.length <= count
      ? all
      : Array.from({ length: count }, (_, index) => all[(place + index * step) % all.length]).flatMap(
          (one) => one ?? []
        )
  }
})

const held = (holder: Holder): Caller => ({ name: holder.name, as: holder.name, holder })

type Choose = (holders: ReadonlyArray<Holder>, point: Point) => ReadonlyArray<Holder | undefined>

const limited = (lacks: (point: Point) => string, choose: Choose, caller = held): Callers => ({
  lacks: (point) => `no limited principal of the profile ${lacks(point)}`,
  at: (point, profile) => choose(holdersOf(profile), point).flatMap((one) => (one === undefined ? [] : [caller(one)]))
})

const lacksNeeded = (point: Point): string => `lacks ${neededAt(point)} on ${point.entity}`

/** Principals without privileges on an entity type that have privileges elsewhere: the fewest with all of these. */
const outsiders = (all: ReadonlyArray<Holder>, { entity }: Point): ReadonlyArray<Holder> =>
  covering(strangers(all, entity)).filter((holder) => !mayNothing(holder))

const telling = (all: ReadonlyArray<Holder>, point: Point): ReadonlyArray<Holder> =>
  tellingMost(outsiders(all, point), point.entity, neededAt(point), all)

/** The same, but each with the operation on one type and as little else as possible. */
const tellingAlone = (all: ReadonlyArray<Holder>, point: Point): ReadonlyArray<Holder> => {
  const them = strangers(all, point.entity)
  return [...new Set(telling(all, point).map((holder) => leastAlike(them, holder, neededAt(point))))]
}

const hasNoneOn = ({ entity }: Point): string => `has privileges, but none on ${entity}`

/** Principals with privileges, but none on the entity type: those with most privileges. */
export const elsewhere = limited(hasNoneOn, telling)

/** Principals with the operation on another entity type, and as little else as possible. */
export const elsewhereAlone = limited(hasNoneOn, tellingAlone)

/**
 * The fewest principals that lack the operation and still differ in their other privileges: those with another one on
 * the entity type, one without any, and those that tell most of the others.
 */
export const withoutIt = limited(lacksNeeded, (all, point) => {
  const { entity } = point
  const them = lacking(all, entity, neededAt(point))
  const others = tellingAlone(all, point)
  if (others.length === 0) return tellingMost(covering(them), entity, neededAt(point), all)
  return [
    ...covering(them.filter((holder) => operationsOn(holder, entity).length > 0 || mayNothing(holder))),
    ...others
  ]
})

/** Principals that lack the operation, and nothing else as far as possible. */
export const without = limited(lacksNeeded, (all, point) => nearest(all, point.entity, neededAt(point)))

/** One of them: another one at each call. */
export const oneWithout = inTurn(1, without)

/** Principals with one other operation alone on the entity type: one for each. */
export const anotherAlone = limited(
  (point) => `has an operation other than ${neededAt(point)} alone on ${point.entity}`,
  (all, point) => operations.flatMap((other) => (other === neededAt(point) ? [] : [withOnly(all, point.entity, other)]))
)

/** The principal with this operation alone on the entity type; default: the one that the call needs. */
export const alone = (operation?: Operation): Callers =>
  limited(
    (point) => `has ${operation ?? neededAt(point)} alone on ${point.entity}`,
    (all, point) => [withOnly(all, point.entity, operation ?? neededAt(point))]
  )

/** The maximum number of tried principals without privileges on an entity type; the fewest with all others. */
const maxStrangers = 6

/** Principals without any privilege on the entity type, and one without any at all. */
export const withNothingOn = limited(
  ({ entity }) => `has no privilege on ${entity}`,
  (all, { entity }) => covered(strangers(all, entity), maxStrangers)
)

const again = (holder: Holder): Caller => ({
  name: `${holder.name}.reissued`,
  as: `${holder.name}.reissued`,
  holder
})

/** The second tokens of principals that lack the operation: those with another one on the entity type, and the least. */
export const reissued = ifAny(
  limited(
    lacksNeeded,
    (all, point) =>
      nearest(
        all.filter(({ limited: { reissued } }) => reissued !== undefined),
        point.entity,
        neededAt(point)
      ),
    again
  )
)

const callers = (...all: ReadonlyArray<Caller>): Callers => ({ at: () => all })

/** Each principal of the profile among these, as the same kind of caller. */
const eachOf = (them: (profile: Profile) => ReadonlyArray<PrincipalName>, as: (name: PrincipalName) => Caller) => ({
  at: (_: Point, profile: Profile) => them(profile).map(as)
})

const header = (
  name: string,
  as: PrincipalName,
  authorization: (token: string) => string,
  made?: (token: string) => string
): Caller => ({
  name,
  as,
  ...(made && { made }),
  sent: (token) => ({ as: { authorization: authorization(token) } })
})

export const nobody = callers({ name: "nobody", as: null })

/** A token in the query. Only one that expires soon, because servers keep URLs in logs (RFC 6750, section 2.3). */
export const inTheQuery: Callers = eachOf(
  (profile) => [oauthPrincipal(profile) ?? []].flat(),
  (as) => ({
    name: `${as} in the query`,
    as,
    sent: (token, { path }: Call) => ({
      as: null,
      path: `${path}${path.includes("?") ? "&" : "?"}access_token=${encodeURIComponent(token)}`
    })
  })
)

/** A token at other places than the header and the query: in a body, a cookie and another header (§5.2). */
export const misplaced: Callers = eachOf(
  (profile) => [oauthPrincipal(profile) ?? []].flat(),
  (as) => ({
    name: `${as} in a cookie and another header`,
    as,
    sent: (token) => ({ as: null, headers: { Cookie: `access_token=${token}`, "X-Api-Key": token } })
  })
)
export const inTheBody: Callers = eachOf(
  (profile) => [oauthPrincipal(profile) ?? []].flat(),
  (as) => ({
    name: `${as} in the body`,
    as,
    sent: (token, { json }: Call) => ({ as: null, json: { ...Object(json), access_token: token } })
  })
)

export const otherScheme = callers(
  header("the token alone", "admin", (token) => token),
  header("the token by Basic", "admin", (token) => `Basic ${token}`),
  header("the token by Token", "admin", (token) => `Token ${token}`)
)

/** A client's id and secret by Basic, if the profile has a client. */
export const clientByBasic: Callers = {
  at: (_, profile) => {
    const client = goodClient(profile)
    return client === undefined ? [] : [{ name: "a client by Basic", as: null, client }]
  }
}

/** Text that is no token. */
export const noise = callers(
  ...["Bearer", "Bearer conformance", "Bearer con.form.ance"].map((text) => header(text, "admin", () => text))
)

/** The most forgeries of one token. Personal tokens are opaque, and an opaque token has fewer. */
const mostForgeries = 7
const mostOfOpaque = 4

const forgeriesBy = (as: PrincipalName): ReadonlyArray<Caller> =>
  Array.from({ length: as === "personalToken" ? mostOfOpaque : mostForgeries }, (_, which) =>
    header(
      `forgery ${which} of ${as}`,
      as,
      (token) => `Bearer ${token}`,
      (token) => {
        const all = forgeriesOf(token)
        return all[which % all.length] ?? ""
      }
    )
  )

/** Forgeries of the admin's token. */
export const forged = callers(...forgeriesBy("admin"))

/** Forgeries of a token of each kind: of a JWT and of an opaque one, where both exist. */
export const forgedOfEachKind: Callers = {
  at: (_, profile) => {
    const personal = profile.principals.personalToken === undefined ? [] : (["personalToken"] as const)
    const them = new Set<PrincipalName>(["admin", oauthPrincipal(profile) ?? "admin", ...personal])
    return [...them].flatMap(forgeriesBy)
  }
}

const principal = (as: PrincipalName): Caller => ({ name: as, as })

/** A token that is no longer valid, if the profile has one. */
export const expired: Callers = eachOf(
  ({ principals }) => (principals.expiredToken === undefined ? [] : ["expiredToken"]),
  principal
)
export const revoked: Callers = eachOf(
  ({ principals }) => (principals.revokedToken === undefined ? [] : ["revokedToken.revoked"]),
  principal
)

/**
 * A further valid token in its turn, for calls that are refused for their content: a rule of every exchange judges the
 * token. `shift` chooses another one for each row, so that each call has several.
 */
export const valid = (shift: number): Callers => ({
  at: (_, profile, place) => {
    const turns = furtherTurnsOf(profile)
    const turn = turns.length === 0 ? "any" : (turns[(place + shift) % turns.length] ?? "any")
    return [{ name: `turn ${turn}`, as: "admin", sent: () => ({ turn, isOfContent: true }) }]
  }
})

const plainly = (as: PrincipalName | null): Caller => ({
  name: `${as ?? "nobody"} by plain HTTP`,
  as,
  sent: () => ({ as, to: "plain" })
})

/**
 * A valid token by plain HTTP: a server may pass it on, or carry out a call that it refuses. A network observer may read
 * it, so it is an OAuth token, which expires soon. Without a client nobody calls; the admin does if that is a 401, which
 * may be the surface's own.
 */
export const byPlainHttp: Callers = {
  at: (_, profile) => {
    if (profile.newer.plainHttpUrl?.startsWith("http://") !== true) return []
    const client = oauthPrincipal(profile)
    if (client !== undefined) return [plainly(client)]
    return [{ ...plainly(null), otherwise: { after: [401], caller: plainly("admin") } }]
  }
}
