import { lookup, promises } from "node:dns"
import { Context, Data, Effect, Layer, Semaphore } from "effect"

/** A name leads nowhere, or nobody said where in time. */
export class NameNotFound extends Data.TaggedError("NameNotFound")<{ readonly name: string }> {}

/** Asks where names lead. */
export class Resolver extends Context.Service<
  Resolver,
  {
    /** Every address of a name in the DNS, of both families; at least one. It ends within some seconds. */
    readonly resolve: (name: string) => Effect.Effect<ReadonlyArray<string>, NameNotFound>
    /** The same of a name of this network or machine, as the system knows it: from its files, too. */
    readonly resolveInside: (name: string) => Effect.Effect<ReadonlyArray<string>, NameNotFound>
  }
>()("@wcs/delivery/Resolver") {}

/** How long a name is asked after. */
const limitMillis = 2500

/** How many the system is asked for at once: each holds one of the four threads that files and passwords need too. */
const insideMax = 2

/**
 * Over Node's DNS. Names of the outside are asked of the DNS servers directly: the system's `getaddrinfo` holds a thread
 * while it waits, so that a few names whose servers keep silent would hold up every other. `servers` are those of the
 * system where they are left out.
 */
export const make = Effect.fnUntraced(function* (servers?: ReadonlyArray<string>) {
  const dns = new promises.Resolver({ timeout: 1000, tries: 2 })
  if (servers !== undefined) dns.setServers(servers)
  const seats = yield* Semaphore.make(insideMax)

  /** None where nobody answers in time: the other family may do. */
  const ofFamily = (ask: () => Promise<ReadonlyArray<string>>) =>
    Effect.tryPromise(ask).pipe(
      Effect.timeout(limitMillis),
      Effect.orElseSucceed(() => [])
    )

  const resolve: Resolver["Service"]["resolve"] = Effect.fnUntraced(function* (name) {
    const families = [ofFamily(() => dns.resolve4(name)), ofFamily(() => dns.resolve6(name))]
    const addresses = (yield* Effect.all(families, { concurrency: 2 })).flat()
    return addresses.length === 0 ? yield* new NameNotFound({ name }) : addresses
  })

  const resolveInside: Resolver["Service"]["resolveInside"] = (name) =>
    Effect.callback<ReadonlyArray<string>, NameNotFound>((resume) =>
      lookup(name, { all: true, order: "verbatim" }, (error, found) =>
        resume(
          error === null && found.length > 0
            ? Effect.succeed(found.map(({ address }) => address))
            : new NameNotFound({ name })
        )
      )
    ).pipe(seats.withPermit, Effect.timeoutOrElse({ duration: limitMillis, orElse: () => new NameNotFound({ name }) }))

  return Resolver.of({ resolve, resolveInside })
})

export const layer: Layer.Layer<Resolver> = Layer.effect(Resolver, make())
