import { suite } from "@wcs/store-suite/StoreSuite"
import { store, unwatched } from "./temporary.ts"

suite("SQL store on SQLite, statement by statement", store)
suite("SQL store on SQLite, with synchronous transactions", unwatched)
