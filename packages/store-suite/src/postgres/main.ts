import { startEngine } from "./Engine.ts"

// A Postgres for a process without these modules. Prints its URL in one line. Ends when its stdin closes, or by a
// signal.
const { stop, url } = await startEngine()
const asked = Promise.race([
  new Promise((resolve) => process.stdin.once("close", resolve).resume()),
  ...(["SIGTERM", "SIGINT", "SIGHUP"] as const).map((signal) => new Promise((resolve) => process.once(signal, resolve)))
])
console.log(url)
await asked
await stop()
process.exit()
