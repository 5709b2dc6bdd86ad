import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"

// What is made here, the store and its journals among it, is the owner's alone.
process.umask(0o077)

// A third of a start is compiling. The cache is our own: one in a directory for all could be another user's code.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url)))

// Imports take most of a start, and as process 1 of a container a signal without a handler is ignored.
const isStoppedBySignals = ["serve", "worker"].includes(process.argv[2] ?? "")
const stop = () => process.exit(isStoppedBySignals ? 0 : 130)
process.once("SIGTERM", stop).once("SIGINT", stop)
const { main } = await import("./Program.ts")
main(process.argv.slice(2), isStoppedBySignals)
// only now: a signal that has come and is not handled yet would be lost with the last handler
process.off("SIGTERM", stop).off("SIGINT", stop)
