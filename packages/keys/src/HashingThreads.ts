import type { Argon2Parameters } from "node:crypto"
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { Effect, type Scope } from "effect"

/** The number of concurrent hashes: leaves a processor to requests. Each takes 19 MiB. */
export const hashingThreads = Math.max(1, Math.min(4, availableParallelism() - 1))

/**
 * The priority of these threads on Linux, where each thread has its own. On a busy processor, a thread of this niceness
 * gets a tenth of the time of one that answers requests.
 */
export const niceness = 10

// A text, because it must be found in a bundle too.
const program = `
const { argon2Sync } = require("node:crypto")
const { setPriority } = require("node:os")
const { parentPort } = require("node:worker_threads")
if (process.platform === "linux") setPriority(${niceness})
parentPort.on("message", (parameters) => parentPort.postMessage(argon2Sync("argon2id", parameters)))
`

const start = (): Worker =>
  new Worker(program, {
    eval: true,
    env: {},
    execArgv: [],
    // The memory of argon2 is not part of the heap.
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 }
  })

/** Computes argon2id on a thread that is not interrupted. An idle thread does not keep the process running. */
export type Argon2id = (parameters: Argon2Parameters) => Effect.Effect<Uint8Array>

/**
 * Returns argon2id on threads of lower priority, instead of Node's pool: file access and name resolution need that, and
 * its threads take as much of a processor as requests. Starts a thread when no other is idle. Callers limit their number.
 * The threads end with the scope.
 */
export const make: Effect.Effect<Argon2id, never, Scope.Scope> = Effect.gen(function* () {
  const all = new Set<Worker>()
  const idle: Array<Worker> = []
  yield* Effect.addFinalizer(() => Effect.promise(() => Promise.all([...all].map((worker) => worker.terminate()))))

  const take = (): Worker => {
    const kept = idle.pop()
    if (kept !== undefined) return kept
    const worker = start()
    all.add(worker)
    worker.once("exit", () => {
      all.delete(worker)
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1)
    })
    return worker
  }

  return (parameters) =>
    Effect.callback<Uint8Array>((resume) => {
      const worker = take()
      const settle = (result: Effect.Effect<Uint8Array>) => {
        for (const event of ["message", "error"]) worker.removeAllListeners(event)
        worker.off("exit", onExit)
        worker.unref()
        resume(result)
      }
      const onExit = () => settle(Effect.die(new Error("a hashing thread ended")))
      worker.once("error", (error) => settle(Effect.die(error)))
      worker.once("exit", onExit)
      worker.once("message", (tag: Uint8Array) => {
        idle.push(worker)
        settle(Effect.succeed(tag))
      })
      worker.ref()
      worker.postMessage(parameters)
    })
})
