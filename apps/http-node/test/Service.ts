import type { Administration } from "@wcs/domain/Administration"
import type { PrivilegeName, Role } from "@wcs/domain/Privilege"
import type { Tenant } from "@wcs/domain/Tenant"
import { operatorUrn } from "@wcs/domain/Trail"
import { Context, Effect, Redacted } from "effect"

/** What one request came to. */
export interface Answer {
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** The body where it is JSON, read by `at`. */
  readonly json: unknown
}

/** One request, as raw as it has to be. */
export interface Call {
  readonly method: string
  /** From the root: `/openapi/v1/workers`. */
  readonly path: string
  /** Sent as `Authorization: Bearer …`; the Super Admin's where it is left out, none where it is null. */
  readonly token?: string | null
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is, in place of `body`. */
  readonly rawBody?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
  /** The host that is addressed; the first tenant's where it is left out. */
  readonly host?: string
}

/** A whole deployment with two tenants, and the hand of its operator. */
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
  }
>()("@wcs/http-node/test/Service") {}

export const operator = { account: operatorUrn, bearer: null, requestId: "operator" }

/** The value at a dotted path of an answer's JSON. */
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

/** The text at a dotted path; fails the test where there is none. */
export const textAt = (answer: Answer, path: string): string => {
  const value = at(answer, path)
  if (typeof value !== "string") throw new Error(`no text at ${path}: ${answer.status} ${answer.text}`)
  return value
}

let users = 0

/** A personal token of a new user with a role, or with exactly these privileges. */
export const tokenOf = Effect.fnUntraced(function* (role: Role | ReadonlyArray<PrivilegeName>, other = false) {
  const { administration, otherTenant, tenant } = yield* Service
  const tenantId = other ? otherTenant.id : tenant.id
  const email = `user${++users}@example.org`
  yield* administration.createUser(tenantId, email, role, operator).pipe(Effect.orDie)
  const { secret, token } = yield* administration
    .createToken(tenantId, email, "test", null, operator)
    .pipe(Effect.orDie)
  return { token: Redacted.value(secret), id: token.id, email }
})

/** A new OAuth client with its secret. */
export const client = Effect.fnUntraced(function* (other = false) {
  const { administration, otherTenant, tenant } = yield* Service
  const made = yield* administration
    .createClient(other ? otherTenant.id : tenant.id, "test", operator)
    .pipe(Effect.orDie)
  return { clientId: made.client.clientId, clientSecret: Redacted.value(made.secret) }
})

/** A new worker's id. */
export const worker = Effect.fnUntraced(function* (fields: Readonly<Record<string, unknown>> = {}) {
  const { call } = yield* Service
  const body = { identity: { displayName: "Ann Example" }, ...fields }
  return textAt(yield* call({ method: "POST", path: "/openapi/v1/workers", body }), "data.id")
})

/** A new applicant's id. */
export const applicant = Effect.fnUntraced(function* (fields: Readonly<Record<string, unknown>> = {}) {
  const { call } = yield* Service
  const body = { emailAddress: "ann@example.org", ...fields }
  return textAt(yield* call({ method: "POST", path: "/openapi/v1/applicants", body }), "data.id")
})

/** A new credential's id, held by a worker, an applicant or both. */
export const credential = Effect.fnUntraced(function* (
  owners: { readonly worker?: string; readonly applicant?: string },
  attributes: Readonly<Record<string, unknown>> = {}
) {
  const { call } = yield* Service
  const body = { attributes: { credentialType: "FIRST_AID", ...attributes, owners } }
  return textAt(yield* call({ method: "POST", path: "/openapi/v1/credentials", body }), "data.id")
})

/** The owners of a credential, as GET shows them. */
export const ownersOf = Effect.fnUntraced(function* (id: string) {
  const { call } = yield* Service
  const answer = yield* call({ method: "GET", path: `/openapi/v1/credentials/${id}` })
  return at(answer, "data.attributes.owners")
})
