import { suite } from "@wcs/store-suite/StoreSuite"
import { Layer, References } from "effect"
import { store } from "./temporary.ts"

suite("SQL store on SQLite", Layer.provideMerge(store, Layer.succeed(References.TracerEnabled, false)))
