import { RunShare } from "@wcs/store-suite/Property"
import { suite } from "@wcs/store-suite/StoreSuite"
import { Layer } from "effect"
import { postgresStore } from "../engines.ts"

// The statements are those of SQLite but for a few, so a quarter of the runs of each property shows a difference.
suite("SQL store on Postgres", Layer.merge(postgresStore, Layer.succeed(RunShare, 0.25)))
