import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { AddressGuard } from "@wcs/domain/webhook/AddressGuard"
import { Effect, Layer } from "effect"
import { Destinations } from "./Destinations.ts"

const refused = new InvalidArgument({ field: "url", reason: "must have a host with a public address" })
const malformed = new InvalidArgument({ field: "url", reason: "must be a URL with a host" })

/** The domain's `AddressGuard`. It checks addresses by the same rules as each delivery attempt does. */
export const make = Effect.map(Destinations, (destinations) =>
  AddressGuard.of({
    check: Effect.fn("AddressGuard.check")(function* (url) {
      const parsed = URL.parse(url)
      if (parsed === null) return yield* malformed
      yield* destinations
        .addresses(parsed.hostname)
        .pipe(Effect.asVoid, Effect.catchTags({ AddressRefused: () => refused, NameNotFound: () => Effect.void }))
    })
  })
)

export const layer = Layer.effect(AddressGuard, make)
