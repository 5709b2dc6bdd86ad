/** Stores on a SQLite file, and the other services of a worker that sends real requests. */

import * as Destinations from "@wcs/delivery/Destinations"
import { AllowedRanges } from "@wcs/delivery/Destinations"
import * as Resolver from "@wcs/delivery/Resolver"
import * as Signature from "@wcs/delivery/Signature"
import * as UndiciSender from "@wcs/delivery/UndiciSender"
import * as Id from "@wcs/domain/shared/Id"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { Register } from "@wcs/domain/verification/Register"
import * as Verifications from "@wcs/domain/verification/Verifications"
import { WebhookSettings } from "@wcs/domain/webhook/WebhookSettings"
import * as AuditSignatures from "@wcs/keys/AuditSignatures"
import * as Digest from "@wcs/keys/Digest"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import * as SqliteClient from "@wcs/sqlite/SqliteClient"
import * as AccessEpoch from "@wcs/store-sql/access/AccessEpoch"
import * as LeaseStoreSql from "@wcs/store-sql/lease/LeaseStoreSql"
import * as StoreSql from "@wcs/store-sql/StoreSql"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Effect, Layer, References, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { loopback } from "./Receivers.ts"

const masterKey = Result.getOrThrow(MasterKey.fromBytes(new Uint8Array(32).fill(1)))

/** The stores, with leases that outlive a process, and the services to write into them. */
export const stores = (database: string) =>
  Layer.merge(Verifications.layer, AuditSignatures.layer).pipe(
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.merge(StoreSql.layer, Layer.provide(LeaseStoreSql.layer, AccessEpoch.layer)).pipe(
          Layer.provide(StoreSqlite.synchronous),
          Layer.provide(SqliteClient.layer({ filename: database }))
        ),
        Notifications.layer,
        Id.layer,
        Digest.layer,
        Seal.layer
      )
    ),
    Layer.provide(MasterKey.layer(masterKey)),
    Layer.provideMerge(SecureRandom.layerWebCrypto),
    Layer.provideMerge(Layer.succeed(References.MinimumLogLevel, "Error")),
    Layer.fresh
  )

/** Registers that answer at once, and attempts that reach receivers on this machine. */
export const outside = Layer.mergeAll(
  Layer.succeed(Register, {
    ask: () => Effect.succeed({ _tag: "Found", statusDetail: "VALID", expiryDate: null } as const)
  }),
  Signature.layer,
  UndiciSender.layer.pipe(Layer.provide(Destinations.layer), Layer.provide(Resolver.layer))
).pipe(
  Layer.provide(Layer.succeed(AllowedRanges, loopback)),
  Layer.provide(Layer.succeed(WebhookSettings, { allowsHttp: true, changeoverSeconds: 86_400, webhooksMax: 100 }))
)
