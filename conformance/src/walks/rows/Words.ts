import { isShown } from "../../calls/GuardedCalls.ts"
import { turnedAway } from "../../calls/PlainHttp.ts"
import { idOf, itemsOf } from "../../calls/Reading.ts"
import { codesOf } from "../../catalogue/ErrorCodes.ts"
import { errorEnvelope } from "../../exchanges/Envelope.ts"
import * as Expect from "../../judgement/Expect.ts"
import type { Call } from "../../judgement/Session.ts"
import type { Profile } from "../../profile/Profile.ts"
import { at, isObject, type Json } from "../../text/Json.ts"
import { wellFormed } from "../../wire/CallersId.ts"
import { type Exchange, statusOf } from "../../wire/Exchange.ts"
import { formOf } from "../../wire/FormEncoding.ts"
import { neededAt } from "./Callers.ts"
import { type Calls, type Form, type Must, type Names, type Point, withId } from "./Row.ts"

// The words of rows: which calls, in which forms, and what must be true of the answers.

export const lists: Calls = ["list"]
export const reads: Calls = ["list", "read"]
export const creates: Calls = ["create"]
export const updates: Calls = ["update"]
export const deletes: Calls = ["delete"]
export const actions: Calls = ["action", "batch"]
export const absent: Calls = ["absent"]
export const noDelete: Calls = ["no delete"]
/** The calls whose privilege §4.2 names. */
export const plain: Calls = [...reads, ...creates, ...updates, ...deletes]
/** Every call that the deployment offers. */
export const every: Calls = [...plain, ...actions]

const sentRaw = (name: string, body: string): Form => ({
  name,
  calls: [...creates, ...updates, ...actions],
  isAt: ({ takesBody }) => takesBody,
  of: () => ({ raw: { body, type: "application/json" } })
})

export const brokenBody = sentRaw("a broken body", '{"identity":')
export const listBody = sentRaw("a list as body", "[42]")

/** With a request id of the caller, which the refusal must echo. */
const sentAs = (name: string, type: string, of: (json: Json, names: Names) => string): Form => ({
  name,
  calls: [...creates, ...updates, ...actions],
  isAt: ({ takesBody }) => takesBody,
  of: ({ json }, names) => ({
    raw: { body: of((json ?? null) as Json, names), type },
    headers: { "X-Request-Id": wellFormed(names.unique) }
  })
})

const asJson = (name: string, of: (text: string) => string) =>
  sentAs(name, "application/json", (json) => of(JSON.stringify(json)))

