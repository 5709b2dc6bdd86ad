import { randomUUID } from "node:crypto"
import { accountUrn } from "@wcs/domain/access/Account"
import type { PrivilegeName, Role } from "@wcs/domain/access/Privilege"
import type { RateLimit } from "@wcs/domain/access/RateLimitTier"
import type { Tenant } from "@wcs/domain/access/Tenant"
import { operatorUrn } from "@wcs/domain/audit/AuditEntry"
import type * as Bans from "@wcs/domain/credential/Bans"
import type { LinkNotFound } from "@wcs/domain/crud/Links"
import type { InvitationReference } from "@wcs/domain/event/MessageDraft"
import type { Verdict } from "@wcs/domain/holding/Verification"
import type { Status } from "@wcs/domain/import/Import"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import type { JsonValue } from "@wcs/domain/shared/Json"
import type { Administration } from "@wcs/domain/token/Administration"
import type { Users } from "@wcs/domain/user/Users"
import { Context, Effect, Redacted } from "effect"

/** The response to a request. */
export interface Answer {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body if it is JSON; read it with `at`. */
  readonly json: unknown
}

/** One request, which may be malformed. */
export interface Call {
  readonly method: string
  /** From the root: `/openapi/v1/workers`. */
  readonly path: string
  /** Sent as `Authorization: Bearer …`. By default the Super Admin's; null sends none. */
  readonly token?: string | null
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent unchanged, in place of `body`. */
  readonly rawBody?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** The `Host` of the request; by default the first tenant's. */
  readonly host?: string
  /** The loopback address of the client; by default 127.0.0.1. */
  readonly address?: string
}

/** A whole deployment with two tenants, and its operator's commands. */
export class Service extends Context.Service<
  Service,
  {
    readonly call: (call: Call) => Effect.Effect<Answer>
    /** On `localhost`. */
    readonly tenant: Tenant
    /** On `other.localhost`. */
    readonly otherTenant: Tenant
    /** A personal token of a Super Admin of the first tenant. */
    readonly superAdmin: string
    readonly administration: Administration["Service"]
    readonly users: Users["Service"]
    /**
     * A new session of a user of the first tenant, with the headers that the console sends for it. The user proved
     * their identity the given number of seconds ago.
     */
    readonly session: (
      accountId: string,
      ageSeconds?: number
    ) => Effect.Effect<{ readonly id: string; readonly headers: Readonly<Record<string, string>> }>
    /** Creates a delivery to a webhook of the first tenant and does not send it. Returns the id of the delivery. */
    readonly skipped: (webhookId: string) => Effect.Effect<string>
    /** Gives an account of the first tenant an authenticator app, set up and used at fixed times. */
    readonly withApp: (accountId: string) => Effect.Effect<void>
    /** Stores a message to a user or worker of the first tenant that the mail server refused. Returns its id. */
    readonly refused: (recipientId: string) => Effect.Effect<string>
    /** Mints a link to answer a request, as a message does. Returns its path; empty if the request has no page. */
    readonly answerLink: (request: InvitationReference) => Effect.Effect<string>
    /** Mints a code for a further device, as a message does. Empty if none was asked for. */
    readonly answerCode: (request: InvitationReference) => Effect.Effect<string>
    /** Stores an empty import of the first tenant with a status. Returns its id. */
    readonly imported: (status: Status) => Effect.Effect<string>
    /** Imports a record of a register of bans, like `wcs admin import-bans`. */
    readonly recordBan: (
      tenantId: string,
      entry: JsonValue
    ) => Effect.Effect<Bans.Recorded, InvalidArgument | LinkNotFound>
    /** Sets the verdict of a credential of the first tenant, like a register's answer. */
    readonly recordVerdict: (credential: string, verdict: Verdict) => Effect.Effect<void>
    /** Publishes the TXT records of a name. */
    readonly publish: (name: string, ...texts: ReadonlyArray<string>) => Effect.Effect<unknown>
    /** The time of the server's clock. */
    readonly now: Effect.Effect<Instant>
    /** Moves the server's clock forward. */
    readonly advance: (seconds: number) => Effect.Effect<void>
  }
>()("@wcs/deployment/test/Service") {}

/** The second tenant's host. */
export const otherHost = "other.localhost"

export const operator = { account: operatorUrn, bearer: null, requestId: "operator" }

/** The value at a dotted path of a response's JSON. */
export const at = (answer: Answer, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, key) =>
        typeof value === "object" && value !== null && Object.hasOwn(value, key)
          ? (value as Record<string, unknown>)[key]
          : undefined,
      answer.json
    )

