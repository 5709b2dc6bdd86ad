import { lookup, promises } from "node:dns"
import { Context, Data, Effect, Layer, Semaphore } from "effect"

/** The name does not resolve, or resolution timed out. */
export class NameNotFound extends Data.TaggedError("NameNotFound")<{ readonly name: string }> {}

/** Resolves host names. */
export class Resolver extends Context.Service<
  Resolver,
  {
    /** All IPv4 and IPv6 addresses of a name from DNS, at least one. Times out after a few seconds. */
    readonly resolve: (name: string) => Effect.Effect<ReadonlyArray<string>, NameNotFound>
    /** Like `resolve`, for an internal name: uses the system resolver, including `/etc/hosts`. */
    readonly resolveInside: (name: string) => Effect.Effect<ReadonlyArray<string>, NameNotFound>
  }
>()("@wcs/delivery/Resolver") {}

/** The time limit of a lookup, in milliseconds. */
const limitMillis = 2500

/**
 * The maximum number of concurrent system lookups. Each blocks one of the four threads that file access also needs.
 */
const insideMax = 2

/**
 * A resolver over Node's DNS. Public names go to the DNS servers directly, because the system's `getaddrinfo` blocks a
 * thread while it waits: a few slow names would block all others. `servers` defaults to the system's servers.
 */
export const make = Effect.fnUntraced(function* (servers?: ReadonlyArray<string>) {
  const dns = new promises.Resolver({ timeout: 1000, tries: 2 })
  if (servers !== undefined) dns.setServers(servers)
  const seats = yield* Semaphore.make(insideMax)

  /** Empty on a timeout or failure: the other address family may have answers. */
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

export const layer = Layer.effect(Resolver, make())
