import * as StoreMemory from "@wcs/store-memory/StoreMemory"
import { suite } from "@wcs/store-suite/StoreSuite"

suite("StoreMemory", StoreMemory.layer)
