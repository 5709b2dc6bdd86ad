import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import { isRuleId } from "@wcs/conformance/catalogue/RuleIdSchema"
import { type DifferenceKind, differenceKinds } from "@wcs/conformance/judgement/Difference"
import type { Place } from "../server/Place.ts"
import { type Route, routes } from "../server/Routes.ts"

/** A rule that a fault breaks, and the kind of difference that shows it: `OWN-04 status`. */
export type KillText = `${RuleId} ${DifferenceKind}`

/** One wrong behaviour at one place. */
export interface Fault {
  /** Unique: the rule, the wrong behaviour and the place. */
  readonly name: string
  readonly rule: RuleId
  /** The kind of difference that shows it. */
  readonly kind: DifferenceKind
  /** The point in the server's code. */
  readonly point: string
  readonly place: Place
}

const nameOf = (rule: RuleId, point: string, place: Place): string =>
  `${rule}: ${[point, ...Object.entries(place).map(([key, value]) => `${key} ${value}`)].join(", ")}`

const killOf = (text: KillText): Pick<Fault, "rule" | "kind"> => {
  const [rule = "", word] = text.split(" ")
  const kind = differenceKinds.find((known) => known === word)
  if (!isRuleId(rule) || kind === undefined) throw new Error(`not a kill: ${text}`)
  return { rule, kind }
}

/** Rows of one wrong behaviour, one for each place: `rows("DEL-01 status", "a delete is 200", places)`. */
export const rows = (kill: KillText, point: string, places: ReadonlyArray<Place>): ReadonlyArray<Fault> => {
  const { kind, rule } = killOf(kill)
  return places.map((place) => ({ name: nameOf(rule, point, place), rule, kind, point, place }))
}

/** A row of one wrong behaviour in one place. */
export const row = (kill: KillText, point: string, place: Place = {}): ReadonlyArray<Fault> =>
  rows(kill, point, [place])

/**
 * Rows of calls that find a resource although they must not. A delete may answer so for a resource that is not there, and
 * only what is gone shows that it was found.
 */
export const foundBy = (rule: RuleId, point: string, places: ReadonlyArray<Place>): ReadonlyArray<Fault> => {
  const isDeletion = ({ endpoint = "" }: Place) => endpoint.startsWith("DELETE")
  return [
    ...rows(
      `${rule} status`,
      point,
      places.filter((place) => !isDeletion(place))
    ),
    ...rows(`${rule} changed`, point, places.filter(isDeletion))
  ]
}

/** Rows of calls that are refused and take effect. An event shows a verification; a resource shows every other call. */
export const madeBy = (rule: RuleId, point: string, places: ReadonlyArray<Place>): ReadonlyArray<Fault> => {
  const isVerification = ({ endpoint = "" }: Place) => endpoint.endsWith("/verify")
  return [
    ...rows(
      `${rule} changed`,
      point,
      places.filter((place) => !isVerification(place))
    ),
    ...rows(`${rule} unexpected`, point, places.filter(isVerification))
  ]
}

/**
 * Rows of lists that show what was created on another tenant's host. Nobody creates bans and screening packages, which
 * two tenants may have in common.
 */
export const listsOfBoth = (places: ReadonlyArray<Place>): ReadonlyArray<Fault> => {
  const created = new Set(routes.filter(isCreate).map(({ endpoint }) => endpoint.replace("POST", "GET")))
  const isCreated = ({ endpoint = "" }: Place) => created.has(endpoint)
  return rows("TRN-05 disclosed", "a list has resources of another tenant", places.filter(isCreated))
}

/** The expected kill of a fault. */
export const killBy = ({ kind, rule }: Fault): KillText => `${rule} ${kind}`

/** Places that differ in one key. */
export const each = (key: string, values: ReadonlyArray<string>, more: Place = {}): ReadonlyArray<Place> =>
  values.map((value) => ({ ...more, [key]: value }))

/** Every combination of two lists of places. */
export const cross = (left: ReadonlyArray<Place>, right: ReadonlyArray<Place>): ReadonlyArray<Place> =>
  left.flatMap((one) => right.map((other) => ({ ...one, ...other })))

/** The groups of the specification; others are the server's own. */
const isOwn = ({ endpoint, type }: Route): boolean =>
  ["accessToken", "apiClient", "auditEntry", "integration"].includes(type) ||
  /^GET \/(bans|screening-packages)\/|\/again$/.test(endpoint)

const main = routes.filter((route) => !isOwn(route))

/** The endpoints of the newer surface without the server's own, by a condition. */
export const endpoints = (isMeant: (route: Route) => boolean = () => true): ReadonlyArray<string> => [
  ...new Set(main.filter(isMeant).map(({ endpoint }) => endpoint))
]

export const isList = ({ endpoint, method }: Route): boolean => method === "GET" && !endpoint.includes("{")
export const isSingle = ({ endpoint, method }: Route): boolean => method === "GET" && endpoint.includes("{")
export const isCreate = ({ endpoint, method }: Route): boolean => method === "POST" && /^POST \/[a-z-]+$/.test(endpoint)
export const isUpdate = ({ method }: Route): boolean => method === "PUT" || method === "PATCH"
export const isDelete = ({ method }: Route): boolean => method === "DELETE"
/** Whether the endpoint reads a JSON body. */
export const hasBody = (route: Route): boolean =>
  (route.method === "POST" && !route.endpoint.endsWith("/rotate")) || isUpdate(route)
/** Whether the path has an id. */
export const hasId = ({ endpoint }: Route): boolean => endpoint.includes("{id}")

/** Some of the values, evenly spread; `shift` chooses which. */
export const some = <A>(values: ReadonlyArray<A>, count: number, shift = 0): ReadonlyArray<A> => {
  const taken = Math.min(count, values.length)
  const chosen = Array.from({ length: taken }, (_, index) => Math.floor((index * values.length) / taken) + shift)
  return [...new Set(chosen.map((index) => index % values.length))].flatMap((index) => {
    const value = values[index]
    return value === undefined ? [] : [value]
  })
}

/** Places at some endpoints. */
export const at = (list: ReadonlyArray<string>, count: number, shift = 0, more: Place = {}): ReadonlyArray<Place> =>
  each("endpoint", some(list, count, shift), more)
