import { Effect, type Result } from "effect"
import { SqlClient } from "effect/sql"
import { makeAtomically } from "../engine/Atomic.ts"
import type { Script } from "../engine/Script.ts"
import { AccessEpoch, makeCountWrite } from "./AccessEpoch.ts"

/**
 * Runs scripts of a tenant that can affect the validity of tokens, each in one transaction. Every process then reads its
 * access data again.
 */
export const makeAccessWrite = Effect.gen(function* () {
  const atomically = yield* makeAtomically
  const epoch = yield* AccessEpoch
  const countWrite = makeCountWrite(yield* SqlClient.SqlClient)
  return <A, E = never>(tenantId: string, script: () => Script<Result.Result<A, E>>) =>
    epoch.moving(
      atomically<A, E>(function* () {
        const outcome = yield* script()
        yield* countWrite(tenantId)
        return outcome
      })
    )
})
