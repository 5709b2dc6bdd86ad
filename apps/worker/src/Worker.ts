import { AllowedRanges } from "@wcs/delivery/Destinations"
import * as Engine from "@wcs/delivery/Engine"
import * as Outward from "@wcs/delivery/Outward"
import * as Signature from "@wcs/delivery/Signature"
import type { ResourceStore } from "@wcs/domain/resource/ResourceStore"
import type { Ids } from "@wcs/domain/shared/Id"
import type { Notifications } from "@wcs/domain/shared/Notifications"
import type { Seal } from "@wcs/domain/shared/Seal"
import type { Register } from "@wcs/domain/verification/Register"
import type { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import type { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Layer } from "effect"

/**
 * Verifies credentials and sends events for as long as the layer lives, on a store that servers and other workers have
 * too. Deliveries reach the internet and the allowed addresses. It takes nothing more once it is stopped, finishes what
 * it has begun, and gives the rest back.
 */
export const layer = (
  allowedAddresses: (typeof AllowedRanges)["Service"]
): Layer.Layer<
  never,
  never,
  VerificationStore | DeliveryStore | ResourceStore | Notifications | Register | Ids | Seal
> =>
  Engine.layer.pipe(
    Layer.provide([Signature.layer, Outward.layer]),
    Layer.provide(Layer.succeed(AllowedRanges, allowedAddresses))
  )
