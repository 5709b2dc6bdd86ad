import { Inject, Injectable } from "@nestjs/common"
import { and, eq } from "drizzle-orm"
import type { AccessQueries } from "../LearntAccess.ts"
import type { TokenRow } from "../Store.ts"
import { DATABASE, type Database } from "./DatabaseModule.ts"
import { account, personalToken, tenantHost } from "./Schema.ts"

/** The queries of the checks. */
@Injectable()
export class AccessRepository implements AccessQueries {
  readonly #db: Database

  constructor(@Inject(DATABASE) db: Database) {
    this.#db = db
  }

  async tenantOfHost(host: string): Promise<{ readonly tenant_id: string } | undefined> {
    const [row] = await this.#db
      .select({ tenant_id: tenantHost.tenant_id })
      .from(tenantHost)
      .where(eq(tenantHost.host, host))
    return row
  }

  async token(digest: string): Promise<TokenRow | undefined> {
    const isOfAccount = and(eq(account.id, personalToken.account_id), eq(account.tenant_id, personalToken.tenant_id))
    const [row] = await this.#db
      .select({
        id: personalToken.id,
        tenant_id: personalToken.tenant_id,
        account_id: personalToken.account_id,
        role: account.role,
        expires_at: personalToken.expires_at,
        revoked_at: personalToken.revoked_at,
        deactivated_at: account.deactivated_at,
        last_used_at: personalToken.last_used_at
      })
      .from(personalToken)
      .innerJoin(account, isOfAccount)
      .where(eq(personalToken.token_hash, digest))
    return row
  }

  async touch(now: number, tokenId: string): Promise<void> {
    await this.#db.update(personalToken).set({ last_used_at: now }).where(eq(personalToken.id, tokenId))
  }

  async revoke(now: number, tenantId: string, tokenId: string): Promise<void> {
    await this.#db
      .update(personalToken)
      .set({ revoked_at: now })
      .where(and(eq(personalToken.tenant_id, tenantId), eq(personalToken.id, tokenId)))
  }
}
