#!/usr/bin/env node
import { nameSources } from "./StackTraces.ts"

await import("../main.ts")
// Afterwards, because Effect reads stack traces while it is imported, and each would read a source map.
nameSources(new URL(".", import.meta.url).href)
