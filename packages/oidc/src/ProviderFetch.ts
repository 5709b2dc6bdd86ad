import { Context } from "effect"

/**
 * How providers are asked for their configuration, keys and tokens. The implementation guards where requests go, and
 * limits their time and the size of answers.
 */
export class ProviderFetch extends Context.Service<
  ProviderFetch,
  { readonly fetch: (url: string, init: RequestInit) => Promise<Response> }
>()("@wcs/oidc/ProviderFetch") {}
