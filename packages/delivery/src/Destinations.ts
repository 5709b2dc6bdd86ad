import { Context, Data, Effect, Layer } from "effect"
import { isAdmitted, judge, type Range } from "./Addresses.ts"
import { NameNotFound, Resolver } from "./Resolver.ts"

/** What a deployment lets deliveries reach beside the internet: receivers of its own network; nothing by default. */
export const AllowedRanges = Context.Reference<ReadonlyArray<Range>>("@wcs/delivery/AllowedRanges", {
  defaultValue: () => []
})

/** A host is, or leads to, an address that deliveries are kept from. Which one is not told. */
export class AddressRefused extends Data.TaggedError("AddressRefused") {}

/** Where deliveries may go (DECISIONS.md#webhooks). */
export class Destinations extends Context.Service<
  Destinations,
  {
    /** Whether the host of a URL is refused as it stands: as an address, or as a name that leads inside. */
    readonly refuses: (hostname: string) => boolean
    /**
     * The addresses of the host of a URL, all of them judged now: if one is refused, so is the name. To be safe from
     * names that change, one of these has to be connected to, and none that is asked for anew.
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

export const layer: Layer.Layer<Destinations, never, Resolver> = Layer.effect(Destinations, make)
