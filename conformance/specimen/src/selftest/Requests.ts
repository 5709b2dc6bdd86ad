import { walks } from "@wcs/conformance/walks/Walks"
import { Effect, References } from "effect"
import { ours } from "../Specimen.ts"
import * as Specimens from "../Specimens.ts"
import { judge } from "./Judging.ts"

/** Counts the requests of each walk on our deployment. A walk that the profile does not allow has no figure. */
export const requestsByWalk = Effect.gen(function* () {
  const start = yield* Specimens.make
  const events = yield* judge(yield* start(ours, true))
  const sent = events.flatMap((event) =>
    event.type === "exchange" && event.exchange.kind !== "delivery" ? [event.exchange.walk] : []
  )
  const counts = Map.groupBy(sent, (walk) => walk)
  const made = walks.flatMap(({ name }) => {
    const count = counts.get(name)?.length
    return count === undefined ? [] : [[name, count] as const]
  })
  return Object.fromEntries(made.toSorted(([one], [other]) => one.localeCompare(other)))
}).pipe(Effect.scoped, Effect.provideService(References.MinimumLogLevel, "Error"))
