import { readFileSync } from "node:fs"
import { join } from "node:path"
import { purposeOf } from "@wcs/http/request/SealedCursor"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import { Effect, Redacted, Result } from "effect"
import { SecureRandom } from "effect/crypto"

/** Returns the seal of the cursors of a tenant, as the server on this data directory makes them. */
export const cursorSealOf = (directory: string, tenantId: string): ((cursor: string) => string) => {
  const key = Result.getOrThrow(MasterKey.fromText(readFileSync(join(directory, "master.key"), "utf8")))
  const { seal } = Effect.runSync(
    Seal.make.pipe(Effect.provideService(MasterKey.MasterKey, key), Effect.provide(SecureRandom.layerWebCrypto))
  )
  return (cursor) => Effect.runSync(seal(purposeOf(tenantId), Redacted.make(cursor)))
}
