import { enableCompileCache } from "node:module"
import { fileURLToPath } from "node:url"
import { version } from "@wcs/deployment/Version"

// New files, such as the store and its journals, are accessible only to their owner.
process.umask(0o077)

// Compiling takes a third of the start. The cache is private: a shared one could contain code of another user. A bundle
// has enabled its own already.
enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url)))

// Imports take most of the start. Without a handler, process 1 of a container would ignore signals.
const isStoppedBySignals = ["serve", "worker"].includes(process.argv[2] ?? "")
const stop = () => process.exit(isStoppedBySignals ? 0 : 130)
process.once("SIGTERM", stop).once("SIGINT", stop)
const args = process.argv.slice(2)
if (args.join(" ") === "--version")
  console.log(`wcs v${version}`) // without the program, which takes most of a start
else {
  const { main } = await import("./Program.ts")
  main(args, isStoppedBySignals)
}
// removed only now, so that no earlier signal is lost
process.off("SIGTERM", stop).off("SIGINT", stop)
