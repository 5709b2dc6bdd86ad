import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, describe, it } from "@effect/vitest"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { Effect, Layer, References } from "effect"
import { TestClock } from "effect/testing"
import { minute, surroundingsOf } from "../World.ts"
import { check, reported, watch } from "./Year.ts"

/** Small in `npm test`. `WCS_WATCH_CARDS_POSTGRES=10000 WCS_WATCH_DAYS=365` is a year. */
const cards = Number(process.env["WCS_WATCH_CARDS_POSTGRES"] ?? 30)

const size = {
  cards,
  days: Number(process.env["WCS_WATCH_DAYS"] ?? 15),
  workers: 2,
  leastMoveMillis: minute,
  lifetime: Math.max(1000, cards) // many cards need a worker that lives for hours
}

type Url = Effect.Success<typeof freshDatabase>

/** The stores on one database, each time with connections of their own. */
const storesOn = (url: Url) =>
  Layer.fresh(
    StoreSql.layerShared.pipe(
      Layer.provide(AccessEpoch.layer),
      Layer.provide(Layer.fresh(PgClient.layer({ url, maxConnections: 4 })))
    )
  )

describe("watching cards in virtual time, on Postgres", () => {
  it.live(
    "checks and warns on time with two workers that are killed now and then",
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase
        yield* Effect.gen(function* () {
          const done = yield* watch(size, Effect.orDie(Layer.build(storesOn(url))))
          assert.isAbove(done.deaths, 1)
          return reported(size, done, yield* check(size, done.asked))
        }).pipe(
          Effect.provide(Layer.merge(surroundingsOf(storesOn(url)), TestClock.layer())),
          Effect.flatMap((figures) => Effect.logInfo(figures))
        )
      }).pipe(Effect.scoped, Effect.orDie, Effect.provideService(References.TracerEnabled, false)),
    7_200_000
  )
})
