import * as PgClient from "@effect/sql-pg/PgClient"
import { distributeTables, prepareDatabase } from "@wcs/end-to-end/citus/Distributed"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import { migrate, migrations } from "@wcs/store-sql/engine/Migrations"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import { freshDatabase } from "@wcs/store-suite/postgres/FreshDatabase"
import { suite } from "@wcs/store-suite/StoreSuite"
import { Effect, Layer, References } from "effect"

const client = Layer.unwrap(Effect.map(freshDatabase, (url) => PgClient.layer({ url })))

const distributed = Layer.effectDiscard(
  prepareDatabase.pipe(Effect.andThen(migrate(migrations)), Effect.andThen(distributeTables))
)

suite(
  "SQL store on Citus",
  Layer.provideMerge(Layer.provide(StoreSql.layerShared, AccessEpoch.layer), distributed).pipe(
    Layer.provideMerge(client),
    Layer.provideMerge(Layer.succeed(References.TracerEnabled, false))
  )
)
