import { Context, type Effect } from "effect"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"

/**
 * Rejects webhook URLs that point into private, loopback, link-local, shared or other non-global address ranges, unless
 * the deployment allows the range (DECISIONS.md#webhooks).
 */
export class AddressGuard extends Context.Service<
  AddressGuard,
  {
    /**
     * Fails when the host of `url` is a refused address, or a name that resolves to one. A name that does not resolve
     * passes, because each attempt is checked again. The error does not reveal the address.
     */
    readonly check: (url: string) => Effect.Effect<void, InvalidArgument>
  }
>()("@wcs/domain/AddressGuard") {}
