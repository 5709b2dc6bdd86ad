import { suite } from "@wcs/store-suite/StoreSuite"
import { postgresStore } from "../engines.ts"

suite("SQL store on Postgres", postgresStore)
