import { Context } from "effect"

/**
 * Fetches providers' configurations, keys and tokens. The implementation must guard addresses, and limit the time and
 * the size of responses.
 */
export class ProviderFetch extends Context.Service<
  ProviderFetch,
  { readonly fetch: (url: string, init: RequestInit) => Promise<Response> }
>()("@wcs/oidc/ProviderFetch") {}
