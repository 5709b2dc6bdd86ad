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
const limitMillis = 4000

/** How many the system is asked for at once: each holds one of the four threads that files and passwords need too. */
const insideMax = 2

/**
 * Over Node's DNS. Names of the outside are asked of the DNS servers directly: the system's `getaddrinfo` holds a thread
 * while it waits, so that a few names whose servers keep silent would hold up every other. `servers` are those of the
 * system where they are left out.
 */
export const make = Effect.fnUntraced(function* (servers?: ReadonlyArray<string>) {
  const dns = new promises.Resolver({ timeout: 1500, tries: 2 })
  if (servers !== undefined) dns.setServers(servers)
  const seats = yield* Semaphore.make(insideMax)

  const resolve: Resolver["Service"]["resolve"] = (name) =>
    Effect.promise(() => Promise.allSettled([dns.resolve4(name), dns.resolve6(name)])).pipe(
      Effect.timeoutOption(limitMillis),
      Effect.flatMap((answers) => {
        const families = answers._tag === "Some" ? answers.value : []
        const addresses = families.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []))
        return addresses.length === 0 ? new NameNotFound({ name }) : Effect.succeed(addresses)
      })
    )

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
