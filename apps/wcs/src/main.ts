import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"

// What is made here, the store and its journals among it, is the owner's alone.
process.umask(0o077)

// A third of a start is compiling. The cache is our own: one in a directory for all could be another user's code.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url)))

const { main } = await import("./Program.ts")
main(process.argv.slice(2))
