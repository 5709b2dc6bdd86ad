import { assert, describe, it } from "@effect/vitest"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Effect, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import { hour, surroundingsOf } from "../World.ts"
import { check, reported, type Stores, watch } from "./Year.ts"

/** Small in `npm test`. `WCS_WATCH_CARDS=100000 WCS_WATCH_DAYS=365` is a year. */
const cards = Number(process.env["WCS_WATCH_CARDS"] ?? 100)
const size = {
  cards,
  days: Number(process.env["WCS_WATCH_DAYS"] ?? 21),
  workers: 1,
  leastMoveMillis: hour, // SQLite answers within the move
  lifetime: Math.max(300, cards / 5) // many cards need a worker that lives for hours
}

/** Unlike a copied database in memory, this one may be larger than 1 GiB, which 100,000 cards fill in 93 days. */
const stores = Layer.orDie(Layer.provide(StoreSqlite.layer, SqliteClient.layer({ filename: ":memory:" })))

describe("watching cards in virtual time", () => {
  it.live(
    "verifies each card within its day, never above the rate, and warns once, with a week's outage and killed workers",
    () =>
      Effect.gen(function* () {
        const done = yield* watch(size, Effect.context<Stores>())
        assert.isAbove(done.deaths, 3)
        return reported(size, done, yield* check(size, done.asked))
      }).pipe(
        Effect.provide(Layer.merge(surroundingsOf(stores), TestClock.layer())),
        Effect.flatMap((figures) => Effect.logInfo(figures)),
        Effect.provideService(References.TracerEnabled, false),
        Effect.scoped
      ),
    14_400_000
  )
})
