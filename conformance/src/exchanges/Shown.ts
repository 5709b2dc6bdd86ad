import { idOf, itemsOf, slotsOf, workerField } from "../calls/Reading.ts"
import * as Expect from "../judgement/Expect.ts"
import { tablePaths } from "../profile/Groups.ts"
import { newerRoot } from "../profile/Roots.ts"
import { isObject, type Json } from "../text/Json.ts"
import { type Exchange, isIn, statusOf } from "../wire/Exchange.ts"
import { lastOf } from "./Creates.ts"
import { isCall, originOf, pathOf, sentBy } from "./Envelope.ts"
import { besides, type ExchangeRule } from "./ExchangeRule.ts"

// Compares answers about the same resource. State that another call may have changed in between is left out.

const isRead =
  (form: RegExp) =>
  (exchange: Exchange): boolean =>
    exchange.request.method === "GET" && isIn(exchange, 2) && isCall(exchange) && form.test(pathOf(exchange))

const isWorkerList = isRead(new RegExp(`^${newerRoot}${tablePaths.worker}$`))
const isCredentialList = isRead(new RegExp(`^${newerRoot}${tablePaths.credential}$`))
const isCredential = isRead(new RegExp(`^${newerRoot}${tablePaths.credential}/[^/]+$`))

const queryOf = (exchange: Exchange, name: string): string | null =>
  new URL(exchange.request.url).searchParams.get(name)

const items = (exchange: Exchange): ReadonlyArray<Json> => itemsOf(exchange.answer?.json)

/** A lookup shows no worker with another external id. */
const isExact = (exchange: Exchange): Expect.Met => {
  const asked = queryOf(exchange, "externalId")
  return items(exchange).flatMap((item, index) => {
    const shown = workerField(item, "source.externalId")
    // a different letter case breaks only WRK-16
    return asked === null || shown === undefined || String(shown).toLowerCase() === asked.toLowerCase()
      ? []
      : Expect.difference(
          exchange,
          "unexpected",
          `body.data.${index}`,
          `only workers with the external id ${asked}`,
          shown
        )
  })
}

/** At most as many items as the caller wants. */
const isWithinPage = (exchange: Exchange): Expect.Met => {
  const size = Number(queryOf(exchange, "pageSize"))
  const length = items(exchange).length
  return length <= size ? [] : Expect.difference(exchange, "wrong-value", "body.data.length", `at most ${size}`, length)
}

/** A slot is empty or holds one id of its own kind. */
const slotsAreWell = (exchange: Exchange, credential: Json | undefined, position: string): Expect.Met => {
  const owners = isObject(credential) && isObject(credential["attributes"]) ? credential["attributes"]["owners"] : null
  if (!isObject(owners)) return []
  const slots = slotsOf(credential)
  return (["worker", "applicant"] as const).flatMap((slot) => {
    const [holder, prefix] = [slots[slot], slot === "worker" ? "wkr_" : "app_"]
    if (!Object.hasOwn(owners, slot) || holder === null || holder?.startsWith(prefix) === true) return []
    const where = `${position}.attributes.owners.${slot}`
    return Expect.difference(exchange, "wrong-value", `body.${where}`, `empty, or ${prefix} and more`, owners[slot])
  })
}

const oneOrMany = (exchange: Exchange): Expect.Met =>
  isCredential(exchange)
    ? slotsAreWell(exchange, Expect.valueAt(exchange, "data"), "data")
    : items(exchange).flatMap((item, index) => slotsAreWell(exchange, item, `data.${index}`))

/** A read of a credential shows its id and both slots. */
const showsSlots = (exchange: Exchange): Expect.Met => [
  ...Expect.type(exchange, "data.attributes.owners", "object"),
  ...["worker", "applicant"].flatMap((slot) =>
    isObject(Expect.valueAt(exchange, "data.attributes.owners"))
      ? Expect.present(exchange, `data.attributes.owners.${slot}`, "a slot")
      : []
  ),
  ...Expect.value(exchange, "data.id", lastOf(pathOf(exchange)))
]