/** The text at a dotted path. Fails the test if there is none. */
export const textAt = (answer: Answer, path: string): string => {
  const value = at(answer, path)
  if (typeof value !== "string") throw new Error(`no text at ${path}: ${answer.status} ${answer.text}`)
  return value
}

/** Another personal token of a user, with a lifetime in seconds if given. */
export const tokenFor = Effect.fnUntraced(function* (
  email: string,
  lifetimeSeconds: number | null = null,
  other = false
) {
  const { administration, otherTenant, tenant } = yield* Service
  const made = yield* administration
    .createToken(other ? otherTenant.id : tenant.id, email, "test", lifetimeSeconds, operator)
    .pipe(Effect.orDie)
  return { token: Redacted.value(made.secret), id: made.token.id }
})

/** A personal token of a new user with a role, or with exactly these privileges. */
export const tokenOf = Effect.fnUntraced(function* (
  role: Role | ReadonlyArray<PrivilegeName>,
  other = false,
  rateLimit: RateLimit | null = null
) {
  const { administration, otherTenant, tenant } = yield* Service
  const tenantId = other ? otherTenant.id : tenant.id
  const email = `${randomUUID()}@example.org`
  const account = yield* administration.createUser(tenantId, email, role, operator, rateLimit).pipe(Effect.orDie)
  return { ...(yield* tokenFor(email, null, other)), email, urn: accountUrn(account.id) }
})

/** A new OAuth client with its secret. */
export const client = Effect.fnUntraced(function* (other = false) {
  const { administration, otherTenant, tenant } = yield* Service
  const made = yield* administration
    .createClient(other ? otherTenant.id : tenant.id, "test", operator)
    .pipe(Effect.orDie)
  return { clientId: made.client.clientId, clientSecret: Redacted.value(made.secret) }
})

export const tokenPath = "/openapi/v1/oauth/token"

/** A form-encoded request to the token endpoint, with exactly the given fields. */
export const grant = Effect.fnUntraced(function* (
  form: Readonly<Record<string, string>> | string,
  more: Partial<Call> = {}
) {
  const { call } = yield* Service
  return yield* call({
    method: "POST",
    path: tokenPath,
    token: null,
    rawBody: typeof form === "string" ? form : new URLSearchParams(form).toString(),
    ...more,
    headers: { "content-type": "application/x-www-form-urlencoded", ...more.headers }
  })
})

/** The form of a good grant. */
export const grantForm = ({
  clientId,
  clientSecret
}: {
  readonly clientId: string
  readonly clientSecret: string
}) => ({
  grant_type: "client_credentials",
  client_id: clientId,
  client_secret: clientSecret
})

/** An access token of a new OAuth client. */
export const accessToken = Effect.fnUntraced(function* (other = false) {
  const made = yield* client(other)
  const answer = yield* grant(grantForm(made), other ? { host: otherHost } : {})
  return { ...made, token: textAt(answer, "access_token") }
})

type Fields = Readonly<Record<string, unknown>>

/** Creates a resource of the first tenant, with new fields each time, and returns its id. */
const created = (collection: string, fields: () => Fields) =>
  Service.use(({ call }) =>
    Effect.map(call({ method: "POST", path: `/openapi/v1/${collection}`, body: fields() }), (answer) =>
      textAt(answer, "data.id")
    )
  )

/** A new worker's id. */
export const worker = (fields: Fields = {}) =>
  created("workers", () => ({ identity: { displayName: "Ann Example" }, ...fields }))

/** A new applicant's id. */
export const applicant = (fields: Fields = {}) =>
  created("applicants", () => ({ emailAddress: "ann@example.org", ...fields }))

/** A new unit's id. */
export const unit = (fields: Fields = {}) => created("units", () => ({ name: "North", ...fields }))

/** The owners of a new credential. */
interface Owners {
  readonly worker?: string
  readonly applicant?: string
}

/** A new credential's id, held by a worker, an applicant or both. */
export const credential = (owners: Owners, attributes: Fields = {}) =>
  created("credentials", () => ({ attributes: { credentialType: "FIRST_AID", ...attributes, owners } }))

/** The fields of a credential that the reference register knows as VALID. */
export const verifiable = {
  credentialType: "WWCC_NSW",
  identifier: "WWC1234567E",
  holder: { firstName: "Ann", lastName: "Example", birthDate: "1990-04-01" }
} as const

/** The fields of a credential that a person must review. */
export const reviewed = { credentialType: "WWVP_ACT", identifier: "1234567" } as const

/** The id of a new credential whose first verification has reached this state. */
export const verified = Effect.fnUntraced(function* (
  owners: Owners,
  attributes: Fields = verifiable,
  statusDetail = "VALID"
) {
  const { call } = yield* Service
  const id = yield* credential(owners, attributes)
  const read = call({ method: "GET", path: `/openapi/v1/credentials/${id}` })
  yield* Effect.repeat(read, { until: (answer) => at(answer, "data.attributes.statusDetail") === statusDetail })
  return id
})