/** JSON that is cut off, with a key without quotes, and a word. */
export const brokenJson = [
  asJson("cut JSON", (text) => text.slice(0, -1)),
  asJson("a bare key", (text) => text.replace(/^\{"(\w+)"/, "{$1")),
  asJson("a word for JSON", () => "conformance")
]

/** The forms at the calls of credentials alone, and at all others. */
export const ofCredentials = (forms: ReadonlyArray<Form>, isTheirs = true): ReadonlyArray<Form> =>
  forms.map((form) => ({
    ...form,
    isAt: (point) => form.isAt?.(point) !== false && (point.entity === "credential") === isTheirs
  }))

/** A number for the name that every worker has (§2.2). */
export const numberAsName: Form = {
  name: "a number for a name",
  calls: updates,
  of: ({ json }) => {
    const text = JSON.stringify(json ?? null)
    const body = text.replace(/"displayName":"[^"]*"/, '"displayName":7')
    return body === text ? undefined : { raw: { body, type: "application/json" } }
  }
}

/**
 * Forms have no common notation for lists, and all their values are texts. A batch without its ids concerns all
 * credentials of the target's owner, which must all be the run's.
 */
const texts = (json: Json): Json =>
  isObject(json)
    ? Object.fromEntries(Object.entries(json).filter(([, value]) => isObject(value) || typeof value === "string"))
    : json

/** The JSON body as a form, in two notations of nested names. */
export const forms = (["brackets", "dots"] as const).map((style) =>
  sentAs(`a form with ${style}`, "application/x-www-form-urlencoded", (json, { isOfOthers }) =>
    new URLSearchParams(formOf(isOfOthers === true ? json : texts(json), style)).toString()
  )
)

/** An unused id in the form of the group's. */
export const ofNobody: Form = {
  name: "an unknown id",
  calls: ["read", "update", "delete", "action"],
  of: ({ path }, { id, nobody }) =>
    nobody === undefined ? undefined : { path: withId(path, id, encodeURIComponent(nobody)) }
}

/** A word for an id, without compliance checks. */
export const ofAWord: Form = {
  name: "a word for an id",
  calls: ["read", "update", "delete", "action"],
  isAt: ({ entity }) => entity !== "complianceCheck",
  of: ({ path }, { id }) => ({ path: withId(path, id, "conformance") })
}

/** An id of another group, for ids with a prefix. */
export const ofAnotherGroup: Form = {
  name: "an id of another group",
  calls: ["read", "action"],
  isAt: ({ entity, way }) => way === "action" || entity === "credential",
  of: ({ path }, { id }) => {
    const other = id.replace(/^[a-z]+_/, "wkr_")
    return other === id ? undefined : { path: withId(path, id, encodeURIComponent(other)) }
  }
}

/** The same, without compliance checks: a call may create one under a new code. */
export const ofNobodyGiven: Form = { ...ofNobody, isAt: ({ entity }) => entity !== "complianceCheck" }

/** `GET` of an id without the form of ids. Needs no resource, so it is judged at the ceiling read too. */
export const ofNoForm: Form = {
  name: "an id without form",
  calls: lists,
  isAt: ({ entity }) => entity === "credential", // no other read by id is documented
  of: ({ path }, { unique }) => ({ path: `${path.split("?")[0] ?? ""}/cred_${unique}` })
}

const queried = (query: string, isAt: NonNullable<Form["isAt"]>): Form => ({
  name: query,
  calls: lists,
  isAt,
  of: ({ path }: Call) => ({ path: `${path}${path.includes("?") ? "&" : "?"}${query}` })
})

export const onePage = queried("pageSize=1", () => true)
export const byName = queried("externalId=conf-nobody", ({ entity }) => entity === "worker")

const refused = (met: Must["met"]): Must => ({ refuses: true, met })

export const unauthorized = refused((exchange) => Expect.status(exchange, 401))
export const forbidden = refused((exchange) => Expect.error(exchange, 403, "FORBIDDEN"))
/** Of a method that the group lacks. */
export const notThere = refused((exchange) => Expect.status(exchange, 403, 404, 405))
/** Data in a refusal. */
const disclosed = (exchange: Exchange): Expect.Met => {
  const { json } = exchange.answer ?? {}
  const isData = itemsOf(json).length > 0 || idOf(at(json, "data")) !== undefined
  return isData ? Expect.difference(exchange, "disclosed", "body", "no data", "data") : []
}

/** Refused by plain HTTP in any way that does not pass the token on, and without data. */
export const turned = refused((exchange, { token }) => [...turnedAway(exchange, token), ...disclosed(exchange)])

/**
 * Why CREATE or UPDATE on webhook may not suffice for the profile's body. A subscription to events of another entity
 * may need READ on it; the specification is silent.
 */
const subscribesToo =
  "the deployment refused groups.webhook.create.body from a principal with one privilege on webhook alone: if the " +
  "body subscribes to events about another entity, move these events to subscribedWebhook.body"

export const badRequest = refused((exchange) => {
  const wrong = Expect.error(exchange, 400, ...codesOf(400))
  return wrong.length > 0 ? wrong : errorEnvelope(exchange)
})
export const rejected = refused(Expect.rejected)
/** A 404 is a warning, because ids are opaque. The form of ids in undocumented groups is unknown. */
export const malformed: Must = {
  refuses: true,
  met: (exchange, { point: { entity } }) =>
    statusOf(exchange) === 404 && !isShown(entity) ? [] : Expect.error(exchange, 400, ...codesOf(400)),
  isWarning: (exchanges) => exchanges.every((one) => [400, 404].includes(statusOf(one)))
}
/** Answered in any way: only what it leaves is judged. */
export const anyhow = refused(() => [])
/** A 400 is a warning: ids may contain a checksum. */
export const unknown: Must = {
  refuses: true,
  met: (exchange) => Expect.error(exchange, 404, "NOT_FOUND"),
  isWarning: (exchanges) => exchanges.every((one) => statusOf(one) === 400)
}

export const accepted: Must = {
  refuses: false,
  met: Expect.accepted,
  unless: (exchanges: ReadonlyArray<Exchange>, { entity }: Point, { subscribedWebhook }: Profile) =>
    entity === "webhook" && subscribedWebhook === undefined && exchanges.some((one) => statusOf(one) === 403)
      ? subscribesToo
      : undefined
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** The message names the caller's account and the refused operation. Which one guards an action is open (SIL-13). */
export const saysWho: Must["met"] = (exchange, { caller, point }) => {
  if (caller.holder === undefined || !plain.includes(point.way)) return []
  const { accountUrn } = caller.holder.limited
  const urn = accountUrn === undefined ? "urn:\\S+" : escaped(accountUrn)
  const form = new RegExp(`^${urn} is unauthorized to ${neededAt(point)} \\S.*\\.$`, "s")
  const words = `${accountUrn ?? "<account_urn>"} is unauthorized to ${neededAt(point)} <entities>.`
  return Expect.matches(exchange, "error.message", form, words)
}
