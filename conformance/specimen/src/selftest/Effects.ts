import { isDeepStrictEqual } from "node:util"
import type { Event } from "@wcs/conformance/evidence/Event"
import { walks } from "@wcs/conformance/walks/Walks"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import type { Choice } from "../choices/Rows.ts"
import type { Hub } from "../target/Hub.ts"
import { start } from "../target/Start.ts"
import { judgeBy } from "../target/Target.ts"
import type { Reached } from "./Reached.ts"

// Notices whether a choice changes any exchange. A choice without an effect proves nothing about the suite.

const exchangesIn = (events: ReadonlyArray<Event>): ReadonlyArray<Exchange> =>
  events.flatMap((event) => (event.type === "exchange" ? [event.exchange] : []))

/** Runs a walk on a server with these choices. The default seed makes the same calls every time. */
const run = Effect.fnUntraced(function* (hub: Hub, name: string, choices: ReadonlyArray<Choice>) {
  const made = walks.filter((walk) => walk.name === name)
  return exchangesIn(yield* judgeBy(yield* start(hub, undefined, choices), made, { everywhere: new Set() }))
}, Effect.scoped)

/** Values that are others in each run. */
const random = [
  [/specimen\.test\/\d+/g, "receiver"],
  [/‹[^›]*›|eyJ[\w-]+(?:\.[\w-]+){0,2}/g, "token"],
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, "uuid"],
  [/conf-[a-z0-9]+-\d+x?/g, "name"],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "time"],
  [/[0-9a-f]{12,}/g, "digits"],
  [/\d{9,}/g, "number"]
] as const

const volatile = ["date", "x-ratelimit-remaining", "x-ratelimit-reset"]

/** An exchange without its random values. */
const lineOf = ({ answer, kind, request, silence }: Exchange): string => {
  const { body, headers, method, url } = request
  const sent = kind === "delivery" ? [method, headers, body] : [method, url]
  const named = Object.entries(answer?.headers ?? {}).filter(([name]) => !volatile.includes(name))
  const line = JSON.stringify([kind, sent, answer?.status ?? silence, named, answer?.text])
  return random.reduce((rest, [pattern, name]) => rest.replaceAll(pattern, name), line)
}

/** The number of different delivery ids, which are random. */
const deliveriesIn = (exchanges: ReadonlyArray<Exchange>): string => {
  const headers = exchanges.flatMap(({ kind, request }) => (kind === "delivery" ? request.headers : []))
  const ids = headers.flatMap(([name, id]) => (name.toLowerCase() === "x-service-delivery" ? [id] : []))
  return `${new Set(ids).size} delivery ids`
}

/** The exchanges of a walk in any order, each with its number. */
const summaryOf = (exchanges: ReadonlyArray<Exchange>): string => {
  const counts = [...Map.groupBy(exchanges, lineOf)].map(([line, same]) => `${same.length} times ${line}`)
  return [deliveriesIn(exchanges), ...counts.toSorted()].join("\n")
}

/** Tells which choices have an effect. Remembers the exchanges of the server by default. */
export const effects = (hub: Hub, readers: Reached["readers"]) => {
  const known = new Map<string, string | undefined>()

  /** The exchanges of a walk on the server by default; undefined if they are others in another run. */
  const usual = Effect.fnUntraced(function* (name: string) {
    if (known.has(name)) return known.get(name)
    const one = summaryOf(yield* run(hub, name, []))
    const other = summaryOf(yield* run(hub, name, []))
    known.set(name, one === other ? one : undefined)
    return known.get(name)
  })

  const changesProfile = Effect.fnUntraced(function* (choice: Choice) {
    const { profile } = yield* start(hub)
    return choice.profile !== undefined && !isDeepStrictEqual(choice.profile(profile), profile)
  }, Effect.scoped)

  return Effect.fnUntraced(function* (choice: Choice) {
    const names = readers.get(choice.point) ?? []
    if (choice.changesOnly !== undefined) return names.length > 0
    if (yield* changesProfile(choice)) return true
    for (const name of names) {
      const before = yield* usual(name)
      if (before !== undefined && before !== summaryOf(yield* run(hub, name, [choice]))) return true
    }
    return false
  })
}
