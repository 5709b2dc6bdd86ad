import { Context, Effect, Result } from "effect"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { isObject, type JsonValue } from "../shared/Json.ts"
import { isWebhookUrl, requireScheme } from "./WebhookUrl.ts"

/**
 * Rejects URLs of webhooks and gateways that point into private, loopback, link-local, shared or other non-global address ranges, unless
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

/**
 * Checks the address of a body's URL before any lookup or write. Schema validation rejects malformed URLs. A later step
 * refuses a wrong scheme, also for a private address.
 */
export const checkAddress = (
  guard: AddressGuard["Service"],
  allowsHttp: boolean,
  body: JsonValue
): Effect.Effect<void, InvalidArgument> => {
  const url = isObject(body) ? body["url"] : undefined
  const isAllowed = typeof url === "string" && isWebhookUrl(url) && Result.isSuccess(requireScheme(url, allowsHttp))
  return isAllowed ? guard.check(url) : Effect.void
}
