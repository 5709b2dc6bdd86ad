import { deliveryHeader, deliveryIdOf, hasDeliveryId, says } from "../calls/Deliveries.ts"
import { returnedId } from "../calls/VerifyCalls.ts"
import * as Expect from "../judgement/Expect.ts"
import { type Exchange, isIn } from "../wire/Exchange.ts"
import { besides, type ExchangeRule } from "./ExchangeRule.ts"

const kind = "credential.verified"

const isDelivery = (exchange: Exchange): boolean => exchange.kind === "delivery"

/** The correlation ids of verifications and creates that were carried out. */
const correlationIds = (all: ReadonlyArray<Exchange>): ReadonlyArray<string> => [
  ...new Set(
    all.flatMap((exchange) => {
      if (exchange.kind !== "call" || !isIn(exchange, 2) || exchange.request.method !== "POST") return []
      const created = Expect.valueAt(exchange, "meta.correlationId")
      const verified = exchange.request.url.endsWith("/verify") ? returnedId(exchange) : undefined
      return verified ?? (typeof created === "string" && created !== "" ? created : [])
    })
  )
]

/** A delivery and the correlation id that it carries. */
interface Carried {
  readonly delivery: Exchange
  readonly correlationId: string
}

/** A cache: three rules ask for the same deliveries of a run. */
const known = new WeakMap<ReadonlyArray<Exchange>, ReadonlyArray<Carried>>()

/** All rules about what deliveries carry apply to every delivery. */
const carried = (deliveries: ReadonlyArray<Exchange>, all: ReadonlyArray<Exchange>): ReadonlyArray<Carried> => {
  const found = known.get(all) ?? newCarried(deliveries, all)
  known.set(all, found)
  return found
}

const newCarried = (deliveries: ReadonlyArray<Exchange>, all: ReadonlyArray<Exchange>): ReadonlyArray<Carried> => {
  const ids = correlationIds(all)
  return deliveries.flatMap((delivery) => {
    const own = ids.filter((id) => says(id)(delivery))
    const [correlationId] = own
    return own.length === 1 && correlationId !== undefined ? [{ delivery, correlationId }] : []
  })
}

const where = `header ${deliveryHeader.toLowerCase()}`

/** Deliveries with the same id have the same event and the same correlation id. */
const idsAreDistinct = (all: ReadonlyArray<Carried>): Expect.Met => {
  const known = new Map<string, string>()
  return all.flatMap(({ correlationId, delivery }) => {
    const id = deliveryIdOf(delivery)
    if (id === undefined) return []
    const first = known.get(id) ?? correlationId
    known.set(id, first)
    return first === correlationId ? [] : Expect.difference(delivery, "repeated", where, "different each time", id)
  })
}

/**
 * All attempts of one event at one webhook have the same delivery id. A caller may give one correlation id to several
 * verifications. So two deliveries are attempts of one event only if their bodies are equal too, apart from delivery
 * ids.
 */
const attemptsAgree = (all: ReadonlyArray<Carried>): Expect.Met => {
  const known = new Map<string, string>()
  const ids = [...new Set(all.flatMap(({ delivery }) => deliveryIdOf(delivery) ?? []))]
  // an id may begin with another
  const longestFirst = ids.toSorted((one, other) => other.length - one.length)
  const withoutIds = (body: string) => longestFirst.reduce((rest, id) => rest.replaceAll(id, ""), body)
  return all.flatMap(({ correlationId, delivery }) => {
    const id = deliveryIdOf(delivery)
    if (id === undefined || !says(kind)(delivery)) return []
    const event = `${delivery.request.url} ${correlationId} ${withoutIds(delivery.request.body)}`
    const first = known.get(event) ?? id
    known.set(event, first)
    return first === id ? [] : Expect.difference(delivery, "wrong-value", where, first, id)
  })
}

const namesKind = ({ delivery }: Carried): Expect.Met =>
  says(kind)(delivery) ? [] : Expect.difference(delivery, "missing", "body or headers", kind, null)

/** Rules about every delivery of a run: first attempts, retries and redrives. */
export const deliveryRules: ReadonlyArray<ExchangeRule> = [
  besides("EVT-03", isDelivery, hasDeliveryId),
  {
    rule: "EVT-04",
    appliesTo: isDelivery,
    judge: (deliveries, all) => idsAreDistinct(carried(deliveries, all)),
    whenUnseen: "nothing"
  },
  {
    rule: "EVT-05",
    appliesTo: isDelivery,
    judge: (deliveries, all) => attemptsAgree(carried(deliveries, all)),
    whenUnseen: "nothing"
  },
  {
    rule: "EVT-15",
    appliesTo: isDelivery,
    judge: (deliveries, all) => carried(deliveries, all).flatMap(namesKind),
    whenUnseen: "nothing"
  }
]
