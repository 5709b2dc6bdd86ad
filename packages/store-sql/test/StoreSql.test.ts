import { suite } from "@wcs/store-suite/StoreSuite"
import { store } from "./temporary.ts"

suite("SQL store on SQLite", store)
