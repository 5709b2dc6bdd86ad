import { type Actor, makeAudit } from "@wcs/domain/audit/AuditEntry"
import { Ids } from "@wcs/domain/shared/Id"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { Seal } from "@wcs/domain/shared/Seal"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { SigningKeyRotation, type SigningKeyUse } from "@wcs/domain/token/SigningKey"
import { Clock, Effect, Layer } from "effect"
import * as SigningKeyPair from "./SigningKeyPair.ts"

/** Creates a key with its audit entry, unless a key of the same use was created after `unlessSince`. Returns its kid. */
export const insertNewKey = Effect.fnUntraced(function* (
  use: SigningKeyUse,
  actor: Actor,
  now: Instant,
  unlessSince: Instant
) {
  const store = yield* AccessStore
  const key = yield* SigningKeyPair.generate(use, now)
  const action = { operation: "CREATE", action: "rotate", entityType: "signingKey", entityId: key.kid } as const
  const audit = yield* makeAudit(yield* Ids)(actor, action, now)
  yield* store.insertSigningKey(key, unlessSince, audit)
  return key.kid
})

const make = Effect.gen(function* () {
  const services = yield* Effect.context<AccessStore | Seal | Ids>()
  const rotate = Effect.fn("SigningKeyRotation.rotate")(function* (use: SigningKeyUse, actor: Actor) {
    const now = yield* Clock.currentTimeMillis
    return yield* insertNewKey(use, actor, now, now)
  }, Effect.provideContext(services))
  return SigningKeyRotation.of({ rotate })
})

export const layer = Layer.effect(SigningKeyRotation, make)
