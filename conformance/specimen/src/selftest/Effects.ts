import { isDeepStrictEqual } from "node:util"
import type { Event } from "@wcs/conformance/evidence/Event"
import { walks } from "@wcs/conformance/walks/Walks"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import type { Hub } from "../target/Hub.ts"
import { judgeBy } from "../target/Target.ts"
import { start } from "../target/Start.ts"
import type { Choice } from "../choices/Rows.ts"

// Notices whether a choice changes any exchange. A choice without an effect proves nothing about the suite.

/** The walks in whose course the server comes to a point, those with the fewest exchanges first. */
export type Readers = ReadonlyMap<string, ReadonlyArray<string>>

const exchangesIn = (events: ReadonlyArray<Event>): ReadonlyArray<Exchange> =>
  events.flatMap((event) => (event.type === "exchange" ? [event.exchange] : []))

/** Runs a walk on a server with these choices. The seed makes the same calls every time. */
const run = Effect.fnUntraced(function* (
  hub: Hub,
  name: string,
  choices: ReadonlyArray<Choice>,
  note?: (point: string) => void
) {
  const target = yield* start(hub, undefined, choices, note)
  const profile = { ...target.profile, run: { ...target.profile.run, seed: 1 } }
  const made = walks.filter((walk) => walk.name === name)
  return exchangesIn(yield* judgeBy({ ...target, profile }, made))
}, Effect.scoped)

/** Runs one walk at a time on the server by default, and notes the points that the server comes to. */
export const readersOf = Effect.fn("Effects.readersOf")(function* (hub: Hub) {
  const found = new Map<string, ReadonlyArray<string>>()
  const runs = yield* Effect.forEach(
    walks,
    ({ name }) => {
      const points = new Set<string>()
      const noted = run(hub, name, [], (point) => void points.add(point))
      return Effect.map(noted, ({ length }) => ({ name, length, points }))
    },
    { concurrency: 8 }
  )
  for (const { name, points } of runs.toSorted((one, other) => one.length - other.length)) {
    for (const point of points) found.set(point, [...(found.get(point) ?? []), name])
  }
  return found
})

/** Values that are others in each run. */
const random = [
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

const linesOf = (exchanges: ReadonlyArray<Exchange>): ReadonlySet<string> => new Set(exchanges.map(lineOf))

/** Walks that are tried before a choice counts as without effect. */
const tries = 8

/** Tells which choices have an effect. Remembers the exchanges of the server by default. */
export const effects = (hub: Hub, readers: Readers) => {
  const known = new Map<string, readonly [ReadonlySet<string>, ReadonlySet<string>]>()

  const usual = Effect.fnUntraced(function* (name: string) {
    const before = known.get(name)
    if (before !== undefined) return before
    const both = [linesOf(yield* run(hub, name, [])), linesOf(yield* run(hub, name, []))] as const
    known.set(name, both)
    return both
  })

  const isChangedIn = Effect.fnUntraced(function* (name: string, choice: Choice) {
    const [one, other] = yield* usual(name)
    const lines = linesOf(yield* run(hub, name, [choice]))
    const isNew = [...lines].some((line) => !one.has(line) && !other.has(line))
    return isNew || [...one].some((line) => other.has(line) && !lines.has(line))
  })

  const changesProfile = Effect.fnUntraced(function* (choice: Choice) {
    const { profile } = yield* start(hub, undefined, [])
    return choice.profile !== undefined && !isDeepStrictEqual(choice.profile(profile), profile)
  }, Effect.scoped)

  return Effect.fnUntraced(function* (choice: Choice) {
    if (choice.changesOnlyTime === true || (yield* changesProfile(choice))) return true
    for (const name of (readers.get(choice.point) ?? []).slice(0, tries)) {
      if (yield* isChangedIn(name, choice)) return true
    }
    return false
  })
}
