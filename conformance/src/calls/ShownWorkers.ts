import * as Expect from "../judgement/Expect.ts"
import type { Json } from "../text/Json.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { idOf, itemsOf, workerField } from "./Reading.ts"

/** The worker with an id in a list answer; undefined if absent. */
export const shownIn = (exchange: Exchange, id: string): Json | undefined =>
  itemsOf(exchange.answer?.json).find((item) => idOf(item) === id)

/** A list shows the worker. */
export const shows = (exchange: Exchange, id: string): Expect.Met => {
  const noList = [...Expect.status(exchange, 200), ...Expect.type(exchange, "data", "list")]
  if (noList.length > 0 || shownIn(exchange, id) !== undefined) return noList
  return Expect.difference(exchange, "missing", "body.data", `the worker ${id}`, null)
}

/** The lookup succeeds with an empty list. */
export const showsNothing = (exchange: Exchange): Expect.Met => {
  const wrongStatus = Expect.status(exchange, 200)
  return wrongStatus.length > 0 ? wrongStatus : Expect.value(exchange, "data", [])
}

/** The place of a worker's external id (SIL-22). */
export const externalIdOf = (worker: Json | undefined): Json | undefined => workerField(worker, "source.externalId")

/** The lookup succeeds and shows no worker with this external id. */
export const showsNobodyOf = (exchange: Exchange, externalId: string): Expect.Met => {
  const wrong = [...Expect.status(exchange, 200), ...Expect.type(exchange, "data", "list")]
  if (wrong.length > 0) return wrong
  return itemsOf(exchange.answer?.json).flatMap((item, index) =>
    externalIdOf(item) === externalId
      ? Expect.difference(
          exchange,
          "changed",
          `body.data.${index}`,
          `no worker with the external id ${externalId}`,
          idOf(item)
        )
      : []
  )
}
