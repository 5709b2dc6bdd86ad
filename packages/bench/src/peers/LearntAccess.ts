import { types } from "pg"
import { type Access, digestOf, hostOf } from "./Gate.ts"
import type { TokenRow } from "./Store.ts"

/** The queries of the checks, by a driver or an ORM. */
export interface AccessQueries {
  readonly tenantOfHost: (host: string) => Promise<{ readonly tenant_id: string } | undefined>
  readonly token: (digest: string) => Promise<TokenRow | undefined>
  readonly touch: (now: number, tokenId: string) => Promise<unknown>
  readonly revoke: (now: number, tenantId: string, tokenId: string) => Promise<unknown>
}

export interface LearntAccess extends Access {
  /** Loads the caller's data that is not loaded yet; undefined if all of it is. */
  readonly learn: (host: string, authorization: string) => Promise<void> | undefined
}

/** The gate's data on Postgres. It must be learnt before the gate is entered. */
export const learntAccess = (queries: AccessQueries): LearntAccess => {
  const learnt = new Set<string>()
  const tenants = new Map<string, Record<string, unknown>>()
  const tokens = new Map<string, TokenRow>()

  const lookUp = async (host: string, authorization: string, digest: string): Promise<void> => {
    const name = hostOf(host)
    const [tenant, token] = await Promise.all([queries.tenantOfHost(name), queries.token(digest)])
    if (tenant !== undefined) tenants.set(name, { ...tenant })
    if (token !== undefined) tokens.set(digest, token)
    if (tenants.has(name) && tokens.has(digest)) learnt.add(`${host} ${authorization}`)
  }

  return {
    learn: (host, authorization) => {
      if (learnt.has(`${host} ${authorization}`)) return undefined
      return lookUp(host, authorization, digestOf(authorization) ?? "")
    },
    tenantOfHost: { get: (host) => tenants.get(host) },
    token: { get: (digest) => tokens.get(digest) },
    touch: { run: (now, tokenId) => queries.touch(now, tokenId) },
    revoke: {
      run: async (now, tenantId, tokenId) => {
        await queries.revoke(now, tenantId, tokenId)
        for (const known of [learnt, tenants, tokens]) known.clear()
      }
    }
  }
}

const bigint = 20

/** Parsers for one pool that read `bigint` as a number: its columns hold times and versions. */
export const bigintAsNumber = {
  getTypeParser: (oid: number) => (oid === bigint ? Number : types.getTypeParser(oid))
}