/** The id of a new credential of a worker, with the verdict MAY_ENGAGE. */
export const engaging = Effect.fnUntraced(function* (worker: string, attributes: Fields = {}) {
  const { recordVerdict } = yield* Service
  const id = yield* credential({ worker }, attributes)
  yield* recordVerdict(id, { eligibility: "MAY_ENGAGE", statusDetail: "VALID" })
  return id
})

/** A new exemption's id, of a worker or an applicant. */
export const exemption = (owner: { readonly worker: unknown } | { readonly applicant: unknown }, fields: Fields = {}) =>
  created("exemptions", () => ({ exemptionType: "MEDICAL", ...owner, ...fields }))

/** A new code. */
export const freshCode = (): string => `code-${randomUUID()}`

/** A new screening package's code. */
export const screeningPackage = (fields: Fields = {}) =>
  created("screening-packages", () => ({ code: freshCode(), name: "Child care", ...fields }))

/** A new compliance check's code. */
export const complianceCheck = (fields: Fields = {}) =>
  created("compliance-checks", () => {
    const requirement = { credentialTypes: ["FIRST_AID"] }
    return { code: freshCode(), displayName: "First aid", requirement, ...fields }
  })

/** The required fields of a webhook. It has no receiver, and tests create no deliveries for it. */
export const webhookFields = {
  name: "HR",
  url: "https://receiver.invalid/events",
  events: ["webhook.test"]
} as const

/** A new webhook's id. */
export const webhook = (fields: Fields = {}) => created("webhooks", () => ({ ...webhookFields, ...fields }))

/** The id of a new disabled webhook. */
export const disabledWebhook = Effect.gen(function* () {
  const { call } = yield* Service
  const id = yield* webhook()
  return textAt(yield* call({ method: "POST", path: `/openapi/v1/webhooks/${id}/disable` }), "data.id")
})

/** The id of a new recruitment check of an applicant, by a screening package. */
export const recruitmentCheck = (applicant: unknown, screeningPackageCode: string, fields: Fields = {}) =>
  created("recruitment-checks", () => ({ applicant, screeningPackageCode, ...fields }))

/** The id of a new fetch request to a worker. */
export const fetchRequest = (worker: unknown, fields: Fields = {}) =>
  created("fetch-requests", () => ({ worker, requestedCredentialTypes: ["FIRST_AID"], ...fields }))

/** The URN of a new ban of a worker of the first tenant, or of the other. */
export const ban = Effect.fnUntraced(function* (
  worker: string,
  fields: Readonly<Record<string, JsonValue>> = {},
  other = false
) {
  const { otherTenant, recordBan, tenant } = yield* Service
  const checked = { checkedAt: "2026-01-31T09:30:00Z", eligibility: "MAY_NOT_ENGAGE" }
  const entry = { register: "ndis", key: randomUUID(), worker: { id: worker }, ...checked, ...fields }
  return (yield* Effect.orDie(recordBan(other ? otherTenant.id : tenant.id, entry))).id
})

/** The id of a new personal token of the Super Admin. */
export const personalToken = (name = "test") => created("access-tokens", () => ({ name }))

/** A new OAuth client's id. */
export const apiClient = (name = "test") => created("api-clients", () => ({ name }))

/** The body of an OpenID Connect identity provider. */
export const identityProviderFields = {
  name: "Example",
  kind: "oidc",
  oidc: { issuer: "https://idp.example.org", clientId: "wcs" }
} as const

/** A new identity provider's id. Its one domain can be verified. */
export const identityProvider = Effect.gen(function* () {
  const { publish } = yield* Service
  const domain = `${randomUUID()}.example`
  const id = yield* created("identity-providers", () => ({ ...identityProviderFields, domains: [domain] }))
  yield* publish(`_wcs-challenge.${domain}`, `wcs-domain-verification=${id}`)
  return id
})

/** The body of a verification source. No gateway is there. */
export const verificationSourceFields = {
  credentialType: "WWCC_SA",
  url: "https://gateway.invalid/",
  secret: "gateway-token"
} as const

/** A new verification source's id. */
export const verificationSource = () => created("verification-sources", () => verificationSourceFields)

/** The owners of a credential, as GET shows them. */
export const ownersOf = Effect.fnUntraced(function* (id: string) {
  const { call } = yield* Service
  const answer = yield* call({ method: "GET", path: `/openapi/v1/credentials/${id}` })
  return at(answer, "data.attributes.owners")
})
