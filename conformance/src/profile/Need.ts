import { existingOwners } from "./ExistingOwners.ts"
import { isIssued } from "./Groups.ts"
import { limitsOf } from "./Limits.ts"
import type { Profile } from "./Profile.ts"

/** A profile entry that rules need. */
export interface Need {
  readonly text: string
  /** What has to exist in the deployment first, as an instruction; absent if the deployment needs nothing for it. */
  readonly create?: string
  /** Alternative lines of a profile: one of them meets the need. ‹…› says what to put there. */
  readonly lines: readonly [string, ...ReadonlyArray<string>]
  readonly isMet: (profile: Profile) => boolean
}

/** Formats alternative lines, one or the other. */
export const alternatives = (lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.flatMap((line, index) => (index === 0 ? [line] : ["or", line]))

const isGroup = (profile: Profile, name: string) => profile.groups?.[name]

const hasClient = ({ principals }: Profile): boolean =>
  "oauth" in principals.admin || principals.secondClient !== undefined

/** Whether a run can wait until a token expires. */
const isShort = (profile: Profile, lifetimeSeconds: number | undefined): boolean =>
  lifetimeSeconds !== undefined && lifetimeSeconds < limitsOf(profile).secondsToWait

/** The fewest limited tokens with which every rule about privileges is judged. */
const limitedLines = [
  ...["worker", "credential"].flatMap((type) =>
    ["READ", "CREATE", "UPDATE", "DELETE"].map(
      (operation) =>
        `{ "token": "\${CONF_${type.toUpperCase()}_${operation}}", "privileges": { "${type}": ["${operation}"] } }`
    )
  ),
  '{ "token": "${CONF_BAN_READ}", "privileges": { "ban": ["READ"] } }'
]

const exemptionGroup =
  '"path": "/exemptions", "create": { "body": { "exemptionType": "{{unique}}", "worker": { "id": "{{worker}}" } } }, "delete": { "method": "DELETE", "path": "/exemptions/{{id}}" }'

/** The addresses in the lines below. `init` replaces them by those of the deployment. */
export const lineAddresses = { legacy: "https://staging.example", plain: "http://t1.staging.example:80" } as const

/** All needs by name. `plan` prints the lines of needs that are not met, and `init` asks for them. */
export const needs = {
  "plain-HTTP address": {
    text: "the plain-HTTP address of the deployment",
    lines: ['"newer": { "plainHttpUrl": "http://t1.staging.example:80" }'],
    isMet: (profile) => profile.newer.plainHttpUrl !== undefined
  },
  "second tenant": {
    text: "another tenant's host, with a principal of its own",
    create: "Create a second tenant with a host of its own, and an OAuth client in it",
    lines: [
      '"secondTenant": { "tenantBaseUrl": "‹address of the second tenant, such as https://t2.example›", "admin": { "oauth": { "clientId": "‹id of its OAuth client›", "clientSecret": "${CONF_SECOND_TENANT_SECRET}" } } }'
    ],
    isMet: (profile) => profile.secondTenant !== undefined
  },
  "OAuth client": {
    text: "the id and secret of an OAuth client",
    create: "Create an OAuth client",
    lines: [
      '"principals": { "admin": { "oauth": { "clientId": "‹id of the OAuth client›", "clientSecret": "${CONF_CLIENT_SECRET}" } } }'
    ],
    isMet: (profile) => hasClient(profile)
  },
  "two OAuth clients": {
    text: "two OAuth clients of one tenant",
    create: "Create a second OAuth client in the same tenant",
    lines: [
      '"principals": { "secondClient": { "clientId": "‹id of the second client›", "clientSecret": "${CONF_SECOND_SECRET}" } }'
    ],
    isMet: ({ principals }) => "oauth" in principals.admin && principals.secondClient !== undefined
  },
  "revoked OAuth client": {
    text: "an OAuth client that was revoked",
    create: "Create an OAuth client, and revoke it",
    lines: [
      '"principals": { "revokedClient": { "clientId": "‹id of the revoked client›", "clientSecret": "${CONF_REVOKED_SECRET}" } }'
    ],
    isMet: ({ principals }) => principals.revokedClient !== undefined
  },
  "expired token": {
    text: "an expired token, or OAuth tokens that expire within the longest wait",
    create: "Create a personal token with a short lifetime, and wait until it has expired",
    lines: ['"principals": { "expiredToken": "${CONF_EXPIRED_TOKEN}" }'],
    isMet: (profile) =>
      profile.principals.expiredToken !== undefined ||
      (hasClient(profile) && isShort(profile, profile.oauthLifetimeSeconds))
  },
  "personal token": {
    text: "a personal token of a Super Admin",
    create: "Create a user with every privilege, and a personal token of that user",
    lines: ['"principals": { "personalToken": "${CONF_PERSONAL_TOKEN}" }'],
    isMet: ({ principals }) => principals.personalToken !== undefined
  },
  "rotated token": {
    text: "two valid personal tokens of one user, as during a rotation",
    create: "Create two personal tokens of one user",
    lines: ['"principals": { "rotated": { "old": "${CONF_OLD_TOKEN}", "new": "${CONF_NEW_TOKEN}" } }'],
    isMet: ({ principals }) => principals.rotated !== undefined
  },
  "revoked personal token": {
    text: "a revoked personal token; with a valid one of the same user, the rule is judged in full",
    create: "Create two personal tokens of one user, and revoke one",
    lines: [
      '"principals": { "revokedToken": { "revoked": "${CONF_REVOKED_TOKEN}", "living": "${CONF_LIVING_TOKEN}" } }'
    ],
    isMet: ({ principals }) => principals.revokedToken !== undefined
  },
  "limited tokens": {
    text: "tokens with exactly the listed privileges",
    create: "For each token, create a user with exactly the listed privileges, and a personal token of that user",
    lines: [`"principals": { "limited": [${limitedLines.join(", ")}] }`],
    isMet: ({ principals }) => (principals.limited?.length ?? 0) > 0
  },
  "re-issued token": {
    text: "a second token of a limited principal, or how a user creates one (access token body)",
    create: "Create a user with exactly the listed privilege, and two personal tokens of that user",
    lines: [
      '"principals": { "limited": [{ "token": "${CONF_ONE_OF_TWO}", "reissued": "${CONF_TWO_OF_TWO}", "privileges": { "worker": ["READ"] } }] }'
    ],
    isMet: (profile) =>
      (profile.principals.limited?.some(({ reissued }) => reissued !== undefined) ?? false) ||
      isGroup(profile, "accessToken")?.create?.secret !== undefined
  },
  "write paths": {
    text: "how to change workers and credentials by PATCH and PUT",
    lines: [
      '"groups": { "worker": { "update": [{ "method": "PATCH", "path": "/workers/{{id}}", "body": { "contact": { "workEmail": "{{email}}" } } }] }, "credential": { "update": [{ "method": "PATCH", "path": "/credentials/{{id}}", "body": { "attributes": { "cardType": "{{unique}}" } } }] } }'
    ],
    isMet: (profile) =>
      isGroup(profile, "worker")?.update !== undefined || isGroup(profile, "credential")?.update !== undefined
  },
  "delete paths": {
    text: "how to delete workers and credentials",
    lines: [
      '"groups": { "worker": { "delete": { "method": "DELETE", "path": "/workers/{{id}}" } }, "credential": { "delete": { "method": "DELETE", "path": "/credentials/{{id}}" } } }'
    ],
    isMet: (profile) =>
      isGroup(profile, "worker")?.delete !== undefined && isGroup(profile, "credential")?.delete !== undefined
  },
  "credential body": {
    text:
      "the body that creates a credential; the suite fills in {{worker}}, {{applicant}} or both; " +
      "a body that takes one owner as a type and an id has {{ownerType}} and {{ownerId}} instead",
    lines: [
      '"groups": { "credential": { "create": { "body": { "attributes": { "credentialType": "‹a type of credential, such as FIRST_AID›", "identifier": "{{unique}}", "owners": { "worker": "{{worker}}", "applicant": "{{applicant}}" } } } }, "delete": { "method": "DELETE", "path": "/credentials/{{id}}" } } }'
    ],
    isMet: (profile) => isGroup(profile, "credential")?.create !== undefined
  },
  applicant: {
    text: "how to create an applicant, or the ids of existing ones",
    lines: [
      '"groups": { "applicant": { "path": "/applicants", "create": { "body": { "displayName": "{{name}}", "emailAddress": "{{email}}", "source": { "externalId": "{{unique}}" } } }, "delete": { "method": "DELETE", "path": "/applicants/{{id}}" } } }',
      '"owners": { "applicant": { "existing": ["‹id of an applicant›", "‹id of a second applicant›", "‹id of a third applicant›"] } }'
    ],
    isMet: (profile) =>
      isGroup(profile, "applicant")?.create !== undefined || existingOwners(profile, "applicant").length > 0
  },
  "another group's body": {
    text: "the body that creates a resource other than a worker or a credential",
    lines: [`"groups": { "exemption": { ${exemptionGroup} } }`],
    isMet: ({ groups }) =>
      Object.entries(groups ?? {}).some(
        ([type, { create }]) => type !== "worker" && type !== "credential" && !isIssued(type) && create !== undefined
      )
  },
  "another group's delete path": {
    text: "how to create and delete a resource other than a worker or a credential",
    lines: [`"groups": { "exemption": { ${exemptionGroup}, "find": "/exemptions?exemptionType={{unique}}" } }`],
    isMet: ({ groups }) =>
      Object.entries(groups ?? {}).some(
        ([type, { create, delete: how }]) =>
          type !== "worker" && type !== "credential" && !isIssued(type) && create !== undefined && how !== undefined
      )
  },
  "compliance-check body": {
    text: "the body that creates a compliance check; its code contains {{unique}}",
    lines: [
      '"groups": { "complianceCheck": { "path": "/compliance-checks", "create": { "body": { "code": "{{unique}}", "displayName": "{{name}}", "requirement": { "credentialTypes": ["‹a type of credential, such as FIRST_AID›"] } } }, "delete": { "method": "DELETE", "path": "/compliance-checks/{{id}}" } } }'
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
    create: "Create a verified user with every permission, and set a password",
    lines: [
      '"legacy": { "baseUrl": "https://staging.example", "user": { "username": "‹email of the user›", "password": "${CONF_PASSWORD}" } }'
    ],
    isMet: ({ legacy }) => legacy?.user !== undefined
  },
  "unverified legacy user": {
    text: "a user of the legacy surface with an unverified account",
    create: "Create a user with a password, and leave the account unverified",
    lines: [
      '"legacy": { "baseUrl": "https://staging.example", "unverified": { "username": "‹email of the unverified user›", "password": "${CONF_UNVERIFIED_PASSWORD}" } }'
    ],
    isMet: ({ legacy }) => legacy?.unverified !== undefined
  },
  "legacy user without permission": {
    text: "a user of the legacy surface with the lowest role, and a call that the role does not permit",
    create: "Create a verified user whose role does not permit the call, and set a password",
    lines: [
      '"legacy": { "baseUrl": "https://staging.example", "withoutPermission": { "user": { "username": "‹email of the user without the permission›", "password": "${CONF_LEAST_PASSWORD}" }, "call": { "method": "GET", "path": "/constituents" } } }'
    ],
    isMet: ({ legacy }) => legacy?.withoutPermission !== undefined
  },
  "second organization's resource": {
    text: "a path that another organization's users may not read",
    create: "Create a verified user in another organization, and set a password; or find the id of a person there",
    lines: [
      '"legacy": { "baseUrl": "https://staging.example", "otherOrganization": { "path": "/constituents/{{worker}}", "baseUrl": "‹address for that user, such as https://t2.example›", "user": { "username": "‹email of the user of the other organization›", "password": "${CONF_OTHER_PASSWORD}" } } }',
      '"legacy": { "baseUrl": "https://staging.example", "otherOrganization": { "path": "/constituents/‹id of a person of another organization›" } }'
    ],
    isMet: ({ legacy }) => legacy?.otherOrganization !== undefined
  },
  "expired legacy token": {
    text: "an expired token of the legacy surface, or tokens that expire within the longest wait",
    create: "Create a token of the legacy surface with a short lifetime, and wait until it has expired",
    lines: ['"legacy": { "baseUrl": "https://staging.example", "expiredToken": "${CONF_EXPIRED_LEGACY_TOKEN}" }'],
    isMet: (profile) =>
      profile.legacy?.expiredToken !== undefined || isShort(profile, profile.legacy?.tokenLifetimeSeconds)
  },
  "revoked legacy token": {
    text: "a revoked token of the legacy surface",
    create: "Create a token of the legacy surface, and revoke it",
    lines: ['"legacy": { "baseUrl": "https://staging.example", "revokedToken": "${CONF_REVOKED_LEGACY_TOKEN}" }'],
    isMet: ({ legacy }) => legacy?.revokedToken !== undefined
  },
  "scan body": {
    text: "a valid scan request",
    lines: [
      '"legacy": { "baseUrl": "https://staging.example", "scan": { "type": "‹a type of scan, such as wwcc-nsw›", "identifier": "{{unique}}", "first_name": "Ann", "surname": "{{unique}}" } }'
    ],
    isMet: ({ legacy }) => legacy?.scan !== undefined
  },
  "webhook body": {
    text: "the body that creates a webhook with the URL {{receiver}}",
    lines: [
      '"groups": { "webhook": { "create": { "body": { "name": "{{name}}", "url": "{{receiver}}", "events": ["webhook.test"] } }, "delete": { "method": "DELETE", "path": "/webhooks/{{id}}" } } }'
    ],
    isMet: (profile) => isGroup(profile, "webhook")?.create !== undefined
  },
  "position of the signing secret": {
    text: "the position of a webhook's secret in the responses to its create and to a rotation",
    lines: ['"signingSecret": { "create": "data.signingSecret", "rotate": "data.signingSecret" }'],
    isMet: (profile) => profile.signingSecret !== undefined
  },
  receiver: {
    text: "where the suite receives deliveries, and the body of a webhook that receives credential.verified",
    create: "Let the deployment deliver over HTTP to this machine, or route a public URL to a port of this machine",
    lines: [
      '"receiver": { "timeoutSeconds": 10 }, "subscribedWebhook": { "body": { "name": "{{name}}", "url": "{{receiver}}", "events": ["credential.verified"] } }',
      '"receiver": { "port": 8099, "publicUrl": "‹public URL that is routed to port 8099 of this machine›" }, "subscribedWebhook": { "body": { "name": "{{name}}", "url": "{{receiver}}", "events": ["credential.verified"] } }'
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
    lines: [
      '"redrive": { "method": "POST", "path": "/webhooks/{{id}}/redrive", "body": { "deliveryIds": ["{{delivery}}"] }, "of": "delivered" }',
      '"redrive": { "method": "POST", "path": "/webhooks/{{id}}/redrive", "body": { "from": "{{since}}" } }'
    ],
    isMet: (profile) => profile.redrive !== undefined
  },
  "verifiable credential": {
    text: "the body that creates a credential that can be verified",
    lines: [
      '"verifiableCredential": { "body": { "attributes": { "credentialType": "‹a type that can be verified, such as WWCC_VIC›", "identifier": "‹an identifier with {{unique}}, such as {{unique}}00; the register knows it as valid›", "holder": { "firstName": "Conformance", "lastName": "{{unique}}" }, "owners": { "worker": "{{worker}}" } } } }'
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
      '"bulkFetchRequest": { "path": "/fetch-requests/bulk", "body": { "workers": [{ "id": "{{worker}}" }, { "id": "{{nobody}}" }], "requestedCredentialTypes": ["‹a type of credential, such as FIRST_AID›"], "message": "{{unique}}" } }, "groups": { "captureRequest": { "delete": { "method": "DELETE", "path": "/fetch-requests/{{id}}" } } }'
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
    lines: [
      '"businessRule": { "method": "POST", "path": "/credentials", "body": { "attributes": { "credentialType": "‹a type of credential, such as FIRST_AID›", "owners": { "worker": "‹an id that no worker has›" } } }, "allowedBody": { "attributes": { "credentialType": "‹a type of credential, such as FIRST_AID›", "owners": { "worker": "{{worker}}" } } } }'
    ],
    isMet: (profile) => profile.businessRule !== undefined
  },
  "permission to exhaust a limit": {
    text: "a principal with a rate limit that the run may use up; its ceiling also permits irreversible changes",
    create:
      "Create a user with every privilege and a small rate limit, such as 10 calls a second, and a personal token",
    lines: [
      '"principals": { "rateLimited": { "token": "${CONF_RATE_LIMITED_TOKEN}" } }, "run": { "ceiling": "exhaust" }'
    ],
    isMet: ({ principals }) => principals.rateLimited !== undefined
  },
  "provider paths": {
    text: "the paths that set up third-party integrations",
    lines: ['"providerPaths": ["‹path below /openapi/v1, such as /oauth/provider/authorize›"]'],
    isMet: (profile) => profile.providerPaths !== undefined
  },
  "external identity provider": {
    text: "a token of the deployment's external identity provider",
    create: "Connect an external identity provider, and obtain a token of one of its users",
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
    create: "Enrol an authenticator app for a user with every privilege, and create a personal token of that user",
    lines: ['"principals": { "enrolledToken": "${CONF_ENROLLED_TOKEN}" }'],
    isMet: ({ principals }) => principals.enrolledToken !== undefined
  },
  "web login by SAML": {
    text: "how a user logs in to the web application by SAML, and the key of an identity provider that the suite plays",
    create: "Connect an identity provider with a certificate for a key of yours, and a user who logs in through it",
    lines: [
      '"webLogin": { "proof": { "path": "‹page that only logged-in users may read, such as /account›" }, "saml": { "start": "‹page that sends the browser to the identity provider›", "identityProvider": { "entityId": "‹entity id of the identity provider›", "url": "‹its single sign-on URL›", "key": "${CONF_SAML_KEY}" }, "user": { "nameId": "‹name id of the user›" } } }'
    ],
    isMet: ({ webLogin }) => webLogin?.saml !== undefined
  },
  "web login with TOTP": {
    text: "how a user with an authenticator app logs in to the web application, and the app's secret",
    create: "Enrol an authenticator app for a user with a password, and keep the app's secret",
    lines: [
      '"webLogin": { "proof": { "path": "‹page that only logged-in users may read, such as /account›" }, "totp": { "steps": [{ "method": "POST", "path": "/login", "form": { "email": "‹email of the user with the app›", "password": "${CONF_WEB_PASSWORD}" } }, { "method": "POST", "path": "/login/code", "form": { "code": "{{code}}" } }], "secret": "${CONF_TOTP_SECRET}" } }'
    ],
    isMet: ({ webLogin }) => webLogin?.totp !== undefined
  }
} as const satisfies Record<string, Need>

export type NeedName = keyof typeof needs
