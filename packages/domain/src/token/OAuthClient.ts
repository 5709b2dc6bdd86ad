import { Result, Schema } from "effect"
import { type Account, accountUrn } from "../access/Account.ts"
import type { PrivilegeRules } from "../access/Privilege.ts"
import type { Instant } from "../shared/Instant.ts"
import type { CreatedBy } from "./CreatedBy.ts"

/** A client of the `client_credentials` grant (§5.2, item 4). It acts as the tenant's service account. */
export interface OAuthClient {
  /** `wcs_oauth_` and 16 letters or digits. */
  readonly clientId: string
  readonly tenantId: string
  readonly name: string
  /** SHA-256 of the secret, hex. The secret has 240 bits of entropy, so a slow hash is not needed. */
  readonly secretHash: string
  readonly secretLastFour: string
  readonly createdAt: Instant
  readonly createdBy: CreatedBy | null
  /**
   * Unix seconds: the expiry of the token that created the client. Null if there is no such token, or if it does not
   * expire.
   */
  readonly expiresAt: number | null
  readonly revokedAt: Instant | null
}

/** Returns whether a user may create clients and keep descendants that are clients. A client has every privilege. */
export const mayHaveClients = (
  { authorize, privilegesOf }: Pick<PrivilegeRules["Service"], "authorize" | "privilegesOf">,
  { deactivatedAt, id, role }: Pick<Account, "deactivatedAt" | "id" | "role">
): boolean =>
  deactivatedAt === null &&
  Result.isSuccess(authorize(accountUrn(id), privilegesOf(role), [{ entityType: "apiClient", operation: "CREATE" }]))

export const clientIdPrefix = "wcs_oauth_"
export const clientIdLength = 16
export const clientSecretPrefix = "wcs_secret_"
/** 62^41 is about 2^244. */
export const clientSecretLength = 41

const clientId = /^wcs_oauth_[0-9A-Za-z]{16}$/u

export const ClientId = Schema.String.check(Schema.isPattern(clientId)).annotate({
  description: "`wcs_oauth_` and 16 letters or digits, assigned by the server. The `client_id` of the token endpoint."
})

/** The format of a client id, in words. */
export const clientIdFormat = `${clientIdPrefix} and ${clientIdLength} letters or digits`

/** Returns whether text has the format of a client id. Other text needs no look-up. */
export const isClientId = (text: string): boolean => clientId.test(text)
