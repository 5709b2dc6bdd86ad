import * as AuditSignatures from "@wcs/keys/AuditSignatures"
import type { MasterKeyMismatch } from "@wcs/keys/KeyRing"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import * as Tokens from "@wcs/keys/Tokens"
import { refusing, type StartRefused } from "@wcs/node-server/StartRefused"
import { Effect, Layer } from "effect"
import { DataDirectory } from "./stores/DataDirectory.ts"
import { inTurn } from "./stores/OneAtATime.ts"

/** Encryption under the master key of the data directory. */
export const seal = Layer.unwrap(
  DataDirectory.use(({ masterKey }) => Effect.succeed(Layer.provide(Seal.layer, MasterKey.layer(masterKey))))
)

/** Refuses the start if the store has keys of another master key. */
const underItsKey = <A, R>(
  layer: Layer.Layer<A, MasterKeyMismatch, R>
): Layer.Layer<A, StartRefused, R | DataDirectory> =>
  Layer.effectContext(
    Effect.catchTag(Layer.build(refusing(layer)), "StartRefused", ({ message }) =>
      DataDirectory.use(({ refusalOfKey }) => Effect.fail(refusalOfKey(message)))
    )
  )

/**
 * The signing keys, created one server at a time and decrypted with the master key. Otherwise servers with different
 * master keys could each create some of them on an empty database, and no server could decrypt all.
 */
export const tokens = inTurn(underItsKey(Tokens.layer)).pipe(Layer.provide(seal))

/** The key that signs the audit log, created one process at a time. */
export const auditSignatures = inTurn(underItsKey(AuditSignatures.layer))
