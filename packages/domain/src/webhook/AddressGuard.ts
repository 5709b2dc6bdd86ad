import { Context, type Effect } from "effect"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"

/**
 * Keeps deliveries from where nobody outside should reach: private, loopback, link-local, shared and otherwise
 * non-global addresses, unless the deployment allows them (DECISIONS.md#webhooks).
 */
export class AddressGuard extends Context.Service<
  AddressGuard,
  {
    /**
     * Refuses a URL whose host is such an address, in whatever spelling, or a name that leads to one now. A name that
     * leads nowhere yet is let pass: each attempt is judged again. What it leads to is not told.
     */
    readonly check: (url: string) => Effect.Effect<void, InvalidArgument>
  }
>()("@wcs/domain/AddressGuard") {}
