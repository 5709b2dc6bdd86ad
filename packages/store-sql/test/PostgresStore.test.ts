import { suite } from "@wcs/store-suite/StoreSuite"
import { postgresStore } from "./database.ts"

suite("SQL store on Postgres", postgresStore)
