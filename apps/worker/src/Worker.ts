import { AllowedRanges } from "@wcs/delivery/Destinations"
import * as Engine from "@wcs/delivery/Engine"
import * as Outward from "@wcs/delivery/Outward"
import * as Signature from "@wcs/delivery/Signature"
import type { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import type { AuditSignatures } from "@wcs/domain/audit/AuditSignatures"
import type { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { LeaseStore } from "@wcs/domain/lease/LeaseStore"
import type { Digest } from "@wcs/domain/shared/Digest"
import type { Ids } from "@wcs/domain/shared/Id"
import type { Notifications } from "@wcs/domain/shared/Notifications"
import type { Seal } from "@wcs/domain/shared/Seal"
import type { Register } from "@wcs/domain/verification/Register"
import type { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import type { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Layer } from "effect"

/**
 * Verifies credentials, sends events and seals the audit log while the layer lives, on a store shared with servers and
 * other workers.
 * Deliveries reach the internet and the allowed addresses. When it stops, it finishes the work in flight and releases
 * the rest.
 */
export const layer = (
  allowedAddresses: (typeof AllowedRanges)["Service"]
): Layer.Layer<
  never,
  never,
  | VerificationStore
  | DeliveryStore
  | AuditSealStore
  | LeaseStore
  | ResourceStore
  | Notifications
  | Register
  | Ids
  | Digest
  | Seal
  | AuditSignatures
> =>
  Engine.layer.pipe(
    Layer.provide([Signature.layer, Outward.layer]),
    Layer.provide(Layer.succeed(AllowedRanges, allowedAddresses))
  )
