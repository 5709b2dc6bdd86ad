import { AllowedRanges } from "@wcs/delivery/Destinations"
import * as Engine from "@wcs/delivery/Engine"
import * as Outward from "@wcs/delivery/Outward"
import * as Signature from "@wcs/delivery/Signature"
import type { DeliveryStore } from "@wcs/domain/DeliveryStore"
import type { Ids } from "@wcs/domain/Id"
import type { Notices } from "@wcs/domain/Notices"
import type { Register } from "@wcs/domain/Register"
import type { ResourceStore } from "@wcs/domain/ResourceStore"
import type { Seal } from "@wcs/domain/Seal"
import type { VerificationStore } from "@wcs/domain/VerificationStore"
import { Layer } from "effect"

/**
 * Verifies credentials and sends events for as long as the layer lives, on a store that servers and other workers have
 * too. Deliveries reach the internet and the allowed addresses. It takes nothing more once it is stopped, finishes what
 * it has begun, and gives the rest back.
 */
export const layer = (
  allowedAddresses: (typeof AllowedRanges)["Service"]
): Layer.Layer<never, never, VerificationStore | DeliveryStore | ResourceStore | Notices | Register | Ids | Seal> =>
  Engine.layer.pipe(
    Layer.provide([Signature.layer, Outward.layer]),
    Layer.provide(Layer.succeed(AllowedRanges, allowedAddresses))
  )
