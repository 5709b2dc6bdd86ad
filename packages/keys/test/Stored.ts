/** Signing keys in a store in memory, sealed under a master key. */
import * as Id from "@wcs/domain/shared/Id"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Effect, Layer, Result } from "effect"
import { SecureRandom } from "effect/crypto"

/** A seal whose master key is this byte, 32 times. */
export const sealing = (fill: number) =>
  Seal.layer.pipe(
    Layer.provide(MasterKey.layer(Result.getOrThrow(MasterKey.fromBytes(new Uint8Array(32).fill(fill))))),
    Layer.provide(SecureRandom.layerWebCrypto)
  )

export const store = Layer.mergeAll(
  StoreSqlite.layerMemory,
  sealing(1),
  Layer.provide(Id.layer, SecureRandom.layerWebCrypto)
)

/** Runs a test with a store of its own. */
export const withStore = <A, E>(
  body: Effect.Effect<A, E, Layer.Success<typeof store>>
): Effect.Effect<A, E | Layer.Error<typeof store>> => Effect.provide(body, store, { local: true })
