import type { AddressGuard } from "@wcs/domain/webhook/AddressGuard"
import { type Context, Effect, Layer } from "effect"
import * as Destinations from "./Destinations.ts"
import * as InterimResponses from "./InterimResponses.ts"
import { OutgoingFetch } from "./OutgoingFetch.ts"
import * as Resolver from "./Resolver.ts"
import { Sender } from "./Sender.ts"
import * as UrlGuard from "./UrlGuard.ts"

/** Makes a service once, at its first use. An interruption of the first caller does not stop it. */
const onFirstUse = <A, R>(make: Effect.Effect<A, never, R>): Effect.Effect<Effect.Effect<A>, never, R> =>
  Effect.contextWith((context: Context.Context<R>) =>
    // without the context of the first caller, such as its log annotations
    Effect.cached(Effect.uninterruptible(Effect.updateContext(make, (_: Context.Context<never>) => context)))
  )

// undici is imported with the first request. It delays the start, and many servers send nothing.

const sender = Layer.effect(
  Sender,
  Effect.gen(function* () {
    const made = yield* onFirstUse(
      Effect.flatMap(
        Effect.promise(() => import("./UndiciSender.ts")),
        ({ make }) => make
      )
    )
    return Sender.of({ send: (outgoing) => Effect.flatMap(made, ({ send }) => send(outgoing)) })
  })
)

const outgoingFetch = Layer.effect(
  OutgoingFetch,
  Effect.gen(function* () {
    const made = yield* onFirstUse(
      Effect.flatMap(
        Effect.promise(() => import("./UndiciFetch.ts")),
        ({ make }) => make
      )
    )
    return OutgoingFetch.of({ fetch: async (url, init) => (await Effect.runPromise(made)).fetch(url, init) })
  })
)

/**
 * Outgoing requests, and the guard of receiver addresses. Both check addresses by the same rules. `AllowedRanges` lists
 * the private ranges that may be reached.
 */
export const layer: Layer.Layer<Sender | AddressGuard | OutgoingFetch> = Layer.mergeAll(
  sender,
  UrlGuard.layer,
  outgoingFetch,
  InterimResponses.layer
).pipe(Layer.provide(Destinations.layer), Layer.provide(Resolver.layer))