/** The external ids with which the run created workers on a host, by id. Workers that were changed are left out. */
const createdWorkers = (all: ReadonlyArray<Exchange>): ReadonlyMap<string, string> => {
  const workers = new Map<string, string>()
  for (const exchange of all) {
    const isCreated = exchange.request.method === "POST" && statusOf(exchange) === 201 && isCall(exchange)
    if (!isCreated || pathOf(exchange) !== `${newerRoot}${tablePaths.worker}`) continue
    const id = idOf(Expect.valueAt(exchange, "data"))
    const sent = workerField(sentBy(exchange), "source.externalId")
    if (id !== undefined && typeof sent === "string") workers.set(`${originOf(exchange)} ${id}`, sent)
  }
  for (const exchange of all) {
    const { kind, request } = exchange
    if (kind !== "call" || (request.method !== "PUT" && request.method !== "PATCH")) continue
    workers.delete(`${originOf(exchange)} ${lastOf(pathOf(exchange))}`)
  }
  return workers
}

/** A listed worker has the external id with which it was created. */
const asCreated = (exchange: Exchange, workers: ReadonlyMap<string, string>): Expect.Met => {
  return items(exchange).flatMap((item, index) => {
    const sent = workers.get(`${originOf(exchange)} ${idOf(item) ?? ""}`)
    const shown = workerField(item, "source.externalId")
    return sent === undefined ? [] : Expect.same(exchange, `body.data.${index}.source.externalId`, sent, shown)
  })
}

/** A list of an owner's credentials shows only those that have the owner in a slot. */
const areOwned = (exchange: Exchange, owners: ReadonlyMap<string, string>): Expect.Met => {
  const owner = owners.get(`${originOf(exchange)} ${queryOf(exchange, "ownerExternalId") ?? ""}`)
  if (owner === undefined) return []
  return items(exchange).flatMap((item, index) =>
    slotsOf(item).worker === owner
      ? []
      : Expect.difference(
          exchange,
          "unexpected",
          `body.data.${index}`,
          `only credentials of ${owner}`,
          idOf(item) ?? null
        )
  )
}

/** The workers by external id, on each host. */
const ownersByName = (all: ReadonlyArray<Exchange>): ReadonlyMap<string, string> => {
  const workers = [...createdWorkers(all)].map(([key, name]) => {
    const [origin = "", id = ""] = key.split(" ")
    return [`${origin} ${name}`, id] as const
  })
  const names = workers.map(([name]) => name)
  return new Map(workers.filter(([name]) => names.indexOf(name) === names.lastIndexOf(name)))
}

/** Rules about everything that reads show. */
export const shownRules: ReadonlyArray<ExchangeRule> = [
  besides("WRK-06", (exchange) => isWorkerList(exchange) && queryOf(exchange, "externalId") !== null, isExact),
  besides(
    "WRK-09",
    (exchange) => isWorkerList(exchange) && /^\d+$/.test(queryOf(exchange, "pageSize") ?? ""),
    isWithinPage
  ),
  besides("CRD-04", isCredential, showsSlots),
  besides("CRD-05", (exchange) => isCredential(exchange) || isCredentialList(exchange), oneOrMany),
  {
    rule: "WRK-14",
    appliesTo: isWorkerList,
    judge: (exchanges, all) => {
      const workers = createdWorkers(all)
      return exchanges.flatMap((exchange) => asCreated(exchange, workers))
    },
    whenUnseen: "nothing"
  },
  {
    rule: "CRD-06",
    appliesTo: (exchange) => isCredentialList(exchange) && queryOf(exchange, "ownerExternalId") !== null,
    judge: (exchanges, all) => {
      const owners = ownersByName(all)
      return exchanges.flatMap((exchange) => areOwned(exchange, owners))
    },
    whenUnseen: "nothing"
  }
]
