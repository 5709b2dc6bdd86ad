import * as Privilege from "@wcs/domain/access/Privilege"
import { roleTable } from "@wcs/domain/access/RoleTable"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { ids } from "../Requests.ts"
import { shownAs } from "../ShownAs.ts"
import {
  account,
  answer,
  bearer,
  bodyOf,
  created,
  createdBy,
  firstOf,
  laterTime,
  other,
  page,
  requestId,
  time
} from "./Shapes.ts"

const token = {
  ...{ id: ids.token, type: "accessToken", name: "Laptop", account, lastFour: "1Ti6", createdAt: time, createdBy },
  ...{ expiresAt: laterTime, revokedAt: null, lastUsedAt: null }
}

const client = {
  ...{ id: ids.client, type: "apiClient", name: "Payroll", secretLastFour: "2Kt8", createdAt: time, createdBy },
  ...{ expiresAt: null, revokedAt: null }
}

export const administrator = `urn:wcs:account:${other("acc", 2)}`

const user = (role: string, inviteExpiresAt: string | null, further: JsonObject = {}) => ({
  ...{ ...bodyOf("users.create"), id: ids.user, type: "user", account: `urn:wcs:account:${ids.user}`, role },
  ...{ hasPassword: false, joinedAt: null, invitedBy: administrator, inviteExpiresAt, createdAt: time },
  ...{ units: null, worker: null, lastLogin: null, secondFactor: null, deactivatedAt: null, ...further }
})

const isAnn = { worker: { id: ids.ann } }

const { inviteUrl } = shownAs

const session = {
  ...{ id: ids.session, type: "session", account: administrator, method: "password", userAgent: "test" },
  ...{ createdAt: time, seenAt: time, expiresAt: laterTime, revokedAt: null }
}

const { clientSecret: ___, ...directory } = bodyOf("identityProviders.create")

const provider = (further: JsonObject = {}, isVerified = false): JsonObject => ({
  ...{ id: ids.provider, type: "identityProvider", ...directory, active: false, required: false },
  ...{ verifiedDomains: isVerified ? ["example.org"] : [], ...created, hasClientSecret: true, certificates: [] },
  domainProofs: [
    {
      ...{ domain: "example.org", verified: isVerified, recordName: "_wcs-challenge.example.org" },
      recordText: `wcs-domain-verification=${ids.provider}`
    }
  ],
  paths: {
    ...{ login: `/oidc/${ids.provider}/login`, test: `/oidc/${ids.provider}/test` },
    back: `/oidc/${ids.provider}/callback`
  },
  ...further
})

const staff = { name: "Example staff" }

export const access = {
  "me.read": answer({
    ...{ type: "me", account, email: "super@example.org", role: "Super Admin", units: null, worker: null },
    privileges: [...Privilege.everyPrivilege],
    tenant: { id: other("tnt", 1), name: "default", timeZone: "Australia/Sydney" },
    ...{ bearer, authenticatedAt: null }
  }),
  "accessTokens.create": answer({ ...token, token: shownAs.personalToken }),
  "accessTokens.read": answer(token),
  "accessTokens.list": firstOf(token),
  "apiClients.create": answer({ ...client, clientSecret: shownAs.clientSecret }),
  "apiClients.list": page([client]),
  "apiClients.read": answer(client),
  "oauth.token": { access_token: shownAs.accessToken, token_type: "Bearer", expires_in: 3600 },
  "users.create": answer(user("Data Manager", laterTime, { inviteUrl })),
  "users.list": firstOf(user("Data Manager", laterTime)),
  "users.factorRequirement": answer({ from: null, inForce: false }),
  "users.requireFactors": answer({ from: "2030-01-31", inForce: false }),
  "users.roles": answer(roleTable(Privilege)),
  "users.read": answer(user("Data Manager", laterTime)),
  "users.patch": answer(user("Viewer", null, isAnn)),
  "users.reinvite": answer(user("Viewer", laterTime, { ...isAnn, inviteUrl })),
  "users.resetSecondFactor": answer(user("Viewer", null, isAnn)),
  "users.activate": answer(user("Viewer", null, isAnn)),
  "sessions.list": page([session]),
  "sessions.read": answer(session),
  "identityProviders.create": answer(provider()),
  "identityProviders.list": page([provider()]),
  "identityProviders.read": answer(provider()),
  "identityProviders.replace": answer(provider(staff)),
  "identityProviders.patch": answer(provider({ ...staff, active: true })),
  "identityProviders.verifyDomains": answer(provider({ ...staff, active: true }, true)),
  "auditEvents.list": page([
    {
      ...{ id: other("aud", 3), type: "auditEvent", account, accountName: "super@example.org", bearer },
      ...{ operation: "UPDATE", action: "transfer" },
      ...{ entityType: "credential", entityId: ids.credential, requestId, createdAt: time }
    }
  ])
}
