import * as Expect from "../engine/Expect.ts"
import type { Exchange } from "../wire/Exchange.ts"
import type { Json } from "../wire/Json.ts"
import { idOf, itemsOf, workerField } from "./Reading.ts"

/** The worker of an id in what a list shows; undefined where it is not shown. */
export const shownIn = (exchange: Exchange, id: string): Json | undefined =>
  itemsOf(exchange.answer?.json).find((item) => idOf(item) === id)

/** A list shows the worker. */
export const shows = (exchange: Exchange, id: string): Expect.Met => {
  const noList = [...Expect.status(exchange, 200), ...Expect.type(exchange, "data", "list")]
  if (noList.length > 0 || shownIn(exchange, id) !== undefined) return noList
  return Expect.difference(exchange, "missing", "body.data", `the worker ${id}`, null)
}

/** A lookup is carried out and shows nothing. */
export const showsNothing = (exchange: Exchange): Expect.Met => {
  const wrongStatus = Expect.status(exchange, 200)
  return wrongStatus.length > 0 ? wrongStatus : Expect.value(exchange, "data", [])
}

/** Where a worker's external id stands (SIL-22). */
export const externalIdOf = (worker: Json | undefined): Json | undefined => workerField(worker, "source.externalId")

/** A lookup is carried out and shows nobody who was made under this name. */
export const showsNobodyOf = (exchange: Exchange, externalId: string): Expect.Met => {
  const wrong = [...Expect.status(exchange, 200), ...Expect.type(exchange, "data", "list")]
  if (wrong.length > 0) return wrong
  return itemsOf(exchange.answer?.json).flatMap((item, index) =>
    externalIdOf(item) === externalId
      ? Expect.difference(exchange, "changed", `body.data.${index}`, `no worker of ${externalId}`, idOf(item))
      : []
  )
}
