import { Context, Data, Effect, Layer } from "effect"
import { isAdmitted, judge, type Range } from "./Addresses.ts"
import { NameNotFound, Resolver } from "./Resolver.ts"

/** Private address ranges that deliveries may reach. Empty by default. */
export const AllowedRanges = Context.Reference<ReadonlyArray<Range>>("@wcs/delivery/AllowedRanges", {
  defaultValue: () => []
})

/** The host is or resolves to a refused address. The error does not say which. */
export class AddressRefused extends Data.TaggedError("AddressRefused") {}

/** Decides where deliveries may go (DECISIONS.md#webhooks). */
export class Destinations extends Context.Service<
  Destinations,
  {
    /** Whether the host of a URL is refused without name resolution: as an address or as an internal name. */
    readonly refuses: (hostname: string) => boolean
    /**
     * Resolves and checks the host of a URL. Fails when any of its addresses is refused. Connect to one of these
     * addresses and do not resolve again, or a changed DNS answer bypasses the check.
     */
    readonly addresses: (hostname: string) => Effect.Effect<ReadonlyArray<string>, AddressRefused | NameNotFound>
  }
>()("@wcs/delivery/Destinations") {}

export const make = Effect.gen(function* () {
  const allowed = yield* AllowedRanges
  const resolver = yield* Resolver

  const addresses: Destinations["Service"]["addresses"] = Effect.fnUntraced(function* (hostname) {
    const host = judge(hostname, allowed)
    if (host.isRefused) return yield* new AddressRefused()
    if (host._tag === "Address") return [host.address]
    if (host._tag === "Nowhere") return yield* new NameNotFound({ name: host.name })
    const found = yield* host.isInside ? resolver.resolveInside(host.name) : resolver.resolve(host.name)
    if (!found.every((address) => isAdmitted(address, allowed, host.isInside))) return yield* new AddressRefused()
    return found
  })

  return Destinations.of({ refuses: (hostname) => judge(hostname, allowed).isRefused, addresses })
})

export const layer = Layer.effect(Destinations, make)
