import { existingOwners } from "./ExistingOwners.ts"
import { isIssued } from "./Groups.ts"
import { limitsOf } from "./Limits.ts"
import type { Profile } from "./Profile.ts"

/** A profile entry that rules need. */
export interface Need {
  readonly text: string
  /** Example lines of a profile that meet the need. */
  readonly lines: ReadonlyArray<string>
  readonly isMet: (profile: Profile) => boolean
}

const isGroup = (profile: Profile, name: string) => profile.groups?.[name]

const hasClient = ({ principals }: Profile): boolean =>
  "oauth" in principals.admin || principals.secondClient !== undefined

/** Whether a run can wait until a token expires. */
const isShort = (profile: Profile, lifetimeSeconds: number | undefined): boolean =>
  lifetimeSeconds !== undefined && lifetimeSeconds < limitsOf(profile).secondsToWait

/** All needs by name. `run` and `plan` print the lines of needs that are not met. */
export const needs = {
  "plain-HTTP address": {
    text: "the plain-HTTP address of the deployment",
    lines: ['"newer": { "plainHttpUrl": "http://staging.example:80" }'],
    isMet: (profile) => profile.newer.plainHttpUrl !== undefined
  },
  "second tenant": {
    text: "another tenant's host, with a principal of its own",
    lines: [
      '"secondTenant": { "tenantBaseUrl": "https://other.example", "admin": { "token": "${CONF_OTHER_TOKEN}" } }'
    ],
    isMet: (profile) => profile.secondTenant !== undefined
  },
  "OAuth client": {
    text: "the id and secret of an OAuth client",
    lines: [
      '"principals": { "admin": { "oauth": { "clientId": "${CONF_CLIENT_ID}", "clientSecret": "${CONF_CLIENT_SECRET}" } } }'
    ],
    isMet: (profile) => hasClient(profile)
  },
  "two OAuth clients": {
    text: "two OAuth clients of one tenant",
    lines: [
      '"principals": { "secondClient": { "clientId": "${CONF_SECOND_ID}", "clientSecret": "${CONF_SECOND_SECRET}" } }'
    ],
    isMet: ({ principals }) => "oauth" in principals.admin && principals.secondClient !== undefined
  },
  "revoked OAuth client": {
    text: "an OAuth client that was revoked",
    lines: [
      '"principals": { "revokedClient": { "clientId": "${CONF_REVOKED_ID}", "clientSecret": "${CONF_REVOKED_SECRET}" } }'
    ],
    isMet: ({ principals }) => principals.revokedClient !== undefined
  },
  "expired token": {
    text: "an expired token, or OAuth tokens that expire within the longest wait",
    lines: ['"principals": { "expiredToken": "${CONF_EXPIRED_TOKEN}" }'],
    isMet: (profile) =>
      profile.principals.expiredToken !== undefined ||
      (hasClient(profile) && isShort(profile, profile.oauthLifetimeSeconds))
  },
  "personal token": {
    text: "a personal token of a Super Admin",
    lines: ['"principals": { "personalToken": "${CONF_PERSONAL_TOKEN}" }'],
    isMet: ({ principals }) => principals.personalToken !== undefined
  },
  "rotated token": {
    text: "two valid personal tokens of one user, as during a rotation",
    lines: ['"principals": { "rotated": { "old": "${CONF_OLD_TOKEN}", "new": "${CONF_NEW_TOKEN}" } }'],
    isMet: ({ principals }) => principals.rotated !== undefined
  },
  "revoked personal token": {
    text: "a revoked personal token; with a valid one of the same user, the rule is judged in full",
    lines: [
      '"principals": { "revokedToken": { "revoked": "${CONF_REVOKED_TOKEN}", "living": "${CONF_LIVING_TOKEN}" } }'
    ],
    isMet: ({ principals }) => principals.revokedToken !== undefined
  },
  "limited tokens": {
    text: "tokens with exactly the listed privileges",
    lines: ['"principals": { "limited": [{ "token": "${CONF_WORKER_READ}", "privileges": { "worker": ["READ"] } }] }'],
    isMet: ({ principals }) => (principals.limited?.length ?? 0) > 0
  },
  "re-issued token": {
    text: "a second token of a limited principal, or how a user creates one (accessToken)",
    lines: [
      '"principals": { "limited": [{ "token": "…", "reissued": "${CONF_WORKER_READ_AGAIN}", "privileges": { … } }] }'
    ],
    isMet: (profile) =>
      (profile.principals.limited?.some(({ reissued }) => reissued !== undefined) ?? false) ||
      isGroup(profile, "accessToken")?.create?.secret !== undefined
  },
  "write paths": {
    text: "how to change workers and credentials by PATCH and PUT",
    lines: ['"groups": { "worker": { "update": [{ "method": "PATCH", "path": "/workers/{{id}}", "body": { … } }] } }'],
    isMet: (profile) =>
      isGroup(profile, "worker")?.update !== undefined || isGroup(profile, "credential")?.update !== undefined
  },
  "delete paths": {
    text: "how to delete workers and credentials",
    lines: [
      '"groups": { "worker": { "delete": { "method": "DELETE", "path": "/workers/{{id}}" } } }',
      '"groups": { "credential": { "delete": { "method": "DELETE", "path": "/credentials/{{id}}" } } }'
    ],
    isMet: (profile) =>
      isGroup(profile, "worker")?.delete !== undefined && isGroup(profile, "credential")?.delete !== undefined
  },
  "credential body": {
    text: "the body that creates a credential of one worker",
    lines: [
      '"groups": { "credential": { "create": { "body": { "attributes": { "owners": { "worker": "{{worker}}" } } } } } }'
    ],
    isMet: (profile) => isGroup(profile, "credential")?.create !== undefined
  },
  applicant: {
    text: "how to create an applicant, or the ids of existing ones",
    lines: [
      '"groups": { "applicant": { "path": "/applicants", "create": { "body": { "emailAddress": "{{email}}" } }, "delete": { "method": "DELETE", "path": "/applicants/{{id}}" } } }',
      '"owners": { "applicant": { "existing": ["app_1", "app_2", "app_3"] } }'
    ],
    isMet: (profile) =>
      isGroup(profile, "applicant")?.create !== undefined || existingOwners(profile, "applicant").length > 0
  },
  "another group's body": {
    text: "the body that creates a resource other than a worker or a credential",
    lines: ['"groups": { "exemption": { "path": "/exemptions", "create": { "body": { … } } } }'],
    isMet: ({ groups }) =>
      Object.entries(groups ?? {}).some(
        ([type, { create }]) => type !== "worker" && type !== "credential" && !isIssued(type) && create !== undefined
      )
  },
  "another group's delete path": {
    text: "how to create and delete a resource other than a worker or a credential",
    lines: [
      '"groups": { "exemption": { "path": "/exemptions", "create": { "body": { … } }, "delete": { "method": "DELETE", "path": "/exemptions/{{id}}" } } }'
    ],
    isMet: ({ groups }) =>
      Object.entries(groups ?? {}).some(
        ([type, { create, delete: how }]) =>
          type !== "worker" && type !== "credential" && !isIssued(type) && create !== undefined && how !== undefined
      )
  },
  "compliance-check body": {
    text: "the body that creates a compliance check; its code contains {{unique}}",
    lines: [
      '"groups": { "complianceCheck": { "path": "/compliance-checks", "create": { "body": { "code": "{{unique}}" } }, "delete": { "method": "DELETE", "path": "/compliance-checks/{{id}}" } } }'
    ],
    isMet: (profile) =>
      isGroup(profile, "complianceCheck")?.create !== undefined &&
      isGroup(profile, "complianceCheck")?.path !== undefined
  },
  "legacy surface": {
    text: "the address of the legacy surface",
    lines: ['"legacy": { "baseUrl": "https://staging.example" }'],
    isMet: ({ legacy }) => legacy !== undefined
  },
  "legacy user": {
    text: "a verified user of the legacy surface with every permission",
    lines: ['"legacy": { "user": { "username": "ann@example.org", "password": "${CONF_PASSWORD}" } }'],
    isMet: ({ legacy }) => legacy?.user !== undefined
  },
  "unverified legacy user": {
    text: "a user of the legacy surface with an unverified account",
    lines: ['"legacy": { "unverified": { "username": "bob@example.org", "password": "${CONF_UNVERIFIED_PASSWORD}" } }'],
    isMet: ({ legacy }) => legacy?.unverified !== undefined
  },
  "legacy user without permission": {
    text: "a user of the legacy surface with the lowest role, and a call that the role does not permit",
    lines: [
      '"legacy": { "withoutPermission": { "user": { "username": "eve@example.org", "password": "${CONF_LEAST_PASSWORD}" }, "call": { "method": "GET", "path": "/constituents" } } }'
    ],
    isMet: ({ legacy }) => legacy?.withoutPermission !== undefined
  },
  "second organization's resource": {
    text: "a path that another organization's users may not read",
    lines: ['"legacy": { "otherOrganization": { "path": "/constituents/4711" } }'],
    isMet: ({ legacy }) => legacy?.otherOrganization !== undefined
  },
  "expired legacy token": {
    text: "an expired token of the legacy surface, or tokens that expire within the longest wait",
    lines: ['"legacy": { "expiredToken": "${CONF_EXPIRED_LEGACY_TOKEN}" }'],
    isMet: (profile) =>
      profile.legacy?.expiredToken !== undefined || isShort(profile, profile.legacy?.tokenLifetimeSeconds)
  },
  "revoked legacy token": {
    text: "a revoked token of the legacy surface",
    lines: ['"legacy": { "revokedToken": "${CONF_REVOKED_LEGACY_TOKEN}" }'],
    isMet: ({ legacy }) => legacy?.revokedToken !== undefined
  },
  "scan body": {
    text: "a valid scan request",
    lines: [
      '"legacy": { "scan": { "type": "wwcc", "identifier": "{{unique}}", "first_name": "Ann", "surname": "Example" } }'
    ],
    isMet: ({ legacy }) => legacy?.scan !== undefined
  },
  "webhook body": {
    text: "the body that creates a webhook with the URL {{receiver}}",
    lines: [
      '"groups": { "webhook": { "create": { "body": { "url": "{{receiver}}", … } }, "delete": { "method": "DELETE", "path": "/webhooks/{{id}}" } } }'
    ],
    isMet: (profile) => isGroup(profile, "webhook")?.create !== undefined
  },
  "position of the signing secret": {
    text: "the position of a webhook's secret in the responses to its create and to a rotation",
    lines: ['"signingSecret": { "create": "data.signingSecret", "rotate": "data.signingSecret" }'],
    isMet: (profile) => profile.signingSecret !== undefined
  },
  receiver: {
    text: "where the suite receives deliveries, and the body of a webhook with the URL {{receiver}}",
    lines: [
      '"receiver": { "port": 8099, "publicUrl": "https://hooks.example/conformance", "timeoutSeconds": 10 }',
      '"groups": { "webhook": { "create": { "body": { "url": "{{receiver}}", "events": ["credential.verified"] } } } }'
    ],
    isMet: (profile) =>
      profile.receiver !== undefined &&
      JSON.stringify(profile.subscribedWebhook?.body ?? isGroup(profile, "webhook")?.create?.body ?? null).includes(
        "{{receiver}}"
      )
  },
  "signature scheme": {
    text: "how deliveries are signed",
    lines: [
      '"signature": { "header": "webhook-signature", "form": "v1,{{signature}}", "algorithm": "sha256", "encoding": "base64", "signed": "{{id}}.{{timestamp}}.{{body}}", "headers": { "id": "webhook-id", "timestamp": "webhook-timestamp" }, "key": { "prefix": "whsec_", "encoding": "base64" } }'
    ],
    isMet: (profile) => profile.signature !== undefined
  },
  "redrive path": {
    text: "the call that redrives deliveries of a webhook",
    lines: ['"redrive": { "method": "POST", "path": "/webhooks/{{id}}/redrive", "body": { "since": "{{since}}" } }'],
    isMet: (profile) => profile.redrive !== undefined
  },
  "verifiable credential": {
    text: "the body that creates a credential that can be verified",
    lines: [
      '"verifiableCredential": { "body": { "attributes": { "credentialType": "…", "owners": { "worker": "{{worker}}" } } } }'
    ],
    isMet: (profile) => profile.verifiableCredential !== undefined
  },
  "audit log path": {
    text: "how to read the audit history of one resource, or of all, and the position of the acting account in an entry",
    lines: [
      '"audit": { "path": "/audit-events?entityId={{id}}", "actor": "account" }',
      '"audit": { "path": "/audit-events", "actor": "account" }'
    ],
    isMet: (profile) => profile.audit !== undefined
  },
  "bulk fetch request": {
    text: "the path and body of the bulk fetch request, for an existing and an unknown worker",
    lines: [
      '"bulkFetchRequest": { "path": "/fetch-requests/bulk", "body": { "workers": [{ "id": "{{worker}}" }, { "id": "{{nobody}}" }] } }'
    ],
    isMet: (profile) => profile.bulkFetchRequest !== undefined
  },
  "bulk link body": {
    text: "the body of a bulk link",
    lines: [
      '"ownership": { "bulkLink": { "from": "{{from}}", "to": "{{to}}", "credentialIds": "{{credentialIds}}" } }'
    ],
    isMet: (profile) => profile.ownership?.bulkLink !== undefined
  },
  "sort parameter": {
    text: "how to sort a list, by a known and by an unknown field",
    lines: [
      '"sort": { "path": "/workers", "parameter": "sort", "known": "createdAt:asc", "unknown": "noSuchField:asc" }'
    ],
    isMet: (profile) => profile.sort !== undefined
  },
  "a request that breaks a business rule": {
    text: "a request that breaks a business rule, and a body with which the request succeeds",
    lines: ['"businessRule": { "method": "POST", "path": "/credentials", "body": { … }, "allowedBody": { … } }'],
    isMet: (profile) => profile.businessRule !== undefined
  },
  "permission to exhaust a limit": {
    text: "a principal with a rate limit that the run may use up",
    lines: [
      '"principals": { "rateLimited": { "token": "${CONF_RATE_LIMITED_TOKEN}" } }',
      '"run": { "ceiling": "exhaust" }'
    ],
    isMet: ({ principals }) => principals.rateLimited !== undefined
  },
  "provider paths": {
    text: "the paths that set up third-party integrations",
    lines: ['"providerPaths": ["/oauth/provider/authorize"]'],
    isMet: (profile) => profile.providerPaths !== undefined
  },
  "external identity provider": {
    text: "a token of the deployment's external identity provider",
    lines: ['"principals": { "externalToken": "${CONF_EXTERNAL_TOKEN}" }'],
    isMet: ({ principals }) => principals.externalToken !== undefined
  },
  "access token body": {
    text: "how a user creates a personal token through the interface, and the position of its secret in the response",
    lines: [
      '"groups": { "accessToken": { "path": "/access-tokens", "create": { "body": { "name": "{{unique}}" }, "secret": "data.token" }, "delete": { "method": "DELETE", "path": "/access-tokens/{{id}}" } } }'
    ],
    isMet: (profile) => isGroup(profile, "accessToken")?.create?.secret !== undefined
  },
  "API client body": {
    text: "how a user creates an OAuth client through the interface, and the position of its secret in the response",
    lines: [
      '"groups": { "apiClient": { "path": "/api-clients", "create": { "body": { "name": "{{unique}}" }, "secret": "data.clientSecret" }, "delete": { "method": "DELETE", "path": "/api-clients/{{id}}" } } }'
    ],
    isMet: (profile) => isGroup(profile, "apiClient")?.create?.secret !== undefined
  },
  "user with multifactor authentication": {
    text: "a token of a Super Admin with multifactor authentication enrolled",
    lines: ['"principals": { "enrolledToken": "${CONF_ENROLLED_TOKEN}" }'],
    isMet: ({ principals }) => principals.enrolledToken !== undefined
  },
  "web login by SAML": {
    text: "how a user logs in to the web application by SAML, and the key of an identity provider that the suite plays",
    lines: [
      '"webLogin": { "proof": { "path": "/account" }, "saml": { "start": "/login/saml", "identityProvider": { "entityId": "https://idp.example", "url": "https://idp.example/sso", "key": "${CONF_SAML_KEY}" }, "user": { "nameId": "ann@example.org" } } }'
    ],
    isMet: ({ webLogin }) => webLogin?.saml !== undefined
  },
  "web login with TOTP": {
    text: "how a user with an authenticator app logs in to the web application, and the app's secret",
    lines: [
      '"webLogin": { "proof": { "path": "/account" }, "totp": { "steps": [{ "method": "POST", "path": "/login", "form": { "email": "ann@example.org", "password": "${CONF_PASSWORD}" } }, { "method": "POST", "path": "/login/code", "form": { "code": "{{code}}" } }], "secret": "${CONF_TOTP_SECRET}" } }'
    ],
    isMet: ({ webLogin }) => webLogin?.totp !== undefined
  }
} as const satisfies Record<string, Need>

export type NeedName = keyof typeof needs
