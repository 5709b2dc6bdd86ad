import type { AddressGuard } from "@wcs/domain/webhook/AddressGuard"
import { Layer } from "effect"
import * as Destinations from "./Destinations.ts"
import * as OutwardFetch from "./OutwardFetch.ts"
import * as Resolver from "./Resolver.ts"
import type { Sender } from "./Sender.ts"
import * as UndiciSender from "./UndiciSender.ts"
import * as UrlGuard from "./UrlGuard.ts"

/**
 * Outgoing requests, and the guard of receiver addresses. Both check addresses by the same rules. `AllowedRanges` lists
 * the private ranges that may be reached.
 */
export const layer: Layer.Layer<Sender | AddressGuard | OutwardFetch.OutwardFetch> = Layer.mergeAll(
  UndiciSender.layer,
  UrlGuard.layer,
  OutwardFetch.layer
).pipe(Layer.provide(Destinations.layer), Layer.provide(Resolver.layer))
