import { Effect, type Result } from "effect"
import { makeAtomically } from "../engine/Atomic.ts"
import type { Script } from "../engine/Script.ts"
import { AccessEpoch } from "./AccessEpoch.ts"

/**
 * Runs scripts of a tenant that can affect the validity of tokens, each in one transaction and one after the other. Every
 * process then reads its access data again.
 */
export const makeAccessWrite = Effect.gen(function* () {
  const atomically = yield* makeAtomically
  const epoch = yield* AccessEpoch
  return <A, E = never>(tenantId: string, script: () => Script<Result.Result<A, E>>) =>
    epoch.moving(atomically<A, E>(script, { tenantId, by: 1 }))
})
