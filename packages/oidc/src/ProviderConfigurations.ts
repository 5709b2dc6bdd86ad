import type { Instant } from "@wcs/domain/shared/Instant"
import { createRemoteJWKSet, type JWTVerifyGetKey, customFetch as joseFetch } from "jose"
import * as client from "openid-client"
import type { ProviderFetch } from "./ProviderFetch.ts"

/** A provider's published configuration. */
export interface Published {
  readonly server: client.ServerMetadata
  readonly keys: JWTVerifyGetKey
}

/** How long a configuration is cached. */
const lifetimeMillis = 10 * 60 * 1000
/** The maximum number of cached configurations; the oldest is evicted first. */
const configurationsMax = 100
const timeoutSeconds = 5
/** Unknown key ids trigger a fetch of the keys at most this often. */
const keysCooldownMillis = 30_000

/** Insecure requests reach loopback only: no other http URL can be stored. */
export const isPlain = (issuer: string): boolean => issuer.startsWith("http:")

const read = async (issuer: string, fetch: ProviderFetch["Service"]["fetch"]): Promise<Published> => {
  const options: client.DiscoveryRequestOptions = {
    [client.customFetch]: fetch as client.CustomFetch,
    timeout: timeoutSeconds,
    ...(isPlain(issuer) ? { execute: [client.allowInsecureRequests] } : {})
  }
  const server = (await client.discovery(new URL(issuer), "unused", undefined, client.None(), options)).serverMetadata()
  if (server.issuer !== issuer) throw new Error("the issuer publishes another issuer")
  const keysUrl = new URL(server.jwks_uri ?? "")
  if (keysUrl.protocol !== "https:" && !isPlain(issuer)) throw new Error("jwks_uri is not https")
  const keys = createRemoteJWKSet(keysUrl, {
    [joseFetch]: (url, init) => fetch(url, init as RequestInit),
    timeoutDuration: timeoutSeconds * 1000,
    cooldownDuration: keysCooldownMillis,
    cacheMaxAge: lifetimeMillis
  })
  return { server, keys }
}

/** Caches the published configurations of providers. Failures are not cached. */
export const makeConfigurations = ({ fetch }: ProviderFetch["Service"]) => {
  const kept = new Map<string, { readonly published: Promise<Published>; readonly until: Instant }>()
  return (issuer: string, now: Instant): Promise<Published> => {
    const known = kept.get(issuer)
    if (known !== undefined && now < known.until) return known.published
    const published = read(issuer, fetch)
    const [oldest] = kept.keys()
    if (kept.size >= configurationsMax && oldest !== undefined) kept.delete(oldest)
    kept.set(issuer, { published, until: now + lifetimeMillis })
    published.catch(() => {
      if (kept.get(issuer)?.published === published) kept.delete(issuer)
    })
    return published
  }
}
