import type { Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import { asBearer, clientInBody, clientInHeader, formOf, isCall, tokenOf } from "../Callers.ts"
import { otherTenantHost, tenantHost } from "../Deployment.ts"
import type { Serve } from "../Serve.ts"

// Two tenants on two hosts in a rewrite.

/** The same request to the other tenant's host. */
export const elsewhere = (request: Request): Request => ({
  ...request,
  url: request.url.includes(otherTenantHost)
    ? request.url.replace(otherTenantHost, tenantHost)
    : request.url.replace(tenantHost, otherTenantHost)
})

const hostOf = ({ url }: Request): string => new URL(url).hostname

/** The last token that a host accepted; undefined if none. */
export type AcceptedAt = (request: Request) => string | undefined

/** Serves calls of the newer surface with access to the tokens that each host accepted before. */
export const byHost =
  (serveBy: (request: Request, acceptedAt: AcceptedAt, serve: Serve) => ReturnType<Serve>) =>
  (serve: Serve): Serve => {
    const accepted = new Map<string, string>()
    const acceptedAt: AcceptedAt = (request) => accepted.get(hostOf(request))
    return (request) => {
      const token = tokenOf(request)
      if (!isCall(request) || token === undefined) return serve(request)
      const noted: Serve = (one) =>
        Effect.tap(serve(one), ({ status }) =>
          Effect.sync(() => {
            if (status < 300) accepted.set(hostOf(one), tokenOf(one) ?? token)
          })
        )
      return serveBy(request, acceptedAt, noted)
    }
  }

/** A request as if a caller of that host had sent it; undefined if none is known. */
export const asOwn = (request: Request, acceptedAt: AcceptedAt): Request | undefined => {
  const token = acceptedAt(request)
  return token === undefined ? undefined : asBearer(request, token)
}

/** Whether a token request names its client by this method. */
export const isGrant = (request: Request, by: "body" | "header" | "either"): boolean => {
  if (isCall(request) || formOf(request) === undefined) return false
  const [inBody, inHeader] = [clientInBody(request) !== undefined, clientInHeader(request) !== undefined]
  return by === "either" ? inBody || inHeader : by === "body" ? inBody : inHeader
}
