import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { DifferenceKind } from "@wcs/conformance/judgement/Difference"
import type { Place } from "../Place.ts"
import { type Route, routes } from "../Routes.ts"

/** One wrong behaviour at one place. */
export interface Fault {
  /** Unique: the rule, the wrong behaviour and the place. */
  readonly name: string
  readonly rule: RuleId
  /** The kind of the difference that the suite must report. */
  readonly kind?: DifferenceKind
  /** The point in the server's code. */
  readonly point: string
  readonly place: Place
}

const nameOf = (rule: RuleId, point: string, place: Place): string =>
  `${rule}: ${[point, ...Object.entries(place).map(([key, value]) => `${key} ${value}`)].join(", ")}`

/** The rule that a fault breaks, and the kind of the difference that shows it: `OWN-04 status`. */
export type KillText = `${RuleId} ${DifferenceKind}`

/** Rows of one wrong behaviour, one for each place. */
export const rows = (kill: KillText | RuleId, point: string, places: ReadonlyArray<Place>): ReadonlyArray<Fault> => {
  const [rule, kind] = [kill.slice(0, 6) as RuleId, kill.slice(7) as DifferenceKind | ""]
  return places.map((place) => ({
    name: nameOf(rule, point, place),
    rule,
    ...(kind === "" ? {} : { kind }),
    point,
    place
  }))
}

/** A row of one wrong behaviour in one place. */
export const row = (kill: KillText | RuleId, point: string, place: Place = {}): ReadonlyArray<Fault> =>
  rows(kill, point, [place])

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
