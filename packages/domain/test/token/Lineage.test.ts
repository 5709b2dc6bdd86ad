import { assert, describe, it } from "@effect/vitest"
import * as Privilege from "@wcs/domain/access/Privilege"
import * as TokenLifetime from "@wcs/domain/access/TokenLifetime"
import type { CreatedBy } from "@wcs/domain/token/CreatedBy"
import { type IssuedReference, type Maker, MakerEnded, mayMake, revokingNeeds } from "@wcs/domain/token/Lineage"
import { mayHaveClients } from "@wcs/domain/token/OAuthClient"
import type { PersonalToken } from "@wcs/domain/token/PersonalToken"
import { Option, Result } from "effect"

const now = 1_700_000_000_000
const account: Maker["account"] = {
  id: "acc_0123456789abcDEF",
  tenantId: "tnt_0123456789abcDEF",
  kind: "user",
  email: "ann@example.org",
  role: "Super Admin",
  rateLimit: null,
  workerId: null,
  deactivatedAt: null,
  createdAt: 0
}
const token: PersonalToken = {
  id: "pat_0123456789abcDEF",
  tenantId: account.tenantId,
  accountId: account.id,
  name: "CI",
  tokenHash: "00",
  lastFour: "0000",
  createdAt: 0,
  createdBy: null,
  expiresAt: now / 1000 + 1,
  revokedAt: null,
  lastUsedAt: null
}
const urn = `urn:wcs:account:${account.id}`
const byToken: CreatedBy = { account: urn, bearer: { kind: "personal", id: token.id } }

describe("threat 44: creating tokens and clients", () => {
  const maker = Option.some({ account, token })
  it.each([
    ["the operator", { account: "urn:wcs:operator", bearer: null }, Option.none(), true],
    ["a live token", byToken, maker, true],
    [
      "a bearer of another kind",
      { account: urn, bearer: { kind: "oauth", id: "1" } },
      Option.some({ account, token: null }),
      true
    ],
    ["a revoked token", byToken, Option.some({ account, token: { ...token, revokedAt: now } }), false],
    ["an expired token", byToken, Option.some({ account, token: { ...token, expiresAt: now / 1000 } }), false],
    ["an unknown token", byToken, Option.some({ account, token: null }), false],
    ["a deactivated account", byToken, Option.some({ account: { ...account, deactivatedAt: now }, token }), false],
    ["an unknown account", byToken, Option.none(), false]
  ] as ReadonlyArray<readonly [string, CreatedBy, Option.Option<Maker>, boolean]>)("%s", (_who, by, found, may) => {
    const expected = may ? Result.succeed(undefined) : Result.fail(new MakerEnded())
    assert.deepStrictEqual(mayMake(TokenLifetime, by, found, now), expected)
  })
})

describe("threat 44: creating clients", () => {
  it.each([
    ["Super Admin", null, true],
    ["Admin", null, false],
    ["Viewer", null, false],
    [["apiClient:CREATE"], null, true],
    [["apiClient:READ", "apiClient:DELETE"], null, false],
    ["Super Admin", now, false]
  ] as const)("%s, deactivated at %s: %s", (role, deactivatedAt, may) => {
    assert.strictEqual(mayHaveClients(Privilege, { ...account, role, deactivatedAt }), may)
  })
})

describe("PRV-06: privileges that a cascade needs", () => {
  const one: IssuedReference = { entityType: "accessToken", id: "pat_1" }
  const client: IssuedReference = { entityType: "apiClient", id: "wcs_oauth_1" }
  it.each([
    ["nothing more for a token without descendants", one, [one], []],
    ["nothing more for tokens of a token", one, [one, { ...one, id: "pat_2" }], []],
    [
      "apiClient DELETE for clients of a token",
      one,
      [one, client, client],
      [{ entityType: "apiClient", operation: "DELETE" }]
    ],
    ["nothing more for clients of a client", client, [client, { ...client, id: "wcs_oauth_2" }], []],
    ["accessToken DELETE for tokens of a client", client, [one], [{ entityType: "accessToken", operation: "DELETE" }]],
    ["nothing more if all descendants are revoked", one, [], []]
  ] as const)("needs %s", (_what, root, live, needs) => {
    assert.deepStrictEqual(revokingNeeds(root, live), needs)
  })
})
