import type { AddressGuard } from "@wcs/domain/webhook/AddressGuard"
import { Layer } from "effect"
import * as Destinations from "./Destinations.ts"
import * as OutwardFetch from "./OutwardFetch.ts"
import * as Resolver from "./Resolver.ts"
import type { Sender } from "./Sender.ts"
import * as UndiciSender from "./UndiciSender.ts"
import * as UrlGuard from "./UrlGuard.ts"

/**
 * Outgoing requests to receivers and the guard of their addresses, which share one check. `AllowedRanges` lists the
 * private ranges that may be reached.
 */
export const layer: Layer.Layer<Sender | AddressGuard | OutwardFetch.OutwardFetch> = Layer.mergeAll(
  UndiciSender.layer,
  UrlGuard.layer,
  OutwardFetch.layer
).pipe(Layer.provide(Destinations.layer), Layer.provide(Resolver.layer))
