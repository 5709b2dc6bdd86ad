import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"
import { nameSources } from "./StackTraces.ts"

/** Runs the program of the bundle. */
export const run = async (): Promise<void> => {
  // Beside the bundle, so that only users who can replace the bundle can write it, and removed with it.
  enableCompileCache(fileURLToPath(new URL("./compiled", import.meta.url)))
  await import("../main.ts")
  // Afterwards, because Effect reads stack traces while it is imported, and each would read a source map.
  nameSources(new URL(".", import.meta.url).href)
}
