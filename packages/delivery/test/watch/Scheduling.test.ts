import { assert, describe, it } from "@effect/vitest"
import { Effect, References } from "effect"
import { hour, minute, surroundings } from "../World.ts"
import { check, type Stores, watch } from "./Year.ts"

/** Small in `npm test`. `WCS_WATCH_CARDS=100000 WCS_WATCH_DAYS=365` is the whole program. */
const size = {
  cards: Number(process.env["WCS_WATCH_CARDS"] ?? 100),
  days: Number(process.env["WCS_WATCH_DAYS"] ?? 21),
  workers: 1,
  busyMillis: hour,
  idleMillis: hour,
  lifetime: 300
}

describe("watching cards in virtual time", () => {
  it.effect(
    "verifies each card within its day, never above the rate, and warns once, with a week's outage and killed workers",
    () =>
      Effect.gen(function* () {
        const { asked, deaths } = yield* watch(size, Effect.context<Stores>())
        const { changes, latest, total, warnings } = yield* check(size, asked)
        assert.isAbove(deaths, 3)
        const most = [...asked.most].map(([type, count]) => `${count} of ${type}`).join(", ")
        yield* Effect.logInfo(
          `${size.cards} cards, ${size.days} days, ${deaths} kills: ${total} checks, at most ${latest / minute} minutes late, ` +
            `${changes} changes, ${warnings} warnings; most checks in a minute: ${most}`
        )
      }).pipe(Effect.provide(surroundings), Effect.provideService(References.TracerEnabled, false), Effect.scoped),
    7_200_000
  )
})
