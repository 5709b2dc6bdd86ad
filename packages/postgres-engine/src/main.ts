import { startEngine } from "./Engine.ts"

// A Postgres for a process that does not share this one's modules: tells its URL in one line, and is gone once whoever
// started it closes what it reads, or says so by a signal.
const { stop, url } = await startEngine()
const asked = Promise.race([
  new Promise((resolve) => process.stdin.once("close", resolve).resume()),
  ...(["SIGTERM", "SIGINT", "SIGHUP"] as const).map((signal) => new Promise((resolve) => process.once(signal, resolve)))
])
console.log(url)
await asked
await stop()
process.exit()
